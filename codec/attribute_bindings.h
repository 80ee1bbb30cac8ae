// Bindings: how a member of an attribute struct stands in a field of a message.
//
// A binding is a small constant: a field number, a member, and for some kinds a
// default or a list of spellings. A struct's description is a tuple of them
// (attribute_fields.h); reading, writing, replacing and asking which fields a
// struct owns are made from that one description. A binding has
//
//   bool Read(const FieldList& from, S* to, std::string* error) const;
//     fills its member; false and a sentence when the field can't be
//     understood.
//   void Write(const S& from, FieldList* to) const;
//     writes its member, XLA's way.
//   void Replace(const S& from, FieldList* to) const;
//     like Write, but leaves bytes that say the same already.

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
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
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

// What the bindings of single fields have in common. `Derived` reads and
// writes; what is there is replaced when writing it again would give other
// bytes than writing the new value.
template <typename Derived, typename S>
struct LeafBinding {
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

// --- Single fields ----------------------------------------------------------

// A number, bool or enum. An absent field (or 0) reads as `absent`, which is
// written only when `explicit_default`; of enums, values above `max` are not
// understood.
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
template <typename S, typename T>
constexpr NumberBinding<S, T> Number(uint32_t number, T S::*member) {
  return {number, member, 0, false, 0};
}
// 0 on the wire means 1; writers say 1.
template <typename S>
constexpr NumberBinding<S, int64_t> Count(uint32_t number, int64_t S::*member) {
  return {number, member, 1, true, 0};
}
// 0 on the wire means 1; writers leave 1 out.
template <typename S>
constexpr NumberBinding<S, int64_t> Factor(uint32_t number,
                                           int64_t S::*member) {
  return {number, member, 1, false, 0};
}
template <typename S, typename T>
constexpr NumberBinding<S, T> Enum(uint32_t number, T S::*member, T last) {
  return {number, member, 0, false, static_cast<int64_t>(last)};
}

// An enum of one byte whose unknown values are kept.
constexpr int64_t kAnyByte = 255;
template <typename S, typename T>
constexpr NumberBinding<S, T> OpenEnum(uint32_t number, T S::*member) {
  return {number, member, 0, false, kAnyByte};
}

template <typename S>
struct FloatBinding : LeafBinding<FloatBinding<S>, S> {
  uint32_t number;
  float S::*member;

  constexpr FloatBinding(uint32_t n, float S::*m) : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string*) const {
    to->*member = from.Float(number);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    to->SetFloat(number, from.*member);
  }
};
template <typename S>
constexpr FloatBinding<S> Float(uint32_t number, float S::*member) {
  return {number, member};
}

template <typename S>
struct NumbersBinding : LeafBinding<NumbersBinding<S>, S> {
  uint32_t number;
  DimIndices S::*member;

  constexpr NumbersBinding(uint32_t n, DimIndices S::*m)
      : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string*) const {
    to->*member = from.Numbers(number);
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    to->SetNumbers(number, from.*member);
  }
};
template <typename S>
constexpr NumbersBinding<S> Numbers(uint32_t number, DimIndices S::*member) {
  return {number, member};
}

// Text or bytes.
template <typename S>
struct TextBinding : LeafBinding<TextBinding<S>, S> {
  uint32_t number;
  std::string S::*member;

  constexpr TextBinding(uint32_t n, std::string S::*m) : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string*) const {
    to->*member = std::string(from.Text(number));
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    to->SetText(number, from.*member);
  }
};
template <typename S>
constexpr TextBinding<S> Text(uint32_t number, std::string S::*member) {
  return {number, member};
}

// An enum that the wire spells as text: value i as spellings[i].
template <typename S, typename T, size_t kCount>
struct SpelledBinding : LeafBinding<SpelledBinding<S, T, kCount>, S> {
  uint32_t number;
  T S::*member;
  const absl::string_view (&spellings)[kCount];

  constexpr SpelledBinding(uint32_t n, T S::*m,
                           const absl::string_view (&s)[kCount])
      : number(n), member(m), spellings(s) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    const absl::string_view text = from.Text(number);
    for (size_t i = 0; i < kCount; ++i) {
      if (spellings[i] == text) {
        to->*member = static_cast<T>(i);
        return true;
      }
    }
    *error =
        absl::StrCat("field ", number, " is \"", text,
                     "\", but must be one of ", absl::StrJoin(spellings, " "));
    return false;
  }
  void Write(const S& from, FieldList* to) const {
    const size_t i = static_cast<size_t>(from.*member);
    to->SetText(number, i < kCount ? spellings[i] : "");
  }
};
template <typename S, typename T, size_t kCount>
constexpr SpelledBinding<S, T, kCount> Spelled(
    uint32_t number, T S::*member,
    const absl::string_view (&spellings)[kCount]) {
  return {number, member, spellings};
}

