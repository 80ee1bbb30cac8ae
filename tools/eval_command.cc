// indim eval: what a module computes.

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/ascii.h"
#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/task.h"

namespace indim {

int RunEval(absl::Span<const std::string> files) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  ProgressStage stage(ReadingText(files[0]));
  const absl::StatusOr<Task> task = ReadTask(files);
  if (!task.ok()) return Fail(task.status());
  if (!task->errors.empty()) {
    std::cerr << task->errors;
    return kExitErrors;
  }
  EvalOptions options;
  options.max_steps = absl::GetFlag(FLAGS_max_steps);
  options.max_bytes = absl::GetFlag(FLAGS_max_bytes);
  stage.Next(InstructionsText("evaluating", task->module));
  const absl::StatusOr<Literal> result =
      Evaluate(task->module, task->inputs, options);
  stage.Done();
  if (!result.ok()) {
    const absl::Status named = WithFileName(files[0], result.status());
    std::cerr << absl::StripTrailingAsciiWhitespace(named.message()) << "\n";
    return kExitErrors;
  }
  return FinishTask(*task, *result);
}

}  // namespace indim
