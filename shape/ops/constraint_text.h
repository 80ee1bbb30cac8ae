// SPDX-License-Identifier: Apache-2.0
// Declarations in English, for the reference page and for `indim explain`.

#ifndef INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_
#define INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_

#include <string>

#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// For example "operand 1 is an array", "each number of dimensions is a dim of
// operand 0, none is there twice".
// What programs call the kind: "same-dims".
absl::string_view WordOf(ConstraintKind kind);
std::string ConstraintText(const Constraint& constraint);

// The result of `opcode` in words: "as operand 0, elements as one part of a
// complex number"; "" where a shape function determines it.
std::string ResultText(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_
