// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/column.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace indim::column_memory {
namespace {

// glibc maps blocks above some size separately; such blocks grow in place and
// are returned to the system when freed. That size rises with freed blocks, but
// not above 32 MiB. Below it a block would lie in the heap, grow by copies and
// leave holes. Pages that nobody writes to take no memory.
constexpr size_t kLarge = size_t{4} << 20;
constexpr size_t kSurelyMapped = (size_t{32} << 20) + 1;

}  // namespace

void* Resize(void* memory, size_t size) {
  void* resized = nullptr;
  if (size >= kLarge && sizeof(size_t) >= 8) {
    resized = std::realloc(memory, std::max(size, kSurelyMapped));
  }
  if (resized == nullptr) resized = std::realloc(memory, size);
  // Fails as std::vector does, also where exceptions are off in this file.
  if (resized == nullptr) {
    ::operator delete(::operator new(std::numeric_limits<ptrdiff_t>::max()));
  }
  return resized;
}

void Free(void* memory) { std::free(memory); }

}  // namespace indim::column_memory
