// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/element_function.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "indim/eval/values/value.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

ElementFunction::ElementFunction(Evaluation* e, int callee)
    : e_(e), callee_(callee), computation_(e->callee(callee)) {
  valid_ = ReadSignature();
  has_steps_ = valid_ && MakeSteps();
}

bool ElementFunction::ReadSignature() {
  const Signature signature = computation_.signature();
  for (const Shape& parameter : signature.parameters) {
    if (!parameter.is_scalar()) return false;
    parameters_.push_back(parameter.element_type());
  }
  tuple_ = signature.result.is_tuple();
  const absl::Span<const Shape> results =
      tuple_ ? signature.result.elements()
             : absl::MakeConstSpan(&signature.result, 1);
  for (const Shape& result : results) {
    if (!result.is_scalar()) return false;
    results_.push_back(result.element_type());
  }
  return true;
}

bool ElementFunction::Expect(int arity, int results) {
  if (valid_ && static_cast<int>(parameters_.size()) == arity &&
      static_cast<int>(results_.size()) == results) {
    return true;
  }
  e_->Fail(std::string("computation '") + std::string(computation_.name()) +
           "' has a wrong number of parameters or results");
  return false;
}

// --- Steps -------------------------------------------------------------------
bool ElementFunction::MakeSteps() {
  const int root = computation_.root().index();
  std::vector<bool> needed(static_cast<size_t>(root) + 1, false);
  needed[static_cast<size_t>(root)] = true;
  for (int i = root; i >= 0; --i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    for (Instruction operand : computation_.instruction(i).operands()) {
      needed[static_cast<size_t>(operand.index())] = true;
    }
  }
  slots_.resize(static_cast<size_t>(root) + 1);
  parameter_slots_.assign(parameters_.size(), -1);
  for (int i = 0; i <= root; ++i) {
    if (needed[static_cast<size_t>(i)] &&
        !AddStep(computation_.instruction(i))) {
      return false;
    }
  }
  if (result_slots_.empty()) result_slots_ = {root};
  return true;
}

bool ElementFunction::AddStep(const Instruction& instruction) {
  const int slot = instruction.index();
  const bool is_root = instruction == computation_.root();
  if (is_root && tuple_) {
    if (instruction.opcode() != Opcode::kTuple) return false;
    for (Instruction operand : instruction.operands()) {
      result_slots_.push_back(operand.index());
    }
    return true;
  }
  if (!instruction.shape().is_scalar()) return false;
  if (instruction.opcode() == Opcode::kParameter) {
    const int64_t number =
        As<ParameterAttributes>(instruction.attributes()).number;
    parameter_slots_[static_cast<size_t>(number)] = slot;
    return true;
  }
  if (instruction.opcode() == Opcode::kConstant) {
    const absl::StatusOr<Literal> literal = instruction.literal();
    if (!literal.ok() || !literal->shape().is_scalar()) return false;
    const absl::StatusOr<Value> value = FromLiteral(*literal);
    if (!value.ok()) return false;
    slots_[static_cast<size_t>(slot)] = value->At(0);
    return true;
  }
  const EvaluationInfo& evaluation = GetEvaluation(instruction.opcode());
  if (evaluation.scalar == nullptr || instruction.operand_count() == 0) {
    return false;
  }
  Step step;
  step.function = evaluation.scalar;
  const int main = instruction.opcode() == Opcode::kSelect ? 1 : 0;
  const OpInfo& info = Info(instruction.opcode());
  if (instruction.operand_count() < info.min_operands ||
      instruction.operand_count() > info.max_operands) {
    return false;
  }
  step.type = instruction.operand(main).shape().element_type();
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i).shape();
    // EvalElementwise handles mixed types and operands without an element type.
    if (!operand.is_scalar() ||
        (i >= main && operand.element_type() != step.type)) {
      return false;
    }
    step.operands.push_back(instruction.operand(i).index());
  }
  if (!Accepts(evaluation.types, step.type)) return false;
  if (main == 1 &&
      instruction.operand(0).shape().element_type() != ElementType::kPred) {
    return false;
  }
  step.second = step.type;
  step.result = instruction.shape().element_type();
  step.attributes = &instruction.attributes();
  step.slot = slot;
  steps_.push_back(std::move(step));
  return true;
}

bool ElementFunction::Call(absl::Span<const Scalar> arguments,
                           Scalar* results) {
  return has_steps_ ? CallSteps(arguments, results)
                    : CallComputation(arguments, results);
}

bool ElementFunction::CallSteps(absl::Span<const Scalar> arguments,
                                Scalar* results) {
  if (!e_->Charge(static_cast<int64_t>(steps_.size()) + 1)) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (parameter_slots_[i] >= 0) {
      slots_[static_cast<size_t>(parameter_slots_[i])] = arguments[i];
    }
  }
  absl::InlinedVector<Scalar, 4> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (int slot : step.operands) {
      operands.push_back(slots_[static_cast<size_t>(slot)]);
    }
    const ScalarCall call = {step.type, step.result, step.attributes, operands,
                             step.second};
    slots_[static_cast<size_t>(step.slot)] =
        RoundedTo(step.result, step.function(call));
  }
  for (size_t i = 0; i < result_slots_.size(); ++i) {
    results[i] = slots_[static_cast<size_t>(result_slots_[i])];
  }
  return true;
}

bool ElementFunction::CallComputation(absl::Span<const Scalar> arguments,
                                      Scalar* results) {
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(Value::Of(parameters_[i], arguments[i]));
  }
  const std::optional<Value> result = e_->Run(callee_, values);
  if (!result) return false;
  for (size_t i = 0; i < results_.size(); ++i) {
    results[i] = (tuple_ ? result->elements()[i] : *result).At(0);
  }
  return true;
}

}  // namespace indim
