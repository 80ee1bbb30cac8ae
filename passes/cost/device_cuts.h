// SPDX-License-Identifier: Apache-2.0
// How values of a module with shardings are cut into tiles, each on another
// device, and which share of an instruction's work a device then has.

#ifndef INDIM_PASSES_COST_DEVICE_CUTS_H_
#define INDIM_PASSES_COST_DEVICE_CUTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "indim/ir/module.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// Of an array.
struct DeviceCut {
  DimIndices tiles;  // along each dim; empty: it isn't cut
  // Nothing says how it is cut: a constant, or what is made of such.
  bool is_free = false;

  int64_t along(int64_t dim) const {
    const auto d = static_cast<size_t>(dim);
    return dim >= 0 && d < tiles.size() ? tiles[d] : 1;
  }
  friend bool operator==(const DeviceCut& a, const DeviceCut& b) {
    return a.tiles == b.tiles && a.is_free == b.is_free;
  }
};

// Which part of the array the largest tile is.
double ShareOf(const DeviceCut& cut, const Shape& shape);
// What both are cut by, where each may be the value: a dim that they cut
// otherwise isn't.
DeviceCut CommonCut(const DeviceCut& a, const DeviceCut& b);

// Of all values of a module.
class DeviceCuts {
 public:
  DeviceCuts(size_t instructions, int64_t devices)
      : devices_(devices), cuts_(instructions) {}

  int64_t devices() const { return devices_; }
  // By leaf; shorter: the others aren't cut.
  const std::vector<DeviceCut>& Of(const Instruction& node) const {
    return cuts_[node.position()];
  }
  const DeviceCut& Of(const Instruction& node, size_t leaf) const {
    static const auto* const whole = new DeviceCut();
    const std::vector<DeviceCut>& cuts = Of(node);
    return leaf < cuts.size() ? cuts[leaf] : *whole;
  }
  void Set(const Instruction& node, std::vector<DeviceCut> cuts) {
    cuts_[node.position()] = std::move(cuts);
  }

 private:
  int64_t devices_;
  std::vector<std::vector<DeviceCut>> cuts_;  // by position
};

// How operands cut a result, and which share a device has then of what is
// computed and of what is moved.
struct CutRule {
  DeviceCut (*result)(const DeviceCuts& cuts, const Instruction& node,
                      size_t leaf);
  // How an operand that is free has to be cut for that; nothing: as it likes.
  DeviceCut (*asked)(const DeviceCuts& cuts, const Instruction& node,
                     int operand);
  double (*work)(const DeviceCuts& cuts, const Instruction& node);
  double (*moved)(const DeviceCuts& cuts, const Instruction& node);
};

// The rules by their names in op_costs.def.
extern const CutRule kCutAlike, kCutPart, kCutUpdate, kCutDot, kCutConvolution,
    kCutBroadcast, kCutTranspose, kCutReshape, kCutReduce, kCutWindow,
    kCutGather, kCutScatter, kCutView, kCutWhole, kCutFree;

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_DEVICE_CUTS_H_
