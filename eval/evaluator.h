// The reference evaluator: what a module, or one operation, computes.
//
//   absl::StatusOr<Literal> y = Evaluate(module, {x});
//
// Every op with a meaning of its own, on dense literals of all element types,
// simple and right rather than fast; evaluations.def has a row for each. It is
// what shape inference is judged by: sizes come from the operation's definition
// alone. XLA in turn is its judge (docs/evaluator.md).
//
// One device: a collective is what it is among one member. Values of bounded
// dims (`f32[<=5]`) are as long as they are; a Literal says so in
// dynamic_sizes.

#ifndef INDIM_EVAL_EVALUATOR_H_
#define INDIM_EVAL_EVALUATOR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/codec/literal.h"
#include "indim/eval/ops/eval_options.h"
#include "indim/ir/module.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// The result of the entry computation. `arguments`: one for each parameter, by
// number. Of an argument for a parameter of bounded dims the dynamic_sizes
// count; where it has none its whole size is its size.
//
// Only what the result depends on is evaluated. Errors, each with a rule and
// the instruction (InvalidArgument but for the two that are named):
//   IND0813  a constant whose values a dump has left out ({...})
//   IND0850  Unimplemented: an op without a value of its own (infeed, a
//            custom-call whose target custom_calls.h doesn't know, ...)
//   IND0851  an op that has no meaning for the element type
//   IND0852  ResourceExhausted: a limit of `options`
//   IND0853  a result that isn't of the recorded shape
//   IND0854  arguments that don't go with the parameters
//   IND0855  values that the op can't combine
//   IND0863  a bounded dim grows, and what it shows isn't known (memory.h)
//   IND0864  a reshape cuts a bounded dim's elements into rows, not all full
absl::StatusOr<Literal> Evaluate(const Module& module,
                                 absl::Span<const Literal> arguments,
                                 const EvalOptions& options = {});

// One operation, with no graph around it.
struct OpCall {
  Opcode opcode = Opcode::kInvalid;
  absl::Span<const Literal> operands;
  const Attributes* attributes = nullptr;  // null: a default struct
  absl::Span<const Computation> callees;
  // The result as it would be recorded, for ops whose result operands alone
  // don't give (ResultSource, opcode.h). Null: none.
  const Shape* declared = nullptr;
};
// Its result; errors as above.
absl::StatusOr<Literal> EvaluateOp(const OpCall& call,
                                   const EvalOptions& options = {});

// Whether `opcode` is evaluated at all; "" when it is, else why not ("its data
// come from a host").
absl::string_view WhyNotEvaluated(Opcode opcode);

}  // namespace indim

#endif  // INDIM_EVAL_EVALUATOR_H_
