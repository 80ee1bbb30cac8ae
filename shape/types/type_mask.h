// SPDX-License-Identifier: Apache-2.0
// Sets of element types, as masks: what an operand may have, where a function
// is defined.

#ifndef INDIM_SHAPE_TYPES_TYPE_MASK_H_
#define INDIM_SHAPE_TYPES_TYPE_MASK_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"

namespace indim {

constexpr uint64_t TypesOfKind(ElementKind kind) {
  uint64_t types = 0;
#define INDIM_ELEMENT_TYPE(name, text, number, of_kind, ...) \
  static_assert(number < 64, "a type has a bit");            \
  if (ElementKind::of_kind == kind) types |= uint64_t{1} << number;
#include "indim/shape/types/element_types.def"
#undef INDIM_ELEMENT_TYPE
  return types;
}

// Bit n is the type of number n. Bit 0, kInvalid's, is for what has no element
// type: tuples and tokens.
enum class TypeMask : uint64_t {
  kNone = 0,
  kPred = TypesOfKind(ElementKind::kPred),
  kSigned = TypesOfKind(ElementKind::kSigned),
  kUnsigned = TypesOfKind(ElementKind::kUnsigned),
  kFloat = TypesOfKind(ElementKind::kFloat),
  kComplex = TypesOfKind(ElementKind::kComplex),

  kIntegral = kSigned | kUnsigned,
  kReal = kIntegral | kFloat,
  kFloatComplex = kFloat | kComplex,
  kSignedFloatComplex = kSigned | kFloatComplex,
  kNumber = kReal | kComplex,
  kPredUnsigned = kPred | kUnsigned,
  kPredIntegral = kPred | kIntegral,
  kPredReal = kPred | kReal,
  // The component types of complex numbers.
  kF32OrF64 = uint64_t{1} << static_cast<int>(ElementType::kF32) |
              uint64_t{1} << static_cast<int>(ElementType::kF64),

  // Complements; they hold numbers of no type too.
  kAny = ~uint64_t{0},  // tuples and tokens too
  kArray = kAny - 1,    // an array of any element type
  kNotPred = kArray - kPred,
};

// Whether `mask` holds `type`.
constexpr bool Accepts(TypeMask mask, ElementType type) {
  const auto number = static_cast<unsigned>(type);
  return number < 64 && (static_cast<uint64_t>(mask) >> number & 1) != 0;
}

// The mask as the end of a message: "elements must be " + "signed integers,
// floating-point or complex". `floats` is the word for floats.
std::string Describe(TypeMask mask,
                     absl::string_view floats = "floating-point");

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_TYPE_MASK_H_
