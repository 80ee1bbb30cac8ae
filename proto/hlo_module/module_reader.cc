// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/proto/hlo_module/computation_reader.h"
#include "indim/proto/hlo_module/module_scanner.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using wire_fields::AllRecords;
using wire_fields::Record;

constexpr uint32_t kRecordedTag =
    wire_fields::Bytes(field::HloModuleProto::kRecorded);
constexpr uint32_t kConfigTag =
    wire_fields::Bytes(field::HloModuleProto::kTextConfig);

// The nesting depth of a module.
constexpr int kModuleDepth = 0;

// Whether a field that should precede the rest may recur in it: then it
// replaces the earlier one, even with a default value.
bool MayHoldRecordFields(absl::string_view rest) {
  return !AllRecords(rest, [](const Record& record) {
    return TagNumber(record.tag) > field::HloModuleProto::kEntryComputationId;
  });
}

// Reads one module. Makes each part that isn't canonical canonical once, so
// that reading takes linear time.
class ModuleReader {
 public:
  ModuleReader(absl::string_view bytes, std::shared_ptr<const void> owner)
      : data_(std::make_shared<ModuleData>()),
        pools_(*data_->pools),
        bytes_(bytes),
        reader_(data_.get()) {
    pools_.KeepAlive(std::move(owner));
    pools_.SetSource(bytes);
  }

  absl::StatusOr<Module> Read();

 private:
  absl::Status TakeApartModule();
  absl::Status ReadModuleFields();
  absl::Status ReadOtherFields(absl::string_view rest);
  absl::Status ReadComputations();

  std::shared_ptr<ModuleData> data_;
  Pools& pools_;
  absl::string_view bytes_;
  ScannedParts module_;
  ComputationReader reader_;
};

// --- The module -------------------------------------------------------------

absl::StatusOr<Module> ModuleReader::Read() {
  absl::Status status = TakeApartModule();
  if (status.ok()) status = ReadModuleFields();
  if (status.ok()) status = ReadComputations();
  if (!status.ok()) return status;
  const std::optional<uint32_t> entry = reader_.Find(module_.entry_or_root_id);
  if (!entry.has_value()) {
    return absl::InvalidArgumentError(
        data_->computations.empty()
            ? "the module has no computation"
            : absl::StrCat("entry_computation_id ", module_.entry_or_root_id,
                           " is the id of no computation"));
  }
  data_->entry = *entry;
  const absl::StatusOr<absl::string_view> shape = reader_.ReadProgramShape(
      module_.program_shape, *entry, 1, &data_->host_program_shape_when_empty);
  if (!shape.ok()) return shape.status();
  data_->host_program_shape = *shape;
  if (data_->ids.count_up()) data_->ids = InstructionIds();
  return internal::ModuleOf(std::move(data_));
}

absl::Status ModuleReader::TakeApartModule() {
  if (ScanModule(bytes_, &module_) &&
      (module_.rest.empty() ||
       IsCanonical(WireMessage::kHloModuleProto, module_.rest, kModuleDepth))) {
    return absl::OkStatus();
  }
  // Often only the part after the computations isn't canonical (a schedule that
  // isn't sorted).
  if (!module_.rest.empty() && !MayHoldRecordFields(module_.rest)) {
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
                                      : CantBeCanonical("the module");
}

absl::Status ModuleReader::ReadModuleFields() {
  data_->name = std::string(module_.name);
  data_->entry_name = std::string(module_.entry_name);
  data_->entry_name_when_empty = WhenEmpty::kLeaveOut;
  data_->id = module_.id;
  data_->names_as_read = true;
  return ReadOtherFields(module_.rest);
}

absl::Status ModuleReader::ReadOtherFields(absl::string_view rest) {
  const bool read = AllRecords(rest, [this](const Record& record) {
    if (record.tag == kRecordedTag) {
      data_->recorded = true;
      data_->recorded_mark = std::string(record.value);
    } else if (record.tag == kConfigTag) {
      data_->config = std::string(record.value);
    } else {
      data_->other_fields.append(record.bytes.data(), record.bytes.size());
    }
    return true;
  });
  return read ? absl::OkStatus() : CantBeCanonical("the module");
}

// --- Computations -----------------------------------------------------------

absl::Status ModuleReader::ReadComputations() {
  // A guess, mostly too large: memory that nobody writes to costs nothing.
  constexpr size_t kBytesOfInstruction = 64;
  const RecordRun& computations = module_.elements;
  const size_t instructions = computations.bytes.size() / kBytesOfInstruction;
  data_->computations.reserve(computations.count);
  reader_.Reserve(computations.count);
  data_->instructions.reserve(instructions);
  data_->ids.reserve(instructions);
  data_->operands.reserve(2 * instructions);
  WireReader reader(computations.bytes);
  while (!reader.done()) {
    uint32_t tag;
    absl::string_view bytes;
    if (!reader.ReadTag(&tag) || !reader.ReadLengthDelimited(&bytes)) {
      return CantBeCanonical("the module");
    }
    const absl::Status status = reader_.Read(bytes);
    if (!status.ok()) return status;
  }
  data_->instructions.shrink_to_fit();
  data_->operands.shrink_to_fit();
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
