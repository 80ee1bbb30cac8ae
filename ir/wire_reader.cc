#include "indim/ir/wire_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/canonical.h"
#include "indim/ir/id_index.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/ir/spine_scan.h"
#include "indim/ir/wire.h"
#include "indim/shape/opcode.h"

namespace indim {
namespace {

// HloModuleProto.recorded.
constexpr uint32_t kRecorded = MakeTag(1000, WireType::kLengthDelimited);
// HloModuleProto.text_config.
constexpr uint32_t kConfig = MakeTag(1001, WireType::kLengthDelimited);

// How many messages each is inside of.
constexpr int kModuleDepth = 0;
constexpr int kComputationDepth = 1;
constexpr int kInstructionDepth = 2;

// True when a field that comes before the rest may come again in it: it counts
// for what it replaces, even where it holds a default.
bool MayHoldSpine(absl::string_view rest) {
  WireReader reader(rest);
  while (!reader.done()) {
    uint32_t tag;
    if (!reader.ReadTag(&tag) || TagNumber(tag) <= 6 ||
        !reader.SkipValue(tag, kMaxWireDepth)) {
      return true;
    }
  }
  return false;
}

// Reads one module. Parts that aren't canonical are replaced by canonical ones,
// each part once, so that reading takes linear time.
class ModuleReader {
 public:
  ModuleReader(absl::string_view bytes, std::shared_ptr<const void> owner)
      : data_(std::make_shared<ModuleData>()),
        pools_(*data_->pools),
        bytes_(bytes) {
    pools_.KeepAlive(std::move(owner));
  }

  absl::StatusOr<Module> Read();

 private:
  absl::Status TakeApartModule();
  absl::Status ReadModuleFields();
  absl::Status ReadOtherFields(absl::string_view rest);
  absl::Status TakeApartComputations();
  absl::Status ReadComputation(const ScannedParts& parts);
  absl::Status ReadInstructions(const ScannedParts& parts);
  absl::Status ReadInstruction(absl::string_view bytes);
  // False: `bytes` aren't canonical, nothing was added to the module.
  absl::StatusOr<bool> AddInstruction(absl::string_view bytes);
  absl::StatusOr<bool> FindShape(const ScannedInstruction& scanned,
                                 ShapeId* shape);
  bool FindMetadata(const ScannedInstruction& scanned, MetadataId* metadata);
  bool FindBlob(const ScannedInstruction& scanned, BlobId* blob);
  void SetOpcode(absl::string_view opcode, InstructionRecord* record);
  std::optional<Opcode> FindOpcode(absl::string_view name);
  absl::Status ResolveOperands(const ComputationRecord& computation);
  // Operands of the instruction `position`, with the ids `far`, or, where that
  // is null, ids like its own.
  absl::Status ResolveInstruction(const ComputationRecord& computation,
                                  uint32_t position,
                                  const std::vector<int64_t>* far);
  absl::Status ResolveCallees(uint32_t position, const int64_t* ids);
  void AddIds(const ScannedInstruction& scanned, InstructionRecord* record);
  absl::Status ResolveRoot(int64_t root_id, ComputationRecord* computation);
  absl::StatusOr<std::string> ReadProgramShape(
      const std::optional<absl::string_view>& bytes, int depth,
      WhenEmpty* when_empty);

  // `status` with the names of the computation that is being read and of the
  // instruction at `position` in the module.
  absl::Status At(uint32_t position, const absl::Status& status) const;
  absl::Status InvalidAt(uint32_t position, absl::string_view message) const {
    return At(position, absl::InvalidArgumentError(message));
  }
  absl::Status InComputation(const absl::Status& status) const;
  // Bytes that libprotobuf would read, but that can't be canonical: never seen.
  static absl::Status NotCanonical(absl::string_view message) {
    return absl::InternalError(
        absl::StrCat(message, " stays non-canonical when normalised"));
  }

