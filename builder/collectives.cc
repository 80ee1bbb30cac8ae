// Collectives of DeviceOps.

#include <utility>

#include "indim/builder/device_ops.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::With;
using internal::WithCallees;

CollectiveAttributes Sharded(CollectiveAttributes attributes, int64_t dimension,
                             int64_t shard_count) {
  attributes.dimensions = {dimension};
  attributes.shard_count = shard_count;
  return attributes;
}

}  // namespace

// --- Collectives ------------------------------------------------------------

Op DeviceOps::AllReduce(Op operand, const Callee& computation,
                        const CollectiveAttributes& attributes, Caller caller) {
  return WithCallees(recorder_.get(), Opcode::kAllReduce, {operand}, attributes,
                     One(computation), caller);
}

Op DeviceOps::AllGather(Op operand, int64_t all_gather_dimension,
                        int64_t shard_count, CollectiveAttributes attributes,
                        Caller caller) {
  return With(recorder_.get(), Opcode::kAllGather, {operand},
              Sharded(std::move(attributes), all_gather_dimension, shard_count),
              caller);
}

Op DeviceOps::ReduceScatter(Op operand, const Callee& computation,
                            int64_t scatter_dimension, int64_t shard_count,
                            CollectiveAttributes attributes, Caller caller) {
  return WithCallees(
      recorder_.get(), Opcode::kReduceScatter, {operand},
      Sharded(std::move(attributes), scatter_dimension, shard_count),
      One(computation), caller);
}

Op DeviceOps::CollectivePermute(Op operand,
                                const CollectivePermuteAttributes& attributes,
                                Caller caller) {
  return With(recorder_.get(), Opcode::kCollectivePermute, {operand},
              attributes, caller);
}

}  // namespace indim
