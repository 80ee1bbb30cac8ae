// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/github_output.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "indim/tools/check/check_findings.h"

namespace indim {
namespace {

std::string EscapedMessage(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string EscapedValue(absl::string_view text) {
  return absl::StrReplaceAll(
      text,
      {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
}

std::string Annotation(const CheckedFile& file,
                       const RenderedDiagnostic& finding) {
  std::string text = finding.diagnostic.severity() == Severity::kError
                         ? "::error "
                         : "::warning ";
  if (file.path != "-") {
    absl::StrAppend(&text, "file=", EscapedValue(file.path), ",");
  }
  const TextPosition& position = finding.text_position;
  if (position.line > 0) {
    absl::StrAppend(&text, "line=", position.line, ",col=", position.column,
                    ",");
  }
  const std::string title = absl::StrCat(CodeText(finding.diagnostic.code), " ",
                                         Info(finding.diagnostic.code).slug);
  absl::StrAppend(&text, "title=", EscapedValue(title),
                  "::", EscapedMessage(finding.message));
  if (!finding.instruction_name.empty()) {
    absl::StrAppend(
        &text, EscapedMessage(absl::StrCat("\nat %", finding.instruction_name,
                                           " of ", finding.computation_name)));
  }
  if (!finding.file.empty()) {
    absl::StrAppend(&text, EscapedMessage(absl::StrCat(
                               "\nmade by ", finding.file, ":", finding.line)));
  }
  if (!finding.fix.empty()) {
    absl::StrAppend(&text,
                    EscapedMessage(absl::StrCat("\nto fix: ", finding.fix)));
  }
  return text;
}

}  // namespace

void GithubOutput::Add(const CheckedFile& file) {
  for (const RenderedDiagnostic& finding : FindingsOf(file)) {
    out_ << Annotation(file, finding) << "\n";
  }
  if (options_.quiet) return;
  out_ << "indim: " << PrintedPath(file) << ": " << CheckSummary(file, options_)
       << "\n";
}

}  // namespace indim
