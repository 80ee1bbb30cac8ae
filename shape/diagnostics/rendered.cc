// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/diagnostics/rendered.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace indim {

RenderedDiagnostic Rendered(Diagnostic diagnostic,
                            const DiagnosticSubject& subject,
                            absl::string_view file, int64_t line,
                            std::string fix) {
  RenderedDiagnostic r;
  r.diagnostic = std::move(diagnostic);
  r.file = std::string(file);
  r.line = line;
  r.message = FormatMessage(r.diagnostic, subject);
  r.fix = std::move(fix);
  r.text = absl::StrCat(
      line > 0 ? absl::StrCat(file, ":", line, ": ") : "",
      r.diagnostic.severity() == Severity::kError ? "error: " : "warning: ",
      WithCode(r.message, r.diagnostic.code), "\n",
      FormatPicture(r.diagnostic, subject),
      r.fix.empty() ? "" : absl::StrCat("  to fix: ", r.fix, "\n"));
  return r;
}

}  // namespace indim
