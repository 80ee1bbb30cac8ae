// The shape functions that ops.def names: operand shapes, attributes and callee
// signatures in, the result's shape out.
//
// InferShape (infer.h) is the way to call them: it has then already checked the
// counts of operands and callees and all constraints of the row (constraint.h),
// so a function relies on them. What the row doesn't say it checks itself, with
// infer_util.h. It returns nullopt only after adding an error to the context;
// operands may be unranked, and any dim may be unknown.

#ifndef INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_
#define INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_

#include <optional>

#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"

namespace indim {

using ShapeFunction = std::optional<Shape> (*)(InferContext* context,
                                               const OpInputs& inputs);

// InferDeclared, InferClamp, ...: one for each name in the table's column.
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 constraints, type, form, result, function, traits)          \
  std::optional<Shape> Infer##function(InferContext* context,                \
                                       const OpInputs& inputs);
#include "indim/shape/ops/ops.def"
#undef INDIM_OP

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_SHAPE_FUNCTIONS_H_
