// SPDX-License-Identifier: Apache-2.0
// Which leaves of a shape are those of a part.

#ifndef INDIM_SHAPE_TYPES_LEAF_RANGE_H_
#define INDIM_SHAPE_TYPES_LEAF_RANGE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {

// The leaves that a part of a shape has: `count` of the shape's, from number
// `first` on.
struct LeafRange {
  size_t first = 0;
  size_t count = 0;
  bool is_leaf = false;  // the part is one itself
};

// Of the part at an index into tuples in each other; nothing where the shape
// has no such part.
inline LeafRange LeavesAt(const Shape& shape, absl::Span<const int64_t> index) {
  LeafRange leaves;
  const Shape* part = &shape;
  for (const int64_t i : index) {
    if (!part->is_tuple() || i < 0 || i >= part->tuple_size()) return {};
    const auto place = static_cast<size_t>(i);
    if (part->depth() == 1) {  // however wide
      leaves.first += place;
    } else {
      for (const Shape& before : part->elements().first(place)) {
        leaves.first += LeafCount(before);
      }
    }
    part = &part->elements()[place];
  }
  leaves.count = LeafCount(*part);
  leaves.is_leaf = !part->is_tuple();
  return leaves;
}

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_LEAF_RANGE_H_
