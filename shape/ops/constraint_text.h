// Declarations in words, for the reference page and for people who ask.

#ifndef INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_
#define INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_

#include <string>

#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// "operand 1 is an array", "each number of dimensions is a dim of operand 0,
// none is there twice".
std::string ConstraintText(const Constraint& constraint);

// What the result of `opcode` is: "operand 0's shape, of its real part's type";
// "" where a shape function says it.
std::string ResultText(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_OPS_CONSTRAINT_TEXT_H_
