// SPDX-License-Identifier: Apache-2.0
// Arrays cut into pieces and put together; dims of 1 added and removed.
//
//   std::vector<Op> qkv = Split(x, 3, -1);      // f32[8,12]: three of f32[8,4]
//   Op batch = Stack({x, y});                   // of f32[8]: f32[2,8]
//   Op column = ExpandDims(x, {-1});            // f32[8]: f32[8,1]
//   Op twice = Tile(x, {2});                    // f32[8]: f32[16]
//   Op row = Squeeze(column);                   // f32[8,1]: f32[8]
//
// Any element type. The rank must be known (IND0612). Dims below 0 count from
// the end (IND0111). computation_builder.h says how composites treat wrong Ops,
// lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_SHAPING_H_
#define INDIM_BUILDER_COMPOSITES_SHAPING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// `count` equal pieces of x along `dim`, which is static and a multiple of
// `count` (IND0656). After an error the pieces are poisoned, as many as asked
// for, but one at least and a thousand at most. Source: NumPy, split.
std::vector<Op> Split(Op x, int64_t count, int64_t dim = 0,
                      Caller caller = Caller::Here());
// Pieces of these sizes, whose sum is the static size of `dim` (IND0656).
// Source: JAX, lax.split.
std::vector<Op> SplitBySizes(Op x, absl::Span<const int64_t> sizes,
                             int64_t dim = 0, Caller caller = Caller::Here());

// The arrays along a new dim `dim` of the result. They have equal dims
// (IND0203, IND0204) and types. Of no arrays it is a default Op. Source: NumPy,
// stack.
Op Stack(absl::Span<const Op> arrays, int64_t dim = 0,
         Caller caller = Caller::Here());

// x with new dims of 1, which are dims `dims` of the result (IND0112: one
// twice). Source: NumPy, expand_dims.
Op ExpandDims(Op x, absl::Span<const int64_t> dims,
              Caller caller = Caller::Here());
// x without dims `dims`, which are static 1s (IND0657); none, or {}: without
// any static 1. A dim that is neither static nor bounded nor named may stay
// only if no dim goes (IND0207). Source: NumPy, squeeze.
Op Squeeze(Op x, const DimsArg& dims = {}, Caller caller = Caller::Here());

// x again and again, so many times along each of the last dims: `reps` are 0 or
// more (IND0120). More of them than x has dims give new first dims. A dim that
// is repeated is static (IND0646), and the others are static, bounded or named
// (IND0207). Source: NumPy, tile.
Op Tile(Op x, absl::Span<const int64_t> reps, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_SHAPING_H_
