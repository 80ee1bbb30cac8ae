// SPDX-License-Identifier: Apache-2.0
// Parts of the table of commands, in its order.

#ifndef INDIM_TOOLS_COMMAND_ROWS_H_
#define INDIM_TOOLS_COMMAND_ROWS_H_

#include <vector>

#include "indim/tools/arguments.h"

namespace indim {

// What shows modules: print to export.
std::vector<CommandInfo> ViewRows();
// What computes them, and answers questions: eval to explain.
std::vector<CommandInfo> RunRows();

}  // namespace indim

#endif  // INDIM_TOOLS_COMMAND_ROWS_H_
