#include "indim/ir/column.h"

#include <cstdlib>
#include <new>

#include "indim/ir/large_pages.h"

namespace indim {
namespace column_memory {

void* Resize(void* memory, size_t size) {
  void* const resized = std::realloc(memory, size);
  if (resized == nullptr) throw std::bad_alloc();  // as std::vector does
  ExpectUse(resized, size);
  return resized;
}

void Free(void* memory) { std::free(memory); }

}  // namespace column_memory
}  // namespace indim
