// SPDX-License-Identifier: Apache-2.0
// Which messages must be present: XLA, HloInstruction::CreateFromProto and
// XlaBuilder.

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/proto/codec/attribute_bindings.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/special_bindings.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/values/sharding_value.h"

namespace indim::binding {
namespace {

// --- Values by their types ---------------------------------------------------

// The largest value of an enum of one byte; any value up to it is possible.
constexpr uint8_t kAnyByte = 255;

// The table of a struct: kRows, and of one with a message of its own kMessage.
template <typename T>
struct Fields;
template <typename T>
constexpr StructFields kFieldsOf = {Fields<T>::kMessage, Fields<T>::kRows};

// ReadValue reads a field into a value; it returns false and sets *error to a
// sentence when it can't decode the field. WriteValue writes the field as XLA
// does. special_bindings.h has more of both.
using binding::ReadValue;
using binding::WriteValue;
bool ReadValue(const FieldList& from, uint32_t number, float* to,
               std::string*) {
  *to = from.Float(number);
  return true;
}
void WriteValue(uint32_t number, float value, FieldList* to) {
  to->SetFloat(number, value);
}

bool ReadValue(const FieldList& from, uint32_t number, DimIndices* to,
               std::string*) {
  *to = from.Numbers(number);
  return true;
}
void WriteValue(uint32_t number, const DimIndices& values, FieldList* to) {
  to->SetNumbers(number, values);
}

bool ReadValue(const FieldList& from, uint32_t number, std::string* to,
               std::string*) {
  *to = std::string(from.Text(number));
  return true;
}
void WriteValue(uint32_t number, const std::string& value, FieldList* to) {
  to->SetText(number, value);
}

bool ReadValue(const FieldList& from, uint32_t number,
               std::vector<std::string>* to, std::string*) {
  to->clear();
  for (absl::string_view text : from.Texts(number)) to->emplace_back(text);
  return true;
}
void WriteValue(uint32_t number, const std::vector<std::string>& values,
                FieldList* to) {
  to->SetTexts(number, values);
}

// A struct that may be absent.
template <typename T>
bool ReadValue(const FieldList& from, uint32_t number, std::optional<T>* to,
               std::string* error) {
  to->reset();
  return !from.has(number) ||
         ReadStruct(kFieldsOf<T>, number, from.Text(number), &to->emplace(),
                    error);
}
template <typename T>
void WriteValue(uint32_t number, const std::optional<T>& value, FieldList* to) {
  if (!value.has_value()) return to->Remove(number);
  to->SetText(number, WriteStruct(kFieldsOf<T>, &*value));
}

// A list of enums of one byte, or of structs.
template <typename T>
bool ReadValue(const FieldList& from, uint32_t number, std::vector<T>* to,
               std::string* error) {
  to->clear();
  if constexpr (std::is_enum_v<T>) {
    for (int64_t value : from.Numbers(number)) {
      if (value < 0 || value > kAnyByte) {
        *error = absl::StrCat("field ", number, " holds ", value);
        return false;
      }
      to->push_back(static_cast<T>(value));
    }
  } else {
    for (absl::string_view bytes : from.Texts(number)) {
      if (!ReadStruct(kFieldsOf<T>, number, bytes, &to->emplace_back(),
                      error)) {
        return false;
      }
    }
  }
  return true;
}
template <typename T>
void WriteValue(uint32_t number, const std::vector<T>& values, FieldList* to) {
  if constexpr (std::is_enum_v<T>) {
    DimIndices numbers;
    for (T value : values) numbers.push_back(static_cast<int64_t>(value));
    to->SetNumbers(number, numbers);
  } else {
    std::vector<std::string> texts;
    for (const T& value : values) {
      texts.push_back(WriteStruct(kFieldsOf<T>, &value));
    }
    to->SetTexts(number, texts);
  }
}

template <typename T>
bool ReadAs(const MemberBinding& row, const FieldList& from, void* value,
            std::string* error) {
  return ReadValue(from, row.number, static_cast<T*>(value), error);
}
template <typename T>
void WriteAs(const MemberBinding& row, const void* value, FieldList* to) {
  WriteValue(row.number, *static_cast<const T*>(value), to);
}
template <typename T>
void ReplaceAs(const MemberBinding& row, const void* value, FieldList* to) {
  T present = T();
  ReplaceLeaf(row, value, &present, to);
}
template <typename T>
constexpr ValueCodec kValueCodec = {
    ReadAs<T>, WriteAs<T>, ReplaceAs<T>,
    std::is_same_v<T, DimIndices> || std::is_same_v<T, BroadcastSpec>};

// --- Rows -------------------------------------------------------------------

template <typename T>
constexpr MemberBinding Number(uint32_t number, size_t offset,
                               uint8_t absent = 0,
                               bool explicit_default = false) {
  static_assert(sizeof(T) == 1 || std::is_same_v<T, int64_t>);
  const NumberForm form = std::is_enum_v<T> ? NumberForm::kEnum
                          : sizeof(T) == 1  ? NumberForm::kBool
                                            : NumberForm::kInt64;
  return {&kNumberKind, number, offset,          form,
          kAnyByte,     absent, explicit_default};
}
// A member whose type determines its form.
template <typename T>
constexpr MemberBinding Field(uint32_t number, size_t offset) {
  if constexpr (std::is_integral_v<T>) {
    return Number<T>(number, offset);
  } else {
    return {&kValueCodec<T>, number, offset};
  }
}
// A field where 0 means 1; for 1 writers write 1.
template <typename T>
constexpr MemberBinding Count(uint32_t number, size_t offset) {
  return Number<T>(number, offset, 1, true);
}
// A field where 0 means 1; for 1 writers write nothing.
template <typename T>
constexpr MemberBinding Factor(uint32_t number, size_t offset) {
  return Number<T>(number, offset, 1);
}
// An enum whose largest value is that of its last word.
template <typename T>
constexpr MemberBinding Enum(uint32_t number, size_t offset) {
  constexpr auto words = WordsOf(static_cast<const T*>(nullptr)).words;
  MemberBinding row = Number<T>(number, offset);
  row.max = static_cast<uint8_t>(words[words.size() - 1].number);
  return row;
}
// An enum of one byte whose unknown values are kept.
template <typename T>
constexpr MemberBinding OpenEnum(uint32_t number, size_t offset) {
  return Number<T>(number, offset);
}
// An enum that files hold as one of its words.
template <typename T>
constexpr MemberBinding Spelled(uint32_t number, size_t offset) {
  MemberBinding row = Number<T>(number, offset);
  row.kind = &kSpelledKind;
  row.words = WordsOf(static_cast<const T*>(nullptr)).words;
  return row;
}
// How a comparison orders elements.
template <typename T>
constexpr MemberBinding Comparison(uint32_t number, size_t offset) {
  MemberBinding row = Spelled<T>(number, offset);
  row.kind = &kComparisonKind;
  return row;
}
template <typename T>
constexpr MemberBinding Channel(uint32_t number, size_t offset) {
  return {&kChannelKind, number, offset, NumberForm::kInt64};
}

constexpr MemberBinding Message(uint32_t number, WireMessage message,
                                Presence presence, size_t offset = 0,
                                const MemberBinding* fields = nullptr) {
  MemberBinding row = {&kMessageKind, number, offset};
  row.message = message;
  row.presence = presence;
  row.fields = fields;
  return row;
}
// A member that is a struct with a message of its own.
template <typename T>
constexpr MemberBinding Part(uint32_t number, size_t offset,
                             Presence presence = Presence::kIfFilled) {
  return Message(number, Fields<T>::kMessage, presence, offset,
                 Fields<T>::kRows);
}
template <typename T>
constexpr MemberBinding Always(uint32_t number, size_t offset) {
  return Part<T>(number, offset, Presence::kAlways);
}
template <typename T>
constexpr MemberBinding Required(uint32_t number, size_t offset) {
  return Part<T>(number, offset, Presence::kRequired);
}

// --- The table --------------------------------------------------------------

#define INDIM_STRUCT(type, message)                                  \
  template <>                                                        \
  struct Fields<type> {                                              \
    static constexpr WireMessage kMessage = WireMessage::k##message; \
    static constexpr MemberBinding kRows[] = {
#define INDIM_ATTRIBUTES(name) \
  INDIM_STRUCT(name##Attributes, HloInstructionProto)
#define INDIM_MEMBER(type, member, text, how, message, name) \
  how<decltype(type::member)>(field::message::k##name, offsetof(type, member)),
#define INDIM_FIELDS(...) __VA_ARGS__,
#define INDIM_MESSAGE(type, message, name, inner, presence) \
  Message(field::message::k##name, WireMessage::k##inner, Presence::presence),
#define INDIM_MESSAGE_END MemberBinding(),
#define INDIM_END \
  MemberBinding() \
  }               \
  ;               \
  }               \
  ;
#define INDIM_SHARDINGS
INDIM_ATTRIBUTES(No)
INDIM_END
#include "indim/shape/ops/attribute_members.def"

// ragged-dot has dot's struct in a message of its own.
namespace of_ragged = field::RaggedDotDimensionNumbers;
constexpr MemberBinding kRaggedDotRows[] = {
    Message(field::HloInstructionProto::kRaggedDotDimensionNumbers,
            WireMessage::kRaggedDotDimensionNumbers, Presence::kRequired),
    Message(of_ragged::kDotDimensionNumbers, WireMessage::kDotDimensionNumbers,
            Presence::kAlways, 0, Fields<DotAttributes>::kRows + 1),
    Field<DimIndices>(of_ragged::kLhsRaggedDimensions,
                      offsetof(DotAttributes, lhs_ragged_dims)),
    Field<DimIndices>(of_ragged::kRhsGroupDimensions,
                      offsetof(DotAttributes, rhs_group_dims)),
    MemberBinding(),
    Part<PrecisionConfig>(field::HloInstructionProto::kPrecisionConfig,
                          offsetof(DotAttributes, precision)),
    MemberBinding()};

template <typename T>
void* Emplace(Attributes* attributes) {
  return &attributes->emplace<T>();
}
template <typename T>
const void* Held(const Attributes& attributes) {
  return &As<T>(attributes);
}
constexpr AttributesFields kFieldsOfKinds[] = {
#define INDIM_ATTRIBUTES(name)                                 \
  {Fields<name##Attributes>::kRows, Emplace<name##Attributes>, \
   Held<name##Attributes>},
    INDIM_ATTRIBUTES(No)
#include "indim/shape/ops/attribute_members.def"
};
constexpr AttributesFields kRaggedDotFields = {
    kRaggedDotRows, Emplace<DotAttributes>, Held<DotAttributes>};

}  // namespace

const StructFields kMeshAxesFields = kFieldsOf<MeshAxes>;
const StructFields kShardingFields = kFieldsOf<Sharding>;

const AttributesFields& FieldsOf(Opcode opcode) {
  const AttributesForm form(opcode);
  return form.is_ragged ? kRaggedDotFields
                        : kFieldsOfKinds[static_cast<size_t>(form.kind)];
}

}  // namespace indim::binding
