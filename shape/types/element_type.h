// SPDX-License-Identifier: Apache-2.0
// Element types: the types of an array's elements.
//
// The table is `element_types.def`; everything here reads it. The enum's values
// are XLA's numbers in files (PrimitiveType), so reading and writing need no
// translation.

#ifndef INDIM_SHAPE_TYPES_ELEMENT_TYPE_H_
#define INDIM_SHAPE_TYPES_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace indim {

enum class ElementType : uint8_t {
  kInvalid = 0,  // no type; never inside a valid Shape
#define INDIM_ELEMENT_TYPE(name, text, number, ...) k##name = number,
#include "indim/shape/types/element_types.def"
#undef INDIM_ELEMENT_TYPE
};

enum class ElementKind : uint8_t {
  kInvalid,
  kPred,
  kSigned,
  kUnsigned,
  kFloat,
  kComplex
};

// One row of the table.
struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;  // "f32"
  ElementKind kind;
  int bits;               // storage width of one element; pred: 8
  int exponent;           // floats, complex components; else 0
  int significand;        // digits, the implicit one included; else 0
  int overflow_exponent;  // finite values are below 2^this; else 0
  int literal_field;      // field number in LiteralProto
};

// All rows, by ascending wire number.
absl::Span<const ElementTypeInfo> AllElementTypes();

// The row of `type`. For kInvalid or a value outside the table: a row named
// "invalid" of kind kInvalid and width 0.
const ElementTypeInfo& Info(ElementType type);

// "f32" -> kF32; nullopt when the table has no such name. Case matters.
std::optional<ElementType> ElementTypeFromName(absl::string_view name);

// The element type's name that `name` was probably meant to be: another
// system's name ("int32", "Float", "bfloat16") in XLA's spelling, or the
// nearest name (suggest.h). `others` are further candidates. Empty: none is
// near.
absl::string_view NearestElementTypeName(
    absl::string_view name, absl::Span<const absl::string_view> others = {});

// From a PrimitiveType; nullopt when it is not an array's element type (tuple,
// token, opaque, buffer and unknown numbers).
std::optional<ElementType> ElementTypeFromNumber(int64_t number);

inline absl::string_view Name(ElementType type) { return Info(type).name; }
inline bool IsFloat(ElementType t) {
  return Info(t).kind == ElementKind::kFloat;
}
inline bool IsComplex(ElementType t) {
  return Info(t).kind == ElementKind::kComplex;
}
inline bool IsSigned(ElementType t) {
  return Info(t).kind == ElementKind::kSigned;
}
inline bool IsUnsigned(ElementType t) {
  return Info(t).kind == ElementKind::kUnsigned;
}
// Signed or unsigned; pred is not an integer.
inline bool IsIntegral(ElementType t) { return IsSigned(t) || IsUnsigned(t); }

// c64 -> f32, c128 -> f64; other types are returned unchanged.
ElementType RealPart(ElementType type);

// f32 -> c64, f64 -> c128; nullopt for every other type.
std::optional<ElementType> ComplexOf(ElementType component);

// MLIR's name of a type: HLO's but for preds and integers, which have no sign
// (i1, i32, ui8), complex<f32>, and small floats (f8E4M3FN).
std::string MlirName(ElementType type);

// Equal, or both floating-point: XLA's inference accepts such a pair.
inline bool SameTypeIgnoringFloatPrecision(ElementType a, ElementType b) {
  return a == b || (IsFloat(a) && IsFloat(b));
}

// The more general of two types, as XLA's builder chooses it: complex over
// real, then the larger exponent range, then more significand digits, then the
// greater width, then signed over unsigned. nullopt where XLA has no answer (it
// aborts): f8e5m2 with f8e5m2fnuz, f8e4m3 with f8e4m3fnuz, u1 with pred.
// Source: XLA, primitive_util HigherPrecisionType.
std::optional<ElementType> HigherPrecision(ElementType a, ElementType b);

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_ELEMENT_TYPE_H_
