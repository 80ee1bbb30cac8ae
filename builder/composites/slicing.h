// SPDX-License-Identifier: Apache-2.0
// Slices and elements of an array, and updates of them.
//
//   Index(x, 2)                        // x[2]:        f32[8,10] -> f32[10]
//   SliceInMinorDims(x, {1}, {4})      // x[..., 1:4]: f32[8,10] -> f32[8,3]
//   IndexSelect(x, rows, 0)            // x[rows]: rows of any dims
//
// "Minor" dims are the last ones, as many as the lists have entries. Ranks must
// be known (IND0612) and high enough (IND0370). computation_builder.h says how
// composites treat wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_SLICING_H_
#define INDIM_BUILDER_COMPOSITES_SLICING_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// The elements at `index` of `dim` (IND0111), without that dim. A negative
// index counts from the end. A dim with a run-time size takes only an index
// from the start, below its bound. Errors: IND0619, no such index; IND0613, a
// dim without an upper end.
Op Index(Op x, int64_t index, int64_t dim = 0, Caller caller = Caller::Here());

// The elements from `start` to `end` (exclusive) of the last dims; the other
// dims stay whole and need upper ends (IND0613). Lists of unequal lengths are
// errors of Slice.
Op SliceInMinorDims(Op x, absl::Span<const int64_t> start,
                    absl::Span<const int64_t> end,
                    Caller caller = Caller::Here());
// x with `update` written at `start`, which has an index for each dim. As in
// XLA, an update that would exceed x is moved back. Errors: those of
// DynamicUpdateSlice.
Op UpdateSlice(Op x, Op update, absl::Span<const int64_t> start,
               Caller caller = Caller::Here());
// UpdateSlice with starts for the last dims; the other starts are 0.
Op UpdateSliceInMinorDims(Op x, Op update, absl::Span<const int64_t> start,
                          Caller caller = Caller::Here());
// The starts are integer scalars of one type.
Op DynamicSliceInMinorDims(Op x, absl::Span<const Op> starts,
                           absl::Span<const int64_t> sizes,
                           Caller caller = Caller::Here());
Op DynamicUpdateSliceInMinorDims(Op x, Op update, absl::Span<const Op> starts,
                                 Caller caller = Caller::Here());

// The slices of x at `indices` along `dim`, which the dims of `indices`
// replace: NumPy's take. The first `batch_dims` dims of x and `indices` are
// paired. Indices are integers; one that is out of range, also below 0, takes
// the nearest end. `batch_dims` is at most `dim` and the rank of `indices`;
// whole dims need upper ends (IND0613). Errors: IND0111, IND0120, and those of
// Gather.
Op IndexSelect(Op x, Op indices, int64_t dim, int64_t batch_dims = 0,
               Caller caller = Caller::Here());
// result[i, j, k] = x[i, index[i, j, k], k] for dim 1: NumPy's take_along_axis,
// where index's other dims are not larger than x's. Ranks are equal (IND0204);
// index's dims are static (IND0617). An index out of range takes the nearest
// end.
Op TorchGather(Op x, Op index, int64_t dim, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_SLICING_H_
