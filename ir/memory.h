// Memory of sizes that come from files.

#ifndef INDIM_IR_MEMORY_H_
#define INDIM_IR_MEMORY_H_

#include <cstdint>
#include <new>
#include <string>

namespace indim {

// Whether a string of `size` bytes can be had: one that can't would throw. Also
// false where `size` is more than the platform's size_t.
inline bool CanAllocate(uint64_t size) {
  if (size > std::string().max_size()) return false;
  void* const memory = ::operator new(static_cast<size_t>(size), std::nothrow);
  ::operator delete(memory);
  return memory != nullptr;
}

}  // namespace indim

#endif  // INDIM_IR_MEMORY_H_
