// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/shell.h"

#include <cstdlib>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace indim {

std::string ShellQuoted(absl::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

int RunShell(const std::string& line) {
  const int status = ::system(line.c_str());
#ifdef _WIN32
  return status;
#else
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : status;
#endif
}

}  // namespace indim
