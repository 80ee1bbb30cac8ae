#include "indim/wire/attribute_bytes.h"

#include <cstdint>

#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace {

// What the reader keeps apart: in no blob.
bool IsSpine(uint32_t number) {
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

EncodedBlob Owned(BlobView blob) {
  return {std::string(blob.before_id), std::string(blob.control),
          std::string(blob.after_callees)};
}

absl::string_view BlobField(BlobView blob, int number, bool* present) {
  if (present != nullptr) *present = false;
  const uint32_t wanted = static_cast<uint32_t>(number);
  const WireField* row =
      GetWireMessageInfo(WireMessage::kHloInstructionProto).Find(wanted);
  if (row == nullptr) return {};
  for (absl::string_view run :
       {blob.before_id, blob.control, blob.after_callees}) {
    WireReader reader(run);
    while (!reader.done()) {
      uint32_t tag;
      // Numbers ascend; unknown fields come last.
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

EncodedBlob WithField(BlobView blob, int number, absl::string_view value) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (IsSpine(number) || !list.Append(blob)) return Owned(blob);
  list.SetText(static_cast<uint32_t>(number), value);
  return list.ToBlob();
}

EncodedBlob WithoutField(BlobView blob, int number) {
  FieldList list(WireMessage::kHloInstructionProto);
  if (IsSpine(number) || !list.Append(blob)) return Owned(blob);
  list.Remove(static_cast<uint32_t>(number));
  return list.ToBlob();
}

}  // namespace indim
