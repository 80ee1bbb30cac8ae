// SPDX-License-Identifier: Apache-2.0
// Shared libraries, loaded at run time: shared_library_posix.cc for POSIX,
// shared_library_windows.cc for Windows. A library is never unloaded.

#ifndef INDIM_RUN_ABI_SHARED_LIBRARY_H_
#define INDIM_RUN_ABI_SHARED_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace indim::pjrt {

// The address of `symbol` in the library at `path`. NotFound with the system's
// reason: the library can't be loaded, or lacks the symbol.
absl::StatusOr<void*> LoadSymbol(const std::string& path, const char* symbol);

// Sets an environment variable of this process where it isn't set. Not while
// other threads read the environment.
void SetEnvironmentDefault(const char* name, const char* value);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_ABI_SHARED_LIBRARY_H_
