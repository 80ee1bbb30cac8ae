// The names of element types in MLIR: i1, si8, ui8, f8E4M3FN.

#ifndef INDIM_STABLEHLO_MLIR_ELEMENT_NAMES_H_
#define INDIM_STABLEHLO_MLIR_ELEMENT_NAMES_H_

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"

namespace indim::mlir {

// The type of that name; kInvalid: none. complex<f32> isn't a name.
ElementType ElementTypeOf(absl::string_view name);

// The name of a type; complex<f32> for kC64. "" for a type that MLIR lacks.
absl::string_view NameOf(ElementType type);

// How many bytes an element takes in an mlir::Attribute: its bits, rounded up
// to bytes.
int ElementBytes(ElementType type);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_ELEMENT_NAMES_H_
