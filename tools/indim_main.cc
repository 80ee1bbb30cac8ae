// indim: checks, infers, converts and explains XLA graphs.

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/pjrt/isolated.h"
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

int Main(int argc, char** argv) {
  const auto arguments = absl::MakeConstSpan(argv, argc).subspan(1);
  const Program& program = IndimProgram();
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

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  // `indim run` compiles in a process of its own.
  if (const auto exit = indim::pjrt::ServeIsolated(argc, argv)) return *exit;
  // A module that takes more memory than there is ends in words.
  std::set_new_handler([] {
    constexpr char kMessage[] = "indim: there is not enough memory for this\n";
    if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(3);
    _exit(indim::kExitUsage);
  });
#ifdef SIGXFSZ  // Windows has none
  // A file that may not grow any more is an error that is told.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  const int exit = indim::Main(argc, argv);
  // What nobody got was not said.
  std::cout.flush();
  return std::cout.good() ? exit
                          : indim::Fail(absl::UnknownError(
                                "can't write to standard output"));
}
