// SPDX-License-Identifier: Apache-2.0
#include "indim/bindings/c/diagnostics.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/shape/fixes/fix.h"

namespace indim::capi {
namespace {

// The part of `text` between the first `mark` and the first of `ends`, or the
// end; empty: there is no mark.
absl::string_view PartAfter(absl::string_view text, absl::string_view mark,
                            absl::Span<const absl::string_view> ends) {
  const size_t begin = text.find(mark);
  if (begin == absl::string_view::npos) return "";
  text.remove_prefix(begin + mark.size());
  for (const absl::string_view end : ends) {
    text = text.substr(0, text.find(end));
  }
  return absl::StripTrailingAsciiWhitespace(text);
}

// The fix where the message itself tells it and nothing else does: all of "to
// fix: ...", or the name in "did you mean "dot"?", without its quotes.
RenderedDiagnostic WithFix(RenderedDiagnostic d) {
  if (!d.fix.empty()) return d;
  // A code may stand at the end.
  absl::string_view fix = PartAfter(d.message, "to fix: ", {"\n", "  ["});
  if (fix.empty()) {
    fix = PartAfter(d.message, "did you mean ", {"\n", "?"});
    for (const absl::string_view quote : {"\"", "'"}) {
      if (absl::ConsumePrefix(&fix, quote)) absl::ConsumeSuffix(&fix, quote);
    }
  }
  d.fix = std::string(fix);
  return d;
}

}  // namespace

bool HasError(const DiagnosticList& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const RenderedDiagnostic& d) {
                       return d.diagnostic.severity() == Severity::kError;
                     });
}

std::string TextOf(const DiagnosticList& diagnostics) {
  const bool only_errors = HasError(diagnostics);
  std::string text;
  for (const RenderedDiagnostic& d : diagnostics) {
    if (only_errors && d.diagnostic.severity() != Severity::kError) continue;
    absl::StrAppend(&text, d.text);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

DiagnosticList FromCalls(absl::Span<const CallDiagnostic> diagnostics) {
  DiagnosticList list;
  for (const CallDiagnostic& d : diagnostics) list.push_back(WithFix(d));
  return list;
}

DiagnosticList FromReport(const Module& module, const Report& report) {
  DiagnosticList list;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    list.push_back(WithFix(Rendered(module, d)));
  }
  return list;
}

DiagnosticList FromEdits(absl::Span<const EditDiagnostic> diagnostics) {
  DiagnosticList list;
  for (const EditDiagnostic& d : diagnostics) {
    RenderedDiagnostic of_edit;
    of_edit.diagnostic = d.diagnostic;
    of_edit.message = std::string(absl::StripTrailingAsciiWhitespace(d.text));
    of_edit.fix = d.fix;
    of_edit.text = d.text;
    list.push_back(WithFix(std::move(of_edit)));
  }
  return list;
}

DiagnosticList FromInference(absl::string_view op, const OpInputs& inputs,
                             absl::Span<const Diagnostic> diagnostics) {
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    names.push_back(absl::StrCat("x", i));
  }
  DiagnosticSubject subject;
  subject.op = op;
  subject.operands = inputs.operands;
  subject.declared = inputs.declared;
  DiagnosticList list;
  for (const Diagnostic& d : diagnostics) {
    std::string words;
    if (const std::optional<Fix> fix = SuggestFix(inputs, d)) {
      words = FixText(*fix, inputs, names);
    }
    list.push_back(WithFix(Rendered(d, subject, "", 0, std::move(words))));
  }
  return list;
}

RenderedDiagnostic OfBinding(Code code, absl::string_view op,
                             absl::Span<const absl::string_view> arguments,
                             absl::string_view file, int64_t line,
                             std::string fix) {
  Diagnostic d;
  d.code = code;
  for (const absl::string_view argument : arguments) {
    d.args.push_back(std::string(argument));
  }
  DiagnosticSubject subject;
  subject.op = op;
  return WithFix(Rendered(std::move(d), subject, file, line, std::move(fix)));
}

DiagnosticList FromBroadcast(absl::string_view rule,
                             absl::Span<const Shape* const> operands,
                             absl::Span<const Diagnostic> diagnostics) {
  DiagnosticSubject subject;
  subject.op = rule;
  subject.operands = operands;
  DiagnosticList list;
  for (const Diagnostic& d : diagnostics) {
    list.push_back(WithFix(Rendered(d, subject)));
  }
  return list;
}

DiagnosticList FromStatus(const absl::Status& status) {
  DiagnosticList list;
  for (const PlacedError& error : ErrorsOf(status, Code::kInterfaceRefused)) {
    RenderedDiagnostic d;
    d.diagnostic.code = error.code;
    d.diagnostic.strict = true;
    d.text_position = error.position;
    d.message = error.text;
    d.text = absl::StrCat(d.message, "\n");
    list.push_back(WithFix(std::move(d)));
  }
  return list;
}

}  // namespace indim::capi
