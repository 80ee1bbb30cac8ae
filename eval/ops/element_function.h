// ElementFunction: a computation of scalars (a reducer, a comparator) that is
// called very often.
//
// Where it is made of elementwise ops alone, it is turned into a list of scalar
// calls once; anything else runs as any other computation.

#ifndef INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_
#define INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/ir/module.h"

namespace indim {

class ElementFunction {
 public:
  // Callee `callee` of `e`, which must outlive this.
  ElementFunction(Evaluation* e, int callee);

  // It takes `arity` scalars and returns `results` scalars, bare or in a tuple;
  // false with an error.
  bool Expect(int arity, int results);

  ElementType parameter_type(int i) const {
    return parameters_[static_cast<size_t>(i)];
  }
  ElementType result_type(int i) const {
    return results_[static_cast<size_t>(i)];
  }
  // The result is a tuple, also of one.
  bool returns_tuple() const { return tuple_; }

  // `arguments` as many as it takes, each of its parameter's type; `results` as
  // many as it returns. False with an error.
  bool Call(absl::Span<const Scalar> arguments, Scalar* results);

 private:
  // One instruction: what it computes goes to the slot of its number.
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
  // False: it isn't made of elementwise ops alone.
  bool MakeSteps();
  bool AddStep(const Instruction& instruction);
  bool CallSteps(absl::Span<const Scalar> arguments, Scalar* results);
  bool CallComputation(absl::Span<const Scalar> arguments, Scalar* results);

  Evaluation* e_;
  int callee_;
  Computation computation_;
  bool valid_ = false;  // scalars in, scalars out
  bool tuple_ = false;
  std::vector<ElementType> parameters_;
  std::vector<ElementType> results_;

  bool has_steps_ = false;
  std::vector<Step> steps_;
  std::vector<Scalar> slots_;         // constants stay, the rest is overwritten
  std::vector<int> parameter_slots_;  // -1: the parameter is not there
  std::vector<int> result_slots_;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_ELEMENT_FUNCTION_H_
