// SPDX-License-Identifier: Apache-2.0
#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "indim/ir/storage/system_file.h"

namespace indim::system_file {
namespace {

// The C library takes an unsigned int.
constexpr size_t kMaxBytesAtOnce = size_t{1} << 30;

// Paths are UTF-8 in this library.
std::wstring Wide(const std::string& path) {
  return std::filesystem::u8path(path).wstring();
}

// errno for the last error of a function that sets none.
void SetErrno() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      errno = ENOENT;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      errno = EACCES;
      break;
    case ERROR_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
      errno = ENOMEM;
      break;
    default:
      errno = EIO;
  }
}

HANDLE HandleOf(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

int InBinary(int fd) {
  _setmode(fd, _O_BINARY);
  return fd;
}

Info InfoOf(const struct _stat64& s) {
  Info info;
  const int format = s.st_mode & _S_IFMT;
  info.kind = format == _S_IFREG   ? Kind::kRegular
              : format == _S_IFDIR ? Kind::kFolder
              : format == _S_IFIFO ? Kind::kPipe
                                   : Kind::kOther;
  info.size = static_cast<uint64_t>(s.st_size);
  info.mode = s.st_mode & (_S_IREAD | _S_IWRITE);
  return info;
}

}  // namespace

int StandardInput() { return InBinary(0); }
int StandardOutput() { return InBinary(1); }

int OpenToRead(const std::string& path) {
  return _wopen(Wide(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

int OpenToReadNoLink(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_symlink(std::filesystem::u8path(path), error)) {
    errno = EINVAL;
    return -1;
  }
  return OpenToRead(path);
}

int OpenToWrite(const std::string& path) {
  return _wopen(Wide(path).c_str(), _O_WRONLY | _O_BINARY | _O_NOINHERIT);
}

int OpenTemporary(const std::string& prefix, std::string* path) {
  // Of two that take the same name, only one makes the file.
  static constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    *path = prefix + "." + std::to_string(GetCurrentProcessId()) + "." +
            std::to_string(now.QuadPart);
    const int fd =
        _wopen(Wide(*path).c_str(),
               _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY | _O_NOINHERIT,
               _S_IREAD | _S_IWRITE);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

bool Close(int fd) { return _close(fd) == 0; }

bool GetInfo(int fd, Info* info) {
  struct _stat64 s;
  if (_fstat64(fd, &s) != 0) return false;
  *info = InfoOf(s);
  return true;
}

bool GetInfo(const std::string& path, Info* info) {
  struct _stat64 s;
  if (_wstat64(Wide(path).c_str(), &s) != 0) return false;
  *info = InfoOf(s);
  return true;
}

int64_t Read(int fd, char* to, size_t count) {
  return _read(fd, to, static_cast<unsigned>(std::min(count, kMaxBytesAtOnce)));
}

int64_t Write(int fd, const char* from, size_t count) {
  return _write(fd, from,
                static_cast<unsigned>(std::min(count, kMaxBytesAtOnce)));
}

int64_t ReadAt(int fd, uint64_t offset, char* to, size_t count) {
  OVERLAPPED from = {};
  from.Offset = static_cast<DWORD>(offset);
  from.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD size = 0;
  if (::ReadFile(HandleOf(fd), to,
                 static_cast<DWORD>(std::min(count, kMaxBytesAtOnce)), &size,
                 &from)) {
    return size;
  }
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  SetErrno();
  return -1;
}

std::shared_ptr<const char> Map(int fd, uint64_t offset, size_t count) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const size_t before =
      static_cast<size_t>(offset % system.dwAllocationGranularity);
  const uint64_t first = offset - before;
  const HANDLE mapping =
      CreateFileMappingW(HandleOf(fd), nullptr, PAGE_READONLY, 0, 0, nullptr);
  void* const start =
      mapping == nullptr
          ? nullptr
          : MapViewOfFile(mapping, FILE_MAP_READ,
                          static_cast<DWORD>(first >> 32),
                          static_cast<DWORD>(first), before + count);
  if (start == nullptr) SetErrno();
  // The view keeps the mapping.
  if (mapping != nullptr) CloseHandle(mapping);
  if (start == nullptr) return nullptr;
  return std::shared_ptr<const char>(
      static_cast<const char*>(start) + before,
      [start](const char*) { UnmapViewOfFile(start); });
}

uint32_t NewFileMode() { return _S_IREAD | _S_IWRITE; }

// A file that may not be written to couldn't be replaced again; so the new one
// may always.
bool SetMode(int, uint32_t) { return true; }

bool Flush(int fd) { return _commit(fd) == 0; }

bool Rename(const std::string& from, const std::string& to) {
  if (MoveFileExW(Wide(from).c_str(), Wide(to).c_str(),
                  MOVEFILE_REPLACE_EXISTING)) {
    return true;
  }
  SetErrno();
  return false;
}

void Remove(const std::string& path) { _wunlink(Wide(path).c_str()); }

std::string RealPath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved =
      std::filesystem::canonical(std::filesystem::u8path(path), error);
  return error ? "" : resolved.u8string();
}

}  // namespace indim::system_file

#endif  // _WIN32
