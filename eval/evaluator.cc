#include "indim/eval/evaluator.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/eval/evaluation.h"
#include "indim/eval/machine.h"
#include "indim/eval/value.h"
#include "indim/ir/report.h"

namespace indim {
namespace {

absl::StatusCode CodeOf(Rule rule) {
  switch (rule) {
    case Rule::kEvalLimit:
      return absl::StatusCode::kResourceExhausted;
    case Rule::kEvalNoValue:
      return absl::StatusCode::kUnimplemented;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

// The machine's error, told with the instruction that it is about.
absl::Status ErrorOf(const Module& module, const Machine& machine) {
  ModuleDiagnostic found;
  found.diagnostic = *machine.error();
  const Instruction at = machine.error_has_place() ? machine.error_instruction()
                                                   : module.entry().root();
  found.computation = static_cast<uint32_t>(at.computation().index());
  found.instruction = static_cast<uint32_t>(at.index());
  return absl::Status(CodeOf(found.diagnostic.rule),
                      RenderDiagnostic(module, found));
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

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module,
                                 absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  if (module.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no computation");
  }
  const size_t parameters = module.entry().signature().parameters.size();
  if (arguments.size() != parameters) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the module takes ", parameters, " arguments, not ", arguments.size()));
  }
  const absl::StatusOr<std::vector<Value>> values = ToValues(arguments);
  if (!values.ok()) return values.status();
  Machine machine(options);
  const std::optional<Value> result = machine.Run(module.entry(), *values);
  if (!result) return ErrorOf(module, machine);
  return ToLiteral(*result, module.entry().root().shape());
}

absl::StatusOr<Literal> EvaluateOp(const OpCall& call,
                                   const EvalOptions& options) {
  static const Attributes* const kNothing = new Attributes();
  const absl::StatusOr<std::vector<Value>> values = ToValues(call.operands);
  if (!values.ok()) return values.status();
  Machine machine(options);
  Evaluation e(&machine, call.opcode,
               call.attributes != nullptr ? call.attributes : kNothing, *values,
               call.callees, call.declared);
  const std::optional<Value> result = machine.RunOp(e);
  if (!result) {
    const Diagnostic& error = *machine.error();
    return absl::Status(
        CodeOf(error.rule),
        absl::StrCat(e.Message(error), "  [", RuleId(error.rule), "]"));
  }
  return ToLiteral(*result, result->shape());
}

absl::string_view WhyNotEvaluated(Opcode opcode) {
  const char* reason = GetEvaluation(opcode).reason;
  return reason != nullptr ? reason : "";
}

}  // namespace indim
