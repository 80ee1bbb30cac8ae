// SPDX-License-Identifier: Apache-2.0
// A module and what it is run on: what `indim eval` and `indim run` have in
// common.

#ifndef INDIM_TOOLS_TASK_H_
#define INDIM_TOOLS_TASK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/tools/output/progress.h"

namespace indim {

struct Task {
  std::string path;
  Module module;
  std::vector<Literal> inputs;
  std::optional<Literal> recorded;  // the result, in a snapshot
  std::string errors;  // why the inputs aren't what the module takes
};

// What both commands do with their files: runs `with` on the task, in the stage
// that reads it. The exit status: of `with`, or why there is no task.
int WithTask(absl::Span<const std::string> files,
             absl::FunctionRef<int(const Task&, ProgressStage*)> with);

// Prints the result, or writes it to -o (a tuple to several files), and
// compares it with that of the snapshot. The exit status.
int FinishTask(const Task& task, const Literal& result);

}  // namespace indim

#endif  // INDIM_TOOLS_TASK_H_
