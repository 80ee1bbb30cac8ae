// SPDX-License-Identifier: Apache-2.0
// Completion for shells: scripts that know the commands, their flags, and the
// words that an argument or the value of a flag may be.

#ifndef INDIM_TOOLS_HELP_COMPLETION_H_
#define INDIM_TOOLS_HELP_COMPLETION_H_

#include <string>

#include "indim/tools/help/program.h"

namespace indim {

// For bash 4 and later, without the package bash-completion:
// source <(indim completion bash).
std::string BashCompletion(const CommandProgram& program);

// For zsh, as a file _indim on the fpath, or source <(indim completion zsh).
std::string ZshCompletion(const CommandProgram& program);

}  // namespace indim

#endif  // INDIM_TOOLS_HELP_COMPLETION_H_
