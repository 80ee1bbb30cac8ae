// SPDX-License-Identifier: Apache-2.0
// The devices of an evaluation.

#ifndef INDIM_EVAL_OPS_EVAL_DEVICES_H_
#define INDIM_EVAL_OPS_EVAL_DEVICES_H_

#include <cstddef>
#include <cstdint>

namespace indim {

// Replicas run the same module, each on its own data; the partitions of a
// replica share its data. Device number replica * partitions + partition.
// Source: XLA, CollectiveOpGroupMode::kFlattenedID.
struct EvalDevices {
  static constexpr int64_t kMost = 4096;

  // 0 devices: how many there are isn't known, so what depends on that has no
  // value.
  int64_t replicas = 1;
  int64_t partitions = 1;

  size_t count() const { return static_cast<size_t>(replicas * partitions); }
  int64_t replica(size_t device) const {
    return static_cast<int64_t>(device) / partitions;
  }
  int64_t partition(size_t device) const {
    return static_cast<int64_t>(device) % partitions;
  }
  size_t device(int64_t replica, int64_t partition) const {
    return static_cast<size_t>(replica * partitions + partition);
  }
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_DEVICES_H_
