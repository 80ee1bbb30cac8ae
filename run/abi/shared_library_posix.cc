// SPDX-License-Identifier: Apache-2.0
#ifndef _WIN32

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/run/abi/shared_library.h"

namespace indim::pjrt {

absl::StatusOr<void*> LoadSymbol(const std::string& path, const char* symbol) {
  // dlopen seeks a name without a folder in the system's folders alone.
  const bool is_here =
      path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0;
  void* const library =
      dlopen((is_here ? "./" + path : path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return absl::NotFoundError(reason == nullptr ? "no reason given" : reason);
  }
  void* const address = dlsym(library, symbol);
  if (address == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("it has no function ", symbol, "()"));
  }
  return address;
}

void SetEnvironmentDefault(const char* name, const char* value) {
  setenv(name, value, /*overwrite=*/0);
}

}  // namespace indim::pjrt

#endif  // _WIN32
