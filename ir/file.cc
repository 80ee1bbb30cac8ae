#include "indim/ir/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace indim {
namespace {

absl::Status Failure(absl::string_view what, absl::string_view path,
                     int error) {
  const std::string message =
      absl::StrCat("can't ", what, " ", path, ": ", strerror(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InvalidArgumentError(message);
  }
}

// Closes at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > 2) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // 0, or errno.
  int Close() {
    const int fd = fd_;
    fd_ = -1;
    return fd > 2 && close(fd) != 0 ? errno : 0;
  }

 private:
  int fd_;
};

// 0, or errno.
int WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(absl::string_view path) {
  const std::string name(path);
  const Descriptor file(name == "-" ? 0
                                    : open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Failure("open", path, errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return Failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) return Failure("read", path, EISDIR);
  std::string bytes;
  // One byte more than the file has, so that its end is seen at once.
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    bytes.resize(static_cast<size_t>(info.st_size) + 1);
  }
  size_t size = 0;
  while (true) {
    if (size == bytes.size())
      bytes.resize(bytes.size() + bytes.size() / 2 + 65536);
    const ssize_t n = read(file.get(), &bytes[size], bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failure("read", path, errno);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  bytes.resize(size);
  return bytes;
}

absl::Status WriteFile(absl::string_view path, absl::string_view bytes) {
  if (path == "-") {
    const int error = WriteAll(1, bytes);
    return error == 0 ? absl::OkStatus()
                      : Failure("write", "standard output", error);
  }
  const std::string name(path);
  struct stat info;
  const bool exists = stat(name.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return Failure("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    Descriptor file(open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) return Failure("write", path, errno);
    int error = WriteAll(file.get(), bytes);
    if (error == 0) error = file.Close();
    return error == 0 ? absl::OkStatus() : Failure("write", path, error);
  }
  // Through a link, the file it names is replaced and the link stays.
  char* resolved = exists ? realpath(name.c_str(), nullptr) : nullptr;
  const std::string target = resolved != nullptr ? resolved : name;
  free(resolved);
  std::string temporary = target + ".XXXXXX";
  Descriptor file(mkstemp(&temporary[0]));
  if (file.get() < 0) return Failure("write", path, errno);
  mode_t mode = info.st_mode & 07777;
  if (!exists) {
    const mode_t mask = umask(0);
    umask(mask);
    mode = 0666 & ~mask;
  }
  int error = WriteAll(file.get(), bytes);
  if (error == 0 && fchmod(file.get(), mode) != 0) error = errno;
  if (error == 0 && fsync(file.get()) != 0) error = errno;
  if (error == 0) error = file.Close();
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) {
    error = errno;
  }
  if (error == 0) return absl::OkStatus();
  unlink(temporary.c_str());
  return Failure("write", path, error);
}

}  // namespace indim
