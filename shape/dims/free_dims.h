// SPDX-License-Identifier: Apache-2.0
// FreeDims: the dims of an operand that an operation doesn't name.

#ifndef INDIM_SHAPE_DIMS_FREE_DIMS_H_
#define INDIM_SHAPE_DIMS_FREE_DIMS_H_

#include <cstdint>

#include "absl/algorithm/container.h"
#include "indim/shape/dims/dim.h"

namespace indim {

// Those of 0 <= dim < rank, ascending, that are in none of the lists: of a
// dot's operand neither batch nor contracting dims.
inline DimIndices FreeDims(int rank, const DimIndices& a,
                           const DimIndices& b = {}, const DimIndices& c = {}) {
  DimIndices free;
  for (int64_t i = 0; i < rank; ++i) {
    if (!absl::c_linear_search(a, i) && !absl::c_linear_search(b, i) &&
        !absl::c_linear_search(c, i)) {
      free.push_back(i);
    }
  }
  return free;
}

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_FREE_DIMS_H_
