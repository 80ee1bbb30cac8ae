// SPDX-License-Identifier: Apache-2.0
// Normalizations of layers.
//
//   LayerNorm(x, scale, offset)     // f32[8,128], f32[128], f32[128]
//   RmsNorm(x, scale)
//   BatchNormInference(x, scale, offset, mean, variance)
//
// All operands are floats (else IND0102) of known rank (IND0612). They are
// computed in x's type, or in f32 if that has fewer than 32 bits; the other
// operands are converted to it. Sizes may be any, but a dim of unknown size may
// have no place among the others (IND0017); where both sizes are known, those
// of scale, offset, mean and variance are x's (IND0655). computation_builder.h
// says how composites treat wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_NORMALIZATION_H_
#define INDIM_BUILDER_COMPOSITES_NORMALIZATION_H_

#include <cstdint>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// (x - mean) / sqrt(variance + epsilon) * scale + offset, where mean and
// variance are those of the last dims of x, as many as `scale` has; `offset`
// has its dims too. `scale` has one dim at least (IND0370). Source: JAX,
// flax.linen.LayerNorm; Ba et al., Layer Normalization.
Op LayerNorm(Op x, Op scale, Op offset, double epsilon = 1e-5,
             Caller caller = Caller::Here());

// x / sqrt(mean(x * x) + epsilon) * scale, with the mean over the last dims of
// x, as many as `scale` has (IND0370). Source: JAX, flax.linen.RMSNorm.
Op RmsNorm(Op x, Op scale, double epsilon = 1e-6,
           Caller caller = Caller::Here());

// (x - mean) / sqrt(variance + epsilon) * scale + offset, where the vectors
// have an element for each index of dim `feature_dim` of x (negative: from the
// end; IND0111). It records elementwise ops, which every platform has; the op
// of HLO is b.BatchNormInference(). Source: JAX, flax.linen.BatchNorm
// (use_running_average).
Op BatchNormInference(Op x, Op scale, Op offset, Op mean, Op variance,
                      int64_t feature_dim = -1, double epsilon = 1e-5,
                      Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_NORMALIZATION_H_
