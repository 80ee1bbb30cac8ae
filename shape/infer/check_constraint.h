// SPDX-License-Identifier: Apache-2.0
// Checks the constraints that a row of the op table declares, and evaluates its
// result form.

#ifndef INDIM_SHAPE_INFER_CHECK_CONSTRAINT_H_
#define INDIM_SHAPE_INFER_CHECK_CONSTRAINT_H_

#include <optional>

#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Whether `constraint` holds. Where it doesn't, adds one of its codes to the
// context; where only run time can tell, adds a run-time condition. Operand and
// callee counts must be as the op's row says, and the constraints before this
// one in the row must hold.
bool CheckConstraint(InferContext* context, const OpInputs& inputs,
                     const Constraint& constraint);

// A policy under which inference checks `constraint`.
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
