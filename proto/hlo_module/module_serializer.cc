// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_serializer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/node_key.h"
#include "indim/ir/pools.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo_module/expansion.h"
#include "indim/proto/hlo_module/inline_literals.h"
#include "indim/proto/hlo_module/instruction_encoder.h"
#include "indim/proto/hlo_module/module_writer.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_buffer.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;

constexpr uint64_t kLargestForXla = std::numeric_limits<int32_t>::max();

// A node as it is written, and the instructions before it that its expansion
// adds.
struct NodeBytes {
  // What `parts` and `steps` have views of.
  std::vector<std::string> fields;
  Expansion expansion;
  InstructionParts parts;
  std::vector<InstructionParts> steps;  // of the expansion
};

// Writes the instructions of a module, or their expansions.
class InstructionWriter {
 public:
  InstructionWriter(const ModuleData& data, const FinalNames& names,
                    Expander* expander, WireBuffer* out)
      : data_(data),
        names_(names),
        expander_(expander),
        has_ids_(!data.ids.empty()),
        out_(*out),
        encoder_(out),
        last_id_(static_cast<int64_t>(data.instructions.size())) {}

  // False: a node has no expansion, or *out is over its limit.
  bool Write(uint32_t c) {
    const InstructionRecord* const base =
        data_.instructions.data() + data_.computations[c].first;
    parameters_.clear();
    for (uint32_t i = 0; i < data_.computations[c].count; ++i) {
      if (base[i].opcode == Opcode::kParameter) parameters_.push_back(i);
      if (expander_ == nullptr) {
        WriteNode(data_.computations[c], i, base[i], PartsOf(c, i), nullptr);
      } else {
        const NodeBytes* const node = BytesOf(c, i, base);
        if (ABSL_PREDICT_FALSE(node == nullptr)) return false;
        WriteNode(data_.computations[c], i, base[i], node->parts, node);
      }
      if (ABSL_PREDICT_FALSE(out_.over_limit())) return false;
    }
    return true;
  }
  // Those of the last computation, in order.
  absl::Span<const uint32_t> parameters() const { return parameters_; }
  // Whether an expansion made instructions.
  bool has_added() const {
    return last_id_ > static_cast<int64_t>(data_.instructions.size());
  }

 private:
  // An instruction as the module has it.
  InstructionParts PartsOf(uint32_t c, uint32_t i) const;
  // With an expander. Null: the node has no expansion. `base`: the first record
  // of `c`.
  NodeBytes* BytesOf(uint32_t c, uint32_t i, const InstructionRecord* base);
  NodeBytes* FindOrMake(const NodeKey& key, uint32_t c, uint32_t i);
  NodeBytes* MakeOnce(uint32_t c, uint32_t i) {
    return Make(c, i, &once_) ? &once_ : nullptr;
  }
  bool Make(uint32_t c, uint32_t i, NodeBytes* node);

  // Null `node`: not expanded.
  void WriteNode(const ComputationRecord& computation, uint32_t i,
                 const InstructionRecord& r, const InstructionParts& parts,
                 const NodeBytes* node);
  // Writes the steps, and puts the ids of the instruction's own operands into
  // values_. `ids` are those of its operands in the module.
  void WriteSteps(const int64_t* ids, const NodeBytes& node);
  // The ids of `values`, in values_.
  absl::Span<const int64_t> FindValues(const Expansion::Values& values,
                                       const int64_t* ids, int64_t first_step);
  const std::string* OperandsAsRead(const ComputationRecord& computation,
                                    uint32_t position) const;

  const ModuleData& data_;
  const FinalNames& names_;
  Expander* const expander_;
  const bool has_ids_;  // other ones than positions
  WireBuffer& out_;
  InstructionEncoder encoder_;
  int64_t last_id_;  // of any instruction, also new ones
  // Made when they are wanted a second time; null: wanted once. At kMaxKept it
  // forgets all.
  absl::flat_hash_map<NodeKey, std::unique_ptr<NodeBytes>> kept_;
  static constexpr size_t kMaxKept = 4096;
  // Those of nodes with two operands and no callees, by shorter keys: most
  // nodes.
  NodeMemo<2, NodeBytes*, 1024> recent_;
  NodeBytes once_;
  // Of a node's operands, and of a step's or an expanded node's; then of
  // callees.
  std::vector<int64_t> ids_, values_;
  std::vector<uint32_t> parameters_;
};

inline InstructionParts InstructionWriter::PartsOf(uint32_t c,
                                                   uint32_t i) const {
  const uint32_t position = data_.Position(c, i);
  const InstructionRecord& r = data_.instructions[position];
  const Pools& pools = *data_.pools;
  InstructionParts parts;
  parts.opcode = data_.OpcodeName(position);
  if (r.shape) parts.shape = pools.shapes().wire(r.shape);
  if (r.metadata) parts.metadata = pools.metadata(r.metadata);
  parts.attribute_bytes = pools.attribute_bytes(r.attribute_bytes);
  return parts;
}

