// One shape function per row of ops.def: operand shapes, attributes and callee
// signatures in, the result's shape out.
//
// InferShape (infer.h) is the way to call them: it has then already checked the
// operand count, the callee count and operand 0's class, so a function may look
// at every operand and callee that its row promises. What the row does not say
// (a second operand's kind, for one) it checks itself, with infer_util.h. It
// returns nullopt only after adding an error to the context; operands may be
// unranked, and any dim may be unknown.

#ifndef INDIM_SHAPE_SHAPE_FUNCTIONS_H_
#define INDIM_SHAPE_SHAPE_FUNCTIONS_H_

#include <optional>

#include "indim/shape/infer.h"
#include "indim/shape/shape.h"

namespace indim {

using ShapeFunction = std::optional<Shape> (*)(InferContext* context,
                                               const OpInputs& inputs);

// InferUnary, InferBinary, ...: one for each name in the table's column.
#define INDIM_OP(number, name, wire, min, max, attributes, callees, operand, \
                 type, result, function, traits)                             \
  std::optional<Shape> Infer##function(InferContext* context,                \
                                       const OpInputs& inputs);
#include "indim/shape/ops.def"
#undef INDIM_OP

}  // namespace indim

#endif  // INDIM_SHAPE_SHAPE_FUNCTIONS_H_
