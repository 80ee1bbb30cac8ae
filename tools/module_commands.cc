// SPDX-License-Identifier: Apache-2.0
// indim infer, indim convert: a module in, a module out.

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/export/export.h"
#include "indim/passes/export/lay_out.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/passes/sizes/refine.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/passes/sizes/symbol_notes.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/diff/shape_changes.h"
#include "indim/tools/module_job.h"
#include "indim/tools/output/diagnostic_json.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/values/settings.h"

namespace indim {
namespace {

int PrintErrors(const Job& job, const Module& module, const Report& report) {
  std::cerr << RenderReport(module, report, job.in);
  return kExitErrors;
}

// With --checks what sizes must meet becomes part of the graph.
void AddChecks(Job* job) {
  const std::string checks = absl::GetFlag(FLAGS_checks);
  if (checks == "none") return;
  RunTimeChecks checked = AddRunTimeChecks(
      std::move(job->module),
      checks == "pred" ? CheckForm::kPredicate : CheckForm::kAssertion);
  for (const std::string& condition : checked.left_out) {
    std::cerr << "indim: no check for " << condition << "\n";
  }
  job->module = std::move(checked.module);
}

// With --conditions what is left of them.
int FinishInferred(Job job) {
  if (absl::GetFlag(FLAGS_conditions)) {
    const Conditions conditions = CollectConditions(job.module);
    if (!conditions.report.ok()) {
      return PrintErrors(job, job.module, conditions.report);
    }
    std::cerr << RenderConditions(job.module, conditions);
  }
  AddChecks(&job);
  return FinishJob(job);
}

// Where the list of changes goes: the module may be on standard output.
std::ostream& ListStream(const Job& job) {
  return job.out == "-" ? std::cerr : std::cout;
}

// One JSON object: what was filled in and changed, or why nothing was inferred.
void PrintChangesJson(const Job& job, const Module& module, int64_t filled,
                      const std::vector<std::string>& shapes,
                      const Report& report) {
  std::vector<std::string> errors;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    errors.push_back(DiagnosticJson(module, d));
  }
  JsonWriter json;
  json.Add("file", job.in)
      .Add("filled", filled)
      .Add("changed", static_cast<int64_t>(shapes.size()) - filled)
      .AddList("shapes", shapes)
      .AddList("errors", errors);
  ListStream(job) << json.text() << "\n";
}

// "a.hlo: 2 shapes filled in, 1 changed".
std::string ChangesSummary(const Job& job, int64_t filled, int64_t changed) {
  return absl::StrCat(job.in, ": ", filled, filled == 1 ? " shape" : " shapes",
                      job.out.empty() ? " would be" : "", " filled in, ",
                      changed, " changed");
}

// Each shape that isn't what it was, and how many there are. Returns that.
size_t ListChanges(const Job& job, const RecordedShapes& before) {
  const std::vector<ShapeChange> changes = ShapeChanges(before, job.module);
  if (absl::GetFlag(FLAGS_quiet)) return changes.size();
  const int64_t filled =
      absl::c_count_if(changes, [](const ShapeChange& change) {
        return change.why == ShapeChange::Why::kFilled;
      });
  if (absl::GetFlag(FLAGS_json)) {
    std::vector<std::string> shapes;
    for (const ShapeChange& change : changes) {
      shapes.push_back(ChangeJson(before, job.module, change));
    }
    PrintChangesJson(job, job.module, filled, shapes, Report());
    return changes.size();
  }
  std::ostream& list = ListStream(job);
  for (const ShapeChange& change : changes) {
    list << ChangeText(before, job.module, change, job.in) << "\n";
  }
  list << ChangesSummary(job, filled,
                         static_cast<int64_t>(changes.size()) - filled)
       << "\n";
  return changes.size();
}

// Without --check the module is written, with it the changes are the answer.
int FinishListed(Job job, const RecordedShapes& before) {
  const size_t changes = ListChanges(job, before);
  if (!absl::GetFlag(FLAGS_check)) return FinishInferred(std::move(job));
  return changes == 0 ? kExitOk : kExitErrors;
}

// What inference, or refinement, says is wrong; `text` for people.
int PrintFailed(const Job& job, const Module& module, const Report& report,
                absl::string_view text) {
  if (absl::GetFlag(FLAGS_json)) {
    PrintChangesJson(job, module, 0, {}, report);
  } else {
    std::cerr << text;
  }
  return kExitErrors;
}

int RunRefine(Job job) {
  const absl::StatusOr<RefineOptions> options =
      ReadSettings(job.module, absl::GetFlag(FLAGS_set));
  if (!options.ok()) return Fail(WithFileName(job.in, options.status()));
  const Module before = job.module;
  ProgressStage stage(InstructionsText("refining", before));
  RefineResult result = Refine(std::move(job.module), *options);
  stage.Done();
  if (!result.report.ok()) {
    return PrintFailed(job, result.module, result.report,
                       RenderRefinement(before, result, job.in));
  }
  job.module = std::move(result.module);
  return FinishListed(std::move(job), RecordedShapes(before));
}

}  // namespace

