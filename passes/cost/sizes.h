// SPDX-License-Identifier: Apache-2.0
// How many elements and bytes a shape has, as XLA's analysis of costs counts
// them.

#ifndef INDIM_PASSES_COST_SIZES_H_
#define INDIM_PASSES_COST_SIZES_H_

#include <cstdint>

#include "indim/passes/cost/amount.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// The size of a dim: its upper end where it has one (XLA counts bounds), else
// its text.
Amount SizeOf(Dim dim);
// Of a dimension of a shape; 1 where there is none.
Amount SizeOf(const Shape& shape, int64_t dimension);

// Of an array: the product of its sizes; of a tuple, its first element's.
Amount ElementsOf(const Shape& shape);
// Of all arrays in it.
Amount ElementsInAll(const Shape& shape);

// The bytes of the shape itself, as XLA's client of CPUs counts them: of an
// array its elements, and 4 for each dimension if one is dynamic; of a tuple a
// pointer for each element; of an opaque a pointer; of a token none.
Amount BytesOf(const Shape& shape);
// The sum of BytesOf of its leaves: of all but tuples.
Amount BytesOfLeaves(const Shape& shape);

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_SIZES_H_
