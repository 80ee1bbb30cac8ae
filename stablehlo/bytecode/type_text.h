// SPDX-License-Identifier: Apache-2.0
// MLIR's element types: their names, and their sizes in attributes.

#ifndef INDIM_STABLEHLO_BYTECODE_TYPE_TEXT_H_
#define INDIM_STABLEHLO_BYTECODE_TYPE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// The name of an element type, or the text of another.
std::string TextOfElement(const Type& type);

// complex<element>; element types have complex<f32> and complex<f64>.
Type ComplexType(const Ir& ir, TypeId element);

// Whether a tensor's elements can be of this type.
bool IsElement(const Ir& ir, TypeId type);

// The bytes of an element in kDense and kDenseArray; 0: it has no elements of
// known size.
int ElementBytes(const Ir& ir, TypeId type);

// The bits of an integer, bool or index; 0: it is something else.
int IntegerBits(const Ir& ir, TypeId type);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_TYPE_TEXT_H_
