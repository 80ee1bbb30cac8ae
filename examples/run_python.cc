#include "indim/examples/run_python.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

extern char** environ;

namespace indim {
namespace {

// A variable that `bazel run` sets; empty: it isn't set.
std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string OutputPath(int argc, char** argv, const std::string& name) {
  if (argc > 1) {
    const std::filesystem::path path = argv[1];
    return path.is_absolute() ? path.string()
                              : (std::filesystem::path(
                                     Environment("BUILD_WORKING_DIRECTORY")) /
                                 path)
                                    .string();
  }
  std::error_code error;
  std::string folder =
      (std::filesystem::temp_directory_path(error) / "indim.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return name;
  return (std::filesystem::path(folder) / name).string();
}

int RunOnXla(const std::string& script, const std::string& path) {
  std::string python = Environment("INDIM_XLA_PYTHON");
  if (python.empty()) {
    std::fprintf(
        stderr,
        "not run on XLA: INDIM_XLA_PYTHON names no Python with jaxlib; "
        "to fix: ./bazelw --setup makes one in .venv, and "
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
