// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/computation_reader.h"

#include <limits>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/append_record.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

// Nesting depths.
constexpr int kComputationDepth = 1;
constexpr int kInstructionDepth = 2;

// Whether `program_shape` is certainly canonical, because its shapes are known:
// usually those of the parameters and the root, in this order.
bool HasKnownShapes(const ShapeTable& shapes,
                    absl::Span<const ShapeId> parameters, ShapeId result,
                    absl::string_view program_shape) {
  size_t next = 0;
  const auto is_known = [&shapes](absl::string_view shape, ShapeId expected) {
    return SameBytes(shapes.wire(expected), shape) || shapes.FindWire(shape);
  };
  WireReader reader(program_shape);
  uint32_t last = 0;
  while (!reader.done()) {
    uint32_t tag;
    absl::string_view value;
    if (!reader.ReadMinimalTag(&tag) || tag < last ||
        TagType(tag) != WireType::kLengthDelimited ||
        !reader.ReadMinimalLengthDelimited(&value)) {
      return false;
    }
    switch (TagNumber(tag)) {
      case field::ProgramShapeProto::kParameters:
        if (!is_known(value,
                      next < parameters.size() ? parameters[next] : result)) {
          return false;
        }
        ++next;
        break;
      case field::ProgramShapeProto::kResult:
        if (last == tag || !is_known(value, result)) return false;
        break;
      case field::ProgramShapeProto::kParameterNames:
        if (!IsValidUtf8(value)) return false;
        break;
      default:
        return false;
    }
    last = tag;
  }
  return true;
}

// The name, if it can be read from bytes that may not be canonical.
absl::string_view NameInBytes(absl::string_view instruction) {
  ScannedInstruction scanned;
  ScanInstruction(instruction, &scanned);
  return scanned.name;
}

bool IsCanonicalRun(absl::string_view run) {
  return run.empty() ||
         IsCanonical(WireMessage::kHloInstructionProto, run, kInstructionDepth);
}

}  // namespace

absl::Status InComputation(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("computation \"", Printable(name),
                                   "\": ", status.message()));
}

absl::Status CantBeCanonical(absl::string_view what) {
  return absl::InternalError(
      absl::StrCat(what, " stays non-canonical when normalised"));
}

absl::Status ComputationReader::InThis(const absl::Status& status) const {
  return InComputation(computation_name_, status);
}

absl::Status ComputationReader::At(uint32_t position,
                                   const absl::Status& status) const {
  const absl::string_view name =
      position < data_.instructions.size()
          ? pools_.name(data_.instructions[position].name)
          : instruction_name_;
  const std::string place =
      name.empty()
          ? absl::StrCat("#", position - data_.computations.back().first)
          : absl::StrCat("\"", Printable(name), "\"");
  return InThis(absl::Status(
      status.code(),
      absl::StrCat("instruction ", place, ": ", status.message())));
}

absl::StatusOr<absl::string_view> ComputationReader::ReadProgramShape(
    const std::optional<absl::string_view>& bytes, uint32_t computation,
    int depth, WhenEmpty* when_empty) {
  *when_empty =
      bytes.has_value() ? WhenEmpty::kWritePresent : WhenEmpty::kLeaveOut;
  if (!bytes.has_value()) return absl::string_view();
  // Shapes that instructions have are canonical; they nest at least as deeply
  // there.
  const ShapeId result =
      data_.Instructions(computation)[data_.computations[computation].root]
          .shape;
  if (HasKnownShapes(pools_.shapes(), parameter_shapes_, result, *bytes) ||
      IsCanonical(WireMessage::kProgramShapeProto, *bytes, depth)) {
    return *bytes;
  }
  absl::StatusOr<std::string> canonical =
      Canonicalize(WireMessage::kProgramShapeProto, *bytes, depth);
  if (!canonical.ok()) return canonical.status();
  return pools_.KeepBytes(*std::move(canonical));
}