int Fail(const absl::Status& status) {
  std::cerr << "indim: " << ErrorText(status) << "\n";
  return kExitUsage;
}

int FailOnGraph(const std::string& file, const absl::Status& status) {
  const absl::Status named = WithFileName(
      IsReport(status) ? file : absl::StrCat(file, ": error"), status);
  std::cerr << absl::StripTrailingAsciiWhitespace(ErrorText(named)) << "\n";
  return kExitErrors;
}

int RunInfer(absl::Span<const std::string> files) {
  absl::StatusOr<Job> job =
      BeginJob(files[0], /*writes=*/!absl::GetFlag(FLAGS_check));
  if (!job.ok()) return Fail(job.status());
  if (!absl::GetFlag(FLAGS_set).empty()) return RunRefine(*std::move(job));
  InferOptions options;
  options.drop = absl::GetFlag(FLAGS_drop);
  const RecordedShapes before(job->module);
  ProgressStage stage(InstructionsText("inferring", job->module));
  InferResult result = InferShapes(std::move(job->module), options);
  stage.Done();
  if (!result.report.ok()) {
    return PrintFailed(*job, result.module, result.report,
                       RenderReport(result.module, result.report, job->in));
  }
  job->module = std::move(result.module);
  return FinishListed(*std::move(job), before);
}

int RunConvert(absl::Span<const std::string> files) {
  absl::StatusOr<Job> job =
      BeginJob(files[0], /*writes=*/!absl::GetFlag(FLAGS_check));
  if (!job.ok()) return Fail(job.status());
  if (absl::GetFlag(FLAGS_expand)) {
    ProgressStage stage(InstructionsText("expanding", job->module));
    ExpandedModule expanded = ExpandForXla(std::move(job->module));
    stage.Done();
    if (!expanded.report.ok()) {
      return PrintErrors(*job, expanded.module, expanded.report);
    }
    job->module = std::move(expanded.module);
  }
  if (absl::GetFlag(FLAGS_restore_symbols)) {
    absl::StatusOr<Module> restored =
        SymbolsFromFrontendAttributes(std::move(job->module));
    if (!restored.ok()) return Fail(WithFileName(job->in, restored.status()));
    job->module = *std::move(restored);
  }
  AddChecks(&*job);
  if (absl::GetFlag(FLAGS_expand)) job->module = LayOut(std::move(job->module));
  if (absl::GetFlag(FLAGS_note_symbols)) {
    job->module = SymbolsToFrontendAttributes(std::move(job->module));
  }
  if (absl::GetFlag(FLAGS_unwrap)) job->write.wrapper = ModuleWrapper();
  return FinishJob(*job);
}

}  // namespace indim
