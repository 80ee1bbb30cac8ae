// SPDX-License-Identifier: Apache-2.0
// Elements chosen by a condition or by indices.
//
//   Where(mask, x, y)                 // y where mask is false
//   Take(x, {rows of any dims}, 0)    // NumPy's x[rows]
//   TakeAlongDim(x, order, -1)        // x[i, order[i, j]]
//   UpdateIndex(x, row, i)            // x with x[i] = row
//
// Ranks must be known (IND0612). computation_builder.h says how composites
// treat wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_SELECTION_H_
#define INDIM_BUILDER_COMPOSITES_SELECTION_H_

#include <cstdint>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// on_true where `condition` (pred) holds, else on_false; all three broadcast
// as NumPy does. The values have one type, or two float types (IND0103).
// Errors: IND0001, sizes that don't go together; IND0207, a dim that must
// stretch or be added and is neither static nor named. Source: NumPy, where.
Op Where(Op condition, Op on_true, Op on_false, Caller caller = Caller::Here());

// The slices of x at `indices` (integers) along `dim`, which the dims of
// `indices` replace. An index below 0 counts from the end; one beyond the ends
// takes the nearest element; with `fill` it gives NaN of floats and complex
// numbers, the least of signed integers, the greatest of unsigned ones and of
// pred (IND0610: a float type without a NaN). Other dims are static or bounded
// (IND0646). Errors also: IND0111. Source: NumPy, take (whose own mode "clip"
// takes the first element for an index below 0; IndexSelect does so); with
// `fill`, JAX, numpy.take.
Op Take(Op x, Op indices, int64_t dim = 0, bool fill = false,
        Caller caller = Caller::Here());

// result[i, j, k] = x[i, indices[i, j, k], k] for dim 1, with indices and
// `fill` as in Take. The other dims of `indices` are those of x (IND0203,
// IND0204). Source: NumPy, take_along_axis.
Op TakeAlongDim(Op x, Op indices, int64_t dim = -1, bool fill = false,
                Caller caller = Caller::Here());

// x with `update` in the place of Take(x, index, dim): `index` is an integer
// scalar, and `update` has the dims of x without `dim` (IND0655) and its type;
// they are static, bounded or named (IND0207). Errors also: IND0111, and those
// of DynamicUpdateSlice. Source: JAX, lax.dynamic_update_index_in_dim.
Op UpdateIndex(Op x, Op update, Op index, int64_t dim = 0,
               Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_SELECTION_H_