absl::Status ComputationReader::Read(absl::string_view bytes) {
  const uint32_t index = static_cast<uint32_t>(data_.computations.size());
  ComputationRecord& computation = data_.computations.emplace_back();
  computation.first = static_cast<uint32_t>(data_.instructions.size());
  ScannedParts parts;
  absl::Status status = ReadFields(bytes, &parts);
  if (!status.ok()) return status;
  computation.name = pools_.AddNameView(computation_name_);
  computation.id = parts.id;
  computation.other_fields = parts.rest;
  computation.count =
      static_cast<uint32_t>(data_.instructions.size()) - computation.first;
  status = ResolveOperands(computation);
  if (!status.ok()) return status;
  status = ResolveRoot(parts.entry_or_root_id, &computation);
  if (!status.ok()) return status;
  const absl::StatusOr<absl::string_view> shape = ReadProgramShape(
      parts.program_shape, index, 2, &computation.program_shape_when_empty);
  if (!shape.ok()) return InThis(shape.status());
  computation.program_shape = *shape;
  if (!computation_index_.emplace(computation.id, index).second) {
    return InThis(absl::InvalidArgumentError(
        absl::StrCat("another computation has its id, ", computation.id)));
  }
  return absl::OkStatus();
}

absl::Status ComputationReader::ReadFields(absl::string_view bytes,
                                           ScannedParts* others) {
  computation_name_ = {};
  far_ids_.clear();
  callee_ids_.clear();
  parameter_shapes_.clear();
  absl::string_view left = bytes;
  for (bool rewritten = false;; rewritten = true) {
    WireReader reader(left);
    if (ReadComputationName(&reader, &computation_name_)) {
      const absl::Status status = ReadInstructions(&reader);
      if (!status.ok()) return status;
      left = {reader.cursor(), reader.remaining()};
      if (ScanAfterInstructions(left, others) &&
          (others->rest.empty() ||
           IsCanonical(WireMessage::kHloComputationProto, others->rest,
                       kComputationDepth))) {
        break;
      }
    }
    if (rewritten) return CantBeCanonical("a computation");
    absl::StatusOr<std::string> canonical = Canonicalize(
        WireMessage::kHloComputationProto, left, kComputationDepth);
    if (!canonical.ok()) {
      // The error with its place in all of the bytes.
      const absl::Status in_all =
          Canonicalize(WireMessage::kHloComputationProto, bytes,
                       kComputationDepth)
              .status();
      return in_all.ok() ? CantBeCanonical("a computation") : InThis(in_all);
    }
    // The last name counts, which canonical bytes lack if it is empty.
    if (!HasNoComputationName(left)) computation_name_ = {};
    left = pools_.KeepBytes(*std::move(canonical));
  }
  if (data_.instructions.size() == data_.computations.back().first) {
    return InThis(absl::InvalidArgumentError("it has no instructions"));
  }
  return absl::OkStatus();
}

absl::Status ComputationReader::ResolveRoot(int64_t root_id,
                                            ComputationRecord* computation) {
  const uint32_t root = root_id == -1 ? IdIndex::kNone : index_.Find(root_id);
  if (root == IdIndex::kNone) {
    return InThis(absl::InvalidArgumentError(
        absl::StrCat("root_id ", root_id, " is the id of no instruction")));
  }
  computation->root = root;
  if (data_.ids[computation->first + root] != root_id) {
    data_.root_spellings.emplace_back(
        static_cast<uint32_t>(data_.computations.size() - 1), root_id);
  }
  return absl::OkStatus();
}

// --- Instructions -----------------------------------------------------------

