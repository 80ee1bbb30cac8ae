// Slices and elements of an array, and what is put in their place.
//
//   Index(x, 2)                        // x[2]:        f32[8,10] -> f32[10]
//   SliceInMinorDims(x, {1}, {4})      // x[..., 1:4]: f32[8,10] -> f32[8,3]
//   IndexSelect(x, rows, 0)            // x[rows]: rows of any dims
//
// "Minor" are the last dims, as many as the lists say. Ranks must be known
// (IND0612) and high enough (IND0370). What composites do about wrong Ops,
// lines and sharding: composite.h.

#ifndef INDIM_BUILDER_COMPOSITES_SLICING_H_
#define INDIM_BUILDER_COMPOSITES_SLICING_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// The elements at `index` of dim `dim`, which goes (IND0111). Negative ones
// count from the end. A dim with a run-time size has no known end: only an
// index from the start, below its bound. Errors: IND0619 (no such index),
// IND0613 (a dim without an upper end).
Op Index(Op x, int64_t index, int64_t dim = 0, Caller caller = Caller::Here());

// Of the last dims, from `start` to `end` (exclusive); the others whole.
// Lists of unequal length are Slice's errors; dims that stay have upper ends
// (IND0613).
Op SliceInMinorDims(Op x, absl::Span<const int64_t> start,
                    absl::Span<const int64_t> end,
                    Caller caller = Caller::Here());
// x with `update` from `start` on, an index for each dim. Errors:
// DynamicUpdateSlice's. One that doesn't fit is moved back, as in XLA.
Op UpdateSlice(Op x, Op update, absl::Span<const int64_t> start,
               Caller caller = Caller::Here());
// The same for the last dims; 0 in the others.
Op UpdateSliceInMinorDims(Op x, Op update, absl::Span<const int64_t> start,
                          Caller caller = Caller::Here());
// The same with integral scalars, of one type, as starts.
Op DynamicSliceInMinorDims(Op x, absl::Span<const Op> starts,
                           absl::Span<const int64_t> sizes,
                           Caller caller = Caller::Here());
Op DynamicUpdateSliceInMinorDims(Op x, Op update, absl::Span<const Op> starts,
                                 Caller caller = Caller::Here());

// The slices of x at `indices` along `dim`, which the indices' dims replace:
// NumPy's take. The first `batch_dims` dims of both are walked together.
// Integers as indices; one outside counts as the nearest end, also below 0.
// `batch_dims` is in 0..the indices' rank and at most `dim`; dims that stay
// whole have upper ends (IND0613). Errors: IND0111, IND0120, Gather's.
Op IndexSelect(Op x, Op indices, int64_t dim, int64_t batch_dims = 0,
               Caller caller = Caller::Here());
// result[i, j, k] = x[i, index[i, j, k], k] for dim 1: NumPy's take_along_axis,
// where the index's other dims are not larger than x's. Of equal rank
// (IND0204); the index's dims are static (IND0617). Indices outside as above.
Op TorchGather(Op x, Op index, int64_t dim, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_SLICING_H_
