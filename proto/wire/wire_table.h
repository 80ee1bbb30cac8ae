// SPDX-License-Identifier: Apache-2.0
// The wire table as data: the encoding of every message and field of the
// schema. It is built from wire_messages.def, which make_wire_messages.py makes
// of proto/; it needs no generated class, and looks up in constant time. All
// code that reads, checks or rewrites bytes uses it.
#ifndef INDIM_PROTO_WIRE_WIRE_TABLE_H_
#define INDIM_PROTO_WIRE_WIRE_TABLE_H_

#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/wire.h"

namespace indim {

// Every message of the table: kHloModuleProto,
// kHloInstructionProto_SliceDimensions, ...
enum class WireMessage : uint16_t {
  kNone,
#define INDIM_WIRE_MESSAGE(message) k##message,
#include "indim/proto/wire/wire_messages.def"
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

// The wire type of one element of `kind`; for a packed field that of an
// unpacked element.
constexpr WireType ElementWireType(WireKind kind) {
  return kind <= WireKind::kEnum     ? WireType::kVarint
         : kind == WireKind::kFloat  ? WireType::kFixed32
         : kind == WireKind::kDouble ? WireType::kFixed64
                                     : WireType::kLengthDelimited;
}

class WireMessageInfo;

// One row of the table. Number 0 marks a number that the message lacks.
struct WireField {
  uint16_t number = 0;
  // One varint without presence, of any 64-bit value: most fields of small
  // messages.
  bool is_plain_number = false;
  // Text without presence.
  bool is_plain_text = false;
  WireKind kind = WireKind::kInt64;
  WireLabel label = WireLabel::kSingular;
  WirePresence presence = WirePresence::kImplicit;
  WireType wire_type = WireType::kVarint;       // in canonical bytes
  const WireMessageInfo* submessage = nullptr;  // for kMessage and kMap

  // True iff libprotobuf reads a record with this wire type as this field, not
  // as an unknown field.
  bool Accepts(WireType type) const {
    return type == wire_type ||
           (label == WireLabel::kPacked && type == ElementWireType(kind));
  }
};

// One message and its fields.
class WireMessageInfo {
 public:
  // The row of field `number`; null if the message has none.
  const WireField* Find(uint32_t number) const {
    if (ABSL_PREDICT_TRUE(number < by_number_.size())) {
      const WireField& field = by_number_[number];
      return field.number == 0 ? nullptr : &field;
    }
    return FindHigh(number);
  }

  WireMessage message() const { return message_; }
  absl::string_view name() const { return name_; }
  // True for the entry of a map, whose key and value are always written.
  bool is_map_entry() const { return is_map_entry_; }
  // All rows, in ascending order of number.
  absl::Span<const WireField> fields() const { return fields_; }

 private:
  friend class WireTableBuilder;

  const WireField* FindHigh(uint32_t number) const;

  absl::Span<const WireField>
      by_number_;  // indexed by number, up to the last dense number
  absl::Span<const WireField> fields_;
  absl::Span<const WireField>
      high_;  // the other fields_: Indim's own, from 1000 up
  absl::string_view name_;
  WireMessage message_ = WireMessage::kNone;
  bool is_map_entry_ = false;
};

// The table's entry for `message`, which must not be kNone. It lives forever.
const WireMessageInfo& GetWireMessageInfo(WireMessage message);

// All messages, in the order of the enum.
absl::Span<const WireMessageInfo> AllWireMessages();

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_WIRE_TABLE_H_
