// SPDX-License-Identifier: Apache-2.0
// ElementFunction: a computation of scalars (a reducer, a comparator), made to
// be called very often.
//
// A computation of elementwise ops only becomes a list of scalar calls once;
// any other computation runs in the interpreter.

#ifndef INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_
#define INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_

#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/ir/module.h"

namespace indim {

class ElementFunction {
 public:
  // Wraps callee `callee` of `e`, which must outlive this.
  ElementFunction(Evaluation* e, int callee);

  // Checks that it takes `arity` scalars and returns `results` scalars, bare or
  // in a tuple. Returns false after an error.
  bool Expect(int arity, int results);

  ElementType parameter_type(int i) const {
    return parameters_[static_cast<size_t>(i)];
  }
  ElementType result_type(int i) const {
    return results_[static_cast<size_t>(i)];
  }
  // Whether the result is a tuple, possibly of one element.
  bool returns_tuple() const { return tuple_; }

  // Calls the function. `arguments` must have all arguments, each of its
  // parameter's type; `results` must have room for all results. Returns false
  // after an error.
  bool Call(absl::Span<const Scalar> arguments, Scalar* results);

 private:
  // One instruction; its result goes to slot `slot`.
  struct Step {
    ScalarFunction function = nullptr;  // null: a parameter or a constant
    ElementType type;
    ElementType second;
    ElementType result;
    const Attributes* attributes;
    int slot;
    std::vector<int> operands;  // slots
  };

  bool ReadSignature();
  // Makes the list of scalar calls. Returns false where an op isn't
  // elementwise.
  bool MakeSteps();
  bool AddStep(const Instruction& instruction);
  bool CallSteps(absl::Span<const Scalar> arguments, Scalar* results);
  bool CallComputation(absl::Span<const Scalar> arguments, Scalar* results);

  Evaluation* e_;
  int callee_;
  Computation computation_;
  bool valid_ = false;  // it takes and returns scalars
  bool tuple_ = false;
  std::vector<ElementType> parameters_;
  std::vector<ElementType> results_;

  bool has_steps_ = false;
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;  // constants stay, other slots are overwritten
  std::vector<int> parameter_slots_;  // -1: the parameter isn't used
  std::vector<int> result_slots_;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_
