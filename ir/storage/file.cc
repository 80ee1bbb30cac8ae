// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/file.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/memory.h"
#include "indim/ir/storage/system_file.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

namespace system = system_file;

absl::StatusCode KindOf(int error) {
  switch (error) {
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOSPC:
    case EFBIG:
#ifdef EDQUOT  // Windows has none
    case EDQUOT:
#endif
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kInvalidArgument;
  }
}

absl::Status Failure(absl::string_view what, absl::string_view path,
                     int error) {
  return FileError(KindOf(error), what, path, strerror(error));
}

// The file in the folder of `path` whose name is nearest to that of `path`, as
// a path; empty: none is near.
std::string NearestFile(absl::string_view path) {
  namespace fs = std::filesystem;
  constexpr size_t kMostLooked = 4096;
  const fs::path file = fs::u8path(path.begin(), path.end());
  const fs::path folder = file.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != fs::directory_iterator() &&
         names.size() < kMostLooked;
       entry.increment(error)) {
    names.push_back(entry->path().filename().u8string());
  }
  std::sort(names.begin(), names.end());
  const absl::string_view near =
      NearestName(file.filename().u8string(),
                  std::vector<absl::string_view>(names.begin(), names.end()));
  return near.empty()
             ? ""
             : (folder / fs::u8path(near.begin(), near.end())).u8string();
}

absl::Status NotOpened(absl::string_view path, int error) {
  const std::string near = error == ENOENT ? NearestFile(path) : "";
  if (near.empty()) return Failure("open", path, error);
  return FileError(KindOf(error), "open", path,
                   absl::StrCat(strerror(error), "; did you mean ", near, "?"));
}

absl::Status Shrank(absl::string_view path, uint64_t had, uint64_t has) {
  return FileError(
      absl::StatusCode::kInvalidArgument, "read", path,
      absl::StrCat("it had ", had, " bytes, and ends now after ", has));
}

// Standard streams stay open.
int CloseFile(int fd) { return fd > 2 && !system::Close(fd) ? errno : 0; }

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
    const int64_t n = system::Write(fd, bytes.data(), bytes.size());
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

absl::StatusOr<std::string> ReadAll(int fd, absl::string_view path) {
  system::Info info;
  if (!system::GetInfo(fd, &info)) return Failure("read", path, errno);
  if (info.kind == system::Kind::kFolder) {
    return Failure("read", path, EISDIR);
  }
  const bool sized = info.kind == system::Kind::kRegular && info.size > 0;
  std::string bytes;
  // One byte more than the file has, to notice its end at once.
  if (sized) {
    const uint64_t most = info.size + 1;
    if (!CanAllocate(most)) {
      return FileError(absl::StatusCode::kResourceExhausted, "read", path,
                       absl::StrCat(info.size, " bytes don't fit into memory"));
    }
    bytes.resize(static_cast<size_t>(most));
  }
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) {
      // Input without a known size may never end.
      const uint64_t more = uint64_t{size} + size / 2 + 65536;
      if (!CanAllocate(more)) {
        return FileError(absl::StatusCode::kResourceExhausted, "read", path,
                         absl::StrCat("more than ", size,
                                      " bytes, which don't fit into memory"));
      }
      bytes.resize(static_cast<size_t>(more));
    }
    const int64_t n = system::Read(fd, &bytes[size], bytes.size() - size);
    if (n < 0) return Failure("read", path, errno);
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  if (sized && size < info.size) return Shrank(path, info.size, size);
  if (size == 0 && info.kind == system::Kind::kPipe && path != "-") {
    return FileError(absl::StatusCode::kInvalidArgument, "read", path,
                     "a pipe that nobody writes to");
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(absl::string_view path) {
  if (path == "-") return ReadAll(system::StandardInput(), path);
  const Descriptor file(system::OpenToRead(std::string(path)));
  if (file.get() < 0) return NotOpened(path, errno);
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
  const std::string resolved = system::RealPath(name);
  return resolved.empty() ? name : resolved;
}

// --- FileWriter --------------------------------------------------------------

absl::StatusOr<FileWriter> FileWriter::Open(absl::string_view path) {
  FileWriter file;
  file.path_ = path == "-" ? "standard output" : std::string(path);
  if (path == "-") {
    file.fd_ = system::StandardOutput();
    return file;
  }
  system::Info info;
  const bool exists = system::GetInfo(file.path_, &info);
  if (exists && info.kind == system::Kind::kFolder) {
    return Failure("write", path, EISDIR);
  }
  if (exists && info.kind != system::Kind::kRegular) {
    file.fd_ = system::OpenToWrite(file.path_);
    if (file.fd_ < 0) return Failure("write", path, errno);
    return file;
  }
  // Through a link, replace the file that it names and keep the link.
  file.target_ = ResolvedPath(path);
  file.mode_ = exists ? info.mode : system::NewFileMode();
  std::string temporary;
  file.fd_ = system::OpenTemporary(file.target_, &temporary);
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
  if (!temporary_.empty()) system::Remove(temporary_);
}

absl::Status FileWriter::Write(absl::string_view bytes) {
  const int error = WriteAll(fd_, bytes);
  return error == 0 ? absl::OkStatus() : Failure("write", path_, error);
}

absl::Status FileWriter::Commit() { return CommitAs(target_); }

absl::Status FileWriter::CommitAs(absl::string_view path) {
  const bool renames = !temporary_.empty();
  int error = 0;
  if (renames && !system::SetMode(fd_, mode_)) error = errno;
  if (renames && error == 0 && !system::Flush(fd_)) error = errno;
  const int closed = CloseFile(std::exchange(fd_, -1));
  if (error == 0) error = closed;
  if (renames && error == 0 && !system::Rename(temporary_, std::string(path))) {
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
  file->fd_ = system::OpenToReadNoLink(file->path_);
  if (file->fd_ < 0) return Failure("open", path, errno);
  system::Info info;
  if (!system::GetInfo(file->fd_, &info)) return Failure("read", path, errno);
  if (info.kind != system::Kind::kRegular) {
    return FileError(absl::StatusCode::kInvalidArgument, "read", path,
                     "not a regular file");
  }
  file->size_ = info.size;
  return file;
}

RandomAccessFile::~RandomAccessFile() {
  if (fd_ >= 0) system::Close(fd_);
}

absl::Status RandomAccessFile::Read(uint64_t offset, char* to,
                                    size_t count) const {
  while (count > 0) {
    const int64_t n = system::ReadAt(fd_, offset, to, count);
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
  system::Info info;
  if (!system::GetInfo(fd_, &info)) return Failure("read", path_, errno);
  if (offset > info.size || count > info.size - offset) {
    return Shrank(path_, size_, info.size);
  }
  if (count == 0) return std::make_shared<const char>();
  std::shared_ptr<const char> mapped = system::Map(fd_, offset, count);
  if (mapped == nullptr) return Failure("map", path_, errno);
  return mapped;
}

}  // namespace indim
