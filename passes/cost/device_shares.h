// SPDX-License-Identifier: Apache-2.0
// Which share of each value a device has, by the shardings of a module that
// isn't partitioned yet.

#ifndef INDIM_PASSES_COST_DEVICE_SHARES_H_
#define INDIM_PASSES_COST_DEVICE_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "indim/ir/module.h"

namespace indim::internal {

class DeviceShares {
 public:
  // Of a module that is partitioned every value is a device's own, though
  // parameters and the root keep their shardings.
  DeviceShares(const Module& module, bool is_partitioned);

  // num_partitions, or as many as the shardings of arguments and results name;
  // else 1.
  int64_t devices() const { return devices_; }
  // Whether a sharding cuts any value: else the module is partitioned, or runs
  // whole on each device.
  bool any_cut() const { return any_cut_; }
  // The most of a leaf of the value that a device has, of 1. Of a value without
  // a sharding it is that of the operand that an elementwise operation works
  // on, else all: XLA's propagation may find less.
  double Of(const Instruction& node, size_t leaf) const {
    const std::vector<double>& shares = shares_[node.position()];
    return leaf < shares.size() ? shares[leaf] : 1;
  }

 private:
  void Add(const Instruction& node, const std::string& meshes);

  int64_t devices_ = 1;
  bool any_cut_ = false;
  std::vector<std::vector<double>> shares_;  // by position; empty: all are 1
};

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_DEVICE_SHARES_H_
