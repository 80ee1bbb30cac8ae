// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/evaluator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/eval/least_steps.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/lockstep.h"
#include "indim/eval/ops/memory.h"
#include "indim/eval/values/value.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"

namespace indim {
namespace {

absl::StatusCode StatusCodeOf(Code code) {
  switch (code) {
    case Code::kEvalLimit:
      return absl::StatusCode::kResourceExhausted;
    case Code::kEvalNoValue:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

// The error of a diagnostic, with its instruction.
absl::Status ErrorAt(const Module& module, const Instruction& at,
                     Diagnostic diagnostic) {
  ModuleDiagnostic found;
  found.diagnostic = std::move(diagnostic);
  found.computation = static_cast<uint32_t>(at.computation().index());
  found.instruction = static_cast<uint32_t>(at.index());
  const RenderedDiagnostic rendered = Rendered(module, found);
  return ErrorOf(StatusCodeOf(found.diagnostic.code), rendered, rendered.text);
}

absl::Status ErrorOf(const Module& module, const Interpreter& machine) {
  const absl::Status error =
      ErrorAt(module,
              machine.error_has_place() ? machine.error_instruction()
                                        : module.entry().root(),
              *machine.error());
  const EvalDevices& devices = machine.devices();
  if (devices.count() == 1) return error;
  const size_t device = machine.error_device();
  return WithNote(error, absl::StrCat("    on device ", device, ": replica ",
                                      devices.replica(device), ", partition ",
                                      devices.partition(device), "\n"));
}

// Refuses a module whose least number of steps exceeds the limit.
absl::Status CheckSteps(const Module& module, const EvalOptions& options) {
  const StepCount least = LeastSteps(module, options.max_depth);
  if (least.steps <= options.max_steps || !least.largest) {
    return absl::OkStatus();
  }
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalLimit;
  diagnostic.args = {
      options.max_steps,
      absl::StrCat("steps: at least ", least.steps, ", of which this takes ",
                   least.largest_steps, ", the most of all (",
                   SettingText(Setting::kMaxSteps), " allows more)")};
  return ErrorAt(module, *least.largest, std::move(diagnostic));
}

absl::StatusOr<std::vector<Value>> ToValues(
    absl::Span<const Literal> literals) {
  std::vector<Value> values;
  for (const Literal& literal : literals) {
    absl::StatusOr<Value> value = FromLiteral(literal);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

// An error about the arguments as a whole, or one of them.
absl::Status ArgumentError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kEvalArgument,
                       message);
}

// Whether all arrays of the two shapes have the same element types, where their
// structures agree; other differences are found when the parameter is read.
bool SameElementTypes(const Shape& a, const Shape& b) {
  if (a.is_tuple() && b.is_tuple() && a.tuple_size() == b.tuple_size()) {
    for (int i = 0; i < a.tuple_size(); ++i) {
      const size_t at = static_cast<size_t>(i);
      if (!SameElementTypes(a.elements()[at], b.elements()[at])) return false;
    }
  }
  return !a.is_array() || !b.is_array() || a.element_type() == b.element_type();
}

// There must be an argument for each parameter.
absl::Status CheckCount(size_t parameters, size_t arguments) {
  if (arguments == parameters) return absl::OkStatus();
  return ArgumentError(
      absl::StrCat("the module takes ", parameters,
                   parameters == 1 ? " argument" : " arguments", ", not ",
                   arguments, "; to fix: give one for each parameter"));
}

// An argument must have its parameter's element types: nothing is converted.
absl::Status CheckArgument(size_t number, const Shape& parameter,
                           const Literal& argument) {
  if (SameElementTypes(parameter, argument.shape())) return absl::OkStatus();
  return ArgumentError(absl::StrCat(
      "parameter ", number, " is ", parameter.WithoutLayout().ToString(),
      ", but its argument is ", argument.shape().ToString(),
      "; to fix: convert the argument's elements (in NumPy: x.astype)"));
}

// The value of an argument, with the memory of its parameter (memory.h), which
// is taken from *room.
absl::StatusOr<Value> ArgumentValue(size_t number, const Shape& parameter,
                                    const Literal& argument, int64_t* room) {
  const absl::Status checked = CheckArgument(number, parameter, argument);
  if (!checked.ok()) return checked;
  const absl::StatusOr<Value> value = FromLiteral(argument);
  if (!value.ok()) return value.status();
  return WithParameterMemory(*value, parameter, room);
}

absl::Status DevicesError(absl::string_view message) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kEvalDevices,
                       message);
}

absl::Status CheckDevices(const EvalDevices& devices) {
  if (devices.replicas >= 1 && devices.partitions >= 1 &&
      devices.replicas <= EvalDevices::kMost / devices.partitions) {
    return absl::OkStatus();
  }
  return DevicesError(
      absl::StrCat(devices.replicas, " replicas of ", devices.partitions,
                   " partitions aren't 1 to ", EvalDevices::kMost, " devices"));
}

absl::StatusOr<SpreadValue> SpreadArgument(size_t number,
                                           const Shape& parameter,
                                           const EvalDevices& devices,
                                           absl::Span<const Literal> argument,
                                           int64_t* room) {
  if (argument.size() != 1 && argument.size() != devices.count()) {
    return DevicesError(absl::StrCat("parameter ", number, " has ",
                                     argument.size(), " values, but there are ",
                                     devices.count(),
                                     " devices; to fix: give one value, or one "
                                     "for each device"));
  }
  SpreadValue spread;
  for (const Literal& literal : argument) {
    absl::StatusOr<Value> value =
        ArgumentValue(number, parameter, literal, room);
    if (!value.ok()) return value.status();
    spread.push_back(*std::move(value));
  }
  return spread;
}

absl::Status CheckModule(const Module& module, size_t arguments,
                         const EvalOptions& options) {
  if (module.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no computation");
  }
  const absl::Status counted =
      CheckCount(module.entry().signature().parameters.size(), arguments);
  if (!counted.ok()) return counted;
  return CheckSteps(module, options);
}

// The result of each device, or one.
absl::StatusOr<std::vector<Literal>> ToLiterals(const SpreadValue& spread,
                                                const Shape& shape) {
  std::vector<Literal> literals;
  for (const Value& value : spread) {
    absl::StatusOr<Literal> literal = ToLiteral(value, shape);
    if (!literal.ok()) return literal.status();
    literals.push_back(*std::move(literal));
  }
  const bool is_same =
      std::all_of(literals.begin(), literals.end(),
                  [&](const Literal& l) { return l == literals[0]; });
  if (is_same) literals.resize(1);
  return literals;
}

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module,
                                 absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  const absl::Status checked = CheckModule(module, arguments.size(), options);
  if (!checked.ok()) return checked;
  const Signature signature = module.entry().signature();
  int64_t room = options.max_bytes;
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<Value> value =
        ArgumentValue(i, signature.parameters[i], arguments[i], &room);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  // Not Lockstep with one device: with a vector for each value, loops of
  // scalars ran 22 % more instructions of the processor, of six modules of JAX
  // one 11 %, the others 0.4 to 4 %.
  Interpreter machine(options);
  const std::optional<Value> result = machine.Run(module.entry(), values);
  if (!result) return ErrorOf(module, machine);
  return ToLiteral(*result, module.entry().root().shape());
}

absl::StatusOr<std::vector<Literal>> EvaluateOnDevices(
    const Module& module, const EvalDevices& devices,
    absl::Span<const std::vector<Literal>> arguments,
    const EvalOptions& options) {
  absl::Status checked = CheckDevices(devices);
  checked.Update(CheckModule(module, arguments.size(), options));
  if (!checked.ok()) return checked;
  const Signature signature = module.entry().signature();
  int64_t room = options.max_bytes;
  std::vector<SpreadValue> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<SpreadValue> value = SpreadArgument(
        i, signature.parameters[i], devices, arguments[i], &room);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  std::vector<size_t> all(devices.count());
  for (size_t device = 0; device < all.size(); ++device) all[device] = device;
  Interpreter machine(options, devices);
  const std::optional<SpreadValue> result =
      Lockstep(&machine).Run(module.entry(), values, all);
  if (!result) return ErrorOf(module, machine);
  return ToLiterals(*result, module.entry().root().shape());
}

absl::StatusOr<Literal> EvaluateOp(const OpCall& call,
                                   const EvalOptions& options) {
  static const Attributes* const kNothing = new Attributes();
  const absl::StatusOr<std::vector<Value>> values = ToValues(call.operands);
  if (!values.ok()) return values.status();
  Interpreter machine(options);
  Evaluation e(&machine, call.opcode,
               call.attributes != nullptr ? call.attributes : kNothing, *values,
               call.callees, call.declared);
  const std::optional<Value> result = machine.RunOp(e);
  if (!result) {
    const Diagnostic& error = *machine.error();
    return ErrorWithCode(StatusCodeOf(error.code), error.code,
                         e.Message(error));
  }
  return ToLiteral(*result, result->shape());
}

absl::string_view WhyNotEvaluated(Opcode opcode) {
  const char* reason = GetEvaluation(opcode).reason;
  return reason != nullptr ? reason : "";
}

}  // namespace indim
