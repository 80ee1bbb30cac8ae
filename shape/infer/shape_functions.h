// SPDX-License-Identifier: Apache-2.0
// The shape functions that ops.def names: each takes operand shapes, attributes
// and callee signatures, and returns the result's shape.
//
// Call them through InferShape (infer.h), which first checks the counts of
// operands and callees and all constraints of the row (constraint.h). A
// function relies on these, and checks itself what the row doesn't declare,
// with infer_util.h. It returns nullopt only after adding an error to the
// context. Operands may be unranked, and any dim may be unknown.

#ifndef INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_
#define INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_

#include <optional>

#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

using ShapeFunction = std::optional<Shape> (*)(InferContext* context,
                                               const OpInputs& inputs);

// For rows that declare the result.
std::optional<Shape> InferDeclared(InferContext* context,
                                   const OpInputs& inputs);
// InferClamp, ...: defined for each operation whose row says its own name in
// the column `function`.
#define INDIM_OP_NAME(number, name)                       \
  std::optional<Shape> Infer##name(InferContext* context, \
                                   const OpInputs& inputs);
#include "indim/shape/ops/op_names.def"
#undef INDIM_OP_NAME

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_
