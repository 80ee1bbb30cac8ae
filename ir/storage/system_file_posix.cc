// SPDX-License-Identifier: Apache-2.0
#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "indim/ir/storage/system_file.h"

namespace indim::system_file {
namespace {

static_assert(sizeof(off_t) == 8, "build with -D_FILE_OFFSET_BITS=64");

// Systems read and write at most 2 GiB at a time.
constexpr size_t kMaxBytesAtOnce = size_t{1} << 30;

Info InfoOf(const struct stat& s) {
  Info info;
  info.kind = S_ISREG(s.st_mode)    ? Kind::kRegular
              : S_ISDIR(s.st_mode)  ? Kind::kFolder
              : S_ISFIFO(s.st_mode) ? Kind::kPipe
                                    : Kind::kOther;
  info.size = static_cast<uint64_t>(s.st_size);
  info.mode = s.st_mode & 07777;
  return info;
}

}  // namespace

int StandardInput() { return STDIN_FILENO; }
int StandardOutput() { return STDOUT_FILENO; }

int OpenToRead(const std::string& path) {
  // A pipe without a writer would never be opened if this waited.
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int OpenToReadNoLink(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int OpenToWrite(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CLOEXEC);
}

int OpenTemporary(const std::string& prefix, std::string* path) {
  *path = prefix + ".XXXXXX";
  return mkostemp(&(*path)[0], O_CLOEXEC);
}

bool Close(int fd) { return close(fd) == 0; }

bool GetInfo(int fd, Info* info) {
  struct stat s;
  if (fstat(fd, &s) != 0) return false;
  *info = InfoOf(s);
  return true;
}

bool GetInfo(const std::string& path, Info* info) {
  struct stat s;
  if (stat(path.c_str(), &s) != 0) return false;
  *info = InfoOf(s);
  return true;
}

int64_t Read(int fd, char* to, size_t count) {
  while (true) {
    const ssize_t n = read(fd, to, std::min(count, kMaxBytesAtOnce));
    if (n >= 0) return n;
    if (errno == EAGAIN) {
      pollfd ready = {fd, POLLIN, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

int64_t Write(int fd, const char* from, size_t count) {
  while (true) {
    const ssize_t n = write(fd, from, std::min(count, kMaxBytesAtOnce));
    if (n >= 0 || errno != EINTR) return n;
  }
}

int64_t ReadAt(int fd, uint64_t offset, char* to, size_t count) {
  while (true) {
    const ssize_t n = pread(fd, to, std::min(count, kMaxBytesAtOnce),
                            static_cast<off_t>(offset));
    if (n >= 0 || errno != EINTR) return n;
  }
}

std::shared_ptr<const char> Map(int fd, uint64_t offset, size_t count) {
  // Mappings begin where a page does.
  const size_t before = static_cast<size_t>(
      offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  const size_t mapped = before + count;
  void* const start = mmap(nullptr, mapped, PROT_READ, MAP_SHARED, fd,
                           static_cast<off_t>(offset - before));
  if (start == MAP_FAILED) return nullptr;
  return std::shared_ptr<const char>(
      static_cast<const char*>(start) + before,
      [start, mapped](const char*) { munmap(start, mapped); });
}

uint32_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

bool SetMode(int fd, uint32_t mode) {
  return fchmod(fd, static_cast<mode_t>(mode)) == 0;
}

bool Flush(int fd) { return fsync(fd) == 0; }

bool Rename(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0;
}

void Remove(const std::string& path) { unlink(path.c_str()); }

std::string RealPath(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  const std::string result = resolved != nullptr ? resolved : "";
  free(resolved);
  return result;
}

}  // namespace indim::system_file

#endif  // _WIN32
