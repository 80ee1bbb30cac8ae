// SPDX-License-Identifier: Apache-2.0
// An order of instructions that needs little memory.

#ifndef INDIM_PASSES_COST_MEMORY_ORDER_H_
#define INDIM_PASSES_COST_MEMORY_ORDER_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module.h"
#include "indim/passes/cost/leaf_bytes.h"

namespace indim::internal {

// Positions in the computation, operands first: what is needed by more, and of
// this what is larger with all that it needs, is computed before the rest, so
// that little waits meanwhile (the order of XLA's DFSMemoryScheduler). Control
// dependencies don't count.
std::vector<uint32_t> MemoryOrder(const Computation& computation,
                                  const LeafBytes& bytes);

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_MEMORY_ORDER_H_
