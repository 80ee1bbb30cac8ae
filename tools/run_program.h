// SPDX-License-Identifier: Apache-2.0
// The command as a function.

#ifndef INDIM_TOOLS_RUN_PROGRAM_H_
#define INDIM_TOOLS_RUN_PROGRAM_H_

#include "absl/types/span.h"

namespace indim {

// Runs the command that the words behind the program's name call, and returns
// its exit status. It sets the process's flags.
int RunProgram(absl::Span<char* const> arguments);

}  // namespace indim

#endif  // INDIM_TOOLS_RUN_PROGRAM_H_
