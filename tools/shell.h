// SPDX-License-Identifier: Apache-2.0
// Commands of others, run by a shell.

#ifndef INDIM_TOOLS_SHELL_H_
#define INDIM_TOOLS_SHELL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// One word for a shell, whatever is in it.
std::string ShellQuoted(absl::string_view word);

// How a command line ended: its exit status, 128 and a signal's number as
// shells say it, 127 where there is no such command.
int RunShell(const std::string& line);
// The same of one that reads `input`.
int RunShell(const std::string& line, absl::string_view input);

}  // namespace indim

#endif  // INDIM_TOOLS_SHELL_H_
