// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/eval/ops/custom_calls.h"
#include "indim/eval/ops/memory.h"
#include "indim/ir/missing_values.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace {

Diagnostic Make(Code code, int operand = -1) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.operand = operand;
  return diagnostic;
}

// Converts `value` to the type of a parameter, where both are floats: HLO
// allows these to differ. Other values stay.
Value WithFloatType(const Value& value, ElementType type,
                    const std::shared_ptr<int64_t>& live_bytes) {
  if (!value.is_array() || value.type() == type || !IsFloat(value.type()) ||
      !IsFloat(type)) {
    return value;
  }
  ArrayMaker converted(type, value.sizes(), value.count(), live_bytes);
  for (int64_t i = 0; i < value.count(); ++i) converted.Set(i, value.At(i));
  const Value result = std::move(converted).Finish();
  if (value.memory() == nullptr) return result;
  std::vector<bool> given;
  for (int d = 0; d < value.rank(); ++d) given.push_back(value.is_given(d));
  return result.WithMemory(WithFloatType(*value.memory(), type, live_bytes),
                           given);
}

}  // namespace

bool Interpreter::Charge(int64_t steps) {
  if (steps > options_.max_steps - steps_) {
    Diagnostic diagnostic = Make(Code::kEvalLimit);
    diagnostic.args = {options_.max_steps,
                       absl::StrCat("steps (", SettingText(Setting::kMaxSteps),
                                    " allows more)")};
    AddError(std::move(diagnostic));
    return false;
  }
  steps_ += steps;
  return true;
}

void Interpreter::AddError(Diagnostic diagnostic) {
  if (error_) return;
  error_ = std::move(diagnostic);
  error_instruction_ = current_;
  error_has_place_ = has_current_;
  error_device_ = device_;
}

const Interpreter::Plan& Interpreter::PlanFor(const Computation& computation,
                                              const Instruction& target) {
  std::unique_ptr<Plan>& plan = plans_[target.position()];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>();
  const int count = target.index() + 1;
  std::vector<bool> needed(static_cast<size_t>(count), false);
  plan->last_use.assign(static_cast<size_t>(count), 0);
  needed[static_cast<size_t>(target.index())] = true;
  plan->last_use[static_cast<size_t>(target.index())] = count;
  for (int i = count - 1; i >= 0; --i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    plan->order.push_back(i);
    for (Instruction operand : computation.instruction(i).operands()) {
      const size_t o = static_cast<size_t>(operand.index());
      needed[o] = true;
      plan->last_use[o] = std::max(plan->last_use[o], i);
    }
  }
  std::reverse(plan->order.begin(), plan->order.end());
  return *plan;
}

bool Interpreter::Enter() {
  if (depth_ < options_.max_depth) {
    ++depth_;
    return true;
  }
  Diagnostic diagnostic = Make(Code::kEvalLimit);
  diagnostic.args = {int64_t{options_.max_depth},
                     std::string("computations inside of each other")};
  AddError(std::move(diagnostic));
  return false;
}

std::optional<Value> Interpreter::Run(const Computation& computation,
                                      absl::Span<const Value> arguments,
                                      const Instruction& target) {
  if (!Enter()) return std::nullopt;
  const Plan& plan = PlanFor(computation, target);
  std::vector<Value> values(static_cast<size_t>(target.index()) + 1);
  bool ok = true;
  std::vector<Value> operands;
  for (int i : plan.order) {
    const Instruction instruction = computation.instruction(i);
    operands.clear();
    for (Instruction operand : instruction.operands()) {
      operands.push_back(values[static_cast<size_t>(operand.index())]);
    }
    std::optional<Value> value =
        RunInstruction(instruction, operands, arguments);
    if (!value) {
      ok = false;
      break;
    }
    values[static_cast<size_t>(i)] = *std::move(value);
    for (Instruction operand : instruction.operands()) {
      const size_t o = static_cast<size_t>(operand.index());
      if (plan.last_use[o] == i) values[o] = Value();
    }
  }
  Leave();
  if (!ok) return std::nullopt;
  return std::move(values[static_cast<size_t>(target.index())]);
}

