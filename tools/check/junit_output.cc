// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/junit_output.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/tools/check/check_findings.h"
#include "indim/tools/output/xml.h"

namespace indim {
namespace {

// Of a file that holds several modules: which one.
std::string NameOf(const CheckedFile& file) {
  const std::string path = PrintedPath(file);
  return file.count == 1 ? path
                         : absl::StrCat(path, " (module ", file.number, " of ",
                                        file.count, ")");
}

// <failure> or <error>, with the first finding as its message.
std::string Failed(absl::string_view element, const RenderedDiagnostic& first,
                   absl::string_view all) {
  return absl::StrCat("      <", element, " message=\"",
                      EscapedXml(first.message), "\" type=\"",
                      CodeText(first.diagnostic.code), "\">", EscapedXml(all),
                      "</", element, ">\n");
}

}  // namespace

void JunitOutput::Add(const CheckedFile& file) {
  std::optional<RenderedDiagnostic> first;
  std::string error_text, warning_text;
  for (const RenderedDiagnostic& finding : FindingsOf(file)) {
    const bool is_error = finding.diagnostic.severity() == Severity::kError;
    absl::StrAppend(is_error ? &error_text : &warning_text, finding.text);
    if (is_error && !first) first = finding;
  }
  ++tests_;
  absl::StrAppend(&cases_, "    <testcase classname=\"indim.check\" name=\"",
                  EscapedXml(NameOf(file)), "\">\n");
  if (first) {
    const bool is_unreadable = file.module == nullptr;
    ++(is_unreadable ? errors_ : failures_);
    cases_ += Failed(is_unreadable ? "error" : "failure", *first, error_text);
  }
  if (!options_.quiet) {
    absl::StrAppend(&warning_text, CheckSummary(file, options_), "\n");
  }
  if (!warning_text.empty()) {
    absl::StrAppend(&cases_, "      <system-out>", EscapedXml(warning_text),
                    "</system-out>\n");
  }
  cases_ += "    </testcase>\n";
}

void JunitOutput::End(int /*exit*/) {
  const std::string counts =
      absl::StrCat(" tests=\"", tests_, "\" failures=\"", failures_,
                   "\" errors=\"", errors_, "\"");
  out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
       << "<testsuites name=\"indim check\"" << counts << ">\n"
       << "  <testsuite name=\"indim check\"" << counts << ">\n"
       << cases_ << "  </testsuite>\n</testsuites>\n";
}

}  // namespace indim
