// SPDX-License-Identifier: Apache-2.0
// A program that runs beside this one: child_process_posix.cc for POSIX,
// child_process_windows.cc for Windows.

#ifndef INDIM_RUN_CHILD_PROCESS_H_
#define INDIM_RUN_CHILD_PROCESS_H_

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace indim::pjrt {

// How it ended.
struct ChildEnd {
  bool is_good = false;  // with exit status 0
  std::string text;  // "ended by signal 6 (Aborted)", "exited with status 1"
};

// Runs `program` with `arguments`, in this process's environment, until it ends
// or `limit` (0: none) has passed. Its standard output and error go to the file
// `output`. Unavailable: it can't be started; Unimplemented: not on this
// system.
absl::StatusOr<ChildEnd> RunChild(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::string& output,
                                  std::chrono::milliseconds limit);

// Ends this process at once: neither destructors nor exit handlers run.
[[noreturn]] void EndProcess(int status);

// The file of the program that this process runs; `first_argument` where the
// system doesn't tell.
std::string ThisProgram(const char* first_argument);

// Makes a folder that no other user can read, among the system's temporary
// ones. Unavailable: it can't.
absl::StatusOr<std::string> MakeTemporaryFolder();
void RemoveFolder(const std::string& path);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_CHILD_PROCESS_H_
