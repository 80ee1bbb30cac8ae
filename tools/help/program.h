// SPDX-License-Identifier: Apache-2.0
// What help, the completion and the man page are made of: the table of commands
// and the words around it.

#ifndef INDIM_TOOLS_HELP_PROGRAM_H_
#define INDIM_TOOLS_HELP_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/tools/arguments.h"

namespace indim {

// A program with commands. Texts as of CommandInfo: a line that begins with a
// blank is shown as it is, others are filled.
struct CommandProgram {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view formats;      // which files it reads and writes
  absl::string_view exit_status;  // of commands that don't say it themselves
  absl::string_view version;
  std::vector<CommandInfo> commands;
};

// The command of that name; null: there is none.
const CommandInfo* FindCommand(const CommandProgram& program,
                               absl::string_view name);

// "no command is called 'chek'; did you mean check? expected check, infer, ..."
std::string UnknownCommandText(const CommandProgram& program,
                               absl::string_view name);

// The words that completion proposes for `words`; `shown` is the text that
// shows the argument (kChoices takes it apart). None of kNone and kFiles.
std::vector<std::string> WordsOf(const CommandProgram& program, Words words,
                                 absl::string_view shown);

}  // namespace indim

#endif  // INDIM_TOOLS_HELP_PROGRAM_H_
