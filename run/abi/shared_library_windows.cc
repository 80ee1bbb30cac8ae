// SPDX-License-Identifier: Apache-2.0
#ifdef _WIN32

#include <windows.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/run/abi/shared_library.h"

namespace indim::pjrt {

absl::StatusOr<void*> LoadSymbol(const std::string& path, const char* symbol) {
  const HMODULE library = LoadLibraryA(path.c_str());
  if (library == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("Windows can't load it (error ", GetLastError(), ")"));
  }
  void* const address =
      reinterpret_cast<void*>(GetProcAddress(library, symbol));
  if (address == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("it has no function ", symbol, "()"));
  }
  return address;
}

void SetEnvironmentDefault(const char* name, const char* value) {
  if (std::getenv(name) == nullptr) _putenv_s(name, value);
}

}  // namespace indim::pjrt

#endif  // _WIN32
