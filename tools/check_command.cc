// indim check: infer and verify, one line a file.

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_and_verify.h"
#include "indim/structure/structure.h"
#include "indim/text/base/text_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/diagnostic_json.h"
#include "indim/tools/output/json_writer.h"
#include "indim/wire/printable.h"

namespace indim {
namespace {

constexpr int64_t kAllDiagnostics = 1000000;

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

// What keeps a file from being read, in the form of all other errors:
//   a.hlo:3:21: error: unknown op "ad"  [IND0800]
//     y = f32[2] ad(x, x)
//                ^~
std::string RenderUnreadable(const std::string& file,
                             const absl::Status& status) {
  std::string text;
  for (const PlacedError& e : ErrorsOf(status)) {
    if (!text.empty() && e.position.line == 0) {  // how many more there are
      absl::StrAppend(&text, file, ": ", e.message, "\n");
      continue;
    }
    // What they said of the file's name stands before it.
    std::string message = e.message;
    for (const absl::string_view verb : {"can't open ", "can't read "}) {
      const std::string named = absl::StrCat(verb, file, ": ");
      if (absl::StartsWith(message, named)) {
        message = absl::StrCat(verb, "it: ", message.substr(named.size()));
      }
    }
    message = std::string(absl::StripPrefix(message, absl::StrCat(file, ": ")));
    absl::StrAppend(&text, file);
    if (e.position.line > 0) {
      absl::StrAppend(&text, ":", e.position.line, ":", e.position.column);
    }
    const size_t first_line = std::min(message.find('\n'), message.size());
    absl::StrAppend(&text, ": error: ", message.substr(0, first_line), "  [",
                    RuleId(Rule::kFileUnreadable), "]",
                    message.substr(first_line), "\n");
  }
  return text;
}

int PrintUnreadable(const std::string& file, const absl::Status& status) {
  if (!absl::GetFlag(FLAGS_json)) {
    std::cout << RenderUnreadable(file, status) << file << ": can't be read\n";
    return kExitUsage;
  }
  JsonWriter json;
  json.Add("file", file).Add("instructions", int64_t{0});
  for (const char* key :
       {"inferred", "related", "unchecked", "broadcastable"}) {
    json.Add(key, int64_t{0});
  }
  json.AddList("errors", ErrorsJson(status)).AddList("warnings", {});
  std::cout << json.text() << "\n";
  return kExitUsage;
}

int CheckFile(const std::string& file, VerifyOptions options) {
  absl::StatusOr<WrappedModule> module = ReadModule(file);
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
    std::cout << RenderReport(inferred.module, result.report, file) << file
              << ": " << Summary(inferred.module, result) << "\n";
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
