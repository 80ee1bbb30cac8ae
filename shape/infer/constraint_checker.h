// SPDX-License-Identifier: Apache-2.0
// The check of one constraint. Only check_constraint.cc and check_attributes.cc
// include this header.

#ifndef INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_
#define INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_

#include <cstdint>

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Checks one constraint of one operation.
class ConstraintChecker {
 public:
  ConstraintChecker(InferContext* context, const OpInputs& inputs,
                    const Constraint& c)
      : context_(context),
        inputs_(inputs),
        c_(c),
        count_(static_cast<int>(inputs.operands.size())) {}

  bool Check();

 private:
  const Shape& Operand(int i) const { return *inputs_.operands[i]; }
  int begin() const { return c_.operands.begin(count_); }
  int end() const { return c_.operands.end(count_); }
  Code code() const { return c_.codes[0]; }
  NumberList Numbers(const AttributeRef* ref) const;
  int64_t LengthOf(const AttributeRef* ref) const;

  using Step = bool (ConstraintChecker::*)(int operand);
  template <Step kStep>
  bool Once() {
    return (this->*kStep)(begin());
  }
  // Calls `kStep` for each operand of the set, until one call fails.
  template <Step kStep>
  bool Each() {
    const int last = end();
    for (int i = begin(); i < last; ++i) {
      if (!(this->*kStep)(i)) return false;
    }
    return true;
  }

  // The check of each kind. Those that are for all operands of the set at once
  // get its first position.
#define INDIM_CONSTRAINT(name, ...) bool name(int i);
#include "indim/shape/ops/constraints.def"

  bool CheckArguments(bool all);
  // The operand that the others are compared with: `other`, or the first
  // operand of the set whose rank is known; -1: no rank is known.
  int Reference() const;
  // The size of the dim that the attribute names: the features of a batch norm.
  Dim NamedDim() const;

  InferContext* const context_;
  const OpInputs& inputs_;
  const Constraint& c_;
  const int count_;
};

}  // namespace indim

#endif  // INDIM_SHAPE_INFER_CONSTRAINT_CHECKER_H_
