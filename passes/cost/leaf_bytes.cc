// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/leaf_bytes.h"

#include "indim/passes/cost/sizes.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {

LeafBytes::LeafBytes(const Module& module) {
  const ShapeTable& shapes = DataOf(module).pools->shapes();
  by_shape_.resize(shapes.size());
  std::vector<bool> is_counted(shapes.size());
  for (const InstructionRecord& record : DataOf(module).instructions) {
    if (is_counted[record.shape.value]) continue;
    is_counted[record.shape.value] = true;
    const Shape& shape = shapes.shape(record.shape);
    Counted& counted = by_shape_[record.shape.value];
    ForEachLeaf(shape, [&](const Shape& leaf) {
      counted.leaves.push_back(BytesOf(leaf).number());
    });
    const Amount sum = BytesOfLeaves(shape);
    counted.sum = sum.number();
    counted.is_known = !shape.is_none() && sum.is_number();
  }
}

}  // namespace indim::internal
