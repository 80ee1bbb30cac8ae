// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor as bytes. In bytecode eight bools share a byte, and
// integers of less than a byte don't repeat their sign; an Ir has a byte each.

#ifndef INDIM_STABLEHLO_BYTECODE_ELEMENTS_H_
#define INDIM_STABLEHLO_BYTECODE_ELEMENTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// `text` of a kDense as bytecode has it: itself, or in `*buffer`.
absl::string_view PackElements(const Ir& ir, const Attribute& dense,
                               std::string* buffer);

// Makes bytes of bytecode in `text` the elements of a kDense. What is wrong
// with them; "": nothing.
std::string UnpackElements(const Ir& ir, Attribute* dense);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ELEMENTS_H_
