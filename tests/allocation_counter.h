// SPDX-License-Identifier: Apache-2.0
// Counts every allocation of the process: replaces operator new and delete.
// For one test binary each, whose only source file includes it.

#ifndef INDIM_TESTS_ALLOCATION_COUNTER_H_
#define INDIM_TESTS_ALLOCATION_COUNTER_H_

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace indim {

inline std::atomic<size_t> live_bytes{0};
inline std::atomic<size_t> peak_bytes{0};

// The most bytes that were live at once while f() ran, beyond those before.
template <typename F>
size_t PeakBytesOf(const F& f) {
  const size_t before = live_bytes;
  peak_bytes = before;
  f();
  return peak_bytes - before;
}

}  // namespace indim

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* pointer = std::malloc(size);
  if (pointer == nullptr) return nullptr;
  indim::live_bytes += malloc_usable_size(pointer);
  if (indim::live_bytes > indim::peak_bytes) {
    indim::peak_bytes = indim::live_bytes.load();
  }
  return pointer;
}

void* operator new(size_t size) {
  void* pointer = operator new(size, std::nothrow);
  if (pointer == nullptr) std::abort();
  return pointer;
}

void operator delete(void* pointer) noexcept {
  if (pointer != nullptr) indim::live_bytes -= malloc_usable_size(pointer);
  std::free(pointer);
}

void operator delete(void* pointer, size_t) noexcept {
  operator delete(pointer);
}

#endif  // INDIM_TESTS_ALLOCATION_COUNTER_H_
