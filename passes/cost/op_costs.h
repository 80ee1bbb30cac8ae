// SPDX-License-Identifier: Apache-2.0
// What one execution of an instruction costs, by its row of op_costs.def.

#ifndef INDIM_PASSES_COST_OP_COSTS_H_
#define INDIM_PASSES_COST_OP_COSTS_H_

#include <cstdint>
#include <optional>

#include "indim/ir/module.h"
#include "indim/passes/cost/amount.h"
#include "indim/shape/ops/opcode.h"

namespace indim::internal {

// Where a result lies (op_costs.def).
enum class ResultPlace : uint8_t { kOwn, kPart, kInPlace, kOver };

// The rules of device_cuts.h.
struct CutRule;

// How many groups of devices take part in a collective, and how many devices
// the largest one has; of a permutation, its pairs. 0 groups: all are one.
struct DeviceGroups {
  int64_t count = 0;
  int64_t size = 0;
};

struct OpCostRow {
  using Function = Amount (*)(const Instruction& node);
  Function flops;
  Function transcendentals;
  Function bytes;
  // How often it applies its callee of this number.
  Amount (*applied)(const Instruction& node, int callee);
  ResultPlace place;
  const CutRule* cut;
  // nullopt: the operation is no collective.
  std::optional<DeviceGroups> (*groups)(const Instruction& node);
};

// Of an opcode that the table lacks: nothing but the bytes of operands and
// result, which has memory of its own.
const OpCostRow& OpCostOf(Opcode opcode);

// The bytes of a fusion: what its parameters are read for, constants of several
// elements, and what it writes.
Amount BytesOfFusion(const Instruction& fusion);

// The products of a convolution, without those of padding, in one spatial dim;
// where a size isn't a number, or more than 2^30, with them.
Amount ProductsInWindow(const WindowDim& window, const Amount& input,
                        const Amount& kernel, const Amount& output);

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_OP_COSTS_H_
