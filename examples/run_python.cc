#include "indim/examples/run_python.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace indim {
int RunOnXla(const std::string& script, const std::string& path) {
  const char* named = std::getenv("INDIM_XLA_PYTHON");
  std::string python = named == nullptr ? "" : named;
  if (python.empty()) {
    std::fprintf(
        stderr,
        "not run on XLA: INDIM_XLA_PYTHON names no Python with jaxlib; "
        "to fix: ./bazelw --setup-xla makes one in .venv, and "
        "./bazelw run //examples:... uses it\n");
    return EXIT_FAILURE;
  }
  // `bazel run` starts programs in the folder of their data files.
  std::string file = "examples/" + script;
  std::string module = path;
  char* arguments[] = {python.data(), file.data(), module.data(), nullptr};
  pid_t child;
  if (posix_spawnp(&child, python.c_str(), nullptr, nullptr, arguments,
                   environ) != 0) {
    std::fprintf(stderr, "can't start %s\n", python.c_str());
    return EXIT_FAILURE;
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    return EXIT_FAILURE;
  }
  return WEXITSTATUS(status);
}

}  // namespace indim
