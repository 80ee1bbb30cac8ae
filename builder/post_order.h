// An order of instructions that says nothing of the order of calls: the one
// that BuildOptions::Order::kPostOrder asks for.

#ifndef INDIM_BUILDER_POST_ORDER_H_
#define INDIM_BUILDER_POST_ORDER_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module_data.h"

namespace indim::internal {

// `data`, which a builder made (ids follow from positions, the entry is last),
// with the instructions of each computation in post-order from its root,
// operands first and then control predecessors, and behind them the others as
// they stood; and with computations in post-order from the entry, callees as
// they are met. *entry_positions are positions in the entry, which become the
// new ones.
ModuleData InPostOrder(ModuleData data, std::vector<uint32_t>* entry_positions);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_POST_ORDER_H_
