// What a row of the op table declares, checked and carried out.

#ifndef INDIM_SHAPE_INFER_CHECK_CONSTRAINT_H_
#define INDIM_SHAPE_INFER_CHECK_CONSTRAINT_H_

#include <optional>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Whether `constraint` holds; adds one of its rules to the context where it
// does not, and run-time conditions where only run time can tell. Operand and
// callee counts must be as the op's row says, and the constraints that stand
// before this one in its row must hold.
bool CheckConstraint(InferContext* context, const OpInputs& inputs,
                     const Constraint& constraint);

// A policy under which `constraint` is looked at.
inline InferPolicy PolicyOf(const Constraint& constraint) {
  return constraint.judge == ConstraintJudge::kBuilder ? InferPolicy::kBuilder
                                                       : InferPolicy::kVerifier;
}

// The result of an op whose declaration is complete and whose constraints hold.
// Errors: those of broadcasting (IND0001..IND0018, IND0040), IND0409.
std::optional<Shape> DeclaredResult(InferContext* context,
                                    const OpInputs& inputs,
                                    const ResultForm& form);

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_CHECK_CONSTRAINT_H_
