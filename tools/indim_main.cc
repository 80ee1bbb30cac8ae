// SPDX-License-Identifier: Apache-2.0
// indim: checks, infers, converts and explains XLA graphs.

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <new>

#include "absl/types/span.h"
#include "indim/run/isolated.h"
#include "indim/tools/commands.h"
#include "indim/tools/run_program.h"

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
  const int exit =
      indim::RunProgram(absl::MakeConstSpan(argv, static_cast<size_t>(argc))
                            .subspan(argc > 0 ? 1 : 0));
  // What nobody got was not said.
  std::cout.flush();
  return std::cout.good() ? exit
                          : indim::Fail(absl::UnknownError(
                                "can't write to standard output"));
}
