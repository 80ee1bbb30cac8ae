// SPDX-License-Identifier: Apache-2.0
// indim extract, indim reduce: parts of a module.

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/reduce.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/module_job.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/shell.h"

namespace indim {
namespace {

// An error: one isn't there.
template <typename Names>
absl::Status RefsOf(const Editor& editor, const Module& module,
                    const Names& names, std::vector<InstructionRef>* refs) {
  for (const std::string& name : names) {
    const absl::StatusOr<Instruction> instruction =
        FindInstruction(module, name);
    if (!instruction.ok()) return instruction.status();
    refs->push_back(editor.Of(*instruction));
  }
  return absl::OkStatus();
}

// How the command ends on a file.
int RunTest(const std::string& command, const std::string& file) {
  const std::string quoted = ShellQuoted(file);
  std::string line = absl::StrContains(command, "{}")
                         ? absl::StrReplaceAll(command, {{"{}", quoted}})
                         : absl::StrCat(command, " ", quoted);
#ifndef _WIN32
  absl::StrAppend(&line, " >/dev/null 2>&1");
#endif
  return RunShell(line);
}

// A file beside OUT, of its format.
std::string TrialName(const std::string& out) {
  const size_t slash = out.find_last_of("/\\");
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  return absl::StrCat(out.substr(0, name), "trial.", out.substr(name));
}

int PrintResult(const EditResult& result) {
  std::cerr << result.text();
  return result.ok() ? kExitOk : kExitErrors;
}

}  // namespace

int RunExtract(absl::Span<const std::string> arguments) {
  absl::StatusOr<Job> job = BeginJob(arguments[0], /*writes=*/true);
  if (!job.ok()) return Fail(job.status());
  Editor editor(job->module);
  std::vector<InstructionRef> results;
  ExtractOptions options;
  options.keep_parameters = absl::GetFlag(FLAGS_keep_parameters);
  absl::Status found =
      RefsOf(editor, job->module, arguments.subspan(1), &results);
  found.Update(RefsOf(editor, job->module, absl::GetFlag(FLAGS_inputs),
                      &options.inputs));
  if (!found.ok()) return Fail(WithFileName(job->in, found));
  ExtractCone(&editor, results, options, Caller{});
  EditResult result = editor.Finish(Caller{});
  if (PrintResult(result) != kExitOk) return kExitErrors;
  job->module = std::move(result.module);
  if (absl::GetFlag(FLAGS_unwrap)) job->write.wrapper = ModuleWrapper();
  return FinishJob(*job);
}

int RunReduce(absl::Span<const std::string> files) {
  const std::string command = absl::GetFlag(FLAGS_test);
  if (command.empty()) {
    return Fail(
        absl::InvalidArgumentError("no test given; expected --test=COMMAND"));
  }
  absl::StatusOr<Job> job = BeginJob(files[0], /*writes=*/true);
  if (!job.ok()) return Fail(job.status());
  if (job->out == "-") {
    return Fail(absl::InvalidArgumentError(
        "the test needs files; expected -o FILE instead of -o -"));
  }
  job->write.wrapper = ModuleWrapper();  // of another run than the small one's
  Job trial = *job;
  trial.out = TrialName(job->out);
  absl::Status written = absl::OkStatus();
  const auto ends_with = [&](const Module& module) {
    trial.module = module;
    written.Update(WriteModuleFile(module, trial.out, trial.write));
    return written.ok() ? RunTest(command, trial.out) : 0;
  };
  const int end = ends_with(job->module);
  // As shells say it.
  constexpr int kNotExecutable = 126, kNoSuchCommand = 127;
  if (end == kNotExecutable || end == kNoSuchCommand) {
    ::remove(trial.out.c_str());
    return Fail(absl::NotFoundError(absl::StrCat(
        "--test=", command, " can't be run: a shell ends with ", end,
        end == kNoSuchCommand ? ", there is no such command"
                              : ", it is no program")));
  }
  if (end != 0) {
    ReduceOptions options;
    options.max_tests = absl::GetFlag(FLAGS_max_tests);
    const int64_t before = job->module.instruction_count();
    options.on_smaller = [&](const Module& module, int64_t tests) {
      job->module = module;
      written.Update(WriteModuleFile(module, job->out, job->write));
      if (absl::GetFlag(FLAGS_quiet)) return;
      std::cerr << tests << (tests == 1 ? " test: " : " tests: ")
                << module.instruction_count() << " of " << before
                << " instructions\n";
    };
    ProgressStage stage(InstructionsText("reducing", job->module));
    options.on_tested = [&](const Module& module, int64_t tests) {
      stage.Next(absl::StrCat(
          "reducing, ", tests, tests == 1 ? " test, " : " tests, ",
          module.instruction_count(), " of ", before, " instructions"));
    };
    const ReduceResult result = ReduceModule(
        job->module,
        [&](const Module& module) {
          return written.ok() && ends_with(module) == end;
        },
        options);
    job->module = result.module;
  }
  ::remove(trial.out.c_str());
  if (!written.ok()) return Fail(written);
  if (end == 0) {
    std::cerr << "indim: the command doesn't fail on " << files[0] << ": "
              << command << "\n";
    return kExitErrors;
  }
  return FinishJob(*job);
}

}  // namespace indim