  std::shared_ptr<ModuleData> data_;
  Pools& pools_;
  absl::string_view bytes_;
  ScannedParts module_;
  std::vector<ScannedParts> computations_;
  absl::string_view computation_name_;
  absl::string_view instruction_name_;
  absl::flat_hash_map<int64_t, uint32_t> computation_index_;
  IdIndex index_;
  // Operand and callee ids of the instruction that is being read.
  std::vector<int64_t> scanned_ids_;
  // Of the computation that is being read, until ResolveOperands: an operand is
  // the low half of its id, its high half is mostly the user's own. Operand ids
  // of instructions where that isn't so, by position in the module:
  std::vector<std::pair<uint32_t, std::vector<int64_t>>> far_ids_;
  std::vector<int64_t> callee_ids_;  // of all, in order
  // Opcodes met before, by what is quickly told of a name.
  struct KnownOpcode {
    absl::string_view name;
    Opcode opcode = Opcode::kInvalid;
  };
  std::array<KnownOpcode, 64> known_opcodes_;
};

absl::Status ModuleReader::InComputation(const absl::Status& status) const {
  return absl::Status(status.code(),
                      absl::StrCat("computation \"", computation_name_,
                                   "\": ", status.message()));
}

absl::Status ModuleReader::At(uint32_t position,
                              const absl::Status& status) const {
  const absl::string_view name =
      position < data_->instructions.size()
          ? pools_.name(data_->instructions[position].name)
          : instruction_name_;
  const std::string place =
      name.empty()
          ? absl::StrCat("#", position - data_->computations.back().first)
          : absl::StrCat("\"", name, "\"");
  return InComputation(absl::Status(
      status.code(),
      absl::StrCat("instruction ", place, ": ", status.message())));
}

// --- The module -------------------------------------------------------------

absl::StatusOr<Module> ModuleReader::Read() {
  absl::Status status = TakeApartModule();
  if (status.ok()) status = ReadModuleFields();
  if (status.ok()) status = TakeApartComputations();
  for (size_t i = 0; status.ok() && i < computations_.size(); ++i) {
    status = ReadComputation(computations_[i]);
  }
  if (!status.ok()) return status;
  auto entry = computation_index_.find(module_.entry_or_root_id);
  if (entry == computation_index_.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry_computation_id ", module_.entry_or_root_id,
                     " is the id of no computation"));
  }
  data_->entry = entry->second;
  bool made = true;
  for (size_t i = 0; made && i < data_->ids.size(); ++i) {
    made = data_->ids[i] == static_cast<int64_t>(i) + 1;
  }
  if (made) std::vector<int64_t>().swap(data_->ids);
  if (data_->operands.capacity() > data_->operands.size() * 5 / 4) {
    data_->operands.shrink_to_fit();
  }
  return Module(std::move(data_));
}

absl::Status ModuleReader::TakeApartModule() {
  if (ScanModule(bytes_, &module_) &&
      (module_.rest.empty() ||
       IsCanonical(WireMessage::kHloModuleProto, module_.rest, kModuleDepth))) {
    return absl::OkStatus();
  }
  // Often only what follows the computations (a schedule that isn't sorted).
  if (!module_.rest.empty() && !MayHoldSpine(module_.rest)) {
    absl::StatusOr<std::string> rest =
        Canonicalize(WireMessage::kHloModuleProto, module_.rest, kModuleDepth);
    if (!rest.ok()) return rest.status();
    module_.rest = pools_.KeepBytes(*std::move(rest));
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> all =
      Canonicalize(WireMessage::kHloModuleProto, bytes_, kModuleDepth);
  if (!all.ok()) return all.status();
  bytes_ = pools_.KeepBytes(*std::move(all));
  return ScanModule(bytes_, &module_) ? absl::OkStatus()
                                      : NotCanonical("the module");
}

absl::Status ModuleReader::ReadModuleFields() {
  data_->name = std::string(module_.name);
  data_->entry_name = std::string(module_.entry_name);
  data_->entry_name_when_empty = WhenEmpty::kLeaveOut;
  data_->id = module_.id;
  data_->names_as_read = true;
  absl::StatusOr<std::string> shape = ReadProgramShape(
      module_.program_shape, 1, &data_->host_program_shape_when_empty);
  if (!shape.ok()) return shape.status();
  data_->host_program_shape = *std::move(shape);
  return ReadOtherFields(module_.rest);
}

absl::Status ModuleReader::ReadOtherFields(absl::string_view rest) {
  WireReader reader(rest);
  const char* run = rest.data();  // of fields to keep
  const auto keep = [&](const char* end) {
    if (run != end) {
      data_->other_fields.append(run, static_cast<size_t>(end - run));
    }
    run = reader.cursor();
  };
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadTag(&tag)) return NotCanonical("the module");
    absl::string_view mark;
    if (tag == kRecorded && reader.ReadLengthDelimited(&mark)) {
      keep(start);
      data_->recorded = true;
      data_->recorded_mark = std::string(mark);
      continue;
    }
    if (tag == kConfig && reader.ReadLengthDelimited(&mark)) {
      keep(start);
      data_->config = std::string(mark);
      continue;
    }
    if (tag == kRecorded || tag == kConfig ||
        !reader.SkipValue(tag, kMaxWireDepth)) {
      return NotCanonical("the module");
    }
  }
  keep(reader.cursor());
  return absl::OkStatus();
}

