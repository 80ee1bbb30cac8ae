// SPDX-License-Identifier: Apache-2.0
// Checks of memory sizes that come from files.

#ifndef INDIM_IR_STORAGE_MEMORY_H_
#define INDIM_IR_STORAGE_MEMORY_H_

#include <cstdint>
#include <cstdlib>
#include <string>

namespace indim {

// Whether a string of `size` bytes can be allocated (if not, making it would
// throw). False also where `size` exceeds the platform's size_t. It uses
// malloc, because even the operator new that doesn't throw calls the program's
// new-handler.
inline bool CanAllocate(uint64_t size) {
  if (size > std::string().max_size()) return false;
  // Volatile, or compilers remove both calls and assume success.
  void* volatile const memory = std::malloc(static_cast<size_t>(size));
  const bool can = memory != nullptr || size == 0;
  std::free(memory);
  return can;
}

}  // namespace indim

#endif  // INDIM_IR_STORAGE_MEMORY_H_
