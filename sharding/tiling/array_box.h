// SPDX-License-Identifier: Apache-2.0
// A part of an array, and the runs of elements in it.

#ifndef INDIM_SHARDING_TILING_ARRAY_BOX_H_
#define INDIM_SHARDING_TILING_ARRAY_BOX_H_

#include <cstddef>
#include <cstdint>

#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Where a part of an array lies in it: its first element, and how many there
// are in each dim.
struct ArrayBox {
  DimIndices start;
  DimIndices size;
};

// Calls row(array_offset, part_offset, bytes) for each run of elements of the
// box that is in one piece in the array (of `sizes`) and in the part (of
// `part_sizes`, each at least the box's). `width`: bytes an element.
template <typename Row>
void ForEachRow(const ArrayBox& box, const DimIndices& sizes,
                const DimIndices& part_sizes, size_t width, Row row) {
  const size_t rank = sizes.size();
  if (rank == 0) {
    row(size_t{0}, size_t{0}, width);
    return;
  }
  for (const int64_t size : box.size) {
    if (size == 0) return;
  }
  DimIndices index(rank, 0);
  while (true) {
    size_t in_array = 0, in_part = 0;
    for (size_t d = 0; d < rank; ++d) {
      in_array = in_array * static_cast<size_t>(sizes[d]) +
                 static_cast<size_t>(box.start[d] + index[d]);
      in_part = in_part * static_cast<size_t>(part_sizes[d]) +
                static_cast<size_t>(index[d]);
    }
    row(in_array * width, in_part * width,
        static_cast<size_t>(box.size[rank - 1]) * width);
    // The next index of all dims but the last.
    size_t d = rank - 1;
    while (true) {
      if (d == 0) return;
      --d;
      if (++index[d] < box.size[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace indim

#endif  // INDIM_SHARDING_TILING_ARRAY_BOX_H_
