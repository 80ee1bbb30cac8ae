#include "indim/ir/large_pages.h"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace indim {

#ifdef __linux__

void ExpectUse(void* memory, size_t size) {
  // Several of them.
  constexpr size_t kLarge = size_t{4} << 20;
  constexpr uintptr_t kPage = 4096;
  if (size < kLarge) return;
  const uintptr_t start = reinterpret_cast<uintptr_t>(memory);
  // Whole pages, outwards: what malloc mapped for it, and nothing less, since a
  // mapping of two kinds of pages can't grow in place.
  const uintptr_t first = start / kPage * kPage;
  const uintptr_t end = (start + size + kPage - 1) / kPage * kPage;
  // Where it fails there are small pages, which do as well.
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

#else

void ExpectUse(void*, size_t) {}

#endif

}  // namespace indim
