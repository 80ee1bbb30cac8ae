// SPDX-License-Identifier: Apache-2.0
// Calls XLA's HloVerifier inside of an installed jaxlib, which has no Python
// binding for it: for broken_modules.py, which looks up where in the library
// its constructor and its RunImpl are. As long as the ABI is that of libstdc++
// and the two keep their signatures this is an ordinary call; a script run by
// hand may rely on that, no test does.

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

// Runs HloVerifier(layout_sensitive=false, allow_mixed_precision=false) on an
// xla::HloModule. Returns 0 when it has no objection, else copies its message
// to `text`.
extern "C" int IndimRunHloVerifier(void* module, void* constructor,
                                   void* run_impl, char* text, int size) {
  using CanChangeLayout = std::function<bool(const void*)>;
  using ShapeSize = std::function<int64_t(const void*)>;
  alignas(64) static char verifier[8192];
  std::memset(verifier, 0, sizeof verifier);
  CanChangeLayout can_change_layout;
  ShapeSize shape_size;
  reinterpret_cast<void (*)(void*, bool, bool, CanChangeLayout*, ShapeSize*,
                            bool)>(constructor)(
      verifier, false, false, &can_change_layout, &shape_size, false);
  alignas(64) char no_threads[256] = {};  // an empty flat_hash_set
  alignas(64) char result[64] = {};       // absl::StatusOr<bool>
  reinterpret_cast<void* (*)(void*, void*, void*, void*)>(run_impl)(
      result, verifier, module, no_threads);
  uintptr_t status = 0;
  std::memcpy(&status, result, sizeof status);
  text[0] = '\0';
  if (status == 1) return 0;
  if ((status & 1) == 0) {  // absl's StatusRep: a count, a code, a message
    const auto* message = reinterpret_cast<const std::string*>(status + 8);
    std::strncpy(text, message->c_str(), static_cast<size_t>(size) - 1);
    text[size - 1] = '\0';
  }
  return 1;
}
