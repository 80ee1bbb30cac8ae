#include "indim/hlo_proto/module_serializer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/codec/literal_wire.h"
#include "indim/hlo_proto/inline_literals.h"
#include "indim/hlo_proto/instruction_encoder.h"
#include "indim/hlo_proto/module_writer.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/node_key.h"
#include "indim/ir/pools.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_buffer.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;

constexpr uint64_t kLargestForXla = std::numeric_limits<int32_t>::max();

// Writes the instructions of a module unchanged.
class PlainInstructions {
 public:
  PlainInstructions(const ModuleData& data, const FinalNames& names,
                    WireBuffer* out)
      : data_(data), names_(names), out_(*out), encoder_(out) {}

  bool Write(uint32_t computation) {
    const ComputationRecord& record = data_.computations[computation];
    for (uint32_t i = 0; i < record.count; ++i) {
      WriteOne(record, record.first + i);
      if (out_.over_limit()) return false;
    }
    return true;
  }

 private:
  // InstructionBytes, kept when they are wanted a second time.
  struct Kept {
    bool is_made = false;
    InstructionBytes bytes;
  };

  void WriteOne(const ComputationRecord& computation, uint32_t position);
  InstructionBytes* BytesOf(uint32_t position);
  void Make(uint32_t position, InstructionBytes* bytes) const;
  const std::string* OperandsAsRead(const ComputationRecord& computation,
                                    uint32_t position) const;

  const ModuleData& data_;
  const FinalNames& names_;
  WireBuffer& out_;
  InstructionEncoder encoder_;
  NodeMemo<0, Kept, 1024> kept_;
  InstructionBytes once_;
  std::vector<int64_t> ids_;  // of operands, then of callees
};

void PlainInstructions::Make(uint32_t position, InstructionBytes* bytes) const {
  const InstructionRecord& record = data_.instructions[position];
  const Pools& pools = *data_.pools;
  const absl::string_view shape = pools.shapes().wire(record.shape);
  const absl::string_view metadata = pools.metadata(record.metadata);
  bytes->Assign(data_.OpcodeName(position), record.shape ? &shape : nullptr,
                record.metadata ? &metadata : nullptr,
                pools.attribute_bytes(record.attribute_bytes));
}

InstructionBytes* PlainInstructions::BytesOf(uint32_t position) {
  const InstructionRecord& record = data_.instructions[position];
  if (record.unknown_opcode) {
    Make(position, &once_);
    return &once_;
  }
  const NodeKeyOf<0> key = MakeNodeKey<0>(record.opcode, 0, 0, record.metadata,
                                          record.shape, record.attribute_bytes);
  Kept* const kept = kept_.Find(key);
  if (kept == nullptr) {
    kept_.Insert(key, {});
    Make(position, &once_);
    return &once_;
  }
  if (!kept->is_made) {
    Make(position, &kept->bytes);
    kept->is_made = true;
  }
  return &kept->bytes;
}

void PlainInstructions::WriteOne(const ComputationRecord& computation,
                                 uint32_t position) {
  const InstructionRecord& record = data_.instructions[position];
  InstructionEncoder::Own own;
  if (!names_.is_made(position)) {
    own.name = names_.instruction(position);
    own.nameless = own.name.empty();
  }
  own.id = data_.InstructionId(position);
  ids_.clear();
  for (const uint32_t operand : data_.Operands(record)) {
    ids_.push_back(data_.InstructionId(computation.first + operand));
  }
  for (const uint32_t callee : data_.Callees(record)) {
    ids_.push_back(data_.computations[callee].id);
  }
  own.ids = ids_;
  own.operand_count = record.operand_count;
  if (!data_.operand_spellings.empty()) {
    own.operands_as_read = OperandsAsRead(computation, position);
  }
  encoder_.Write(own, BytesOf(position));
  out_.Step();
}

