// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/run_program.h"

#include <cstring>
#include <iostream>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/help/help_text.h"
#include "indim/tools/help/program.h"
#include "indim/tools/output/progress.h"

namespace indim {
namespace {

bool IsHelpFlag(absl::string_view argument) {
  return argument == "--help" || argument == "-h";
}

}  // namespace

int RunProgram(absl::Span<char* const> arguments) {
  // Whoever has a file changes its instructions.
  SetCallLanguage(CallLanguage::kHlo);
  const CommandProgram& program = IndimProgram();
  if (arguments.empty()) {
    std::cerr << ProgramHelp(program);
    return kExitUsage;
  }
  absl::string_view name = arguments[0];
  if (name == "--version") name = "version";
  if (IsHelpFlag(name)) name = "help";
  const CommandInfo* command = FindCommand(program, name);
  if (command == nullptr) {
    return Fail(absl::InvalidArgumentError(UnknownCommandText(program, name)));
  }
  for (const char* argument : arguments.subspan(1)) {
    if (std::strcmp(argument, "--") == 0) break;
    if (IsHelpFlag(argument)) return RunHelp({std::string(name)});
  }
  const auto files = ParseArguments(*command, arguments.subspan(1));
  if (!files.ok()) return Fail(files.status());
  const int exit = command->run(*files);
  StopProgress();
  return exit;
}

}  // namespace indim
