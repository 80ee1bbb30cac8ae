// SPDX-License-Identifier: Apache-2.0
// indim help, version, completion and man: the program about itself.

#include <iostream>

#include "indim/shape/types/version.h"
#include "indim/tools/commands.h"
#include "indim/tools/help/completion.h"
#include "indim/tools/help/help_text.h"
#include "indim/tools/help/man_page.h"
#include "indim/tools/help/program.h"

namespace indim {

int RunHelp(absl::Span<const std::string> arguments) {
  const CommandProgram& program = IndimProgram();
  if (arguments.empty()) {
    std::cout << ProgramHelp(program);
    return kExitOk;
  }
  const CommandInfo* command = FindCommand(program, arguments[0]);
  if (command == nullptr) {
    return Fail(
        absl::InvalidArgumentError(UnknownCommandText(program, arguments[0])));
  }
  std::cout << CommandHelp(program, *command);
  return kExitOk;
}

int RunVersion(absl::Span<const std::string> /*arguments*/) {
  std::cout << "indim " << Version() << "\n";
  return kExitOk;
}

int RunCompletion(absl::Span<const std::string> arguments) {
  const CommandProgram& program = IndimProgram();
  std::cout << (arguments[0] == "zsh" ? ZshCompletion(program)
                                      : BashCompletion(program));
  return kExitOk;
}

int RunMan(absl::Span<const std::string> /*arguments*/) {
  std::cout << ManPage(IndimProgram());
  return kExitOk;
}

}  // namespace indim
