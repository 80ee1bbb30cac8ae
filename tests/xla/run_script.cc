// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/xla/run_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"

namespace indim {

ScriptRun RunScript(absl::string_view arguments) {
  const std::string command =
      absl::StrCat("'", XlaPython(), "' -B tests/xla/", arguments, " 2>&1");
  FILE* answer = popen(command.c_str(), "r");
  if (answer == nullptr) return {false, absl::StrCat("can't run ", command)};
  ScriptRun run;
  char buffer[4096];
  size_t size;
  while ((size = fread(buffer, 1, sizeof(buffer), answer)) > 0) {
    run.said.append(buffer, size);
  }
  const int status = pclose(answer);
  run.agreed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const std::string before = "compared: ";
  const size_t at = run.said.find(before);
  if (at != run.said.npos) {
    run.compared = atoi(run.said.c_str() + at + before.size());
  }
  return run;
}

}  // namespace indim
