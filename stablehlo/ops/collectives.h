// SPDX-License-Identifier: Apache-2.0
// Between devices: the types of channels, and collectives that StableHLO starts
// in a region and HLO with operations of their own.

#ifndef INDIM_STABLEHLO_OPS_COLLECTIVES_H_
#define INDIM_STABLEHLO_OPS_COLLECTIVES_H_

#include <cstdint>

#include "indim/shape/ops/opcode.h"

namespace indim::mlir {

// Source: StableHLO's specification, ChannelType.
enum ChannelType : int64_t {
  kDeviceToDevice = 1,
  kDeviceToHost = 2,
  kHostToDevice = 3
};

struct AsyncHalves {
  Opcode whole;
  Opcode start;
  Opcode done;
  bool keeps_operand;  // the start's result is (operand, result)
};
inline constexpr AsyncHalves kAsyncHalves[] = {
    {Opcode::kAllReduce, Opcode::kAllReduceStart, Opcode::kAllReduceDone,
     false},
    {Opcode::kAllGather, Opcode::kAllGatherStart, Opcode::kAllGatherDone, true},
    {Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart,
     Opcode::kCollectivePermuteDone, true},
};

// All collectives that it starts.
inline constexpr Opcode kStartedCollectives[] = {
    Opcode::kAllReduce,         Opcode::kAllGather,
    Opcode::kReduceScatter,     Opcode::kAllToAll,
    Opcode::kCollectivePermute, Opcode::kCollectiveBroadcast,
};

// What an async_start may hold beside them.
// Source: StableHLO, AsyncStartOp::inferReturnTypes.
inline constexpr Opcode kStartedSlices[] = {
    Opcode::kSlice, Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_COLLECTIVES_H_
