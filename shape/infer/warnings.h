// Warnings: what XLA's builder accepts although it makes no sense.
//
// XLA's own answer is Indim's answer, also where it is odd: a shift of floats
// has a shape. Whoever wrote one is told. The table is warnings.def; the checks
// look at operands, attributes and callees only and never change an answer.

#ifndef INDIM_SHAPE_INFER_WARNINGS_H_
#define INDIM_SHAPE_INFER_WARNINGS_H_

#include "indim/shape/infer/infer.h"

namespace indim {

// Adds the warnings of the op's rows in warnings.def to the context. InferShape
// calls it when inference has succeeded: operand, callee counts and classes are
// as the op's row says.
void AddWarnings(InferContext* context, const OpInputs& inputs);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_WARNINGS_H_
