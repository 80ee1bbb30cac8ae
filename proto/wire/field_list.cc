// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/field_list.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_scalar.h"

namespace indim {
namespace {

// Fields of the record that separate the runs of attribute bytes.
using field::HloInstructionProto::kControlPredecessorIds;
using field::HloInstructionProto::kId;

int64_t Clamp(WireKind kind, int64_t value) {
  if (kind != WireKind::kInt32 && kind != WireKind::kEnum) return value;
  return std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
}

bool IsText(WireKind kind) {
  return kind == WireKind::kString || kind == WireKind::kBytes ||
         kind == WireKind::kMessage;
}

}  // namespace

FieldList::FieldList(WireMessage message)
    : info_(&GetWireMessageInfo(message)) {}

FieldList FieldList::Of(AttributeBytesView attribute_bytes) {
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(attribute_bytes);
  return fields;
}

bool FieldList::Append(absl::string_view canonical) {
  WireReader reader(canonical);
  while (!reader.done()) {
    const char* start = reader.cursor();
    uint32_t tag;
    if (!reader.ReadTag(&tag)) return false;
    const uint32_t number = TagNumber(tag);
    const WireField* row = Row(number);
    const bool known = row != nullptr && row->wire_type == TagType(tag);
    if (!reader.SkipValue(tag, kMaxWireDepth)) return false;
    const absl::string_view record(
        start, static_cast<size_t>(reader.cursor() - start));
    if (!known) {
      unknown_.push_back(record);
    } else if (!unknown_.empty()) {
      return false;
    } else if (fields_.empty() || fields_.back().number < number) {
      Field& field = fields_.emplace_back();
      field.number = number;
      field.records = record;
    } else if (fields_.back().number == number &&
               fields_.back().records.end() == record.begin()) {
      absl::string_view& all = fields_.back().records;
      all = absl::string_view(all.data(), all.size() + record.size());
    } else {
      return false;
    }
  }
  return true;
}

bool FieldList::Append(AttributeBytesView attribute_bytes) {
  return Append(attribute_bytes.before_id) && Append(attribute_bytes.control) &&
         Append(attribute_bytes.after_callees);
}

const FieldList::Field* FieldList::Find(uint32_t number) const {
  // They are few: a search by halves takes longer.
  for (const Field& field : fields_) {
    if (field.number >= number)
      return field.number == number ? &field : nullptr;
  }
  return nullptr;
}

int64_t FieldList::Number(uint32_t number) const {
  const Field* field = Find(number);
  if (field == nullptr) return 0;
  WireReader reader(field->records);
  uint32_t tag;
  WireScalar scalar;
  const WireKind kind = Row(number)->kind;
  if (!reader.ReadTag(&tag) || TagType(tag) != WireType::kVarint ||
      !ReadScalar(kind, &reader, &scalar)) {
    return 0;
  }
  return static_cast<int64_t>(scalar.bits);
}

float FieldList::Float(uint32_t number) const {
  const Field* field = Find(number);
  if (field == nullptr) return 0;
  WireReader reader(field->records);
  uint32_t tag;
  uint32_t bits;
  if (!reader.ReadTag(&tag) || TagType(tag) != WireType::kFixed32 ||
      !reader.ReadFixed32(&bits)) {
    return 0;
  }
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

double FieldList::Double(uint32_t number) const {
  const Field* field = Find(number);
  if (field == nullptr) return 0;
  WireReader reader(field->records);
  uint32_t tag;
  uint64_t bits;
  if (!reader.ReadTag(&tag) || TagType(tag) != WireType::kFixed64 ||
      !reader.ReadFixed64(&bits)) {
    return 0;
  }
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

DimIndices FieldList::Numbers(uint32_t number) const {
  DimIndices values;
  if (!has(number)) return values;
  WireReader reader(Text(number));
  const WireKind kind = Row(number)->kind;
  WireScalar scalar;
  while (!reader.done() && ReadScalar(kind, &reader, &scalar)) {
    values.push_back(static_cast<int64_t>(scalar.bits));
  }
  return values;
}

absl::string_view FieldList::Text(uint32_t number) const {
  const Field* field = Find(number);
  if (field == nullptr) return {};
  WireReader reader(field->records);
  uint32_t tag;
  absl::string_view text;
  if (!reader.ReadTag(&tag) || TagType(tag) != WireType::kLengthDelimited ||
      !reader.ReadLengthDelimited(&text)) {
    return {};
  }
  return text;
}

std::vector<absl::string_view> FieldList::Texts(uint32_t number) const {
  std::vector<absl::string_view> texts;
  const Field* field = Find(number);
  if (field == nullptr) return texts;
  WireReader reader(field->records);
  uint32_t tag;
  absl::string_view text;
  while (!reader.done() && reader.ReadTag(&tag) &&
         TagType(tag) == WireType::kLengthDelimited &&
         reader.ReadLengthDelimited(&text)) {
    texts.push_back(text);
  }
  return texts;
}

void FieldList::SetNumber(uint32_t number, int64_t value) {
  const WireField* row = Row(number);
  if (row == nullptr || row->wire_type != WireType::kVarint) return;
  WireScalar scalar;
  scalar.bits = NormalizeVarint(row->kind,
                                static_cast<uint64_t>(Clamp(row->kind, value)));
  if (scalar.is_default() && row->presence == WirePresence::kImplicit) {
    return Set(*row, "");
  }
  char record[2 * kMaxVarintBytes];
  char* const value_at =
      WriteVarint(MakeTag(number, WireType::kVarint), record);
  const char* const end = WriteVarint(scalar.bits, value_at);
  Set(*row, kept_.Copy({record, static_cast<size_t>(end - record)}));
}

void FieldList::SetFloat(uint32_t number, float value) {
  const WireField* row = Row(number);
  if (row == nullptr || row->wire_type != WireType::kFixed32) return;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  std::string record;
  if (bits != 0) {
    AppendTag(number, WireType::kFixed32, &record);
    AppendFixed32(bits, &record);
  }
  Set(*row, kept_.Copy(record));
}

void FieldList::SetDouble(uint32_t number, double value) {
  const WireField* row = Row(number);
  if (row == nullptr || row->wire_type != WireType::kFixed64) return;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  std::string record;
  if (bits != 0) {
    AppendTag(number, WireType::kFixed64, &record);
    AppendFixed64(bits, &record);
  }
  Set(*row, kept_.Copy(record));
}

void FieldList::SetNumbers(uint32_t number, const DimIndices& values) {
  const WireField* row = Row(number);
  if (row == nullptr || row->label != WireLabel::kPacked ||
      ElementWireType(row->kind) != WireType::kVarint) {
    return;
  }
  const auto bits = [row](int64_t value) {
    return NormalizeVarint(row->kind,
                           static_cast<uint64_t>(Clamp(row->kind, value)));
  };
  size_t payload = 0;
  for (int64_t value : values) payload += VarintSize(bits(value));
  absl::string_view records;
  if (payload > 0) {
    const uint32_t tag = MakeTag(number, WireType::kLengthDelimited);
    const size_t size = VarintSize(tag) + LengthDelimitedSize(payload);
    char* const record = kept_.Allocate(size);
    char* at = WriteVarint(payload, WriteVarint(tag, record));
    for (int64_t value : values) at = WriteVarint(bits(value), at);
    records = {record, size};
  }
  Set(*row, records);
}

void FieldList::SetText(uint32_t number, absl::string_view value) {
  const WireField* row = Row(number);
  if (row == nullptr || !IsText(row->kind)) return;
  if (value.empty() && row->kind != WireKind::kMessage &&
      row->presence == WirePresence::kImplicit) {
    return Set(*row, "");
  }
  const uint32_t tag = MakeTag(number, WireType::kLengthDelimited);
  const size_t size = VarintSize(tag) + LengthDelimitedSize(value.size());
  char* const record = kept_.Allocate(size);
  char* const bytes = WriteVarint(value.size(), WriteVarint(tag, record));
  if (!value.empty()) std::memcpy(bytes, value.data(), value.size());
  Set(*row, {record, size});
}

void FieldList::SetTexts(uint32_t number,
                         const std::vector<std::string>& values) {
  const WireField* row = Row(number);
  if (row == nullptr || !IsText(row->kind)) return;
  std::string records;
  for (const std::string& value : values) {
    AppendTag(number, WireType::kLengthDelimited, &records);
    AppendLengthDelimited(value, &records);
  }
  Set(*row, kept_.Copy(records));
}

void FieldList::Remove(uint32_t number) {
  const WireField* row = Row(number);
  if (row != nullptr) Set(*row, "");
}

void FieldList::Set(const WireField& row, absl::string_view records) {
  // Fast path: writers mostly set fields in order.
  const bool is_last = fields_.empty() || fields_.back().number < row.number;
  if (is_last && row.presence != WirePresence::kOneof) {
    if (!records.empty()) fields_.push_back({row.number, records});
    return;
  }
  if (row.presence == WirePresence::kOneof && !records.empty()) {
    // A message has at most one oneof: remove its other members.
    fields_.erase(std::remove_if(fields_.begin(), fields_.end(),
                                 [&](const Field& field) {
                                   return field.number != row.number &&
                                          Row(field.number)->presence ==
                                              WirePresence::kOneof;
                                 }),
                  fields_.end());
  }
  auto place = std::lower_bound(fields_.begin(), fields_.end(), row.number,
                                [](const Field& field, uint32_t wanted) {
                                  return field.number < wanted;
                                });
  const bool found = place != fields_.end() && place->number == row.number;
  if (records.empty()) {
    if (found) fields_.erase(place);
  } else if (found) {
    place->records = records;
  } else {
    fields_.insert(place, {row.number, records});
  }
}

absl::string_view FieldList::Kept::Copy(absl::string_view bytes) {
  if (bytes.empty()) return absl::string_view();
  char* const copy = Allocate(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

void FieldList::Kept::AddChunk(size_t size) {
  constexpr size_t kChunk = 192;
  left_ = std::max(kChunk, size);
  chunks_.emplace_back(new char[left_]);
  free_ = chunks_.back().get();
}

std::string FieldList::Serialize() const {
  std::string bytes;
  for (const Field& field : fields_) {
    bytes.append(field.records.data(), field.records.size());
  }
  for (absl::string_view record : unknown_) {
    bytes.append(record.data(), record.size());
  }
  return bytes;
}

OwnedAttributeBytes FieldList::ToAttributeBytes() const {
  OwnedAttributeBytes attribute_bytes;
  for (const Field& field : fields_) {
    std::string& run = field.number < kId ? attribute_bytes.before_id
                       : field.number == kControlPredecessorIds
                           ? attribute_bytes.control
                           : attribute_bytes.after_callees;
    run.append(field.records.data(), field.records.size());
  }
  for (absl::string_view record : unknown_) {
    attribute_bytes.after_callees.append(record.data(), record.size());
  }
  return attribute_bytes;
}

DimIndices ControlPredecessors(AttributeBytesView attribute_bytes) {
  if (attribute_bytes.control.empty()) return {};
  return FieldList::Of({{}, attribute_bytes.control, {}})
      .Numbers(kControlPredecessorIds);
}

}  // namespace indim
