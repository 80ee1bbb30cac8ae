// SPDX-License-Identifier: Apache-2.0
// VerifyNode with another shape function than the op's own. Not part of the
// API: for tests of what the verifier makes of a function that is at fault.

#ifndef INDIM_SHAPE_INFER_VERIFY_NODE_WITH_H_
#define INDIM_SHAPE_INFER_VERIFY_NODE_WITH_H_

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {

// VerifyNode, which is this with InferShape. Whatever `infer` does, the answer
// is wrong exactly if the context has an error: IND0105, "its operands give no
// shape", where `infer` returned neither a shape nor a reason.
NodeCheck VerifyNodeWith(InferContext* context, const OpInputs& inputs,
                         ShapeFunction infer);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_VERIFY_NODE_WITH_H_
