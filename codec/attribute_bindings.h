// Bindings between members of attribute structs and fields of messages.
//
// A binding is a small constant: a field number, a member, and for some kinds a
// default. A tuple of bindings describes a struct (attribute_fields.h);
// reading, writing and replacing use this one description. A binding has
//
//   bool Read(const FieldList& from, S* to, std::string* error) const;
//     fills its member; returns false and sets *error to a sentence when it
//     can't decode the field.
//   void Write(const S& from, FieldList* to) const;
//     writes its member in XLA's form.
//   void Replace(const S& from, FieldList* to) const;
//     like Write, but keeps bytes that already mean this value.
//   void Ensure(FieldList* to) const;
//     adds the messages that XLA's writers write even if empty.

#ifndef INDIM_CODEC_ATTRIBUTE_BINDINGS_H_
#define INDIM_CODEC_ATTRIBUTE_BINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/special_bindings.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/field_list.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace binding {

// --- Walking a tuple of bindings --------------------------------------------

template <typename Fields, typename S>
bool ReadAll(const Fields& fields, const FieldList& from, S* to,
             std::string* error) {
  return std::apply(
      [&](const auto&... field) {
        return (field.Read(from, to, error) && ...);
      },
      fields);
}

template <typename Fields, typename S>
void WriteAll(const Fields& fields, const S& from, FieldList* to) {
  std::apply([&](const auto&... field) { (field.Write(from, to), ...); },
             fields);
}

template <typename Fields, typename S>
void ReplaceAll(const Fields& fields, const S& from, FieldList* to) {
  std::apply([&](const auto&... field) { (field.Replace(from, to), ...); },
             fields);
}

template <typename Fields>
void EnsureAll(const Fields& fields, FieldList* to) {
  std::apply([&](const auto&... field) { (field.Ensure(to), ...); }, fields);
}

// The common part of bindings of single fields. `Derived` has Read and Write.
// Replace changes a field only if its present value, written anew, gives other
// bytes than the new value.
template <typename Derived, typename S>
struct LeafBinding {
  void Ensure(FieldList*) const {}
  void Replace(const S& from, FieldList* to) const {
    const Derived& self = static_cast<const Derived&>(*this);
    S present;
    std::string error;
    if (self.Read(*to, &present, &error)) {
      FieldList now(to->message());
      FieldList wanted(to->message());
      self.Write(present, &now);
      self.Write(from, &wanted);
      if (now == wanted) return;
    }
    self.Write(from, to);
  }
};

// --- Values by their types ---------------------------------------------------

// Marks a struct with a message of its own. attribute_fields.h has for each
//
//   constexpr WireMessage MessageOf(Struct<T>);  // its message
//   constexpr auto FieldsOf(Struct<T>);          // the tuple of its bindings
template <typename T>
struct Struct {};

// The largest value of an enum of one byte; any value up to it is possible.
constexpr int64_t kAnyByte = 255;

inline bool NotCanonical(uint32_t number, std::string* error) {
  *error = absl::StrCat("field ", number, " is not canonical");
  return false;
}

// ReadValue reads a field into a value; it returns false and sets *error to a
// sentence when it can't decode the field. WriteValue writes the field as XLA
// does.
inline bool ReadValue(const FieldList& from, uint32_t number, float* to,
                      std::string*) {
  *to = from.Float(number);
  return true;
}
inline void WriteValue(uint32_t number, float value, FieldList* to) {
  to->SetFloat(number, value);
}

inline bool ReadValue(const FieldList& from, uint32_t number, DimIndices* to,
                      std::string*) {
  *to = from.Numbers(number);
  return true;
}
inline void WriteValue(uint32_t number, const DimIndices& values,
                       FieldList* to) {
  to->SetNumbers(number, values);
}

inline bool ReadValue(const FieldList& from, uint32_t number, std::string* to,
                      std::string*) {
  *to = std::string(from.Text(number));
  return true;
}
inline void WriteValue(uint32_t number, const std::string& value,
                       FieldList* to) {
  to->SetText(number, value);
}

template <typename T>
bool ReadStruct(uint32_t number, absl::string_view bytes, T* to,
                std::string* error) {
  FieldList inside(MessageOf(Struct<T>()));
  if (!inside.Append(bytes)) return NotCanonical(number, error);
  return ReadAll(FieldsOf(Struct<T>()), inside, to, error);
}
template <typename T>
std::string WriteStruct(const T& value) {
  FieldList inside(MessageOf(Struct<T>()));
  WriteAll(FieldsOf(Struct<T>()), value, &inside);
  return inside.Serialize();
}

