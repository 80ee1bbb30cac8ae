// SPDX-License-Identifier: Apache-2.0
// Which share of each value, and of each instruction's work, a device has, by
// the shardings of a module that isn't partitioned yet.

#ifndef INDIM_PASSES_COST_DEVICE_SHARES_H_
#define INDIM_PASSES_COST_DEVICE_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "indim/ir/module.h"

namespace indim::internal {

class DeviceShares {
 public:
  // Of a module that is partitioned (it has a schedule, fusions, or the
  // partitioner's notes) every value is a device's own, though parameters and
  // the root keep their shardings.
  explicit DeviceShares(const Module& module);

  // num_partitions, or as many as the shardings of arguments and results name;
  // else 1.
  int64_t devices() const { return devices_; }
  // Whether a sharding cuts any value: else the module is partitioned, or runs
  // whole on each device.
  bool any_cut() const { return any_cut_; }
  // The most of a leaf of the value that a device has, of 1: by its own
  // sharding, or as the rules of op_costs.def have it from its operands'. XLA's
  // propagation may find less.
  double Of(const Instruction& node, size_t leaf) const {
    return leaves_.empty() || leaf >= leaves_[node.position()].size()
               ? 1
               : leaves_[node.position()][leaf];
  }
  // The most that a device has of what one execution of the instruction
  // computes itself, and of the bytes that it moves.
  double Work(const Instruction& node) const {
    return work_.empty() ? 1 : work_[node.position()];
  }
  double Moved(const Instruction& node) const {
    return moved_.empty() ? 1 : moved_[node.position()];
  }

 private:
  int64_t devices_ = 1;
  bool any_cut_ = false;
  // By position; empty where nothing is cut.
  std::vector<std::vector<double>> leaves_;
  std::vector<double> work_, moved_;
};

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_DEVICE_SHARES_H_
