// SPDX-License-Identifier: Apache-2.0
// Tangents of arrays with bounded dims, `[<=n]`, whose size is known when the
// module runs. What a transpose makes of a smaller array would have the bound's
// size; so rules that sum work on tangents of static dims, which are 0 behind
// the elements.

#ifndef INDIM_GRAD_BOUNDED_SIZES_H_
#define INDIM_GRAD_BOUNDED_SIZES_H_

#include <optional>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/tape.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// For each dim its size, s32[], of the builder; nullopt: it is static.
using DimSizes = std::vector<std::optional<Op>>;
DimSizes SizesOf(ComputationBuilder& b, Op x);

// Whether each dim is static or bounded.
bool HasBounds(const Shape& shape);
// The static shape of the bounds.
Shape ShapeOfBounds(const Shape& shape);

// The same elements with the bounds as sizes: an operand of bounded dims. What
// is behind them is `fill`, a scalar of its type; a default Op stands for 0.
Op AtBounds(ComputationBuilder& b, Op x, const DimSizes& sizes, Op fill = {});

// An array of the bounds' sizes with these instead: what is behind is dropped.
Op WithSizes(ComputationBuilder& b, Op x, const DimSizes& sizes);

// A tangent of dims of the sizes `from` as one of the sizes `to`, both of the
// primal builder: what is behind is dropped, what is new is 0.
Op Resize(Tape& tape, Op tangent, const DimSizes& from, const DimSizes& to);

}  // namespace indim::internal

#endif  // INDIM_GRAD_BOUNDED_SIZES_H_