// A struct that may be absent.
template <typename T>
bool ReadValue(const FieldList& from, uint32_t number, std::optional<T>* to,
               std::string* error) {
  to->reset();
  return !from.has(number) ||
         ReadStruct(number, from.Text(number), &to->emplace(), error);
}
template <typename T>
void WriteValue(uint32_t number, const std::optional<T>& value, FieldList* to) {
  if (!value.has_value()) return to->Remove(number);
  to->SetText(number, WriteStruct(*value));
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
      if (!ReadStruct(number, bytes, &to->emplace_back(), error)) return false;
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
    for (const T& value : values) texts.push_back(WriteStruct(value));
    to->SetTexts(number, texts);
  }
}

// --- Single fields ----------------------------------------------------------

// A member whose type determines its form (ReadValue, WriteValue).
template <typename S, typename T>
struct ValueBinding : LeafBinding<ValueBinding<S, T>, S> {
  uint32_t number;
  T S::*member;

  constexpr ValueBinding(uint32_t n, T S::*m) : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    return ReadValue(from, number, &(to->*member), error);
  }
  void Write(const S& from, FieldList* to) const {
    WriteValue(number, from.*member, to);
  }
};

// A number, bool or enum. An absent field (or 0) reads as `absent`; this value
// is written only if `explicit_default`. For enums, a value above `max` is an
// error.
template <typename S, typename T>
struct NumberBinding : LeafBinding<NumberBinding<S, T>, S> {
  uint32_t number;
  T S::*member;
  int64_t absent;
  bool explicit_default;
  int64_t max;

  constexpr NumberBinding(uint32_t n, T S::*m, int64_t a, bool e, int64_t x)
      : number(n), member(m), absent(a), explicit_default(e), max(x) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    int64_t value = from.Number(number);
    if (value == 0) value = absent;
    if (std::is_enum_v<T> && (value < 0 || value > max)) {
      *error = absl::StrCat("field ", number, " is ", value,
                            ", but its enum ends at ", max);
      return false;
    }
    to->*member = static_cast<T>(value);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    const int64_t value = static_cast<int64_t>(from.*member);
    to->SetNumber(number, value == absent && !explicit_default ? 0 : value);
  }
};
// A NumberBinding for a number or bool, a ValueBinding for any other type.
template <typename S, typename T>
constexpr auto Field(uint32_t number, T S::*member) {
  if constexpr (std::is_integral_v<T>) {
    return NumberBinding<S, T>(number, member, 0, false, 0);
  } else {
    return ValueBinding<S, T>(number, member);
  }
}
// A field where 0 means 1; for 1 writers write 1.
template <typename S, typename T>
constexpr auto Count(uint32_t number, T S::*member) {
  return NumberBinding<S, T>(number, member, 1, true, 0);
}
// A field where 0 means 1; for 1 writers write nothing.
template <typename S, typename T>
constexpr auto Factor(uint32_t number, T S::*member) {
  return NumberBinding<S, T>(number, member, 1, false, 0);
}
// An enum whose largest value is that of its last word.
template <typename S, typename T>
constexpr auto Enum(uint32_t number, T S::*member) {
  constexpr auto words = WordsOf(static_cast<const T*>(nullptr)).words;
  return NumberBinding<S, T>(number, member, 0, false,
                             words[words.size() - 1].number);
}
// An enum of one byte whose unknown values are kept.
template <typename S, typename T>
constexpr auto OpenEnum(uint32_t number, T S::*member) {
  return NumberBinding<S, T>(number, member, 0, false, kAnyByte);
}

template <typename S>
struct ChannelBinding : LeafBinding<ChannelBinding<S>, S> {
  int64_t S::*member;

  explicit constexpr ChannelBinding(int64_t S::*m) : member(m) {}

  bool Read(const FieldList& from, S* to, std::string*) const {
    to->*member = ReadChannel(from);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    WriteChannel(from.*member, to);
  }
};
template <typename S>
constexpr auto Channel(uint32_t, int64_t S::*member) {
  return ChannelBinding<S>(member);
}

struct SliceBinding : LeafBinding<SliceBinding, SliceAttributes> {
  bool Read(const FieldList& from, SliceAttributes* to,
            std::string* error) const {
    return ReadSlice(from, to, error);
  }
  void Write(const SliceAttributes& from, FieldList* to) const {
    WriteSlice(from, to);
  }
};

// An enum that files hold as one of its words; where no word has number 0, an
// empty text means 0.
template <typename S, typename T>
struct SpelledBinding : LeafBinding<SpelledBinding<S, T>, S> {
  uint32_t number;
  T S::*member;

