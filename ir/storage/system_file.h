// SPDX-License-Identifier: Apache-2.0
// The system calls that file.h is made of: system_file_posix.cc for POSIX,
// system_file_windows.cc for Windows. For file.cc; others use file.h.
//
// Files are numbered by descriptors, as POSIX does. A function that fails
// returns -1, false or null and sets errno.

#ifndef INDIM_IR_STORAGE_SYSTEM_FILE_H_
#define INDIM_IR_STORAGE_SYSTEM_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace indim::system_file {

enum class Kind { kRegular, kFolder, kPipe, kOther };

struct Info {
  Kind kind = Kind::kOther;
  uint64_t size = 0;
  uint32_t mode = 0;  // who may read and write it
};

// For bytes, where the system knows files of text too.
int StandardInput();
int StandardOutput();

// Opens for reading; a pipe without a writer too, at once.
int OpenToRead(const std::string& path);
// The same, but fails if `path` is a link.
int OpenToReadNoLink(const std::string& path);
// Opens what exists and is no regular file.
int OpenToWrite(const std::string& path);
// Makes and opens a new file, for writing. Its name begins with `prefix`.
int OpenTemporary(const std::string& prefix, std::string* path);
bool Close(int fd);

bool GetInfo(int fd, Info* info);
bool GetInfo(const std::string& path, Info* info);

// How many bytes were read or written, `count` at most; Read returns 0 at the
// end of the file, and waits where there is nothing yet.
int64_t Read(int fd, char* to, size_t count);
int64_t Write(int fd, const char* from, size_t count);
// As Read, from `offset`; other threads may do so at the same time.
int64_t ReadAt(int fd, uint64_t offset, char* to, size_t count);

// The bytes [offset, offset + count), which the file has, mapped to memory as
// long as the pointer or a copy of it lives; count > 0.
std::shared_ptr<const char> Map(int fd, uint64_t offset, size_t count);

// The mode that this process gives to new files.
uint32_t NewFileMode();
bool SetMode(int fd, uint32_t mode);
// Returns after the disk has what was written.
bool Flush(int fd);
// Replaces `to`.
bool Rename(const std::string& from, const std::string& to);
void Remove(const std::string& path);

// The file that `path` names, without links; empty if there is none.
std::string RealPath(const std::string& path);

}  // namespace indim::system_file

#endif  // INDIM_IR_STORAGE_SYSTEM_FILE_H_