// The payload of operand_ids as it was read; null: use the ids.
const std::string* PlainInstructions::OperandsAsRead(
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

void WriteAll(const ModuleData& data, const FinalNames& names,
              WireBuffer* out) {
  PlainInstructions instructions(data, names, out);
  ModuleWriter writer(data, names, out);
  writer.Write([&](uint32_t c) { return instructions.Write(c); });
}

// Writes to *out, or, if it is null, only counts; keeps at most `limit` bytes.
// Returns the size, or more than `limit`.
uint64_t WriteTo(const Module& module, uint64_t limit, std::string* out) {
  const FinalNames names(internal::DataOf(module), FinalNames::Keep::kGiven);
  WireBuffer buffer(out);
  buffer.set_limit(limit);
  WriteAll(internal::DataOf(module), names, &buffer);
  return buffer.size();
}

// A module whose size is known, which can be written any number of times.
class CountedModule {
 public:
  explicit CountedModule(Module module)
      : module_(std::move(module)),
        names_(internal::DataOf(module_), FinalNames::Keep::kGiven) {
    WireBuffer buffer(nullptr);
    WriteAll(internal::DataOf(module_), names_, &buffer);
    size_ = buffer.size();
    lengths_ = buffer.TakeLengths();
  }
  CountedModule(const CountedModule&) = delete;
  CountedModule& operator=(const CountedModule&) = delete;

  uint64_t size() const { return size_; }
  absl::Status Write(BytePieces::Take take) const {
    WireBuffer buffer([take](absl::string_view bytes) { return take(bytes); },
                      lengths_);
    WriteAll(internal::DataOf(module_), names_, &buffer);
    return buffer.status();
  }

 private:
  const Module module_;
  const FinalNames names_;
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
  return WriteTo(module, std::numeric_limits<uint64_t>::max(), nullptr);
}

absl::StatusOr<std::string> SerializeKept(const Module& module,
                                          bool allow_over_2gib) {
  std::string bytes;
  if (allow_over_2gib) {
    WriteTo(module, std::numeric_limits<uint64_t>::max(), &bytes);
    return bytes;
  }
  if (BytesOfConstants(internal::DataOf(module)) > kLargestForXla ||
      WriteTo(module, kLargestForXla, &bytes) > kLargestForXla) {
    return TooLarge(module, KeptSize(module), /*kept=*/true);
  }
  return bytes;
}

}  // namespace

uint64_t SerializedSize(const Module& module, bool keep_compact) {
  if (keep_compact || !HasCompactLiterals(*internal::DataOf(module).pools)) {
    return KeptSize(module);
  }
  std::string kept;
  WriteTo(module, std::numeric_limits<uint64_t>::max(), &kept);
  return PlainModuleSize(kept);
}

absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            bool allow_over_2gib) {
  if (!HasCompactLiterals(*internal::DataOf(module).pools)) {
    return SerializeKept(module, allow_over_2gib);
  }
  SerializeOptions options;
  options.allow_over_2gib = allow_over_2gib;
  const absl::StatusOr<BytePieces> pieces = SerializeInPieces(module, options);
  if (!pieces.ok()) return pieces.status();
  return pieces->ToString();
}

absl::StatusOr<BytePieces> SerializeInPieces(const Module& module,
                                             const SerializeOptions& options) {
  const Pools& pools = *internal::DataOf(module).pools;
  BytePieces pieces;
  if (options.keep_compact || !HasCompactLiterals(pools)) {
    auto counted = std::make_shared<const CountedModule>(module);
    const uint64_t size = counted->size();
    if (size > kLargestForXla && !options.allow_over_2gib) {
      return TooLarge(module, size, /*kept=*/true);
    }
    pieces.AppendWith(size, [counted](BytePieces::Take take) {
      return counted->Write(take);
    });
    return pieces;
  }
  absl::StatusOr<std::string> kept =
      SerializeKept(module, options.allow_over_2gib);
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
