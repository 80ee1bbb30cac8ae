// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/ops/lockstep.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/ops/custom_calls.h"
#include "indim/eval/ops/eval_calls.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

struct Lockstep::Step {
  const Instruction& instruction;
  absl::Span<const SpreadValue* const> operands;
  const std::vector<size_t>& running;
};

namespace {

using Devices = std::vector<size_t>;

// An evaluation of an instruction on one device.
struct OnDevice {
  OnDevice(Interpreter* machine, const Instruction& instruction,
           absl::Span<const SpreadValue* const> spread, size_t device) {
    for (const SpreadValue* operand : spread) {
      operands.push_back(On(*operand, device));
    }
    for (int i = 0; i < instruction.callee_count(); ++i) {
      callees.push_back(instruction.callee(i));
    }
    const Shape& declared = instruction.shape();
    e.emplace(machine, instruction.opcode(), &instruction.attributes(),
              operands, callees, declared.is_none() ? nullptr : &declared,
              &instruction);
  }

  std::vector<Value> operands;
  std::vector<Computation> callees;
  std::optional<Evaluation> e;
};

// Whether two values are equal bit by bit.
bool SameValue(const Value& a, const Value& b) {
  if (a.shape() != b.shape() || a.memory() != b.memory()) return false;
  if (a.is_array()) return a.bytes() == b.bytes();
  for (size_t i = 0; i < a.elements().size(); ++i) {
    if (!SameValue(a.elements()[i], b.elements()[i])) return false;
  }
  return true;
}

// The value as one, if it is the same on all devices that run.
SpreadValue Joined(SpreadValue value, const Devices& running) {
  const bool is_same = absl::c_all_of(running, [&](size_t device) {
    return SameValue(On(value, device), On(value, running[0]));
  });
  if (!is_same) return value;
  return {On(value, running[0])};
}

// `from` on the devices `running`, into a value of all `count` devices.
void Merge(const SpreadValue& from, const Devices& running, size_t count,
           SpreadValue* into) {
  into->resize(count);
  for (const size_t device : running) (*into)[device] = On(from, device);
}

bool AreAllRunning(const ExchangeGroup& group, const Devices& running) {
  return absl::c_all_of(group.devices, [&](size_t device) {
    return absl::c_binary_search(running, device);
  });
}

bool IsAnyRunning(const ExchangeGroup& group, const Devices& running) {
  return absl::c_any_of(group.devices, [&](size_t device) {
    return absl::c_binary_search(running, device);
  });
}

// A member of the group went another way.
std::nullopt_t FailMeeting(Evaluation& e, const ExchangeGroup& group,
                           const Devices& running) {
  std::string missing, here;
  for (const size_t device : group.devices) {
    std::string& list = absl::c_binary_search(running, device) ? here : missing;
    absl::StrAppend(&list, list.empty() ? "" : ", ", device);
  }
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalMeeting;
  diagnostic.args = {std::move(here), std::move(missing)};
  return e.Error(std::move(diagnostic));
}

// --- Calls and control flow --------------------------------------------------

std::vector<SpreadValue> CopyOf(absl::Span<const SpreadValue* const> operands) {
  std::vector<SpreadValue> copies;
  for (const SpreadValue* operand : operands) copies.push_back(*operand);
  return copies;
}

}  // namespace

// --- Which values depend on the device ---------------------------------------

bool Lockstep::IsOfDevice(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kPartitionId || opcode == Opcode::kReplicaId) {
    return true;
  }
  if (opcode == Opcode::kCustomCall) {
    const KnownCustomCall* const known = FindCustomCall(
        As<CustomCallAttributes>(instruction.attributes()).target);
    if (known != nullptr && known->is_of_device) return true;
  }
  if (FindExchange(opcode, instruction.attributes()) != nullptr) return true;
  for (int i = 0; i < instruction.callee_count(); ++i) {
    if (IsOfDevice(instruction.callee(i))) return true;
  }
  return false;
}

bool Lockstep::IsOfDevice(const Computation& computation) {
  // A computation that calls itself runs too deep in any case.
  const auto [found, is_new] =
      is_of_device_.try_emplace(computation.index(), false);
  if (!is_new) return found->second;
  bool is_of_device = false;
  for (const Instruction instruction : computation.instructions()) {
    is_of_device = is_of_device || IsOfDevice(instruction);
  }
  is_of_device_[computation.index()] = is_of_device;
  return is_of_device;
}

// --- Computations ------------------------------------------------------------