bool InstructionWriter::Make(uint32_t c, uint32_t i, NodeBytes* node) {
  std::optional<Expansion> expansion = expander_->Expand(c, i);
  if (!expansion) return false;
  node->expansion = *std::move(expansion);
  node->fields.clear();
  node->steps.clear();
  node->fields.reserve(node->expansion.steps.size() + 1);  // so none moves
  const auto join = [node](InstructionParts parts, const Shape& bare) {
    const std::string shape = SerializeShapeProto(bare.WithDefaultLayout());
    parts.shape = shape;
    JoinParts(&parts, &node->fields.emplace_back());
    return parts;
  };
  const Expansion& made = node->expansion;
  InstructionParts parts = PartsOf(c, i);
  for (const Expansion::Step& step : made.steps) {
    InstructionParts of_step;
    of_step.opcode = Name(step.opcode);
    of_step.metadata = parts.metadata;
    of_step.attribute_bytes = step.attribute_bytes.view();
    node->steps.push_back(join(of_step, step.shape));
  }
  if (made.attribute_bytes) {
    parts.attribute_bytes = made.attribute_bytes->view();
  }
  node->parts =
      join(parts, made.shape
                      ? *made.shape
                      : data_.pools->shapes().shape(data_.Record(c, i).shape));
  return true;
}

NodeBytes* InstructionWriter::FindOrMake(const NodeKey& key, uint32_t c,
                                         uint32_t i) {
  const auto [entry, is_new] = kept_.try_emplace(key);
  if (is_new) {
    if (kept_.size() >= kMaxKept) {
      kept_.clear();
      recent_ = {};
    }
    return MakeOnce(c, i);
  }
  std::unique_ptr<NodeBytes>& node = entry->second;
  if (node != nullptr) return node.get();
  node = std::make_unique<NodeBytes>();
  return Make(c, i, node.get()) ? node.get() : nullptr;
}

inline NodeBytes* InstructionWriter::BytesOf(uint32_t c, uint32_t i,
                                             const InstructionRecord* base) {
  const InstructionRecord& r = base[i];
  const bool has_few_parts = r.operand_count <= 2 && r.callee_count == 0;
  NodeKeyOf<2> few;
  if (ABSL_PREDICT_TRUE(has_few_parts)) {
    const uint32_t* const operands = data_.operands.data() + r.first_operand;
    SetNodeKey(r.opcode, r.operand_count, 0, r.metadata, r.shape,
               r.attribute_bytes, &few);
    if (r.operand_count > 0) AddPart(0, base[operands[0]].shape.value, &few);
    if (r.operand_count > 1) AddPart(1, base[operands[1]].shape.value, &few);
    if (NodeBytes** const known = recent_.Find(few)) return *known;
  }
  NodeKey key;
  if (!expander_->KeyOf(c, i, &key)) return MakeOnce(c, i);
  NodeBytes* const node = FindOrMake(key, c, i);
  if (has_few_parts && node != nullptr && node != &once_) {
    recent_.Insert(few, node);
  }
  return node;
}

// Room for `count` numbers.
int64_t* Room(size_t count, std::vector<int64_t>* numbers) {
  if (numbers->size() < count) numbers->resize(count);
  return numbers->data();
}

inline absl::Span<const int64_t> InstructionWriter::FindValues(
    const Expansion::Values& values, const int64_t* ids, int64_t first_step) {
  int64_t* const found = Room(values.size(), &values_);
  for (size_t k = 0; k < values.size(); ++k) {
    const Expansion::Value value = values[k];
    found[k] = value < 0
                   ? first_step + static_cast<int64_t>(Expansion::StepOf(value))
                   : ids[value];
  }
  return absl::MakeConstSpan(found, values.size());
}

void InstructionWriter::WriteSteps(const int64_t* ids, const NodeBytes& node) {
  const int64_t first_step = last_id_ + 1;
  for (size_t s = 0; s < node.steps.size(); ++s) {
    InstructionEncoder::Own own;
    own.id = ++last_id_;
    own.ids = FindValues(node.expansion.steps[s].operands, ids, first_step);
    own.operand_count = own.ids.size();
    encoder_.Write(own, node.steps[s]);
  }
  FindValues(node.expansion.operands, ids, first_step);
}

