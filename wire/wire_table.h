// The wire table as data: for every message and field of the schema, how it
// stands on the wire. It is built from wire/wire_messages.def, needs no
// generated class, and answers in constant time. Whatever reads, checks or
// normalises bytes is driven by it.
#ifndef INDIM_WIRE_WIRE_TABLE_H_
#define INDIM_WIRE_WIRE_TABLE_H_

#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/wire/wire.h"

namespace indim {

// Every message of the table, k and its name: kHloModuleProto,
// kHloInstructionProto_SliceDimensions.
enum class WireMessage : uint16_t {
  kNone,
#define INDIM_WIRE_MESSAGE(message) k##message,
#include "indim/wire/wire_messages.def"
};

enum class WireKind : uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kMessage,
  kMap,
};

enum class WireLabel : uint8_t { kSingular, kRepeated, kPacked };

enum class WirePresence : uint8_t { kImplicit, kExplicit, kOneof };

// The wire type of one element of `kind` (of a packed field: when it comes
// unpacked).
constexpr WireType ElementWireType(WireKind kind) {
  return kind <= WireKind::kEnum     ? WireType::kVarint
         : kind == WireKind::kFloat  ? WireType::kFixed32
         : kind == WireKind::kDouble ? WireType::kFixed64
                                     : WireType::kLengthDelimited;
}

class WireMessageInfo;

// One row of the table. number 0 marks a number that the message doesn't have.
struct WireField {
  uint16_t number = 0;
  // One varint, without presence, of any size but 0: what most small messages
  // are made of.
  bool is_plain_number = false;
  // Likewise text: written only when it isn't empty.
  bool is_plain_text = false;
  WireKind kind = WireKind::kInt64;
  WireLabel label = WireLabel::kSingular;
  WirePresence presence = WirePresence::kImplicit;
  WireType wire_type = WireType::kVarint;       // as canonical bytes have it
  const WireMessageInfo* submessage = nullptr;  // of kMessage and kMap

  // True iff libprotobuf reads a record with this wire type as the field;
  // others are unknown fields to it.
  bool Accepts(WireType type) const {
    return type == wire_type ||
           (label == WireLabel::kPacked && type == ElementWireType(kind));
  }
};

// One message: its fields by number.
class WireMessageInfo {
 public:
  // The row of field `number`, null if the message has none.
  const WireField* Find(uint32_t number) const {
    if (ABSL_PREDICT_TRUE(number < by_number_.size())) {
      const WireField& field = by_number_[number];
      return field.number == 0 ? nullptr : &field;
    }
    return FindHigh(number);
  }

  WireMessage message() const { return message_; }
  absl::string_view name() const { return name_; }
  // True for the entry of a map: key and value, which are both written always.
  bool is_map_entry() const { return is_map_entry_; }
  // All rows, numbers ascending.
  absl::Span<const WireField> fields() const { return fields_; }

 private:
  friend class WireTableBuilder;

  const WireField* FindHigh(uint32_t number) const;

  absl::Span<const WireField>
      by_number_;  // indexed by number, as far as numbers are dense
  absl::Span<const WireField> fields_;
  absl::Span<const WireField>
      high_;  // the rest of fields_: our own, from 1000 up
  absl::string_view name_;
  WireMessage message_ = WireMessage::kNone;
  bool is_map_entry_ = false;
};

// The table's entry for `message`, which must not be kNone. Lives forever.
const WireMessageInfo& GetWireMessageInfo(WireMessage message);

// All messages, in the order of the enum.
absl::Span<const WireMessageInfo> AllWireMessages();

}  // namespace indim

#endif  // INDIM_WIRE_WIRE_TABLE_H_
