#include "indim/capi/diagnostics.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/fixes/fix.h"
#include "indim/text/base/text_errors.h"

namespace indim::capi {
namespace {

DiagnosticEntry EntryOf(const Diagnostic& d) {
  DiagnosticEntry entry;
  entry.code = d.code;
  entry.severity = d.severity();
  entry.operand = d.operand;
  entry.dim = d.dim;
  entry.other_operand = d.other_operand;
  entry.other_dim = d.other_dim;
  entry.code_text = CodeText(d.code);
  if (d.fix_broadcast_dimensions) {
    entry.fix_dimensions.assign(d.fix_broadcast_dimensions->begin(),
                                d.fix_broadcast_dimensions->end());
  }
  return entry;
}

// Sets the message, and the fix where the message itself tells it and nothing
// else does.
void SetMessage(std::string message, DiagnosticEntry* entry) {
  static constexpr absl::string_view kMark = "to fix: ";
  entry->message = std::move(message);
  absl::string_view fix = entry->message;
  const size_t begin = fix.find(kMark);
  if (!entry->fix.empty() || begin == absl::string_view::npos) return;
  fix.remove_prefix(begin + kMark.size());
  fix = fix.substr(0, fix.find('\n'));
  fix = fix.substr(0, fix.find("  ["));  // a code at the end
  entry->fix = std::string(absl::StripTrailingAsciiWhitespace(fix));
}

// "error: MESSAGE  [IND0007]", and the picture and the fix below.
std::string RenderEntry(const DiagnosticEntry& entry,
                        absl::string_view picture) {
  std::string text =
      absl::StrCat(entry.severity == Severity::kError ? "error: " : "warning: ",
                   entry.message, "  [", entry.code_text, "]\n");
  if (!picture.empty()) absl::StrAppend(&text, picture);
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
  if (!entry.fix.empty()) {
    absl::StrAppend(&text, "  to fix: ", entry.fix, "\n");
  }
  return text;
}

DiagnosticEntry EntryOfSubject(const Diagnostic& d,
                               const DiagnosticSubject& subject,
                               std::string fix) {
  DiagnosticEntry entry = EntryOf(d);
  entry.message = FormatMessage(d, subject);
  entry.fix = std::move(fix);
  entry.text = RenderEntry(entry, FormatPicture(d, subject));
  SetMessage(std::move(entry.message), &entry);
  return entry;
}

// The code at the end of a message, "... [IND1102]".
std::optional<Code> CodeAtEnd(absl::string_view message) {
  message = absl::StripTrailingAsciiWhitespace(message);
  if (!absl::ConsumeSuffix(&message, "]")) return std::nullopt;
  const size_t begin = message.rfind('[');
  if (begin == absl::string_view::npos) return std::nullopt;
  return FindCode(message.substr(begin + 1));
}

}  // namespace

bool HasError(const DiagnosticList& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const DiagnosticEntry& entry) {
                       return entry.severity == Severity::kError;
                     });
}

std::string TextOf(const DiagnosticList& diagnostics) {
  const bool only_errors = HasError(diagnostics);
  std::string text;
  for (const DiagnosticEntry& entry : diagnostics) {
    if (only_errors && entry.severity != Severity::kError) continue;
    absl::StrAppend(&text, entry.text);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

DiagnosticList FromCalls(absl::Span<const CallDiagnostic> diagnostics) {
  DiagnosticList list;
  for (const CallDiagnostic& d : diagnostics) {
    DiagnosticEntry entry = EntryOf(d.diagnostic);
    entry.file = d.file;
    entry.line = d.line;
    entry.fix = d.fix;
    entry.text = d.text;
    SetMessage(d.message, &entry);
    list.push_back(std::move(entry));
  }
  return list;
}

DiagnosticList FromReport(const Module& module, const Report& report) {
  DiagnosticList list;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    DiagnosticEntry entry = EntryOf(d.diagnostic);
    if (const auto instruction = InstructionAt(module, d)) {
      entry.computation = d.computation;
      entry.instruction = instruction->position();
      const SourceLocation source = instruction->location();
      entry.file = source.file;
      entry.line = source.line;
      const SourceLocation text = instruction->text_location();
      entry.text_file = text.file;
      entry.text_line = text.line;
      entry.text_column = text.column;
    }
    entry.fix = FixText(module, d);
    entry.text = RenderDiagnostic(module, d);
    SetMessage(MessageText(module, d), &entry);
    list.push_back(std::move(entry));
  }
  return list;
}

DiagnosticList FromEdits(absl::Span<const EditDiagnostic> diagnostics) {
  DiagnosticList list;
  for (const EditDiagnostic& d : diagnostics) {
    DiagnosticEntry entry = EntryOf(d.diagnostic);
    entry.text = d.text;
    SetMessage(std::string(absl::StripTrailingAsciiWhitespace(d.text)), &entry);
    list.push_back(std::move(entry));
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
    list.push_back(EntryOfSubject(d, subject, std::move(words)));
  }
  return list;
}

DiagnosticEntry OfBinding(Code code, absl::string_view op,
                          absl::Span<const absl::string_view> arguments,
                          absl::string_view place, std::string fix) {
  Diagnostic d;
  d.code = code;
  for (const absl::string_view argument : arguments) {
    d.args.push_back(std::string(argument));
  }
  DiagnosticSubject subject;
  subject.op = op;
  DiagnosticEntry entry = EntryOfSubject(d, subject, std::move(fix));
  if (!place.empty()) entry.text = absl::StrCat(place, ": ", entry.text);
  return entry;
}

DiagnosticList FromBroadcast(absl::string_view rule,
                             absl::Span<const Shape* const> operands,
                             absl::Span<const Diagnostic> diagnostics) {
  DiagnosticSubject subject;
  subject.op = rule;
  subject.operands = operands;
  DiagnosticList list;
  for (const Diagnostic& d : diagnostics) {
    list.push_back(EntryOfSubject(d, subject, ""));
  }
  return list;
}

DiagnosticList FromStatus(const absl::Status& status) {
  DiagnosticList list;
  if (status.ok()) return list;
  const std::vector<PlacedError> errors = ErrorsOf(status);
  const bool placed = std::any_of(
      errors.begin(), errors.end(),
      [](const PlacedError& error) { return error.position.line > 0; });
  if (!placed) {
    DiagnosticEntry entry;
    entry.code = CodeAtEnd(status.message()).value_or(Code::kInterfaceRefused);
    entry.code_text = CodeText(entry.code);
    SetMessage(std::string(status.message()), &entry);
    entry.text = absl::StrCat(entry.message, "\n");
    list.push_back(std::move(entry));
    return list;
  }
  for (const PlacedError& error : errors) {
    DiagnosticEntry entry;
    entry.code = Code::kFileUnreadable;
    entry.code_text = CodeText(entry.code);
    entry.text_line = error.position.line;
    entry.text_column = error.position.column;
    SetMessage(error.message, &entry);
    entry.text = absl::StrCat(entry.message, "\n");
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace indim::capi
