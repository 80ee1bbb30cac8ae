#include "indim/eval/evaluator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/least_steps.h"
#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/interpreter.h"
#include "indim/eval/ops/memory.h"
#include "indim/eval/values/value.h"
#include "indim/ir/report.h"

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
  return absl::Status(StatusCodeOf(found.diagnostic.code),
                      RenderDiagnostic(module, found));
}

absl::Status ErrorOf(const Module& module, const Interpreter& machine) {
  return ErrorAt(module,
                 machine.error_has_place() ? machine.error_instruction()
                                           : module.entry().root(),
                 *machine.error());
}

// Refuses a module whose least number of steps exceeds the limit.
absl::Status CheckSteps(const Module& module, const EvalOptions& options) {
  const StepCount least = LeastSteps(module, options.max_depth);
  if (least.steps <= options.max_steps || !least.largest) {
    return absl::OkStatus();
  }
  Diagnostic diagnostic;
  diagnostic.code = Code::kEvalLimit;
  diagnostic.args = {options.max_steps,
                     absl::StrCat("steps: at least ", least.steps,
                                  ", of which this takes ", least.largest_steps,
                                  ", the most of all (--max-steps=N, or "
                                  "EvalOptions::max_steps, allows more)")};
  return ErrorAt(module, *least.largest, std::move(diagnostic));
}

// Gives `values` the memory of the entry's parameters (memory.h).
void GiveMemory(const Module& module, int64_t room,
                std::vector<Value>* values) {
  const Signature signature = module.entry().signature();
  const size_t count = std::min(values->size(), signature.parameters.size());
  for (size_t i = 0; i < count; ++i) {
    (*values)[i] =
        WithParameterMemory((*values)[i], signature.parameters[i], &room);
  }
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
absl::Status ArgumentError(std::string message) {
  absl::StrAppend(&message, "  [", CodeText(Code::kEvalArgument), "]");
  return absl::InvalidArgumentError(message);
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

// There must be one argument for each parameter, with its element types:
// nothing is converted.
absl::Status CheckArguments(const Module& module,
                            absl::Span<const Literal> arguments) {
  const Signature signature = module.entry().signature();
  const size_t count = signature.parameters.size();
  if (arguments.size() != count) {
    return ArgumentError(absl::StrCat(
        "the module takes ", count, count == 1 ? " argument" : " arguments",
        ", not ", arguments.size(), "; to fix: give one for each parameter"));
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape& parameter = signature.parameters[i];
    if (SameElementTypes(parameter, arguments[i].shape())) continue;
    return ArgumentError(absl::StrCat(
        "parameter ", i, " is ", parameter.WithoutLayout().ToString(),
        ", but its argument is ", arguments[i].shape().ToString(),
        "; to fix: convert the argument's elements (in NumPy: x.astype)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module,
                                 absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  if (module.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no computation");
  }
  const absl::Status checked = CheckArguments(module, arguments);
  if (!checked.ok()) return checked;
  const absl::Status affordable = CheckSteps(module, options);
  if (!affordable.ok()) return affordable;
  absl::StatusOr<std::vector<Value>> values = ToValues(arguments);
  if (!values.ok()) return values.status();
  GiveMemory(module, options.max_bytes, &*values);
  Interpreter machine(options);
  const std::optional<Value> result = machine.Run(module.entry(), *values);
  if (!result) return ErrorOf(module, machine);
  return ToLiteral(*result, module.entry().root().shape());
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
    return absl::Status(
        StatusCodeOf(error.code),
        absl::StrCat(e.Message(error), "  [", CodeText(error.code), "]"));
  }
  return ToLiteral(*result, result->shape());
}

absl::string_view WhyNotEvaluated(Opcode opcode) {
  const char* reason = GetEvaluation(opcode).reason;
  return reason != nullptr ? reason : "";
}

}  // namespace indim
