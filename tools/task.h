// A module and what it is run on: what `indim eval` and `indim run` have in
// common.

#ifndef INDIM_TOOLS_TASK_H_
#define INDIM_TOOLS_TASK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"

namespace indim {

struct Task {
  std::string path;
  Module module;
  std::vector<Literal> inputs;
  std::optional<Literal> recorded;  // the result, in a snapshot
  std::string errors;  // why the inputs aren't what the module takes
};

// Reads the module of the first file, and its inputs: from the other files and
// --input, made up with --random-inputs, --zeros, or those of a snapshot. Sizes
// that the module leaves open become those of the inputs.
absl::StatusOr<Task> ReadTask(absl::Span<const std::string> files);

// Prints the result, or writes it to -o (a tuple to several files), and
// compares it with that of the snapshot. The exit status.
int FinishTask(const Task& task, const Literal& result);

}  // namespace indim

#endif  // INDIM_TOOLS_TASK_H_
