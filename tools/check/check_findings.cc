// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/check_findings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {

std::string PrintedPath(const CheckedFile& file) {
  constexpr size_t kLongestPath = 4096;
  return Printable(file.path, kLongestPath);
}

namespace {

// "2 errors", "1 warning".
std::string Count(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// "ok", "1 error", or, where warnings fail, "2 warnings".
std::string Verdict(const Report& report, int64_t violations,
                    const CheckOutputOptions& options) {
  const int64_t errors = report.error_count() + violations;
  std::string text;
  if (errors > 0) text = Count(errors, "error");
  if (options.warnings_are_errors && report.warning_count() > 0) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    Count(report.warning_count(), "warning"));
  }
  return text.empty() ? "ok" : text;
}

// An error of the status, in the form of all others:
//   a.hlo:3:21: error: unknown op "ad"  [IND0800]
//     y = f32[2] ad(x, x)
//                ^~
std::string RenderError(const CheckedFile& file, const PlacedError& e,
                        bool is_first) {
  if (!is_first && e.position.line == 0) {  // how many more there are
    return absl::StrCat(PrintedPath(file), ": ", e.message, e.below, "\n");
  }
  std::string text = PrintedPath(file);
  if (e.position.line > 0) {
    absl::StrAppend(&text, ":", e.position.line, ":", e.position.column);
  }
  absl::StrAppend(&text, ": error: ", WithCode(e.message, e.code), e.below,
                  "\n");
  return text;
}

}  // namespace

std::string RenderStatus(const CheckedFile& file) {
  std::string text;
  for (const PlacedError& e : ErrorsOf(file.status)) {
    text += RenderError(file, e, text.empty());
  }
  return text;
}

std::vector<RenderedDiagnostic> FindingsOf(const CheckedFile& file) {
  std::vector<RenderedDiagnostic> findings;
  for (const PlacedError& e : ErrorsOf(file.status)) {
    RenderedDiagnostic finding;
    finding.diagnostic.code = e.code;
    finding.diagnostic.strict = true;
    finding.diagnostic.operand = e.operand;
    finding.diagnostic.dim = e.dim;
    finding.message = e.message;
    finding.fix = e.fix;
    finding.text_file = file.path;
    finding.text_position = e.position;
    finding.text = RenderError(file, e, findings.empty());
    findings.push_back(std::move(finding));
  }
  if (file.module == nullptr) return findings;
  for (const ModuleDiagnostic& d : file.result->report.diagnostics()) {
    findings.push_back(Rendered(*file.module, d));
    // Of a module that was no text nobody knows a place.
    if (findings.back().text_file.empty()) findings.back().text_position = {};
  }
  return findings;
}

std::vector<NotBroadcastable> NotBroadcastables(const Module& module) {
  std::vector<NotBroadcastable> found;
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const Broadcastability why = BroadcastabilityOf(instruction);
      if (why != Broadcastability::kYes) found.push_back({instruction, why});
    }
  }
  return found;
}

std::string CheckSummary(const CheckedFile& file,
                         const CheckOutputOptions& options) {
  if (file.module == nullptr) return "can't be read";
  const VerifyResult& result = *file.result;
  const auto violations = static_cast<int64_t>(ErrorsOf(file.status).size());
  std::string text;
  if (file.count > 1) {
    absl::StrAppend(&text, "module ", file.number, " of ", file.count, " (",
                    Printable(file.module->name()), "): ");
  }
  absl::StrAppend(&text, Verdict(result.report, violations, options), ": ",
                  Count(file.module->instruction_count(), "instruction"), ": ",
                  result.inferred, " inferred, ", result.related, " related, ",
                  result.unchecked, " unchecked; ", result.broadcastable,
                  " broadcastable");
  if (!file.release_text.empty()) {
    absl::StrAppend(&text, "; an artifact ", file.release_text);
  }
  if (result.unchecked > 0) {
    absl::StrAppend(&text, "; not checked: ",
                    absl::StrJoin(result.unchecked_ops, ", ",
                                  [](std::string* out, const auto& op) {
                                    absl::StrAppend(out, Printable(op.first),
                                                    " (", op.second, ")");
                                  }));
  }
  return text;
}

}  // namespace indim