// A packed list of enums of one byte.
template <typename S, typename T>
struct EnumsBinding : LeafBinding<EnumsBinding<S, T>, S> {
  uint32_t number;
  std::vector<T> S::*member;

  constexpr EnumsBinding(uint32_t n, std::vector<T> S::*m)
      : number(n), member(m) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    std::vector<T>& values = to->*member;
    values.clear();
    for (int64_t value : from.Numbers(number)) {
      if (value < 0 || value > kAnyByte) {
        *error = absl::StrCat("field ", number, " holds ", value);
        return false;
      }
      values.push_back(static_cast<T>(value));
    }
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    DimIndices values;
    for (T value : from.*member) values.push_back(static_cast<int64_t>(value));
    to->SetNumbers(number, values);
  }
};
template <typename S, typename T>
constexpr EnumsBinding<S, T> Enums(uint32_t number, std::vector<T> S::*member) {
  return {number, member};
}

// --- Messages ---------------------------------------------------------------

enum class Presence {
  kIfFilled,  // written when it holds anything
  kAlways,    // XLA's writers write it even if empty; readers do without
  kRequired,  // XLA's reader refuses an instruction without it
};

// A message whose fields are members of S itself. Replacing changes the fields
// in it that differ and keeps the others.
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
    if (!inside.Append(from.Text(number))) {
      *error = absl::StrCat("field ", number, " is not canonical");
      return false;
    }
    return ReadAll(fields, inside, to, error);
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
};
template <typename S, typename T, typename... Fields>
constexpr MemberBinding<S, T, Fields...> Member(T S::*member,
                                                Fields... fields) {
  return {member, {fields...}};
}

// A message that is there or not: the fields of an optional struct.
template <typename S, typename T, typename... Fields>
struct OptionalBinding : LeafBinding<OptionalBinding<S, T, Fields...>, S> {
  uint32_t number;
  WireMessage message;
  std::optional<T> S::*member;
  std::tuple<Fields...> fields;

  constexpr OptionalBinding(uint32_t n, WireMessage w, std::optional<T> S::*m,
                            std::tuple<Fields...> f)
      : number(n), message(w), member(m), fields(f) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    (to->*member).reset();
    if (!from.has(number)) return true;
    FieldList inside(message);
    if (!inside.Append(from.Text(number))) {
      *error = absl::StrCat("field ", number, " is not canonical");
      return false;
    }
    return ReadAll(fields, inside, &(to->*member).emplace(), error);
  }
  void Write(const S& from, FieldList* to) const {
    if (!(from.*member).has_value()) return to->Remove(number);
    FieldList inside(message);
    WriteAll(fields, *(from.*member), &inside);
    to->SetText(number, inside.Serialize());
  }
};
template <typename S, typename T, typename... Fields>
constexpr OptionalBinding<S, T, Fields...> Optional(uint32_t number,
                                                    WireMessage message,
                                                    std::optional<T> S::*member,
                                                    Fields... fields) {
  return {number, message, member, std::tuple<Fields...>(fields...)};
}

// A repeated message, one for each element of a vector of T.
template <typename S, typename T, typename... Fields>
struct ElementsBinding : LeafBinding<ElementsBinding<S, T, Fields...>, S> {
  uint32_t number;
  WireMessage message;
  std::vector<T> S::*member;
  std::tuple<Fields...> fields;

  constexpr ElementsBinding(uint32_t n, WireMessage w, std::vector<T> S::*m,
                            std::tuple<Fields...> f)
      : number(n), message(w), member(m), fields(f) {}

  bool Read(const FieldList& from, S* to, std::string* error) const {
    std::vector<T>& elements = to->*member;
    elements.clear();
    for (absl::string_view text : from.Texts(number)) {
      FieldList inside(message);
      T element;
      if (!inside.Append(text)) {
        *error = absl::StrCat("field ", number, " is not canonical");
        return false;
      }
      if (!ReadAll(fields, inside, &element, error)) return false;
      elements.push_back(std::move(element));
    }
    return true;
  }
  void Write(const S& from, FieldList* to) const {
    std::vector<std::string> texts;
    for (const T& element : from.*member) {
      FieldList inside(message);
      WriteAll(fields, element, &inside);
      texts.push_back(inside.Serialize());
    }
    to->SetTexts(number, texts);
  }
};
template <typename S, typename T, typename... Fields>
constexpr ElementsBinding<S, T, Fields...> Elements(uint32_t number,
                                                    WireMessage message,
                                                    std::vector<T> S::*member,
                                                    Fields... fields) {
  return {number, message, member, std::tuple<Fields...>(fields...)};
}

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_ATTRIBUTE_BINDINGS_H_
