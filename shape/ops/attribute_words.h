// SPDX-License-Identifier: Apache-2.0
// The spellings of the enums of attributes.h in files, HLO text and questions:
// the lists of words of attribute_members.def.

#ifndef INDIM_SHAPE_OPS_ATTRIBUTE_WORDS_H_
#define INDIM_SHAPE_OPS_ATTRIBUTE_WORDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

struct AttributeWord {
  absl::string_view word;
  int64_t number;
};
struct AttributeWords {
  bool any_case = false;
  absl::Span<const AttributeWord> words;
};

namespace words {
inline constexpr AttributeWords None;
#define INDIM_WORDS(list, any_case, ...)                         \
  inline constexpr AttributeWord k##list##Words[] = __VA_ARGS__; \
  inline constexpr AttributeWords list{any_case, k##list##Words};
#define INDIM_ENUM_WORDS INDIM_WORDS
#include "indim/shape/ops/attribute_members.def"
}  // namespace words

// The words of an enum, selected by the type of a (null) pointer.
#define INDIM_ENUM_WORDS(type, ...) \
  constexpr const AttributeWords& WordsOf(const type*) { return words::type; }
#include "indim/shape/ops/attribute_members.def"

// The default comparison of elements of `type`: FLOAT, SIGNED or UNSIGNED.
inline const AttributeWord& DefaultComparison(ElementType type) {
  using words::kComparisonTypeWords;
  if (IsFloat(type) || IsComplex(type)) return kComparisonTypeWords[0];
  return kComparisonTypeWords[IsSigned(type) ? 2 : 3];
}
// How elements of `type` are compared where the attribute says `given`, which
// may leave that to their type.
inline ComparisonType ComparisonOf(ComparisonType given, ElementType type) {
  if (given == ComparisonType::kTotal && IsFloat(type)) {
    return ComparisonType::kFloatTotalOrder;
  }
  if (given != ComparisonType::kDefault && given != ComparisonType::kTotal) {
    return given;
  }
  return static_cast<ComparisonType>(DefaultComparison(type).number);
}

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_ATTRIBUTE_WORDS_H_
