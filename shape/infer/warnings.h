// SPDX-License-Identifier: Apache-2.0
// Warnings about operations that XLA's builder accepts although they make no
// sense.
//
// Indim gives XLA's answer even where it is odd (a shift of floats has a
// shape), and warns the author. The table is warnings.def; the checks read
// operands, attributes and callees only and never change an answer.

#ifndef INDIM_SHAPE_INFER_WARNINGS_H_
#define INDIM_SHAPE_INFER_WARNINGS_H_

#include "indim/shape/infer/infer.h"

namespace indim {

// Runs the checks of the op's rows in warnings.def and adds their warnings to
// the context. InferShape calls it after inference has succeeded: operand and
// callee counts and operand classes are then as the op's row says.
void AddWarnings(InferContext* context, const OpInputs& inputs);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_WARNINGS_H_