  constexpr SpelledBinding(uint32_t n, T S::*m) : number(n), member(m) {}

  static constexpr absl::Span<const AttributeWord> Words() {
    return WordsOf(static_cast<const T*>(nullptr)).words;
  }
  bool Read(const FieldList& from, S* to, std::string* error) const {
    int64_t read = 0;
    if (!ReadWord(Words(), from.Text(number), number, &read, error)) {
      return false;
    }
    to->*member = static_cast<T>(read);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    to->SetText(number, WordOf(Words(), static_cast<int64_t>(from.*member)));
  }
};
template <typename S, typename T>
constexpr auto Spelled(uint32_t number, T S::*member) {
  return SpelledBinding<S, T>(number, member);
}

// --- Messages ---------------------------------------------------------------

enum class Presence {
  kIfFilled,  // written when it holds anything
  kAlways,    // XLA writes it even if empty; readers don't need it
  kRequired,  // XLA's reader refuses an instruction without it
};

// A message whose fields are members of S itself. Replace changes the fields
// that differ and keeps the others.
template <typename S, typename... Fields>
struct MessageBinding {
  uint32_t number;
  WireMessage message;
  Presence presence;
  std::tuple<Fields...> fields;

  bool Read(const FieldList& from, S* to, std::string* error) const {
    if (presence == Presence::kRequired && !from.has(number)) {
      *error = absl::StrCat("field ", number, " (",
                            GetWireMessageInfo(message).name(), ") is missing");
      return false;
    }
    FieldList inside(message);
    if (!inside.Append(from.Text(number))) return NotCanonical(number, error);
    return ReadAll(fields, inside, to, error);
  }
  // Adds the message, possibly empty, where XLA's writers always write it.
  void Ensure(FieldList* to) const {
    if (presence == Presence::kIfFilled) return;
    const std::string before(to->Text(number));
    FieldList inside(message);
    if (!inside.Append(before)) return;
    EnsureAll(fields, &inside);
    to->SetText(number, inside.Serialize());
  }
  void Write(const S& from, FieldList* to) const {
    FieldList inside(message);
    WriteAll(fields, from, &inside);
    const std::string bytes = inside.Serialize();
    if (presence != Presence::kIfFilled || !bytes.empty()) {
      to->SetText(number, bytes);
    } else {
      to->Remove(number);
    }
  }
  void Replace(const S& from, FieldList* to) const {
    const std::string before(to->Text(number));
    FieldList inside(message);
    if (!inside.Append(before)) return Write(from, to);
    ReplaceAll(fields, from, &inside);
    const std::string bytes = inside.Serialize();
    if (bytes == before &&
        (to->has(number) || presence != Presence::kRequired)) {
      return;
    }
    if (bytes.empty() && presence == Presence::kIfFilled) {
      to->Remove(number);
    } else {
      to->SetText(number, bytes);
    }
  }
};
template <typename S, typename... Fields>
constexpr MessageBinding<S, Fields...> Message(uint32_t number,
                                               WireMessage message,
                                               Presence presence,
                                               Fields... fields) {
  return {number, message, presence, {fields...}};
}

// The fields of a struct that is a member of S.
template <typename S, typename T, typename... Fields>
struct MemberBinding {
  T S::*member;
  std::tuple<Fields...> fields;

  bool Read(const FieldList& from, S* to, std::string* error) const {
    return ReadAll(fields, from, &(to->*member), error);
  }
  void Write(const S& from, FieldList* to) const {
    WriteAll(fields, from.*member, to);
  }
  void Replace(const S& from, FieldList* to) const {
    ReplaceAll(fields, from.*member, to);
  }
  void Ensure(FieldList* to) const { EnsureAll(fields, to); }
};

// A member that is a struct with a message of its own.
template <typename S, typename T, typename... Fields>
constexpr auto Member(uint32_t number, T S::*member, Presence presence,
                      std::tuple<Fields...> fields) {
  return Message<S>(number, MessageOf(Struct<T>()), presence,
                    MemberBinding<S, T, Fields...>{member, fields});
}
template <typename S, typename T>
constexpr auto Part(uint32_t number, T S::*member) {
  return Member(number, member, Presence::kIfFilled, FieldsOf(Struct<T>()));
}
template <typename S, typename T>
constexpr auto Required(uint32_t number, T S::*member) {
  return Member(number, member, Presence::kRequired, FieldsOf(Struct<T>()));
}

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_ATTRIBUTE_BINDINGS_H_
