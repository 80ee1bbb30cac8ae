// SPDX-License-Identifier: Apache-2.0
// Diagnostics and run-time conditions of explanations.

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

DiagnosticSubject SubjectOf(const ExplainSubject& subject) {
  DiagnosticSubject s;
  s.op = subject.op;
  s.operands = subject.inputs.operands;
  s.declared = subject.inputs.declared;
  s.broadcast_dimensions = subject.broadcast_dimensions;
  return s;
}

// What would have worked; "" where nothing is known.
std::string FixOf(const ExplainSubject& subject, const Diagnostic& d) {
  if (d.fix_broadcast_dimensions) {
    return absl::StrCat("broadcast_dimensions ",
                        IndexText(*d.fix_broadcast_dimensions), " would match");
  }
  if (subject.inputs.opcode == Opcode::kInvalid ||
      d.severity() != Severity::kError) {
    return "";
  }
  const std::optional<Fix> fix = SuggestFix(subject.inputs, d);
  if (!fix) return "";
  std::vector<std::string> names = subject.names;
  for (size_t i = names.size(); i < subject.inputs.operands.size(); ++i) {
    names.push_back(absl::StrCat("operand ", i));
  }
  return FixText(*fix, subject.inputs, names);
}

}  // namespace

std::string DiagnosticsText(const ExplainSubject& subject,
                            absl::Span<const Diagnostic> diagnostics) {
  const DiagnosticSubject s = SubjectOf(subject);
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    absl::StrAppend(
        &text, d.severity() == Severity::kError ? "error: " : "warning: ",
        WithCode(FormatMessage(d, s), d.code), "\n", FormatPicture(d, s));
    const std::string fix = FixOf(subject, d);
    if (!fix.empty()) absl::StrAppend(&text, "to fix: ", fix, "\n");
  }
  return text;
}

std::vector<std::string> DiagnosticsJson(
    const ExplainSubject& subject, absl::Span<const Diagnostic> diagnostics) {
  const DiagnosticSubject s = SubjectOf(subject);
  std::vector<std::string> objects;
  for (const Diagnostic& d : diagnostics) {
    JsonWriter json;
    json.Add("code", CodeText(d.code))
        .Add("name", Info(d.code).slug)
        .Add("severity", d.severity() == Severity::kError ? "error" : "warning")
        .Add("message", FormatMessage(d, s));
    if (d.operand >= 0) json.Add("operand", int64_t{d.operand});
    if (d.dim >= 0) json.Add("dimension", int64_t{d.dim});
    const std::string fix = FixOf(subject, d);
    if (!fix.empty()) json.Add("fix", fix);
    objects.push_back(json.text());
  }
  return objects;
}

bool HasErrors(absl::Span<const Diagnostic> diagnostics) {
  return absl::c_any_of(diagnostics, [](const Diagnostic& d) {
    return d.severity() == Severity::kError;
  });
}

std::vector<std::string> ConditionTexts(absl::Span<const Condition> conditions,
                                        absl::Span<const Shape* const> operands,
                                        const Shape* result) {
  std::vector<std::string> texts;
  for (const Condition& condition : conditions) {
    texts.push_back(ToString(condition));
    if (!condition.has_place()) continue;
    const std::optional<Condition> sizes =
        WithSizes(condition, operands, result);
    if (sizes) absl::StrAppend(&texts.back(), " (", ToString(*sizes), ")");
  }
  return texts;
}

}  // namespace indim
