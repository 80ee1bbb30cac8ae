// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_writer.h"

#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

using field::HloModuleProto::kRecorded;
using field::HloModuleProto::kTextConfig;

// Typical sizes of an instruction, and of the rest of a computation.
constexpr uint64_t kUsualInstruction = 75;
constexpr uint64_t kUsualComputation = 60;

using wire_field::Message;
using wire_field::Text;

}  // namespace

absl::string_view ModuleWriter::ShapeBytes(uint32_t computation, uint32_t i,
                                           bool with_layout) {
  const auto spell = [with_layout](const Shape& shape) {
    return SerializeShapeProto(with_layout ? shape.WithDefaultLayout() : shape);
  };
  const InstructionRecord& r = data_.Record(computation, i);
  if (expander_ != nullptr && r.opcode == Opcode::kConstant) {
    const std::optional<Expansion> expansion =
        expander_->Expand(computation, i);
    if (expansion && expansion->shape) {
      expanded_shape_ = spell(*expansion->shape);
      return expanded_shape_;
    }
  }
  auto& spelled = shape_bytes_[with_layout ? 1 : 0];
  if (spelled.size() >= kMaxSpelledShapes) spelled.clear();
  const auto [entry, is_new] = spelled.try_emplace(r.shape.value);
  if (is_new) entry->second = spell(data_.pools->shapes().shape(r.shape));
  return entry->second;
}

// Many computations share few shapes.
absl::string_view ModuleWriter::MakeProgramShape(uint32_t computation,
                                                 bool with_layout) {
  const ComputationRecord& record = data_.computations[computation];
  const auto append = [this](uint32_t number, absl::string_view bytes) {
    wire_fields::AppendBytes(number, bytes, &program_shape_);
  };
  if (parameters_of_ != computation) {
    parameters_ = data_.Parameters(computation);
    parameters_of_ = computation;
  }
  program_shape_.clear();
  for (const uint32_t i : parameters_) {
    append(1, i < record.count ? ShapeBytes(computation, i, with_layout)
                               : absl::string_view());
  }
  if (record.root < record.count) {
    const absl::string_view result =
        ShapeBytes(computation, record.root, with_layout);
    if (!result.empty()) append(2, result);
  }
  for (const uint32_t i : parameters_) {
    append(3, i < record.count ? names_.instruction(record.first + i)
                               : absl::string_view());
  }
  return program_shape_;
}

// Our mark is between the known fields and the unknown ones.
void ModuleWriter::SplitOtherFields() {
  const WireMessageInfo& info =
      GetWireMessageInfo(WireMessage::kHloModuleProto);
  const absl::string_view all = data_.other_fields;
  size_t known = 0;
  wire_fields::AllRecords(all, [&](const wire_fields::Record& record) {
    const WireField* const field = info.Find(TagNumber(record.tag));
    if (field == nullptr || !field->Accepts(TagType(record.tag))) return false;
    known += record.bytes.size();
    return true;
  });
  known_fields_ = all.substr(0, known);
  unknown_fields_ = all.substr(known);
}

void ModuleWriter::WriteProgramShape(uint32_t computation,
                                     absl::string_view as_read,
                                     WhenEmpty when_empty, bool with_layout) {
  if (!as_read.empty() || when_empty == WhenEmpty::kWritePresent) {
    Message(4, as_read, &out_);
  } else if (when_empty == WhenEmpty::kMake) {
    Message(4, MakeProgramShape(computation, with_layout), &out_);
  }
}

bool ModuleWriter::Write(absl::FunctionRef<bool(uint32_t)> instructions) {
  SplitOtherFields();
  out_.Expect(data_.instructions.size());
  const bool has_entry = data_.entry < data_.computations.size();
  Text(1, data_.names_as_read ? data_.name : ToUtf8(data_.name), &out_);
  if (!data_.entry_name.empty()) {
    Text(2, data_.entry_name, &out_);
  } else if (data_.entry_name_when_empty == WhenEmpty::kMake && has_entry) {
    Text(2, names_.computation(data_.entry), &out_);
  }
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    const WireBuffer::Message message = out_.Begin(
        3, kUsualComputation + kUsualInstruction * data_.computations[c].count);
    Text(1, names_.computation(c), &out_);
    if (!instructions(c)) return false;
    WriteComputationEnd(c);
    out_.End(message);
  }
  WriteModuleEnd();
  out_.Finish();
  return true;
}

void ModuleWriter::WriteModuleEnd() {
  const bool has_entry = data_.entry < data_.computations.size();
  if (has_entry) {
    WriteProgramShape(data_.entry, data_.host_program_shape,
                      data_.host_program_shape_when_empty,
                      /*with_layout=*/true);
  }
  wire_field::Number(5, data_.id, &out_);
  if (has_entry) {
    wire_field::Number(6, data_.computations[data_.entry].id, &out_);
  }
  out_.Raw(known_fields_);
  if (data_.recorded && expander_ == nullptr) {
    Message(kRecorded,
            data_.recorded_mark.has_value()
                ? absl::string_view(*data_.recorded_mark)
                : kRecordedMark,
            &out_);
  }
  Text(kTextConfig, data_.config, &out_);
  out_.Raw(unknown_fields_);
}

void ModuleWriter::WriteComputationEnd(uint32_t computation) {
  const ComputationRecord& record = data_.computations[computation];
  WriteProgramShape(computation, record.program_shape,
                    record.program_shape_when_empty,
                    /*with_layout=*/expander_ != nullptr);
  wire_field::Number(5, record.id, &out_);
  wire_field::Number(6, RootId(computation), &out_);
  out_.Raw(record.other_fields);
}

int64_t ModuleWriter::RootId(uint32_t computation) const {
  const ComputationRecord& record = data_.computations[computation];
  if (record.count == 0) return 0;
  const int64_t id = data_.InstructionId(record.first + record.root);
  const int64_t* as_read = data_.RootSpelling(computation);
  return as_read != nullptr && SameLowBits(*as_read, id) ? *as_read : id;
}

std::string MakeHostProgramShape(const ModuleData& data,
                                 const FinalNames& names) {
  std::string out;
  WireBuffer unused(&out);
  return std::string(ModuleWriter(data, names, /*expander=*/nullptr, &unused)
                         .MakeProgramShape(data.entry, /*with_layout=*/true));
}

}  // namespace indim
