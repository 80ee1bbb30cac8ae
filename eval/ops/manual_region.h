// SPDX-License-Identifier: Apache-2.0
// The border of a manual region: outside a value is a whole array that XLA's
// partitioner cuts, inside each device has its own part of it (JAX's
// shard_map).
//
// Two pairs of custom calls mark it. SPMDFullToShardShape and
// SPMDShardToFullShape cut by the sharding of the operand, and put together by
// their own. xla.sdy.GlobalToLocalShape and xla.sdy.LocalToGlobalShape take
// and give several values, and note their shardings as Shardy's texts, of which
// only the axes in xla.sdy.manual_axes cut.

#ifndef INDIM_EVAL_OPS_MANUAL_REGION_H_
#define INDIM_EVAL_OPS_MANUAL_REGION_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"
#include "indim/eval/ops/exchange.h"

namespace indim {

// The parts of the operands on this device; on one device the operands.
// nullopt after an error.
std::optional<Value> EnterManualRegion(Evaluation& e, Interpreter& machine);
// On one device the operands, whose parts are all.
std::optional<Value> LeaveManualRegion(Evaluation& e, Interpreter& machine);
// The arrays whose parts the partitions of a replica have.
bool ExchangeManualResults(Exchange* x);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_MANUAL_REGION_H_
