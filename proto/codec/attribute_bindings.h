// SPDX-License-Identifier: Apache-2.0
// Bindings between members of attribute structs and fields of messages, as the
// rows of tables (attribute_fields.cc): a row has a field's number, the place
// of a member in its struct, and how values of the member's type are read and
// written. Reading, writing and replacing use this one description.

#ifndef INDIM_PROTO_CODEC_ATTRIBUTE_BINDINGS_H_
#define INDIM_PROTO_CODEC_ATTRIBUTE_BINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::binding {

struct MemberBinding;

// How values of one type are read and written. `value` is the member.
struct ValueCodec {
  // Fills the member; returns false and sets *error to a sentence when it can't
  // decode the field.
  bool (*read)(const MemberBinding& row, const FieldList& from, void* value,
               std::string* error);
  // Writes the member in XLA's form.
  void (*write)(const MemberBinding& row, const void* value, FieldList* to);
  // Like write, but keeps bytes that already mean this value.
  void (*replace)(const MemberBinding& row, const void* value, FieldList* to);
  // Whether the type holds numbers and enums alone.
  bool holds_numbers = false;
};

// When a message is written.
enum class Presence : uint8_t {
  kIfFilled,  // when it holds anything
  kAlways,    // XLA writes it even if empty; readers don't need it
  kRequired,  // XLA's reader refuses an instruction without it
};

// A bool, an enum of one byte, an int64_t.
enum class NumberForm : uint8_t { kBool, kEnum, kInt64 };

struct MemberBinding {
  const ValueCodec* kind = nullptr;  // null: the end of a struct or message
  uint32_t number = 0;
  size_t offset = 0;  // of the member in its struct

  // Of a number. For enums, a value above `max` is an error. An absent field
  // (or 0) reads as `absent`; this value is written only if `explicit_default`.
  NumberForm form = NumberForm::kBool;
  uint8_t max = 0;
  uint8_t absent = 0;
  bool explicit_default = false;
  // Of an enum that files hold as one of its words; where no word has number 0,
  // an empty text means 0.
  absl::Span<const AttributeWord> words = {};

  // Of a message. Its fields are members of the member, in `fields`; if that is
  // null, of this struct, in the rows that follow up to an end.
  WireMessage message = WireMessage::kNone;
  Presence presence = Presence::kIfFilled;
  const MemberBinding* fields = nullptr;
};

// A struct with a message of its own.
struct StructFields {
  WireMessage message;
  const MemberBinding* rows;
};
extern const StructFields kMeshAxesFields;
extern const StructFields kShardingFields;

// The struct of an opcode.
struct AttributesFields {
  const MemberBinding* rows;
  // Makes *attributes hold a default struct of the type, and gives it.
  void* (*emplace)(Attributes* attributes);
  const void* (*held)(const Attributes& attributes);  // As<T>
};
const AttributesFields& FieldsOf(Opcode opcode);

// Of a number, an enum by its word, a comparison's type, a channel, and a
// message.
extern const ValueCodec kNumberKind, kSpelledKind, kComparisonKind,
    kChannelKind, kMessageKind;

// Does what a row's kind says for each of `rows`, up to the end.
bool ReadAll(const MemberBinding* rows, const FieldList& from, void* to,
             std::string* error);
void WriteAll(const MemberBinding* rows, const void* from, FieldList* to);
void ReplaceAll(const MemberBinding* rows, const void* from, FieldList* to);
// Whether all members are numbers, enums and lists of them: no text and no
// bytes that a caller gave.
bool HoldNumbers(const MemberBinding* rows);
// Adds the messages, possibly empty, that XLA's writers always write.
void EnsureAll(const MemberBinding* rows, FieldList* to);

// Changes a field only if its present value, written anew, gives other bytes
// than the new value. `present` has the member's type; it is scratch space.
void ReplaceLeaf(const MemberBinding& row, const void* value, void* present,
                 FieldList* to);

// The message `bytes` of field `number`.
bool ReadStruct(const StructFields& fields, uint32_t number,
                absl::string_view bytes, void* to, std::string* error);
std::string WriteStruct(const StructFields& fields, const void* from);

bool NotCanonical(uint32_t number, std::string* error);

}  // namespace indim::binding

#endif  // INDIM_PROTO_CODEC_ATTRIBUTE_BINDINGS_H_
