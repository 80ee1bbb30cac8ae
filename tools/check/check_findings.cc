#include "indim/tools/check/check_findings.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/ir/report.h"
#include "indim/text/base/text_errors.h"
#include "indim/wire/printable.h"

namespace indim {
namespace {

Finding FindingOf(const Module& module, const ModuleDiagnostic& d) {
  Finding finding;
  finding.code = d.diagnostic.code;
  finding.severity = d.diagnostic.severity();
  finding.message = MessageText(module, d);
  finding.fix = FixText(module, d);
  const std::optional<Instruction> instruction = InstructionAt(module, d);
  if (!instruction) return finding;
  finding.instruction = instruction->text_name();
  finding.computation = std::string(instruction->computation().name());
  const SourceLocation text = instruction->text_location();
  if (!text.file.empty()) {
    finding.line = text.line;
    finding.column = text.column;
  }
  const SourceLocation source = instruction->location();
  finding.source_file = std::string(source.file);
  finding.source_line = source.line;
  return finding;
}

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

}  // namespace

std::vector<Finding> FindingsOf(const CheckedFile& file) {
  std::vector<Finding> findings;
  for (const PlacedError& e : ErrorsOf(file.status)) {
    Finding finding;
    finding.code = e.code;
    const std::string message = WithoutFileName(e.message, file.path);
    finding.message = message.substr(0, message.find('\n'));
    finding.line = e.position.line;
    finding.column = e.position.line > 0 ? e.position.column : 0;
    findings.push_back(std::move(finding));
  }
  if (file.module == nullptr) return findings;
  for (const ModuleDiagnostic& d : file.result->report.diagnostics()) {
    findings.push_back(FindingOf(*file.module, d));
  }
  return findings;
}

std::string WithoutFileName(absl::string_view message, absl::string_view path) {
  for (const absl::string_view verb : {"can't open ", "can't read "}) {
    absl::string_view rest = message;
    if (absl::ConsumePrefix(&rest, absl::StrCat(verb, path, ": "))) {
      return absl::StrCat(verb, "it: ", rest);
    }
  }
  return std::string(absl::StripPrefix(
      message, absl::StrCat(path == "-" ? "standard input" : path, ": ")));
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
