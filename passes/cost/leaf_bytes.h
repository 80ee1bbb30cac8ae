// SPDX-License-Identifier: Apache-2.0
// The bytes of the leaves of each shape of a module, counted once.

#ifndef INDIM_PASSES_COST_LEAF_BYTES_H_
#define INDIM_PASSES_COST_LEAF_BYTES_H_

#include <vector>

#include "indim/ir/module.h"
#include "indim/ir/module_access.h"

namespace indim::internal {

class LeafBytes {
 public:
  explicit LeafBytes(const Module& module);

  // Of a shape: each leaf (shape_parts.h), and all of them.
  struct Counted {
    std::vector<double> leaves;
    double sum = 0;
    bool is_known = true;  // no size is a name
  };
  const Counted& Of(const Instruction& node) const {
    return by_shape_[RecordOf(node).shape.value];
  }

 private:
  std::vector<Counted> by_shape_;  // by ShapeId; empty where nothing has it
};

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_LEAF_BYTES_H_
