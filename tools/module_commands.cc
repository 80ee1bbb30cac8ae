// indim infer, indim convert: a module in, a module out.

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/hlo_proto/module_file.h"
#include "indim/hlo_proto/module_serializer.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/export/export.h"
#include "indim/passes/export/lay_out.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/passes/sizes/refine.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/passes/sizes/symbol_notes.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/diagnostic_json.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/settings.h"
#include "indim/tools/shape_changes.h"
#include "indim/wire/printable.h"

namespace indim {
namespace {

struct Job {
  std::string in;
  std::string out;  // empty: nothing is written
  Module module;
  WriteOptions write{ModuleForm::kRecorded};
};

absl::StatusOr<WriteOptions> WriteOptionsOfFlags() {
  WriteOptions options(ModuleForm::kRecorded);
  options.allow_left_out = true;  // Finish says so
  options.allow_over_2gib = absl::GetFlag(FLAGS_allow_over_2gib);
  const std::string bytes = absl::GetFlag(FLAGS_external_constants);
  uint64_t min_bytes = 0;
  if (bytes.empty()) return options;
  if (!absl::SimpleAtoi(bytes, &min_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--external-constants=", bytes, ": expected a number of bytes"));
  }
  options.external_min_bytes = min_bytes;
  return options;
}

// Formats of both files, and the module read.
absl::StatusOr<Job> Begin(const std::string& in) {
  const absl::StatusOr<WriteOptions> write = WriteOptionsOfFlags();
  if (!write.ok()) return write.status();
  Job job;
  job.in = in;
  job.write = *write;
  if (!absl::GetFlag(FLAGS_check)) {
    job.out = absl::GetFlag(FLAGS_output);
    if (job.out.empty()) {
      return absl::InvalidArgumentError(
          "no output given; expected -o FILE (- for standard output)");
    }
    const auto out_format = FormatOf(job.out, absl::GetFlag(FLAGS_to), "to");
    if (!out_format.ok()) return out_format.status();
    job.write.format = *out_format;
  }
  StartProgress(absl::GetFlag(FLAGS_quiet));
  const ProgressStage stage(ReadingText(in));
  absl::StatusOr<WrappedModule> module = ReadModuleAndNote(in);
  if (!module.ok()) return WithFileName(in, module.status());
  job.module = std::move(module->module);
  job.write.wrapper = std::move(module->wrapper);
  return job;
}

int Finish(const Job& job) {
  const ModuleWrapper& wrapper = job.write.wrapper;
  const std::string left_out = LeftOut(wrapper, job.write.format);
  if (!left_out.empty()) {
    std::cerr << "indim: warning: " << job.out << " has no place for "
              << left_out << " of the " << Name(wrapper.kind())
              << (job.write.format == ModuleFormat::kHloText
                      ? "; .pb and .pbtxt have\n"
                      : "; .pb has\n");
  }
  ProgressStage stage(absl::StrCat("writing ", Printable(job.out)));
  absl::Status written = WriteModuleFile(job.module, job.out, job.write);
  if (absl::IsResourceExhausted(written) && !job.write.allow_over_2gib &&
      job.write.format == ModuleFormat::kProto &&
      SerializedSize(job.module) >> 31 != 0) {
    written = absl::Status(
        written.code(),
        absl::StrCat(written.message(),
                     "; --external-constants keeps them in a file of their "
                     "own, --allow-over-2gib writes it all the same"));
  }
  return written.ok() ? kExitOk : Fail(written);
}

int PrintErrors(const Job& job, const Module& module, const Report& report) {
  std::cerr << RenderReport(module, report, job.in);
  return kExitErrors;
}

}  // namespace

int Fail(const absl::Status& status) {
  std::cerr << "indim: " << status.message() << "\n";
  return kExitUsage;
}

namespace {

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
  return Finish(job);
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

int RunInfer(absl::Span<const std::string> files) {
  absl::StatusOr<Job> job = Begin(files[0]);
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
  absl::StatusOr<Job> job = Begin(files[0]);
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
  return Finish(*job);
}

}  // namespace indim
