// SPDX-License-Identifier: Apache-2.0
// Calls, control flow, tuples, asynchronous operations.

#include "indim/eval/ops/eval_calls.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/eval_options.h"
#include "indim/eval/ops/eval_util.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/evaluation_functions.h"

namespace indim {

std::optional<Value> EvalConstant(Evaluation& e) { return e.Constant(); }

// The caller of a computation supplies a parameter's value.
std::optional<Value> EvalParameter(Evaluation& e) {
  return e.Fail("no computation is called");
}

std::optional<Value> EvalCall(Evaluation& e) { return e.Run(0, e.operands()); }

// A fusion may have operands that its body doesn't use.
std::optional<Value> EvalFusion(Evaluation& e) {
  return e.Run(0, e.operands());
}

std::optional<bool> GoesOn(Evaluation& e, const Value& condition) {
  if (!condition.is_scalar() || condition.type() != ElementType::kPred) {
    return e.Fail("its condition gives no pred");
  }
  return condition.At(0).bits != 0;
}

// Callees: body, condition.
std::optional<Value> EvalWhile(Evaluation& e) {
  Value state = e.operand(0);
  // A turn takes steps even where both computations only return parameters.
  while (e.Charge(EvalOptions::kInstructionSteps)) {
    const std::optional<Value> condition = e.Run(1, {state});
    if (!condition) return std::nullopt;
    const std::optional<bool> goes_on = GoesOn(e, *condition);
    if (!goes_on) return std::nullopt;
    if (!*goes_on) return state;
    std::optional<Value> next = e.Run(0, {std::move(state)});
    if (!next) return std::nullopt;
    state = *std::move(next);
  }
  return std::nullopt;
}

// Operand 0 selects the branch: a pred selects between two, true the first; a
// number selects by position, and the last branch if it is out of range.
std::optional<int> BranchOf(Evaluation& e) {
  const Value& index = e.operand(0);
  if (e.callee_count() + 1 != e.operand_count()) {
    return e.Fail("it needs an operand for each branch");
  }
  int branch = e.callee_count() - 1;
  if (!index.is_scalar()) return e.FailType(0);
  if (index.type() == ElementType::kPred && branch == 1) {
    branch = index.At(0).bits != 0 ? 0 : 1;
  } else if (index.type() == ElementType::kS32) {
    const int64_t number = index.At(0).integer();
    if (number >= 0 && number < branch) branch = static_cast<int>(number);
  } else {
    return e.FailType(0);
  }
  return branch;
}

std::optional<Value> EvalConditional(Evaluation& e) {
  const std::optional<int> branch = BranchOf(e);
  if (!branch) return std::nullopt;
  return e.Run(*branch, {e.operand(*branch + 1)});
}

// --- Tuples, tokens ----------------------------------------------------------
std::optional<Value> EvalTuple(Evaluation& e) {
  return TupleOf(e, AllOperands(e));
}

std::optional<Value> EvalGetTupleElement(Evaluation& e) {
  const int64_t index = e.attributes_as<GetTupleElementAttributes>().index;
  const absl::Span<const Value> elements = e.operand(0).elements();
  if (index < 0 || static_cast<uint64_t>(index) >= elements.size()) {
    return e.Fail(absl::StrCat("its operand has no element ", index));
  }
  return elements[static_cast<size_t>(index)];
}

std::optional<Value> EvalAfterAll(Evaluation& e) {
  for (int i = 0; i < e.operand_count(); ++i) {
    if (!e.operand(i).shape().is_token()) return e.FailType(i);
  }
  return Value::Token();
}

// --- Asynchronous operations -------------------------------------------------
// ((arguments...), result, contexts...). The start does all the work.
std::optional<Value> EvalAsyncStart(Evaluation& e) {
  std::optional<Value> result = e.Run(0, e.operands());
  if (!result) return std::nullopt;
  return AsyncStarted(e, *std::move(result));
}

std::optional<Value> AsyncStarted(Evaluation& e, Value result) {
  std::optional<Value> arguments = TupleOf(e, AllOperands(e));
  if (!arguments) return std::nullopt;
  return Started(e, *std::move(arguments), std::move(result));
}

std::optional<Value> EvalWrittenHalf(Evaluation& e) {
  if (e.operand(0).elements().size() < 2) {
    return e.Fail("its operand was not started");
  }
  return e.operand(0).elements()[1];
}

// (destination, source, context).
std::optional<Value> EvalCopyStart(Evaluation& e) {
  const Value context = Value::Of(ElementType::kU32, Scalar::Bits(0));
  return TupleOf(e, {e.operand(0), e.operand(0), context});
}

std::optional<Value> EvalCopyDone(Evaluation& e) {
  if (e.operand(0).elements().size() != 3) {
    return e.Fail("its operand was not started");
  }
  return e.operand(0).elements()[0];
}

}  // namespace indim
