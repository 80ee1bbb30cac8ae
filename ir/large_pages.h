// Memory in large pages, where there is much of it and the system has some: the
// first use of a page costs more than all that is then written to it.

#ifndef INDIM_IR_LARGE_PAGES_H_
#define INDIM_IR_LARGE_PAGES_H_

#include <cstddef>

namespace indim {

// [memory, memory + size) has been allocated and will be written to soon. A
// hint, to be given before.
void ExpectUse(void* memory, size_t size);

}  // namespace indim

#endif  // INDIM_IR_LARGE_PAGES_H_
