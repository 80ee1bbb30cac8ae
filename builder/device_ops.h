// The operations of ComputationBuilder between devices.

#ifndef INDIM_BUILDER_DEVICE_OPS_H_
#define INDIM_BUILDER_DEVICE_OPS_H_

#include <cstdint>

#include "indim/builder/array_ops.h"
#include "indim/builder/op.h"
#include "indim/shape/attributes.h"

namespace indim {

// A part of ComputationBuilder (computation_builder.h), whose comment tells
// what holds for every call.
class DeviceOps : public ArrayOps {
 public:
  // --- Collectives -----------------------------------------------------------

  // The operand, folded over the devices of each group by `computation`.
  // `attributes` say who takes part. Source: XLA, InferAllReduceShape.
  Op AllReduce(Op operand, const Callee& computation,
               const CollectiveAttributes& attributes = {},
               Caller caller = Caller::Here());
  // The shard_count operands of a group, one after the other along a dim
  // (IND0111). 0: as many as attributes.replica_groups say, else IND0104.
  // Source: XLA, InferAllGatherShape.
  Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
               CollectiveAttributes attributes = {},
               Caller caller = Caller::Here());
  // The folded operand, of which each device keeps one of shard_count parts; a
  // dim that they don't divide is IND0510. Source: XLA,
  // InferReduceScatterShape.
  Op ReduceScatter(Op operand, const Callee& computation,
                   int64_t scatter_dimension, int64_t shard_count,
                   CollectiveAttributes attributes = {},
                   Caller caller = Caller::Here());
  // Each target gets its source's operand, others zeros. Source: XLA,
  // InferCollectivePermuteShape.
  Op CollectivePermute(Op operand,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());

 protected:
  using ArrayOps::ArrayOps;
  ~DeviceOps() = default;
  DeviceOps(DeviceOps&&) noexcept = default;
  DeviceOps& operator=(DeviceOps&&) noexcept = default;
};

}  // namespace indim

#endif  // INDIM_BUILDER_DEVICE_OPS_H_