std::optional<SpreadValue> Lockstep::Run(
    const Computation& computation, absl::Span<const SpreadValue> arguments,
    const Devices& running) {
  if (!machine_.Enter()) return std::nullopt;
  const Instruction root = computation.root();
  const Interpreter::Plan& plan = machine_.PlanFor(computation, root);
  std::vector<SpreadValue> values(static_cast<size_t>(root.index()) + 1);
  std::vector<const SpreadValue*> operands;
  bool ok = true;
  for (const int i : plan.order) {
    const Instruction instruction = computation.instruction(i);
    operands.clear();
    for (const Instruction operand : instruction.operands()) {
      operands.push_back(&values[static_cast<size_t>(operand.index())]);
    }
    const Step step{instruction, operands, running};
    std::optional<SpreadValue> value =
        instruction.opcode() == Opcode::kParameter
            ? RunParameter(step, arguments)
            : RunInstruction(step);
    ok = value.has_value();
    if (!ok) break;
    values[static_cast<size_t>(i)] = *std::move(value);
    for (const Instruction operand : instruction.operands()) {
      const size_t o = static_cast<size_t>(operand.index());
      if (plan.last_use[o] == i) values[o].clear();
    }
  }
  machine_.Leave();
  if (!ok) return std::nullopt;
  return std::move(values[static_cast<size_t>(root.index())]);
}

std::optional<SpreadValue> Lockstep::RunInstruction(const Step& step) {
  const Instruction& instruction = step.instruction;
  const ExchangeFunction exchange =
      FindExchange(instruction.opcode(), instruction.attributes());
  if (exchange != nullptr) return RunExchange(step, exchange);
  if (instruction.callee_count() > 0 && IsOfDevice(instruction)) {
    switch (instruction.opcode()) {
      case Opcode::kCall:
      case Opcode::kFusion:
        return RunCall(step);
      case Opcode::kAsyncStart:
        return RunAsyncStart(step);
      case Opcode::kWhile:
        return RunWhile(step);
      case Opcode::kConditional:
        return RunConditional(step);
      default:
        break;
    }
  }
  return RunOnEach(step);
}

std::optional<SpreadValue> Lockstep::RunParameter(
    const Step& step, absl::Span<const SpreadValue> arguments) {
  const int64_t number =
      As<ParameterAttributes>(step.instruction.attributes()).number;
  if (number < 0 || static_cast<uint64_t>(number) >= arguments.size()) {
    machine_.RunParameter(step.instruction, nullptr);
    return std::nullopt;
  }
  const SpreadValue& argument = arguments[static_cast<size_t>(number)];
  SpreadValue result(argument.size());
  for (const size_t device : step.running) {
    machine_.set_device(device);
    std::optional<Value> value =
        machine_.RunParameter(step.instruction, &On(argument, device));
    if (!value) return std::nullopt;
    if (argument.size() == 1) return SpreadValue{*std::move(value)};
    result[device] = *std::move(value);
  }
  return result;
}

std::optional<SpreadValue> Lockstep::RunOnEach(const Step& step) {
  const bool is_same =
      absl::c_all_of(step.operands,
                     [](const SpreadValue* v) { return v->size() == 1; }) &&
      !IsOfDevice(step.instruction);
  SpreadValue result(is_same ? 1 : machine_.devices().count());
  std::vector<Value> operands;
  for (const size_t device : step.running) {
    machine_.set_device(device);
    operands.clear();
    for (const SpreadValue* operand : step.operands) {
      operands.push_back(On(*operand, device));
    }
    std::optional<Value> value =
        machine_.RunInstruction(step.instruction, operands, {});
    if (!value) return std::nullopt;
    if (is_same) return SpreadValue{*std::move(value)};
    result[device] = *std::move(value);
  }
  return result;
}

// --- Collectives -------------------------------------------------------------

std::optional<SpreadValue> Lockstep::RunExchange(const Step& step,
                                                 ExchangeFunction function) {
  const Interpreter::Scope scope(&machine_, step.instruction);
  const size_t count = machine_.devices().count();
  std::vector<std::optional<OnDevice>> on(count);
  for (const size_t device : step.running) {
    if (!machine_.Charge(EvalOptions::kInstructionSteps)) return std::nullopt;
    on[device].emplace(&machine_, step.instruction, step.operands, device);
  }
  machine_.set_device(step.running[0]);
  const std::optional<std::vector<ExchangeGroup>> groups =
      GroupsOf(*on[step.running[0]]->e, machine_.devices());
  if (!groups) return std::nullopt;
  SpreadValue result(count);
  for (const ExchangeGroup& group : *groups) {
    if (!IsAnyRunning(group, step.running)) continue;
    if (!AreAllRunning(group, step.running)) {
      return FailMeeting(*on[step.running[0]]->e, group, step.running);
    }
    std::vector<absl::Span<const Value>> operands;
    for (const size_t device : group.devices) {
      operands.push_back(on[device]->operands);
    }
    machine_.set_device(group.devices[0]);
    Exchange x(&*on[group.devices[0]]->e, &group, std::move(operands));
    if (!function(&x)) return std::nullopt;
    for (size_t m = 0; m < group.devices.size(); ++m) {
      machine_.set_device(group.devices[m]);
      if (!machine_.CheckResult(step.instruction, x.results()[m])) {
        return std::nullopt;
      }
      result[group.devices[m]] = x.results()[m];
    }
  }
  return Joined(std::move(result), step.running);
}

