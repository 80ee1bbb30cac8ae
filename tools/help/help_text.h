// SPDX-License-Identifier: Apache-2.0
// `indim help`: what people read on a terminal.

#ifndef INDIM_TOOLS_HELP_HELP_TEXT_H_
#define INDIM_TOOLS_HELP_HELP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "indim/tools/help/program.h"

namespace indim {

// The text with its lines filled to `width` bytes: words move to the next line,
// which begins with `indent` blanks. A line that begins with a blank stays as
// it is. The first line has no indent; a word that is too long has its own
// line.
std::string Filled(absl::string_view text, size_t width, size_t indent);

// `indim help`: each command with its usage, then formats and exit status.
std::string ProgramHelp(const CommandProgram& program);

// `indim help check`: usage, description, each flag, exit status.
std::string CommandHelp(const CommandProgram& program,
                        const CommandInfo& command);

}  // namespace indim

#endif  // INDIM_TOOLS_HELP_HELP_TEXT_H_
