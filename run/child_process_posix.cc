// SPDX-License-Identifier: Apache-2.0
#ifndef _WIN32

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "indim/run/child_process.h"

extern char** environ;

namespace indim::pjrt {
namespace {

// What a child is started with: its files.
class FileActions {
 public:
  explicit FileActions(const std::string& output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

ChildEnd EndOf(int status) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    return {code == 0, absl::StrCat("exited with status ", code)};
  }
  const int signal = WTERMSIG(status);
  return {false, absl::StrCat("ended by signal ", signal, " (",
                              strsignal(signal), ")")};
}

// Waits for the child, asking less and less often. False: it runs on.
bool WaitFor(pid_t child, std::chrono::milliseconds limit, int* status) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::chrono::microseconds nap(200);
  while (true) {
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) {
      *status = 0;
      return true;
    }
    if (limit.count() > 0 && Clock::now() - start >= limit) return false;
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 5 / 4, std::chrono::microseconds(20000));
  }
}

}  // namespace

absl::StatusOr<ChildEnd> RunChild(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::string& output,
                                  std::chrono::milliseconds limit) {
  std::vector<std::string> texts = {program};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const FileActions actions(output);
  pid_t child = -1;
  const int failed = posix_spawn(&child, program.c_str(), actions.get(),
                                 nullptr, pointers.data(), environ);
  if (failed != 0) {
    return absl::UnavailableError(
        absl::StrCat("can't start ", program, ": ", strerror(failed)));
  }
  int status = 0;
  if (WaitFor(child, limit, &status)) return EndOf(status);
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return ChildEnd{false, absl::StrCat("took more than ", limit.count(), " ms")};
}

void EndProcess(int status) { _exit(status); }

std::string ThisProgram(const char* first_argument) {
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && std::filesystem::exists(path, error)) return path.string();
  return first_argument;
}

absl::StatusOr<std::string> MakeTemporaryFolder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  std::string path = (folder / "indim.XXXXXX").string();
  if (mkdtemp(path.data()) != nullptr) return path;
  return absl::UnavailableError(
      absl::StrCat("can't make a folder ", path, ": ", strerror(errno)));
}

void RemoveFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

}  // namespace indim::pjrt

#endif  // _WIN32