absl::StatusOr<std::string> ModuleReader::ReadProgramShape(
    const std::optional<absl::string_view>& bytes, int depth,
    WhenEmpty* when_empty) {
  *when_empty =
      bytes.has_value() ? WhenEmpty::kWritePresent : WhenEmpty::kLeaveOut;
  if (!bytes.has_value()) return std::string();
  if (IsCanonical(WireMessage::kProgramShapeProto, *bytes, depth)) {
    return std::string(*bytes);
  }
  return Canonicalize(WireMessage::kProgramShapeProto, *bytes, depth);
}

// --- Computations -----------------------------------------------------------

absl::Status ModuleReader::TakeApartComputations() {
  size_t instructions = 0;
  computations_.reserve(module_.elements.count);
  WireReader reader(module_.elements.bytes);
  while (!reader.done()) {
    uint32_t tag;
    absl::string_view bytes;
    ScannedParts parts;
    if (!reader.ReadTag(&tag) || !reader.ReadLengthDelimited(&bytes)) {
      return NotCanonical("the module");
    }
    if (!ScanComputation(bytes, &parts) ||
        !(parts.rest.empty() || IsCanonical(WireMessage::kHloComputationProto,
                                            parts.rest, kComputationDepth))) {
      absl::StatusOr<std::string> canonical = Canonicalize(
          WireMessage::kHloComputationProto, bytes, kComputationDepth);
      if (!canonical.ok()) {
        computation_name_ = parts.name;
        return InComputation(canonical.status());
      }
      if (!ScanComputation(pools_.KeepBytes(*std::move(canonical)), &parts)) {
        return NotCanonical("a computation");
      }
    }
    computation_name_ = parts.name;
    if (parts.elements.count == 0) {
      return InComputation(
          absl::InvalidArgumentError("it has no instructions"));
    }
    instructions += parts.elements.count;
    computations_.push_back(parts);
  }
  if (instructions >= std::numeric_limits<uint32_t>::max() / 2) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a module may have 2^31 instructions, this has ", instructions));
  }
  data_->computations.reserve(computations_.size());
  computation_index_.reserve(computations_.size());
  data_->instructions.reserve(instructions);
  data_->ids.reserve(instructions);
  data_->operands.reserve(instructions);
  pools_.ReserveNames(instructions + computations_.size());
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadComputation(const ScannedParts& parts) {
  const uint32_t index = static_cast<uint32_t>(data_->computations.size());
  computation_name_ = parts.name;
  ComputationRecord& computation = data_->computations.emplace_back();
  computation.first = static_cast<uint32_t>(data_->instructions.size());
  computation.name = pools_.AddNameView(parts.name);
  computation.id = parts.id;
  computation.other_fields = std::string(parts.rest);
  absl::StatusOr<std::string> shape = ReadProgramShape(
      parts.program_shape, 2, &computation.program_shape_when_empty);
  if (!shape.ok()) return InComputation(shape.status());
  computation.program_shape = *std::move(shape);
  absl::Status status = ReadInstructions(parts);
  if (!status.ok()) return status;
  computation.count =
      static_cast<uint32_t>(data_->instructions.size()) - computation.first;
  status = ResolveOperands(computation);
  if (!status.ok()) return status;
  status = ResolveRoot(parts.entry_or_root_id, &computation);
  if (!status.ok()) return status;
  if (!computation_index_.emplace(computation.id, index).second) {
    return InComputation(absl::InvalidArgumentError(
        absl::StrCat("another computation has its id, ", computation.id)));
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ResolveRoot(int64_t root_id,
                                       ComputationRecord* computation) {
  const uint32_t root = root_id == -1 ? IdIndex::kNone : index_.Find(root_id);
  if (root == IdIndex::kNone) {
    return InComputation(absl::InvalidArgumentError(
        absl::StrCat("root_id ", root_id, " is the id of no instruction")));
  }
  computation->root = root;
  if (data_->ids[computation->first + root] != root_id) {
    data_->root_spellings.emplace_back(
        static_cast<uint32_t>(data_->computations.size() - 1), root_id);
  }
  return absl::OkStatus();
}

// --- Instructions -----------------------------------------------------------

absl::Status ModuleReader::ReadInstructions(const ScannedParts& parts) {
  far_ids_.clear();
  callee_ids_.clear();
  WireReader reader(parts.elements.bytes);
  while (!reader.done()) {
    uint32_t tag;
    absl::string_view bytes;
    if (!reader.ReadTag(&tag) || !reader.ReadLengthDelimited(&bytes)) {
      return NotCanonical("a computation");
    }
    absl::Status status = ReadInstruction(bytes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadInstruction(absl::string_view bytes) {
  const uint32_t position = static_cast<uint32_t>(data_->instructions.size());
  absl::StatusOr<bool> added = AddInstruction(bytes);
  if (!added.ok()) return At(position, added.status());
  if (*added) return absl::OkStatus();
  absl::StatusOr<std::string> canonical =
      Canonicalize(WireMessage::kHloInstructionProto, bytes, kInstructionDepth);
  if (!canonical.ok()) return At(position, canonical.status());
  added = AddInstruction(pools_.KeepBytes(*std::move(canonical)));
  if (!added.ok()) return At(position, added.status());
  return *added ? absl::OkStatus() : NotCanonical("an instruction");
}

absl::StatusOr<bool> ModuleReader::AddInstruction(absl::string_view bytes) {
  ScannedInstruction scanned;
  InstructionRecord record;
  scanned_ids_.clear();
  const bool taken_apart = ScanInstruction(bytes, &scanned, &scanned_ids_);
  instruction_name_ = scanned.name;
  bool canonical = taken_apart && FindBlob(scanned, &record.blob) &&
                   FindMetadata(scanned, &record.metadata);
  if (canonical) {
    absl::StatusOr<bool> shape = FindShape(scanned, &record.shape);
    if (!shape.ok()) {
      return absl::Status(
          shape.status().code(),
          absl::StrCat("\"", scanned.name, "\": ", shape.status().message()));
    }
    canonical = *shape;
  }
  if (!canonical) return false;
  SetOpcode(scanned.opcode, &record);
  record.name = pools_.AddNameView(scanned.name);
  if (scanned_ids_.size() + data_->operands.size() >
      std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        "a module may have 2^32 operands, this has more");
  }
  AddIds(scanned, &record);
  data_->instructions.push_back(record);
  data_->ids.push_back(scanned.id);
  return true;
}

void ModuleReader::AddIds(const ScannedInstruction& scanned,
                          InstructionRecord* record) {
  record->first_operand = static_cast<uint32_t>(data_->operands.size());
  record->operand_count = static_cast<uint32_t>(scanned.operand_count);
  record->callee_count = static_cast<uint32_t>(scanned.callee_count);
  const auto operands_end =
      scanned_ids_.begin() + static_cast<std::ptrdiff_t>(scanned.operand_count);
  bool near = true;
  for (auto id = scanned_ids_.begin(); id != operands_end; ++id) {
    near = near && (*id ^ scanned.id) >> 32 == 0;
    data_->operands.push_back(static_cast<uint32_t>(*id));
  }
  if (!near) {
    far_ids_.emplace_back(
        static_cast<uint32_t>(data_->instructions.size()),
        std::vector<int64_t>(scanned_ids_.begin(), operands_end));
  }
  callee_ids_.insert(callee_ids_.end(), operands_end, scanned_ids_.end());
  data_->operands.resize(data_->operands.size() + scanned.callee_count);
}

absl::StatusOr<bool> ModuleReader::FindShape(const ScannedInstruction& scanned,
                                             ShapeId* shape) {
  if (!scanned.shape.has_value()) return true;
  *shape = pools_.shapes().FindWire(*scanned.shape);
  if (*shape) return true;
  if (!IsCanonical(WireMessage::kShapeProto, *scanned.shape,
                   kInstructionDepth + 1)) {
    return false;
  }
  absl::StatusOr<ShapeId> added = pools_.shapes().InternWire(*scanned.shape);
  if (!added.ok()) return added.status();
  *shape = *added;
  return true;
}

bool ModuleReader::FindMetadata(const ScannedInstruction& scanned,
                                MetadataId* metadata) {
  if (!scanned.metadata.has_value()) return true;
  *metadata = pools_.FindMetadata(*scanned.metadata);
  if (*metadata) return true;
  if (!IsCanonical(WireMessage::kOpMetadata, *scanned.metadata,
                   kInstructionDepth + 1)) {
    return false;
  }
  *metadata = pools_.AddMetadataView(*scanned.metadata);
  return true;
}

bool ModuleReader::FindBlob(const ScannedInstruction& scanned, BlobId* blob) {
  const BlobView& view = scanned.blob;
  if (view.empty()) return true;
  *blob = pools_.FindBlob(view);
  if (*blob) return true;
  for (absl::string_view run :
       {view.before_id, view.control, view.after_callees}) {
    if (!run.empty() && !IsCanonical(WireMessage::kHloInstructionProto, run,
                                     kInstructionDepth)) {
      return false;
    }
  }
  *blob = pools_.AddBlobView(view);
  return true;
}

std::optional<Opcode> ModuleReader::FindOpcode(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  const size_t slot = name.size() * 5 + static_cast<uint8_t>(name.front()) +
                      static_cast<uint8_t>(name.back()) * size_t{3};
  KnownOpcode& known = known_opcodes_[slot % known_opcodes_.size()];
  if (known.name == name) return known.opcode;
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  if (opcode.has_value()) known = {Name(*opcode), *opcode};
  return opcode;
}

void ModuleReader::SetOpcode(absl::string_view opcode,
                             InstructionRecord* record) {
  const std::optional<Opcode> known = FindOpcode(opcode);
  if (known.has_value()) {
    record->opcode = *known;
    return;
  }
  record->flags |= InstructionRecord::kUnknownOpcode;
  if (opcode.empty()) return;
  data_->opcode_names.emplace_back(
      static_cast<uint32_t>(data_->instructions.size()), std::string(opcode));
}

// --- Ids --------------------------------------------------------------------

absl::Status ModuleReader::ResolveOperands(
    const ComputationRecord& computation) {
  const int64_t* const ids = data_->ids.data() + computation.first;
  index_.Reset(absl::MakeConstSpan(ids, computation.count));
  auto far = far_ids_.begin();
  const int64_t* callees = callee_ids_.data();
  for (uint32_t i = 0; i < computation.count; ++i) {
    const uint32_t position = computation.first + i;
    const bool is_far = far != far_ids_.end() && far->first == position;
    absl::Status status = ResolveInstruction(computation, position,
                                             is_far ? &far->second : nullptr);
    if (!status.ok()) return status;
    if (is_far) ++far;
    const uint32_t callee_count = data_->instructions[position].callee_count;
    if (callee_count > 0) {
      status = ResolveCallees(position, callees);
      if (!status.ok()) return status;
      callees += callee_count;
    }
    if (ids[i] < 0) {
      return InvalidAt(position, absl::StrCat("it has the id ", ids[i]));
    }
    if (!index_.Insert(ids[i], i)) {
      return InvalidAt(position,
                       absl::StrCat("another instruction has its id, ", ids[i],
                                    " (the low 32 bits count)"));
    }
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ResolveInstruction(
    const ComputationRecord& computation, uint32_t position,
    const std::vector<int64_t>* far) {
  constexpr uint64_t kHigh = ~uint64_t{0} << 32;
  const InstructionRecord& record = data_->instructions[position];
  const int64_t* const ids = data_->ids.data() + computation.first;
  const uint64_t high = static_cast<uint64_t>(data_->ids[position]) & kHigh;
  uint32_t* const operands = data_->operands.data() + record.first_operand;
  bool as_named = true;
  for (uint32_t k = 0; k < record.operand_count; ++k) {
    const int64_t id =
        far != nullptr ? (*far)[k] : static_cast<int64_t>(high | operands[k]);
    const uint32_t operand = index_.Find(id);
    if (operand == IdIndex::kNone) {
      return InvalidAt(position,
                       absl::StrCat("operand ", k, " has the id ", id,
                                    ", no instruction before it has"));
    }
    as_named = as_named && ids[operand] == id;
    operands[k] = operand;
  }
  if (as_named) return absl::OkStatus();
  std::string payload;
  for (uint32_t k = 0; k < record.operand_count; ++k) {
    const uint64_t low = static_cast<uint32_t>(ids[operands[k]]);
    AppendVarint(far != nullptr ? static_cast<uint64_t>((*far)[k]) : high | low,
                 &payload);
  }
  data_->operand_spellings.emplace_back(position, std::move(payload));
  return absl::OkStatus();
}

absl::Status ModuleReader::ResolveCallees(uint32_t position,
                                          const int64_t* ids) {
  const InstructionRecord& record = data_->instructions[position];
  uint32_t* const callees =
      data_->operands.data() + record.first_operand + record.operand_count;
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

}  // namespace

absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes) {
  auto copy = std::make_shared<const std::string>(bytes);
  const absl::string_view view = *copy;
  return ReadHloModuleProto(view, std::move(copy));
}

absl::StatusOr<Module> ReadHloModuleProto(absl::string_view bytes,
                                          std::shared_ptr<const void> owner) {
  return ModuleReader(bytes, std::move(owner)).Read();
}

}  // namespace indim