inline void InstructionWriter::WriteNode(const ComputationRecord& computation,
                                         uint32_t i, const InstructionRecord& r,
                                         const InstructionParts& parts,
                                         const NodeBytes* node) {
  const uint32_t position = computation.first + i;
  const uint32_t* const uses = data_.operands.data() + r.first_operand;
  InstructionEncoder::Own own;
  own.operand_count = r.operand_count;
  int64_t* ids = Room(r.operand_count + r.callee_count, &ids_);
  if (has_ids_) {
    for (uint32_t k = 0; k < r.operand_count; ++k) {
      ids[k] = data_.ids[computation.first + uses[k]];
    }
  } else {
    const int64_t first = int64_t{computation.first} + 1;
    for (uint32_t k = 0; k < r.operand_count; ++k) ids[k] = first + uses[k];
  }
  if (node != nullptr && !node->steps.empty()) {
    WriteSteps(ids, *node);
    own.operand_count = node->expansion.operands.size();
    ids = Room(own.operand_count + r.callee_count, &values_);
  }
  for (uint32_t k = 0; k < r.callee_count; ++k) {
    ids[own.operand_count + k] =
        data_.computations[uses[r.operand_count + k]].id;
  }
  own.ids = absl::MakeConstSpan(ids, own.operand_count + r.callee_count);
  own.id = data_.InstructionId(position);
  if (!names_.is_made(position)) {
    own.name = names_.instruction(position);
    own.nameless = own.name.empty();
  }
  if (ABSL_PREDICT_FALSE(!data_.operand_spellings.empty())) {
    own.operands_as_read = OperandsAsRead(computation, position);
  }
  encoder_.Write(own, parts);
  out_.Step();
}

// The payload of operand_ids as it was read; null: use the ids.
const std::string* InstructionWriter::OperandsAsRead(
    const ComputationRecord& computation, uint32_t position) const {
  const auto& spellings = data_.operand_spellings;
  const auto payload = std::lower_bound(
      spellings.begin(), spellings.end(), position,
      [](const auto& pair, uint32_t p) { return pair.first < p; });
  if (payload == spellings.end() || payload->first != position) return nullptr;
  // A pass may have given the instruction other operands.
  WireReader reader(payload->second);
  for (uint32_t operand : data_.Operands(data_.instructions[position])) {
    uint64_t id;
    if (!reader.ReadVarint(&id) ||
        !SameLowBits(static_cast<int64_t>(id),
                     data_.InstructionId(computation.first + operand))) {
      return nullptr;
    }
  }
  return reader.done() ? &payload->second : nullptr;
}

// False: a node has no expansion, a name may clash with that of a new
// instruction, or *out is over its limit.
bool WriteAll(const ModuleData& data, const FinalNames& names,
              Expander* expander, WireBuffer* out) {
  InstructionWriter instructions(data, names, expander, out);
  ModuleWriter writer(data, names, expander, out);
  const bool written = writer.Write([&](uint32_t c) {
    const bool all = instructions.Write(c);
    writer.SetParameters(c, instructions.parameters());
    return all;
  });
  // The name of a new instruction may equal a given one.
  return written && (expander == nullptr || names.leave_room() ||
                     !instructions.has_added());
}

absl::Status CantExpand() {
  return absl::FailedPreconditionError(
      "the module can't be expanded while it is written");
}

// A module whose size is known, which can be written any number of times.
class CountedModule {
 public:
  CountedModule(Module module, std::shared_ptr<Expander> expander)
      : module_(std::move(module)),
        names_(internal::DataOf(module_), FinalNames::Keep::kGiven),
        expander_(std::move(expander)) {
    WireBuffer buffer(nullptr);
    ok_ = WriteAll(internal::DataOf(module_), names_, expander_.get(), &buffer);
    size_ = buffer.size();
    lengths_ = buffer.TakeLengths();
  }
  CountedModule(const CountedModule&) = delete;
  CountedModule& operator=(const CountedModule&) = delete;

  // False: it can't be expanded.
  bool ok() const { return ok_; }
  uint64_t size() const { return size_; }
  absl::Status Write(BytePieces::Take take) const {
    WireBuffer buffer([take](absl::string_view bytes) { return take(bytes); },
                      lengths_);
    const bool written =
        WriteAll(internal::DataOf(module_), names_, expander_.get(), &buffer);
    if (!written) return absl::InternalError("two sweeps differ");
    return buffer.status();
  }

 private:
  const Module module_;
  const FinalNames names_;
  const std::shared_ptr<Expander> expander_;
  bool ok_ = false;
  uint64_t size_ = 0;
  std::vector<uint64_t> lengths_;
};

// --- Over 2 GiB --------------------------------------------------------------

// Lets a module of large literals be refused before any is copied.
uint64_t BytesOfConstants(const ModuleData& data) {
  uint64_t size = 0;
  for (const InstructionRecord& r : data.instructions) {
    if (r.opcode == Opcode::kConstant)
      size += data.pools->attribute_bytes(r.attribute_bytes).size();
  }
  return size;
}

