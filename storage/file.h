// Files: read whole or in ranges, written whole or not at all.
//
// Nothing is mapped into memory but by RandomAccessFile::Map: a program that
// touches a mapping of a file that another program has cut short is killed,
// everywhere else here it gets an error.

#ifndef INDIM_STORAGE_FILE_H_
#define INDIM_STORAGE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim {

// The bytes of a file. "-" is standard input. NotFound, PermissionDenied or
// InvalidArgument (a directory, a pipe that nobody writes to, a read error, a
// file that shrank), with the path and the system's reason.
absl::StatusOr<std::string> ReadFile(absl::string_view path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that
// `path` is either as it was or complete; its mode is kept. "-" is standard
// output; a path that is no regular file (a device, a pipe) is written
// directly. Errors as above; ResourceExhausted when the disk or a limit on
// files is full.
absl::Status WriteFile(absl::string_view path, absl::string_view bytes);

// `path`, or what it stands for when it is a link to a file that exists: where
// WriteFile puts its bytes, and beside which a file named in `path` is looked
// for.
std::string ResolvedPath(absl::string_view path);

// WriteFile in steps, for bytes that aren't in memory at once. Without a Commit
// that returned OK `path` is as it was, and nothing is left beside it.
class FileWriter {
 public:
  // Errors as WriteFile.
  static absl::StatusOr<FileWriter> Open(absl::string_view path);
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  // After an error only the destructor may follow.
  absl::Status Write(absl::string_view bytes);
  // Once, after all is written.
  absl::Status Commit();
  // The same, under another name in the same folder. Not for what is written
  // directly.
  absl::Status CommitAs(absl::string_view path);

 private:
  FileWriter() = default;

  int fd_ = -1;
  std::string path_;       // for messages
  std::string target_;     // what is replaced
  std::string temporary_;  // empty: written directly
  uint32_t mode_ = 0;
};

// A regular file that stays open and is read where it is asked for.
// Thread-safe.
class RandomAccessFile {
 public:
  // Errors as ReadFile; also for anything but a regular file (a link too: what
  // a file names stays in its folder).
  static absl::StatusOr<std::shared_ptr<const RandomAccessFile>> Open(
      absl::string_view path);
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  // In bytes, when it was opened.
  uint64_t size() const { return size_; }

  // Fills `to[0..count)` from `offset`. InvalidArgument: there are fewer bytes
  // (now), or the system can't read them.
  absl::Status Read(uint64_t offset, char* to, size_t count) const;

  // The bytes [offset, offset + count), mapped: they are read when they are
  // touched, take no memory of their own, and stay mapped as long as the
  // pointer or a copy of it, also after this. Whoever maps answers for the file
  // being left alone: where it is cut short, touching what is gone is a SIGBUS.
  // InvalidArgument: there are fewer bytes (now), or the system can't map them.
  absl::StatusOr<std::shared_ptr<const char>> Map(uint64_t offset,
                                                  size_t count) const;

 private:
  RandomAccessFile() = default;

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_STORAGE_FILE_H_
