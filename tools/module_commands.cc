// indim infer, indim convert: a module in, a module out.

#include <iostream>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/report.h"
#include "indim/passes/export.h"
#include "indim/passes/infer_shapes.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"

namespace indim {
namespace {

struct Job {
  std::string out;
  Format out_format;
  Module module;
  ModuleWrapper wrapper;
};

// Formats of both files, and the module read.
absl::StatusOr<Job> Begin(const std::string& in) {
  Job job;
  job.out = absl::GetFlag(FLAGS_output);
  if (job.out.empty()) {
    return absl::InvalidArgumentError(
        "no output given; expected -o FILE (- for standard output)");
  }
  const auto out_format = FormatOf(job.out, absl::GetFlag(FLAGS_to), "to");
  if (!out_format.ok()) return out_format.status();
  job.out_format = *out_format;
  absl::StatusOr<WrappedModule> module =
      ReadModule(in, {absl::GetFlag(FLAGS_from)});
  if (!module.ok()) return WithFileName(in, module.status());
  job.module = std::move(module->module);
  job.wrapper = std::move(module->wrapper);
  return job;
}

int Finish(const Job& job) {
  const absl::Status written =
      WriteModule(job.module, job.wrapper, job.out, job.out_format);
  return written.ok() ? kExitOk : Fail(written);
}

int PrintErrors(const Module& module, const Report& report) {
  std::cerr << RenderReport(module, report);
  return kExitErrors;
}

}  // namespace

int Fail(const absl::Status& status) {
  std::cerr << "indim: " << status.message() << "\n";
  return kExitUsage;
}

int RunInfer(absl::Span<const std::string> files) {
  absl::StatusOr<Job> job = Begin(files[0]);
  if (!job.ok()) return Fail(job.status());
  InferOptions options;
  options.drop = absl::GetFlag(FLAGS_drop);
  InferResult result = InferShapes(std::move(job->module), options);
  if (!result.report.ok()) return PrintErrors(result.module, result.report);
  job->module = std::move(result.module);
  return Finish(*job);
}

int RunConvert(absl::Span<const std::string> files) {
  absl::StatusOr<Job> job = Begin(files[0]);
  if (!job.ok()) return Fail(job.status());
  if (absl::GetFlag(FLAGS_expand)) {
    ExpandedModule expanded = ExpandForXla(std::move(job->module));
    if (!expanded.report.ok()) {
      return PrintErrors(expanded.module, expanded.report);
    }
    job->module = std::move(expanded.module);
  }
  if (absl::GetFlag(FLAGS_unwrap)) job->wrapper = ModuleWrapper();
  return Finish(*job);
}

}  // namespace indim
