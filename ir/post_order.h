// SPDX-License-Identifier: Apache-2.0
// InPostOrder: an order of instructions that doesn't depend on the order of
// calls, for BuildOptions::Order::kPostOrder.

#ifndef INDIM_IR_POST_ORDER_H_
#define INDIM_IR_POST_ORDER_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module_data.h"

namespace indim::internal {

// Reorders `data`, which a builder made (ids follow from positions, the entry
// is last). The instructions of each computation are in post-order from its
// root, operands first, then control predecessors; the other instructions
// follow in their old order. Computations are in post-order from the entry.
// *entry_positions are positions in the entry; they become the new positions.
ModuleData InPostOrder(ModuleData data, std::vector<uint32_t>* entry_positions);

}  // namespace indim::internal

#endif  // INDIM_IR_POST_ORDER_H_
