// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module.h"

#include <optional>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_data.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using field::HloModuleProto::kStackFrameIndex;
using wire_fields::Bytes;
using wire_fields::Record;
using wire_fields::Varint;

// The `index`-th field with this tag; nullopt: there are fewer.
std::optional<Record> FindField(absl::string_view wire, uint32_t tag,
                                int64_t index = 0) {
  std::optional<Record> found;
  wire_fields::AllRecords(wire, [&](const Record& record) {
    if (record.tag == tag && index-- == 0) found = record;
    return !found.has_value();
  });
  return found;
}

// The index that a field refers to by a number from 1 up, or -1.
int64_t Reference(const std::optional<Record>& field) {
  return field.has_value() ? static_cast<int64_t>(field->number) - 1 : -1;
}

// The place of frame `frame_id` (from 1) of the module's stack table.
SourceLocation FrameLocation(const ModuleData& data, int64_t frame) {
  SourceLocation location;
  const auto table = FindField(data.other_fields, Bytes(kStackFrameIndex));
  if (frame < 0 || !table.has_value()) return location;
  const auto stack_frame = FindField(table->value, Bytes(4), frame);
  if (!stack_frame.has_value()) return location;
  const int64_t place = Reference(FindField(stack_frame->value, Varint(1)));
  const auto file_location = FindField(table->value, Bytes(3), place);
  if (place < 0 || !file_location.has_value()) return location;
  const int64_t file = Reference(FindField(file_location->value, Varint(1)));
  const auto file_name = FindField(table->value, Bytes(1), file);
  if (file < 0 || !file_name.has_value()) return location;
  location.file = std::string(file_name->value);
  const auto line = FindField(file_location->value, Varint(3));
  if (line.has_value()) location.line = static_cast<int>(line->number);
  return location;
}

}  // namespace

Instruction Instruction::Nothing() {
  static const ModuleData* const data = [] {
    auto* nothing = new ModuleData;
    nothing->computations.emplace_back().count = 1;
    nothing->instructions.emplace_back();
    return nothing;
  }();
  return {data, 0, 0};
}

inline const InstructionRecord& Instruction::record() const {
  return data_->Record(computation_, index_);
}

inline const ComputationRecord& Computation::record() const {
  return data_->computations[index_];
}

Opcode Instruction::opcode() const { return record().opcode; }

const Shape& Instruction::shape() const {
  return data_->pools->shapes().shape(record().shape);
}

int Instruction::operand_count() const {
  return static_cast<int>(record().operand_count);
}

Instruction Instruction::operand(int i) const {
  const InstructionRecord& r = record();
  const uint32_t k = static_cast<uint32_t>(i);
  if (ABSL_PREDICT_FALSE(k >= r.operand_count)) return Nothing();
  return {data_, computation_, data_->operands[r.first_operand + k]};
}

int Instruction::callee_count() const {
  return static_cast<int>(record().callee_count);
}

Computation Instruction::callee(int i) const {
  const InstructionRecord& r = record();
  const uint32_t k = static_cast<uint32_t>(i);
  if (ABSL_PREDICT_FALSE(k >= r.callee_count)) return Nothing().computation();
  return {data_, data_->operands[r.first_operand + r.operand_count + k]};
}

const Attributes& Instruction::attributes() const {
  return data_->pools->attributes(opcode(), record().attribute_bytes);
}

bool Instruction::has_given_name() const {
  return !data_->pools->name(record().name).empty();
}

int64_t Instruction::id() const { return data_->InstructionId(position()); }

absl::string_view Instruction::metadata() const {
  return data_->pools->metadata(record().metadata);
}

uint32_t Instruction::position() const {
  return data_->Position(computation_, index_);
}

absl::string_view Instruction::opcode_name() const {
  return data_->OpcodeName(position());
}

std::string Instruction::name() const {
  const absl::string_view given = data_->pools->name(record().name);
  return given.empty() ? absl::StrCat(opcode_name(), ".", id())
                       : std::string(given);
}

std::string Instruction::text_name() const {
  const absl::string_view name = data_->places == nullptr
                                     ? absl::string_view()
                                     : data_->places->name(position());
  return name.empty() ? this->name() : std::string(name);
}

SourceLocation Instruction::location() const {
  SourceLocation location;
  const auto file = FindField(metadata(), Bytes(3));
  if (!file.has_value()) {
    return FrameLocation(*data_, Reference(FindField(metadata(), Varint(15))));
  }
  location.file = std::string(file->value);
  const auto line = FindField(metadata(), Varint(4));
  if (line.has_value()) location.line = static_cast<int>(line->number);
  return location;
}

SourceLocation Instruction::text_location() const {
  SourceLocation location;
  if (data_->places == nullptr) return location;
  const TextPlace place = data_->places->at(position());
  if (place.line == 0) return location;
  location.file = data_->places->file();
  location.line = static_cast<int>(place.line);
  location.column = static_cast<int>(place.column);
  return location;
}

absl::StatusOr<Literal> Instruction::literal() const {
  bool present = false;
  const absl::string_view wire = AttributeBytesField(
      data_->pools->attribute_bytes(record().attribute_bytes),
      field::HloInstructionProto::kLiteral, &present);
  if (!present) {
    return absl::NotFoundError(absl::StrCat(name(), " has no literal"));
  }
  return ParseLiteralProto(wire, data_->pools->external_files());
}

absl::string_view Computation::name() const {
  return data_->pools->name(record().name);
}

int64_t Computation::id() const { return record().id; }

bool Computation::is_entry() const { return data_->entry == index_; }

int Computation::instruction_count() const {
  return static_cast<int>(record().count);
}

Instruction Computation::root() const { return {data_, index_, record().root}; }

Signature Computation::signature() const {
  Signature signature;
  const ModuleData::Positions parameters = data_->Parameters(index_);
  signature.parameters.reserve(parameters.size());
  for (uint32_t position : parameters) {
    signature.parameters.push_back(
        position < record().count
            ? instruction(static_cast<int>(position)).shape()
            : Shape());
  }
  if (record().count > 0) signature.result = root().shape();
  return signature;
}

Module::Module() {
  static const auto* const kEmpty =
      new std::shared_ptr<const ModuleData>(std::make_shared<ModuleData>());
  data_ = *kEmpty;
}

Module::Module(std::shared_ptr<const ModuleData> data)
    : data_(std::move(data)) {}

absl::string_view Module::name() const { return data_->name; }

bool Module::is_recorded() const { return data_->recorded; }

int Module::computation_count() const {
  return static_cast<int>(data_->computations.size());
}

Computation Module::entry() const { return {data_.get(), data_->entry}; }

int64_t Module::instruction_count() const {
  return static_cast<int64_t>(data_->instructions.size());
}

}  // namespace indim
