// SPDX-License-Identifier: Apache-2.0
// How MLIR spells element types and texts.

#ifndef INDIM_STABLEHLO_MLIR_SPELLING_H_
#define INDIM_STABLEHLO_MLIR_SPELLING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/types/element_type.h"

namespace indim::mlir {

// The type of that name, i1, ui8, f8E4M3FN, complex<f32>; kInvalid: none.
ElementType ElementTypeOf(absl::string_view name);

// The name of a type. "" for a type that MLIR lacks.
absl::string_view NameOf(ElementType type);

// How many bytes an element takes in an mlir::Attribute: its bits, rounded up
// to bytes.
int ElementBytes(ElementType type);

// Appends "..." with what MLIR escapes escaped.
void AppendQuoted(absl::string_view value, std::string* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_SPELLING_H_
