// indim check: infer and verify, one line a file.

#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/printable.h"
#include "indim/ir/report.h"
#include "indim/ir/structure/structure.h"
#include "indim/ir/text/text_errors.h"
#include "indim/passes/infer_and_verify.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/json_writer.h"

namespace indim {
namespace {

constexpr int64_t kAllDiagnostics = 1000000;

absl::string_view Name(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

// What is known of where it comes from: the source's file and line, and where
// it stands in the HLO text that was read.
void AddPlaces(const Instruction& instruction, JsonWriter* json) {
  const SourceLocation source = instruction.location();
  if (!source.file.empty()) {
    json->Add("source_file", source.file)
        .Add("source_line", int64_t{source.line});
  }
  const SourceLocation text = instruction.text_location();
  if (text.file.empty()) return;
  json->Add("line", int64_t{text.line}).Add("column", int64_t{text.column});
}

// Which operands and dims it is about, by number; a dim without an operand is
// the result's.
void AddPositions(const Diagnostic& d, JsonWriter* json) {
  const std::pair<absl::string_view, int32_t> positions[] = {
      {"operand", d.operand},
      {"dimension", d.dim},
      {"other_operand", d.other_operand},
      {"other_dimension", d.other_dim}};
  for (const auto& [key, position] : positions) {
    if (position >= 0) json->Add(key, int64_t{position});
  }
}

std::string DiagnosticJson(const Module& module, const ModuleDiagnostic& d) {
  const std::optional<Instruction> instruction = InstructionAt(module, d);
  JsonWriter json;
  json.Add("rule", RuleId(d.diagnostic.rule))
      .Add("name", Info(d.diagnostic.rule).slug)
      .Add("severity", Name(d.diagnostic.severity()))
      .Add("instruction", instruction ? instruction->name() : "");
  if (instruction) {
    json.Add("computation", instruction->computation().name());
    AddPlaces(*instruction, &json);
  }
  AddPositions(d.diagnostic, &json);
  json.Add("message", MessageText(module, d));
  const std::string fix = FixText(module, d);
  if (!fix.empty()) json.Add("fix", fix);
  return json.text();
}

void PrintJson(const std::string& file, const Module& module,
               const VerifyResult& result) {
  std::vector<std::string> lists[2];
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    const bool error = d.diagnostic.severity() == Severity::kError;
    lists[error ? 0 : 1].push_back(DiagnosticJson(module, d));
  }
  JsonWriter json;
  json.Add("file", file)
      .Add("instructions", module.instruction_count())
      .Add("inferred", result.inferred)
      .Add("related", result.related)
      .Add("unchecked", result.unchecked)
      .Add("broadcastable", result.broadcastable)
      .AddList("errors", lists[0])
      .AddList("warnings", lists[1]);
  std::cout << json.text() << "\n";
}

std::string Summary(const Module& module, const VerifyResult& result) {
  const int64_t errors = result.report.error_count();
  const int64_t count = module.instruction_count();
  std::string text = absl::StrCat(
      errors == 0 ? "ok"
                  : absl::StrCat(errors, errors == 1 ? " error" : " errors"),
      ": ", count,
      count == 1 ? " instruction: " : " instructions: ", result.inferred,
      " inferred, ", result.related, " related, ", result.unchecked,
      " unchecked; ", result.broadcastable, " broadcastable");
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

int PrintUnreadable(const std::string& file, const absl::Status& status) {
  if (!absl::GetFlag(FLAGS_json)) {
    std::cout << file << ": can't be read\n";
    return Fail(WithFileName(file, status));
  }
  std::vector<std::string> errors;
  for (const PlacedError& e : ErrorsOf(status)) {
    JsonWriter error;
    error.Add("rule", RuleId(Rule::kFileUnreadable))
        .Add("name", Info(Rule::kFileUnreadable).slug)
        .Add("severity", "error")
        .Add("instruction", "");
    if (e.position.line > 0) {
      error.Add("line", e.position.line).Add("column", e.position.column);
    }
    errors.push_back(error.Add("message", e.message).text());
  }
  JsonWriter json;
  json.Add("file", file).Add("instructions", int64_t{0});
  for (const char* key :
       {"inferred", "related", "unchecked", "broadcastable"}) {
    json.Add(key, int64_t{0});
  }
  json.AddList("errors", errors).AddList("warnings", {});
  std::cout << json.text() << "\n";
  return kExitUsage;
}

int CheckFile(const std::string& file, VerifyOptions options) {
  absl::StatusOr<WrappedModule> module =
      ReadModule(file, ReadOptionsFromFlags());
  if (!module.ok()) return PrintUnreadable(file, module.status());
  options.devices = module->wrapper.devices();
  InferOptions fill;
  fill.only_missing = true;
  fill.max_per_rule = options.max_per_rule;
  auto [inferred, result] =
      InferAndVerify(std::move(module->module), fill, options);
  // What could not be inferred was said by inference; the verifier only sees
  // that no shape is there.
  Report all = std::move(inferred.report);
  if (all.ok()) {
    all.Append(result.report);
  } else {
    for (const ModuleDiagnostic& d : result.report.diagnostics()) {
      if (d.diagnostic.rule != Rule::kShapeMissing) all.Add(d);
    }
  }
  result.report = std::move(all);
  if (absl::GetFlag(FLAGS_json)) {
    PrintJson(file, inferred.module, result);
  } else {
    std::cout << RenderReport(inferred.module, result.report) << file << ": "
              << Summary(inferred.module, result) << "\n";
  }
  return result.ok() ? kExitOk : kExitErrors;
}

}  // namespace

int RunCheck(absl::Span<const std::string> files) {
  VerifyOptions options;
  const auto mode = BroadcastableModeFromName(absl::GetFlag(FLAGS_mode));
  if (!mode) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("--mode=", absl::GetFlag(FLAGS_mode),
                     ": expected lenient, strict or mlir")));
  }
  options.mode = *mode;
  // A person sees some of each kind and a count, a program all.
  if (absl::GetFlag(FLAGS_json)) options.max_per_rule = kAllDiagnostics;
  int exit = kExitOk;
  for (const PathInFolder& file : ModuleFiles(files)) {
    exit = std::max(exit, file.status.ok()
                              ? CheckFile(file.path, options)
                              : PrintUnreadable(file.path, file.status));
    if (!std::cout.good()) break;  // main says so
  }
  return exit;
}

}  // namespace indim
