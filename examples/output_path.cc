#include "indim/examples/output_path.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace indim {
namespace {

// The folder where the user called Bazel, which sets it; empty: this one.
std::filesystem::path CallersFolder() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr ? "" : folder;
}

}  // namespace

std::string OutputPath(int argc, char** argv, const std::string& name) {
  if (argc > 1) {
    const std::filesystem::path path = argv[1];
    return path.is_absolute() ? path.string()
                              : (CallersFolder() / path).string();
  }
  std::error_code error;
  std::string folder =
      (std::filesystem::temp_directory_path(error) / "indim.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return name;
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace indim
