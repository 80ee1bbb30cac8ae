// SPDX-License-Identifier: Apache-2.0
// `indim explain` for those that aren't its command line.

#ifndef INDIM_TOOLS_EXPLAIN_COMMAND_H_
#define INDIM_TOOLS_EXPLAIN_COMMAND_H_

#include <string>

#include "absl/types/span.h"

namespace indim {

// What `indim explain ARGUMENTS...` writes, and its exit status (commands.h).
struct ExplainRun {
  std::string out;    // standard output
  std::string error;  // standard error, without "indim: "
  int exit = 0;
};
// The same, in this process: {"(2,1) + (1,3)", "--rule=all"}. Flags have their
// values again afterwards; they are the process's, so one call at a time.
ExplainRun RunExplainInProcess(absl::Span<const std::string> arguments);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_COMMAND_H_
