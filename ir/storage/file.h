// SPDX-License-Identifier: Apache-2.0
// Reads files whole or in ranges; writes them completely or not at all.
//
// Only RandomAccessFile::Map maps a file into memory: touching a mapping of a
// file that another program has cut short kills the program, while all other
// functions return an error.

#ifndef INDIM_IR_STORAGE_FILE_H_
#define INDIM_IR_STORAGE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace indim {

// The bytes of a file; "-" is standard input. NotFound, PermissionDenied or
// InvalidArgument (a directory, a pipe without a writer, a read error, a file
// that shrank), with the path and the system's reason. ResourceExhausted: the
// bytes don't fit into memory.
absl::StatusOr<std::string> ReadFile(absl::string_view path);

// Writes `bytes` to a temporary file beside `path` and renames it, so that
// `path` is either unchanged or complete; it keeps its mode. "-" is standard
// output. A path that is not a regular file (a device, a pipe) is written
// directly. Errors as in ReadFile; ResourceExhausted when the disk or a limit
// on files is full.
absl::Status WriteFile(absl::string_view path, absl::string_view bytes);

// `path`, or the target of a link to an existing file: WriteFile writes there,
// and files that `path` names are looked up beside it.
std::string ResolvedPath(absl::string_view path);

// WriteFile in steps, for bytes that aren't in memory at once. Until Commit
// returns OK, `path` is unchanged; without it no temporary file remains.
class FileWriter {
 public:
  // Errors as in WriteFile.
  static absl::StatusOr<FileWriter> Open(absl::string_view path);
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  // After an error only the destructor may be called.
  absl::Status Write(absl::string_view bytes);
  // Call it once, after the last Write.
  absl::Status Commit();
  // Commit under another name in the same folder. Not for a path that is
  // written directly.
  absl::Status CommitAs(absl::string_view path);

 private:
  FileWriter() = default;

  int fd_ = -1;
  std::string path_;       // for messages
  std::string target_;     // the file to replace
  std::string temporary_;  // empty: target_ is written directly
  uint32_t mode_ = 0;
};

// A regular file that stays open for reading at any offset. Thread-safe.
class RandomAccessFile {
 public:
  // Errors as in ReadFile; also for anything but a regular file (even for a
  // link, so that a file named in a file stays in its folder).
  static absl::StatusOr<std::shared_ptr<const RandomAccessFile>> Open(
      absl::string_view path);
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  // The size in bytes at the time of opening.
  uint64_t size() const { return size_; }

  // Fills `to[0..count)` from `offset`. InvalidArgument: the file has fewer
  // bytes (now), or the system can't read them.
  absl::Status Read(uint64_t offset, char* to, size_t count) const;

  // Maps the bytes [offset, offset + count). They are read when touched, take
  // no memory of their own, and stay mapped while a copy of the pointer lives,
  // even after this object. The caller must make sure that nobody cuts the file
  // short: touching a missing byte raises SIGBUS. InvalidArgument: the file has
  // fewer bytes (now), or the system can't map them.
  absl::StatusOr<std::shared_ptr<const char>> Map(uint64_t offset,
                                                  size_t count) const;

 private:
  RandomAccessFile() = default;

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_FILE_H_
