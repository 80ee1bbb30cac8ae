// The command as people run it, for tests.

#ifndef INDIM_TESTS_TOOLS_RUN_INDIM_H_
#define INDIM_TESTS_TOOLS_RUN_INDIM_H_

#include <string>

#include "absl/strings/string_view.h"

namespace indim {

struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
};

// A file of the test's own.
std::string Temp(absl::string_view name);

// Runs `indim ARGUMENTS` in a shell.
Outcome Indim(absl::string_view arguments);
// Runs a command of the shell, in which indim is "tools/indim".
Outcome Shell(absl::string_view command);

}  // namespace indim

#endif  // INDIM_TESTS_TOOLS_RUN_INDIM_H_