std::optional<Value> Interpreter::RunInstruction(
    const Instruction& instruction, absl::Span<const Value> operands,
    absl::Span<const Value> arguments) {
  if (instruction.opcode() == Opcode::kParameter) {
    const int64_t number =
        As<ParameterAttributes>(instruction.attributes()).number;
    const bool given =
        number >= 0 && static_cast<uint64_t>(number) < arguments.size();
    return RunParameter(
        instruction, given ? &arguments[static_cast<size_t>(number)] : nullptr);
  }
  const Scope scope(this, instruction);
  if (!Charge(EvalOptions::kInstructionSteps)) return std::nullopt;
  std::vector<Computation> callees;
  for (int i = 0; i < instruction.callee_count(); ++i) {
    callees.push_back(instruction.callee(i));
  }
  const Shape& declared = instruction.shape();
  Evaluation e(this, instruction.opcode(), &instruction.attributes(), operands,
               callees, declared.is_none() ? nullptr : &declared, &instruction);
  std::optional<Value> value = RunOp(e);
  if (value && !CheckResult(instruction, *value)) return std::nullopt;
  return value;
}

std::optional<Value> Interpreter::RunOp(Evaluation& e) {
  const OpInfo& info = Info(e.opcode());
  const EvaluationInfo& evaluation = GetEvaluation(e.opcode());
  if (e.opcode() == Opcode::kCustomCall) {
    const KnownCustomCall* const known =
        FindCustomCall(e.attributes_as<CustomCallAttributes>().target);
    if (known != nullptr) {
      if (!ReadsByColumns(e)) return std::nullopt;
      return known->function(e, *this);
    }
  }
  if (evaluation.reason != nullptr) {
    Diagnostic diagnostic = Make(Code::kEvalNoValue);
    std::string reason = evaluation.reason;
    if (e.opcode() == Opcode::kCustomCall) {
      absl::StrAppend(&reason, ": \"",
                      e.attributes_as<CustomCallAttributes>().target, "\"");
    }
    diagnostic.args = {std::move(reason)};
    return e.Error(std::move(diagnostic));
  }
  if (evaluation.function == nullptr) return e.Fail("no op has that name");
  const int count = e.operand_count();
  if (count < info.min_operands ||
      (info.max_operands >= 0 && count > info.max_operands)) {
    return e.Fail("it has the wrong number of operands");
  }
  if (info.callees >= 0 ? e.callee_count() != info.callees
                        : e.callee_count() == 0 && count > 1) {
    return e.Fail("it calls the wrong number of computations");
  }
  const MemoryFunction on_memory =
      AnyMemory(e) ? FindMemoryFunction(e.opcode()) : nullptr;
  return on_memory != nullptr ? on_memory(e) : evaluation.function(e);
}

std::optional<Value> Interpreter::RunParameter(const Instruction& instruction,
                                               const Value* argument) {
  const Scope scope(this, instruction);
  const bool given = argument != nullptr && !argument->is_none();
  const Shape& shape = instruction.shape();
  Value value;
  if (given)
    value = WithFloatType(*argument, shape.element_type(), live_bytes_);
  if (!given || !Contains(shape, value.shape())) {
    Diagnostic diagnostic = Make(Code::kEvalArgument);
    diagnostic.args = {As<ParameterAttributes>(instruction.attributes()).number,
                       shape, given ? value.shape() : Shape()};
    AddError(std::move(diagnostic));
    return std::nullopt;
  }
  return value;
}

std::optional<Value> Interpreter::CurrentConstant() {
  if (!has_current_) {
    Diagnostic diagnostic = Make(Code::kEvalImpossible);
    diagnostic.args = {std::string("no graph holds its value")};
    AddError(std::move(diagnostic));
    return std::nullopt;
  }
  const auto [found, is_new] = constants_.try_emplace(current_.position());
  if (!is_new) return found->second;
  const absl::StatusOr<Literal> literal = current_.literal();
  if (absl::IsNotFound(literal.status())) {
    AddError(MissingValuesError("evaluation"));
    constants_.erase(found);
    return std::nullopt;
  }
  absl::StatusOr<Value> value =
      literal.ok() ? FromLiteral(*literal) : literal.status();
  if (!value.ok()) {
    Diagnostic diagnostic = Make(Code::kEvalImpossible);
    diagnostic.args = {std::string(value.status().message())};
    AddError(std::move(diagnostic));
    constants_.erase(found);
    return std::nullopt;
  }
  found->second = *value;
  return *std::move(value);
}

bool Interpreter::CheckResult(const Instruction& instruction,
                              const Value& value) {
  if (instruction.shape().is_none() ||
      Contains(instruction.shape(), value.shape())) {
    return true;
  }
  Diagnostic diagnostic = Make(Code::kEvalShape);
  diagnostic.args = {value.shape()};
  AddError(std::move(diagnostic));
  return false;
}

}  // namespace indim
