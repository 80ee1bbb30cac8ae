// VerifyNode for callers that have inferred the node already, or know what
// inference says.

#ifndef INDIM_SHAPE_VERIFY_INFERRED_H_
#define INDIM_SHAPE_VERIFY_INFERRED_H_

#include "indim/shape/infer.h"

namespace indim {

// As VerifyNode (infer.h), where InferShape was asked about `inputs` under the
// same policy, said `inferred` and added no diagnostic.
NodeCheck VerifyInferred(InferContext* context, const OpInputs& inputs,
                         const Shape& inferred);

// What VerifyNode says of a node of `opcode` that is right.
NodeCheck KindOfCheck(Opcode opcode);

}  // namespace indim

#endif  // INDIM_SHAPE_VERIFY_INFERRED_H_
