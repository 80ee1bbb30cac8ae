// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/shell.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace indim {
namespace {

int ExitOf(int status) {
#ifdef _WIN32
  return status;
#else
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : status;
#endif
}

}  // namespace

std::string ShellQuoted(absl::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

int RunShell(const std::string& line) { return ExitOf(::system(line.c_str())); }

int RunShell(const std::string& line, absl::string_view input) {
#ifdef _WIN32
  FILE* const pipe = ::_popen(line.c_str(), "wb");
#else
  // A command may end before it has read everything.
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  FILE* const pipe = ::popen(line.c_str(), "w");
#endif
  int status = -1;
  if (pipe != nullptr) {
    std::fwrite(input.data(), 1, input.size(), pipe);
#ifdef _WIN32
    status = ::_pclose(pipe);
#else
    status = ::pclose(pipe);
#endif
  }
#ifndef _WIN32
  std::signal(SIGPIPE, before);
#endif
  return ExitOf(status);
}

}  // namespace indim
