// SPDX-License-Identifier: Apache-2.0
// How a loop writes the arrays of its state.

#ifndef INDIM_GRAD_LOOP_WRITES_H_
#define INDIM_GRAD_LOOP_WRITES_H_

#include <cstdint>

#include "indim/passes/cost/trip_count.h"

namespace indim::internal {

enum class LoopWrites : uint8_t {
  kOther,
  // Each step writes one slice, at a place of its own, and does nothing else
  // with the array.
  kApart,
  kAll  // likewise, and `count` steps write the whole array
};

// Of the array `element` of a loop's state, if it runs for no more than `count`
// steps. `body` is the site of its body. It takes the instructions that it
// looks at off `budget`; kOther where that is spent.
LoopWrites WritesOf(const CallChain* body, int64_t element, int64_t count,
                    int64_t* budget);

}  // namespace indim::internal

#endif  // INDIM_GRAD_LOOP_WRITES_H_
