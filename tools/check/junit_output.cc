#include "indim/tools/check/junit_output.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/tools/check/check_findings.h"
#include "indim/tools/output/xml.h"

namespace indim {
namespace {

// Of a file that holds several modules: which one.
std::string NameOf(const CheckedFile& file) {
  constexpr size_t kLongestPath = 4096;
  const std::string path = Printable(file.path, kLongestPath);
  return file.count == 1 ? path
                         : absl::StrCat(path, " (module ", file.number, " of ",
                                        file.count, ")");
}

// The whole text; of what nobody can read its place and its message.
std::string TextOf(const RenderedDiagnostic& finding) {
  if (!finding.text.empty()) return finding.text;
  const TextPosition& at = finding.text_position;
  return absl::StrCat(
      at.line > 0 ? absl::StrCat(at.line, ":", at.column, ": ") : "",
      finding.message, "\n");
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
  std::vector<RenderedDiagnostic> errors;
  std::string error_text, warning_text;
  for (const RenderedDiagnostic& finding : FindingsOf(file)) {
    const bool is_error = finding.diagnostic.severity() == Severity::kError;
    absl::StrAppend(is_error ? &error_text : &warning_text, TextOf(finding));
    if (is_error) errors.push_back(finding);
  }
  ++tests_;
  absl::StrAppend(&cases_, "    <testcase classname=\"indim.check\" name=\"",
                  EscapedXml(NameOf(file)), "\">\n");
  if (!errors.empty()) {
    const bool is_unreadable = file.module == nullptr;
    ++(is_unreadable ? errors_ : failures_);
    cases_ +=
        Failed(is_unreadable ? "error" : "failure", errors.front(), error_text);
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
