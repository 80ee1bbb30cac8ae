// SPDX-License-Identifier: Apache-2.0
// Pooling: the largest element, or the mean, under each position of a window.
//
//   MaxPool(x, {1, 2, 2, 1}, {1, 2, 2, 1})        // f32[8,28,28,3] halved
//   AvgPool(x, {1, 3, 3, 1}, {}, Padding::kSame)  // 3 by 3, sizes stay
//
// A window and its strides have an entry for each dim of x: 1 for the dims that
// stay as they are. Empty strides are all 1. The rank must be known (IND0612).
// Errors of windows: IND0350, IND0351, IND0632; IND0634, Padding::kSame over a
// dim whose size isn't static. computation_builder.h says how composites treat
// wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_POOLING_H_
#define INDIM_BUILDER_COMPOSITES_POOLING_H_

#include <cstdint>

#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// Integers, floats. Padding counts as the least value of the type. Source: JAX,
// flax.linen.max_pool; XLA's client library, MaxPool.
Op MaxPool(Op x, absl::Span<const int64_t> window,
           absl::Span<const int64_t> strides = {},
           const PaddingArg& padding = Padding::kValid,
           Caller caller = Caller::Here());

// Floats; those below 32 bits are accumulated in f32. The mean of the elements
// under the window: without the padding, or, with `count_padding`, with the
// padding as zeros. Without it a dim that is padded must be static or named
// (IND0617). Source: JAX, flax.linen.avg_pool(count_include_pad); XLA's client
// library, AvgPool.
Op AvgPool(Op x, absl::Span<const int64_t> window,
           absl::Span<const int64_t> strides = {},
           const PaddingArg& padding = Padding::kValid,
           bool count_padding = false, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_POOLING_H_
