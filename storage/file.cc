#include "indim/storage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/storage/memory.h"

namespace indim {
namespace {

static_assert(sizeof(off_t) == 8, "build with -D_FILE_OFFSET_BITS=64");

// Systems write at most 2 GiB in one call.
constexpr size_t kMostAtOnce = size_t{1} << 30;

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
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InvalidArgumentError(message);
  }
}

absl::Status Shrank(absl::string_view path, uint64_t had, uint64_t has) {
  return absl::InvalidArgumentError(
      absl::StrCat("can't read ", path, ": it had ", had,
                   " bytes, and ends now after ", has));
}

// Closes a file, except standard streams. Returns 0 or errno.
int CloseFile(int fd) { return fd > 2 && close(fd) != 0 ? errno : 0; }

// Closes a file at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { CloseFile(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

// Writes all bytes. Returns 0 or errno.
int WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        write(fd, bytes.data(), std::min(bytes.size(), kMostAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// read() that waits for data even if `fd` doesn't block.
ssize_t ReadSome(int fd, char* to, size_t count) {
  while (true) {
    const ssize_t n = read(fd, to, std::min(count, kMostAtOnce));
    if (n >= 0) return n;
    if (errno == EAGAIN) {
      pollfd ready = {fd, POLLIN, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

absl::StatusOr<std::string> ReadAll(int fd, absl::string_view path) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) return Failure("read", path, EISDIR);
  const bool sized = S_ISREG(info.st_mode) && info.st_size > 0;
  std::string bytes;
  // One byte more than the file has, to notice its end at once.
  if (sized) {
    const uint64_t most = static_cast<uint64_t>(info.st_size) + 1;
    if (!CanAllocate(most)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("can't read ", path, ": ", info.st_size,
                       " bytes don't fit into memory"));
    }
    bytes.resize(static_cast<size_t>(most));
  }
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) {
      // Input without a known size may never end.
      const uint64_t more = uint64_t{size} + size / 2 + 65536;
      if (!CanAllocate(more)) {
        return absl::ResourceExhaustedError(
            absl::StrCat("can't read ", path, ": more than ", size,
                         " bytes, which don't fit into memory"));
      }
      bytes.resize(static_cast<size_t>(more));
    }
    const ssize_t n = ReadSome(fd, &bytes[size], bytes.size() - size);
    if (n < 0) return Failure("read", path, errno);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (sized && size < static_cast<uint64_t>(info.st_size)) {
    return Shrank(path, static_cast<uint64_t>(info.st_size), size);
  }
  if (size == 0 && S_ISFIFO(info.st_mode) && path != "-") {
    return absl::InvalidArgumentError(
        absl::StrCat("can't read ", path, ": a pipe that nobody writes to"));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(absl::string_view path) {
  if (path == "-") return ReadAll(0, path);
  // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
  const Descriptor file(
      open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Failure("open", path, errno);
  return ReadAll(file.get(), path);
}

absl::Status WriteFile(absl::string_view path, absl::string_view bytes) {
  absl::StatusOr<FileWriter> file = FileWriter::Open(path);
  if (!file.ok()) return file.status();
  absl::Status status = file->Write(bytes);
  if (status.ok()) status = file->Commit();
  return status;
}

std::string ResolvedPath(absl::string_view path) {
  const std::string name(path);
  char* resolved = realpath(name.c_str(), nullptr);
  const std::string result = resolved != nullptr ? resolved : name;
  free(resolved);
  return result;
}

// --- FileWriter --------------------------------------------------------------

absl::StatusOr<FileWriter> FileWriter::Open(absl::string_view path) {
  FileWriter file;
  file.path_ = path == "-" ? "standard output" : std::string(path);
  if (path == "-") {
    file.fd_ = 1;
    return file;
  }
  struct stat info;
  const bool exists = stat(file.path_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return Failure("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    file.fd_ = open(file.path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd_ < 0) return Failure("write", path, errno);
    return file;
  }
  // Through a link, replace the file that it names and keep the link.
  file.target_ = ResolvedPath(path);
  if (exists) {
    file.mode_ = info.st_mode & 07777;
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    file.mode_ = 0666 & ~mask;
  }
  std::string temporary = file.target_ + ".XXXXXX";
  file.fd_ = mkostemp(&temporary[0], O_CLOEXEC);
  if (file.fd_ < 0) return Failure("write", path, errno);
  file.temporary_ = std::move(temporary);
  return file;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      mode_(other.mode_) {}

FileWriter::~FileWriter() {
  CloseFile(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status FileWriter::Write(absl::string_view bytes) {
  const int error = WriteAll(fd_, bytes);
  return error == 0 ? absl::OkStatus() : Failure("write", path_, error);
}

absl::Status FileWriter::Commit() { return CommitAs(target_); }

absl::Status FileWriter::CommitAs(absl::string_view path) {
  const bool renames = !temporary_.empty();
  int error = 0;
  if (renames && fchmod(fd_, mode_) != 0) error = errno;
  if (renames && error == 0 && fsync(fd_) != 0) error = errno;
  const int closed = CloseFile(std::exchange(fd_, -1));
  if (error == 0) error = closed;
  if (renames && error == 0 &&
      rename(temporary_.c_str(), std::string(path).c_str()) != 0) {
    error = errno;
  }
  if (error != 0) return Failure("write", path_, error);
  temporary_.clear();
  return absl::OkStatus();
}

// --- RandomAccessFile --------------------------------------------------------

absl::StatusOr<std::shared_ptr<const RandomAccessFile>> RandomAccessFile::Open(
    absl::string_view path) {
  std::shared_ptr<RandomAccessFile> file(new RandomAccessFile());
  file->path_ = std::string(path);
  file->fd_ =
      open(file->path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file->fd_ < 0) return Failure("open", path, errno);
  struct stat info;
  if (fstat(file->fd_, &info) != 0) return Failure("read", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't read ", path, ": not a regular file"));
  }
  file->size_ = static_cast<uint64_t>(info.st_size);
  return file;
}

RandomAccessFile::~RandomAccessFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status RandomAccessFile::Read(uint64_t offset, char* to,
                                    size_t count) const {
  while (count > 0) {
    const ssize_t n = pread(fd_, to, std::min(count, kMostAtOnce),
                            static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failure("read", path_, errno);
    if (n == 0) return Shrank(path_, size_, offset);
    offset += static_cast<uint64_t>(n);
    to += n;
    count -= static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const char>> RandomAccessFile::Map(
    uint64_t offset, size_t count) const {
  struct stat info;
  if (fstat(fd_, &info) != 0) return Failure("read", path_, errno);
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (offset > size || count > size - offset) {
    return Shrank(path_, size_, size);
  }
  if (count == 0) return std::make_shared<const char>();
  // A mapping must begin at a page boundary.
  const size_t before = static_cast<size_t>(
      offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  const size_t mapped = before + count;
  void* const start = mmap(nullptr, mapped, PROT_READ, MAP_SHARED, fd_,
                           static_cast<off_t>(offset - before));
  if (start == MAP_FAILED) return Failure("map", path_, errno);
  return std::shared_ptr<const char>(
      static_cast<const char*>(start) + before,
      [start, mapped](const char*) { munmap(start, mapped); });
}

}  // namespace indim