absl::Status ComputationReader::ReadInstructions(WireReader* reader) {
  absl::string_view bytes;
  while (ReadNextInstruction(reader, &bytes)) {
    const Added added = AddInstruction(bytes);
    if (ABSL_PREDICT_TRUE(added == Added::kYes)) continue;
    const absl::Status status = ReadUnusualInstruction(bytes, added);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ComputationReader::ReadUnusualInstruction(absl::string_view bytes,
                                                       Added added) {
  const uint32_t position = static_cast<uint32_t>(data_.instructions.size());
  instruction_name_ = NameInBytes(bytes);
  if (added == Added::kNotCanonical) {
    absl::StatusOr<std::string> canonical = Canonicalize(
        WireMessage::kHloInstructionProto, bytes, kInstructionDepth);
    if (!canonical.ok()) return At(position, canonical.status());
    bytes = pools_.KeepBytes(*std::move(canonical));
    instruction_name_ = NameInBytes(bytes);
    added = AddInstruction(bytes);
  }
  switch (added) {
    case Added::kYes:
      return absl::OkStatus();
    case Added::kError:
      return At(position, error_);
    default:
      return CantBeCanonical("an instruction");
  }
}

AttributeBytesId ComputationReader::AddAttributeBytes(
    const AttributeBytesView& attribute_bytes) {
  const AttributeBytesId id =
      pools_.AddAttributeBytesView(attribute_bytes, [this, &attribute_bytes] {
        const absl::string_view rest = attribute_bytes.after_callees;
        if (!IsCanonicalRun(attribute_bytes.before_id) ||
            !IsCanonicalRun(attribute_bytes.control) ||
            !(SameBytes(rest, canonical_rest_) || IsCanonicalRun(rest))) {
          return false;
        }
        canonical_rest_ = rest;
        return true;
      });
  return id ? id : AddRewrittenAttributeBytes(attribute_bytes);
}

// The entries of a map come in any order; usually all instructions of one call
// have the same map.
AttributeBytesId ComputationReader::AddRewrittenAttributeBytes(
    AttributeBytesView attribute_bytes) {
  if (!IsCanonicalRun(attribute_bytes.before_id) ||
      !IsCanonicalRun(attribute_bytes.control)) {
    return AttributeBytesId();
  }
  if (!SameBytes(attribute_bytes.after_callees, rewritten_rest_.from)) {
    if (!AllFollowCallees(attribute_bytes.after_callees))
      return AttributeBytesId();
    absl::StatusOr<std::string> canonical =
        Canonicalize(WireMessage::kHloInstructionProto,
                     attribute_bytes.after_callees, kInstructionDepth);
    if (!canonical.ok()) return AttributeBytesId();
    rewritten_rest_ = {attribute_bytes.after_callees,
                       pools_.KeepBytes(*std::move(canonical))};
  }
  attribute_bytes.after_callees = rewritten_rest_.to;
  return pools_.AddAttributeBytesView(attribute_bytes);
}

MetadataId ComputationReader::AddMetadata(absl::string_view metadata) {
  return pools_.AddMetadataView(metadata, [metadata] {
    return IsCanonical(WireMessage::kOpMetadata, metadata,
                       kInstructionDepth + 1);
  });
}

inline ComputationReader::Added ComputationReader::FindShape(
    const ScannedInstruction& scanned, ShapeId* shape) {
  if (ABSL_PREDICT_FALSE(!scanned.shape.has_value())) return Added::kYes;
  *shape = pools_.shapes().FindWire(*scanned.shape);
  return *shape ? Added::kYes : AddShape(scanned, shape);
}

ComputationReader::Added ComputationReader::AddShape(
    const ScannedInstruction& scanned, ShapeId* shape) {
  const absl::string_view wire = *scanned.shape;
  if (!IsCanonical(WireMessage::kShapeProto, wire, kInstructionDepth + 1)) {
    return Added::kNotCanonical;
  }
  const absl::StatusOr<ShapeId> added = pools_.shapes().InternWireView(wire);
  if (!added.ok()) {
    error_ = absl::Status(added.status().code(),
                          absl::StrCat("\"", Printable(scanned.name),
                                       "\": ", added.status().message()));
    return Added::kError;
  }
  *shape = *added;
  return Added::kYes;
}

// --- Ids --------------------------------------------------------------------

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ComputationReader::AddIds(
    const ScannedInstruction& scanned, const char* end, AddedIds* added) {
  const size_t first = data_.operands.size();
  uint64_t differ = 0;
  const bool operands =
      ForEachScannedId(scanned.operand_ids, end, [&](int64_t id) {
        differ |= static_cast<uint64_t>(id ^ scanned.id);
        data_.operands.push_back(static_cast<uint32_t>(id));
      });
  const size_t callees = data_.operands.size();
  const size_t first_callee = callee_ids_.size();
  const auto add_callee = [this](int64_t id) {
    callee_ids_.push_back(id);
    data_.operands.push_back(0);
  };
  if (ABSL_PREDICT_FALSE(!operands || (!scanned.callee_ids.empty() &&
                                       !ForEachScannedId(scanned.callee_ids,
                                                         end, add_callee)))) {
    data_.operands.resize(first);
    callee_ids_.resize(first_callee);
    return false;
  }
  *added = {first, data_.operands.size() - callees};
  if (ABSL_PREDICT_FALSE(differ >> 32 != 0)) {
    auto& far =
        far_ids_.emplace_back(static_cast<uint32_t>(data_.instructions.size()),
                              std::vector<int64_t>());
    ForEachScannedId(scanned.operand_ids, end,
                     [&far](int64_t id) { far.second.push_back(id); });
  }
  return true;
}

// --- One instruction --------------------------------------------------------

// Fills the record in place: processors are slow at copying a record just after
// it was written in other pieces.
ComputationReader::Added ComputationReader::AddInstruction(
    absl::string_view bytes) {
  const ScannedInstruction& scanned = scanned_;
  if (ABSL_PREDICT_FALSE(!ScanInstruction(bytes, &scanned_))) {
    return Added::kNotCanonical;
  }
  const Opcode opcode =
      OpcodeFromName(scanned.opcode).value_or(Opcode::kInvalid);
  if (ABSL_PREDICT_FALSE(opcode == Opcode::kInvalid) &&
      !IsValidUtf8(scanned.opcode)) {
    return Added::kNotCanonical;
  }
  AttributeBytesId attribute_bytes;
  if (!scanned.attribute_bytes.empty()) {
    attribute_bytes = AddAttributeBytes(scanned.attribute_bytes);
    if (ABSL_PREDICT_FALSE(!attribute_bytes)) return Added::kNotCanonical;
  }
  MetadataId metadata;
  if (ABSL_PREDICT_TRUE(scanned.metadata.has_value())) {
    metadata = AddMetadata(*scanned.metadata);
    if (ABSL_PREDICT_FALSE(!metadata)) return Added::kNotCanonical;
  }
  ShapeId shape;
  const Added found = FindShape(scanned, &shape);
  if (ABSL_PREDICT_FALSE(found != Added::kYes)) return found;
  AddedIds ids;
  if (!AddIds(scanned, bytes.data() + bytes.size(), &ids)) {
    return Added::kNotCanonical;
  }
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  if (ABSL_PREDICT_FALSE(data_.operands.size() > kMost ||
                         data_.instructions.size() >= kMost / 2 ||
                         ids.callees > InstructionRecord::kMaxCallees)) {
    error_ = absl::ResourceExhaustedError(absl::StrCat(
        "\"", Printable(scanned.name),
        "\": a module may have 2^31 instructions and 2^32 operands, an "
        "instruction ",
        InstructionRecord::kMaxCallees, " called computations; here are more"));
    return Added::kError;
  }
  if (opcode == Opcode::kParameter) {
    parameter_shapes_.push_back(shape);
  } else if (ABSL_PREDICT_FALSE(opcode == Opcode::kInvalid) &&
             !scanned.opcode.empty()) {
    data_.opcode_names.emplace_back(
        static_cast<uint32_t>(data_.instructions.size()),
        std::string(scanned.opcode));
  }
  const NameId name = pools_.AddNameView(scanned.name);
  InstructionRecord& record = data_.instructions.emplace_back();
  record.opcode = opcode;
  record.unknown_opcode = opcode == Opcode::kInvalid;
  TakeOperands(ids.first, ids.callees, data_.operands, &record);
  record.shape = shape;
  record.attribute_bytes = attribute_bytes;
  record.name = name;
  record.metadata = metadata;
  data_.ids.push_back(scanned.id);
  return Added::kYes;
}

std::optional<uint32_t> ComputationReader::Find(int64_t id) const {
  auto it = computation_index_.find(id);
  if (it == computation_index_.end()) return std::nullopt;
  return it->second;
}

absl::Status ComputationReader::NoSuchOperand(uint32_t position, uint32_t k,
                                              int64_t id) const {
  return InvalidAt(position, absl::StrCat("operand ", k, " has the id ", id,
                                          ", no instruction before it has"));
}

// Among ids with one upper half the low halves suffice.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ComputationReader::ResolveInstruction(
    uint32_t position) {
  const InstructionRecord& record = data_.instructions[position];
  uint32_t* const operands = data_.operands.data() + record.first_operand;
  for (uint32_t k = 0; k < record.operand_count; ++k) {
    const uint32_t operand = index_.Find(operands[k]);
    if (ABSL_PREDICT_FALSE(operand == IdIndex::kNone)) {
      error_ = NoSuchOperand(
          position, k,
          InstructionIds::Join(data_.ids.high(position), operands[k]));
      return false;
    }
    operands[k] = operand;
  }
  return true;
}

bool ComputationReader::ResolveOtherInstruction(
    uint32_t first, uint32_t position, const std::vector<int64_t>* far) {
  const InstructionRecord& record = data_.instructions[position];
  uint32_t* const operands = data_.operands.data() + record.first_operand;
  const uint32_t high = data_.ids.high(position);
  bool differ = false;
  std::string payload;
  for (uint32_t k = 0; k < record.operand_count; ++k) {
    const int64_t id =
        far != nullptr ? (*far)[k] : InstructionIds::Join(high, operands[k]);
    const uint32_t operand = index_.Find(static_cast<uint32_t>(id));
    if (operand == IdIndex::kNone) {
      error_ = NoSuchOperand(position, k, id);
      return false;
    }
    differ |= data_.ids[first + operand] != id;
    AppendVarint(static_cast<uint64_t>(id), &payload);
    operands[k] = operand;
  }
  if (differ) {
    data_.operand_spellings.emplace_back(position, std::move(payload));
  }
  return true;
}

absl::Status ComputationReader::ResolveOperands(
    const ComputationRecord& computation) {
  const uint32_t* const ids = data_.ids.lows().data() + computation.first;
  index_.Reset(absl::MakeConstSpan(ids, computation.count));
  const bool alike = data_.ids.is_one_run_from(computation.first);
  auto far = far_ids_.begin();
  const int64_t* callees = callee_ids_.data();
  for (uint32_t i = 0; i < computation.count; ++i) {
    const uint32_t position = computation.first + i;
    const bool is_far = far != far_ids_.end() && far->first == position;
    const bool resolved =
        alike && !is_far
            ? ResolveInstruction(position)
            : ResolveOtherInstruction(computation.first, position,
                                      is_far ? &far->second : nullptr);
    if (ABSL_PREDICT_FALSE(!resolved)) return error_;
    if (is_far) ++far;
    const uint32_t callee_count = data_.instructions[position].callee_count;
    if (callee_count > 0) {
      const absl::Status status = ResolveCallees(position, callees);
      if (!status.ok()) return status;
      callees += callee_count;
    }
    if (!alike || i == 0) {
      if (data_.ids[position] < 0) {
        return InvalidAt(position,
                         absl::StrCat("it has the id ", data_.ids[position]));
      }
    }
    if (ABSL_PREDICT_FALSE(!index_.Insert(ids[i], i))) {
      return InvalidAt(
          position,
          absl::StrCat("another instruction has its id, ", data_.ids[position],
                       " (the low 32 bits count)"));
    }
  }
  return absl::OkStatus();
}

absl::Status ComputationReader::ResolveCallees(uint32_t position,
                                               const int64_t* ids) {
  const InstructionRecord& record = data_.instructions[position];
  uint32_t* const callees =
      data_.operands.data() + record.first_operand + record.operand_count;
  for (uint32_t k = 0; k < record.callee_count; ++k) {
    auto callee = computation_index_.find(ids[k]);
    if (callee == computation_index_.end()) {
      return InvalidAt(position,
                       absl::StrCat("called computation ", k, " has the id ",
                                    ids[k], ", no computation before has"));
    }
    callees[k] = callee->second;
  }
  return absl::OkStatus();
}

}  // namespace indim
