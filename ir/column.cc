#include "indim/ir/column.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace indim {
namespace column_memory {
namespace {

// Large pages are asked for where there are some of them.
constexpr size_t kLarge = size_t{8} << 20;
constexpr uintptr_t kPage = 4096;

}  // namespace

void* Resize(void* memory, size_t size) {
  void* const resized = std::realloc(memory, size);
  // Says that there is no memory in the way that it always does.
  return resized != nullptr ? resized : ::operator new(size);
}

void Free(void* memory) { std::free(memory); }

void ExpectUse(void* memory, size_t size) {
#ifdef __linux__
  if (size < kLarge) return;
  const uintptr_t start = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = (start + kPage - 1) / kPage * kPage;
  const uintptr_t end = (start + size) / kPage * kPage;
  // Where there are no large pages, small ones do.
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)size;
#endif
}

}  // namespace column_memory
}  // namespace indim
