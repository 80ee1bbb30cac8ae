// What is needed soon is fetched from afar meanwhile.

#ifndef INDIM_IR_PREFETCH_H_
#define INDIM_IR_PREFETCH_H_

#include "absl/base/attributes.h"

namespace indim {

// A hint. Functions that do nothing but call it must always be inline, as this
// one is: of a call of one g++ 12 takes that it does nothing, and drops it.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void Prefetch(const void* memory) {
#ifdef __GNUC__
  __builtin_prefetch(memory);
#else
  (void)memory;
#endif
}

}  // namespace indim

#endif  // INDIM_IR_PREFETCH_H_
