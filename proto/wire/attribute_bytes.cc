// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/attribute_bytes.h"

#include <cstdint>

#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

// Whether it is a field of the record, so in no attribute bytes.
bool IsRecordField(uint32_t number) {
  namespace of = field::HloInstructionProto;
  switch (number) {
    case of::kName:
    case of::kOpcode:
    case of::kShape:
    case of::kMetadata:
    case of::kId:
    case of::kOperandIds:
    case of::kCalledComputationIds:
      return true;
    default:
      return false;
  }
}

}  // namespace

OwnedAttributeBytes Owned(AttributeBytesView attribute_bytes) {
  return {std::string(attribute_bytes.before_id),
          std::string(attribute_bytes.control),
          std::string(attribute_bytes.after_callees)};
}

absl::string_view AttributeBytesField(AttributeBytesView attribute_bytes,
                                      int number, bool* present) {
  if (present != nullptr) *present = false;
  const uint32_t wanted = static_cast<uint32_t>(number);
  const WireField* row =
      GetWireMessageInfo(WireMessage::kHloInstructionProto).Find(wanted);
  if (row == nullptr) return {};
  for (absl::string_view run :
       {attribute_bytes.before_id, attribute_bytes.control,
        attribute_bytes.after_callees}) {
    WireReader reader(run);
    while (!reader.done()) {
      uint32_t tag;
      // Numbers ascend, and unknown fields come last.
      if (!reader.ReadTag(&tag) || TagNumber(tag) > wanted) return {};
      if (TagNumber(tag) == wanted && TagType(tag) == row->wire_type) {
        absl::string_view text;
        const bool is_text = row->wire_type == WireType::kLengthDelimited;
        const bool read = is_text ? reader.ReadLengthDelimited(&text)
                                  : reader.SkipValue(tag, kMaxWireDepth);
        if (present != nullptr) *present = read;
        return read ? text : absl::string_view();
      }
      if (!reader.SkipValue(tag, kMaxWireDepth)) return {};
    }
  }
  return {};
}

OwnedAttributeBytes WithField(AttributeBytesView attribute_bytes, int number,
                              absl::string_view value) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (IsRecordField(number) || !list.Append(attribute_bytes))
    return Owned(attribute_bytes);
  list.SetText(static_cast<uint32_t>(number), value);
  return list.ToAttributeBytes();
}

OwnedAttributeBytes WithoutField(AttributeBytesView attribute_bytes,
                                 int number) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (IsRecordField(number) || !list.Append(attribute_bytes))
    return Owned(attribute_bytes);
  list.Remove(static_cast<uint32_t>(number));
  return list.ToAttributeBytes();
}

}  // namespace indim