// `kept`: in the module's form instead of XLA's.
uint64_t LiteralSize(AttributeBytesView attribute_bytes, bool kept) {
  WireReader reader(attribute_bytes.before_id);
  uint32_t tag;
  absl::string_view literal;
  if (reader.done() || !reader.ReadTag(&tag) || TagNumber(tag) != kLiteral ||
      !reader.ReadLengthDelimited(&literal)) {
    return 0;
  }
  return kept ? literal.size() : PlainLiteralSize(literal);
}

absl::Status TooLarge(const Module& module, uint64_t size, bool kept) {
  std::vector<std::pair<uint64_t, std::string>> largest;
  for (Computation computation : module.computations()) {
    for (Instruction instruction : computation.instructions()) {
      const uint64_t bytes =
          LiteralSize(internal::AttributeBytesOf(instruction), kept);
      if (bytes == 0 || (largest.size() == 3 && bytes <= largest[2].first)) {
        continue;
      }
      if (largest.size() == 3) largest.pop_back();
      largest.emplace_back(bytes, instruction.name());
      std::stable_sort(
          largest.begin(), largest.end(),
          [](const auto& a, const auto& b) { return a.first > b.first; });
    }
  }
  std::string message =
      absl::StrCat("the module takes ", size,
                   size >= kMaxBytes ? " bytes or more" : " bytes",
                   "; XLA's protobuf reads at most ", kLargestForXla);
  if (!largest.empty()) {
    absl::StrAppend(
        &message, "; the largest literals are ",
        absl::StrJoin(largest, ", ", [](std::string* out, const auto& entry) {
          absl::StrAppend(out, entry.second, " (", entry.first, " bytes)");
        }));
  }
  return absl::ResourceExhaustedError(message);
}

// The size with literals in the module's form.
uint64_t KeptSize(const Module& module) {
  return CountedModule(module, /*expander=*/nullptr).size();
}

// The bytes with literals in the module's form.
absl::StatusOr<std::string> SerializeKept(const Module& module,
                                          const SerializeOptions& options) {
  const ModuleData& data = internal::DataOf(module);
  const uint64_t limit = options.allow_over_2gib
                             ? std::numeric_limits<uint64_t>::max()
                             : kLargestForXla;
  if (options.expander == nullptr && BytesOfConstants(data) > limit) {
    return TooLarge(module, KeptSize(module), /*kept=*/true);
  }
  std::string bytes;
  WireBuffer buffer(&bytes);
  buffer.set_limit(limit);
  const FinalNames names(data, FinalNames::Keep::kGiven);
  const bool written = WriteAll(data, names, options.expander.get(), &buffer);
  if (buffer.size() > limit) {
    return TooLarge(module, KeptSize(module), /*kept=*/true);
  }
  if (!written) return CantExpand();
  return bytes;
}

}  // namespace

uint64_t SerializedSize(const Module& module) {
  if (!HasCompactLiterals(*internal::DataOf(module).pools)) {
    return KeptSize(module);
  }
  SerializeOptions options;
  options.allow_over_2gib = true;
  return PlainModuleSize(SerializeKept(module, options).value_or(""));
}

absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            const SerializeOptions& options) {
  if (!HasCompactLiterals(*internal::DataOf(module).pools)) {
    return SerializeKept(module, options);
  }
  SerializeOptions whole = options;
  whole.keep_compact = false;
  const absl::StatusOr<BytePieces> pieces = SerializeInPieces(module, whole);
  if (!pieces.ok()) return pieces.status();
  return pieces->ToString();
}

absl::StatusOr<BytePieces> SerializeInPieces(const Module& module,
                                             const SerializeOptions& options) {
  const Pools& pools = *internal::DataOf(module).pools;
  BytePieces pieces;
  if (options.keep_compact || !HasCompactLiterals(pools)) {
    auto counted =
        std::make_shared<const CountedModule>(module, options.expander);
    const uint64_t size = counted->size();
    if (size > kLargestForXla && !options.allow_over_2gib) {
      return TooLarge(module, size, /*kept=*/true);
    }
    if (!counted->ok()) return CantExpand();
    pieces.AppendWith(size, [counted](BytePieces::Take take) {
      return counted->Write(take);
    });
    return pieces;
  }
  absl::StatusOr<std::string> kept = SerializeKept(module, options);
  if (absl::IsFailedPrecondition(kept.status())) return kept.status();
  if (!kept.ok()) {
    return TooLarge(module, SerializedSize(module), /*kept=*/false);
  }
  const auto bytes = std::make_shared<const std::string>(*std::move(kept));
  const uint64_t size = PlainModuleSize(*bytes);
  if (size >= kMaxBytes ||
      (size > kLargestForXla && !options.allow_over_2gib)) {
    return TooLarge(module, size, /*kept=*/false);
  }
  const absl::Status status =
      AppendPlainModule(*bytes, pools.external_files(), &pieces);
  if (!status.ok()) return status;
  pieces.Keep(bytes);
  return pieces;
}

}  // namespace indim