std::optional<SpreadValue> Lockstep::RunCall(const Step& step) {
  const Interpreter::Scope scope(&machine_, step.instruction);
  if (!machine_.Charge(EvalOptions::kInstructionSteps)) return std::nullopt;
  std::optional<SpreadValue> result =
      Run(step.instruction.callee(0), CopyOf(step.operands), step.running);
  if (!result) return std::nullopt;
  for (const size_t device : step.running) {
    machine_.set_device(device);
    if (!machine_.CheckResult(step.instruction, On(*result, device))) {
      return std::nullopt;
    }
    if (result->size() == 1) break;
  }
  return result;
}

std::optional<SpreadValue> Lockstep::RunAsyncStart(const Step& step) {
  const Interpreter::Scope scope(&machine_, step.instruction);
  const std::optional<SpreadValue> result =
      Run(step.instruction.callee(0), CopyOf(step.operands), step.running);
  if (!result) return std::nullopt;
  SpreadValue started(machine_.devices().count());
  for (const size_t device : step.running) {
    machine_.set_device(device);
    if (!machine_.Charge(EvalOptions::kInstructionSteps)) return std::nullopt;
    OnDevice on(&machine_, step.instruction, step.operands, device);
    std::optional<Value> value = AsyncStarted(*on.e, On(*result, device));
    if (!value || !machine_.CheckResult(step.instruction, *value)) {
      return std::nullopt;
    }
    started[device] = *std::move(value);
  }
  return started;
}

std::optional<SpreadValue> Lockstep::RunWhile(const Step& step) {
  const Interpreter::Scope scope(&machine_, step.instruction);
  const size_t count = machine_.devices().count();
  SpreadValue state = *step.operands[0];
  SpreadValue result;  // of the devices that are done, if not all are at once
  Devices running = step.running;
  while (machine_.Charge(EvalOptions::kInstructionSteps)) {
    const std::optional<SpreadValue> condition =
        Run(step.instruction.callee(1), {state}, running);
    if (!condition) return std::nullopt;
    Devices going, done;
    for (const size_t device : running) {
      machine_.set_device(device);
      OnDevice on(&machine_, step.instruction, {}, device);
      const std::optional<bool> goes_on = GoesOn(*on.e, On(*condition, device));
      if (!goes_on) return std::nullopt;
      (*goes_on ? going : done).push_back(device);
    }
    if (going.empty() && result.empty()) return state;
    if (!done.empty()) Merge(state, done, count, &result);
    if (going.empty()) return result;
    running = std::move(going);
    std::optional<SpreadValue> next =
        Run(step.instruction.callee(0), {state}, running);
    if (!next) return std::nullopt;
    state = *std::move(next);
  }
  return std::nullopt;
}

std::optional<SpreadValue> Lockstep::RunConditional(const Step& step) {
  const Interpreter::Scope scope(&machine_, step.instruction);
  if (!machine_.Charge(EvalOptions::kInstructionSteps)) return std::nullopt;
  std::vector<Devices> by_branch(
      static_cast<size_t>(step.instruction.callee_count()));
  for (const size_t device : step.running) {
    machine_.set_device(device);
    OnDevice on(&machine_, step.instruction, step.operands, device);
    const std::optional<int> branch = BranchOf(*on.e);
    if (!branch) return std::nullopt;
    by_branch[static_cast<size_t>(*branch)].push_back(device);
  }
  SpreadValue result;
  for (size_t b = 0; b < by_branch.size(); ++b) {
    if (by_branch[b].empty()) continue;
    std::optional<SpreadValue> value =
        Run(step.instruction.callee(static_cast<int>(b)),
            {*step.operands[b + 1]}, by_branch[b]);
    if (!value) return std::nullopt;
    if (by_branch[b].size() == step.running.size()) return value;
    Merge(*value, by_branch[b], machine_.devices().count(), &result);
  }
  return result;
}

}  // namespace indim
