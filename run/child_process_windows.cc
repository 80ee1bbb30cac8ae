// SPDX-License-Identifier: Apache-2.0
#ifdef _WIN32

#include <cstdlib>

#include "absl/status/status.h"
#include "indim/run/child_process.h"

namespace indim::pjrt {
namespace {

absl::Status NotHere() {
  return absl::UnimplementedError(
      "compiling in a process of its own isn't there for Windows");
}

}  // namespace

absl::StatusOr<ChildEnd> RunChild(const std::string&,
                                  const std::vector<std::string>&,
                                  const std::string&,
                                  std::chrono::milliseconds) {
  return NotHere();
}

void EndProcess(int status) { std::_Exit(status); }

std::string ThisProgram(const char* first_argument) { return first_argument; }

absl::StatusOr<std::string> MakeTemporaryFolder() { return NotHere(); }

void RemoveFolder(const std::string&) {}

}  // namespace indim::pjrt

#endif  // _WIN32
