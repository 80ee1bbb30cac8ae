// SPDX-License-Identifier: Apache-2.0
// Random numbers by rng-bit-generator, whose algorithm has a name: a program
// gets the same numbers from every platform, run and compiler.
//
//   RandomState random = ThreeFryState(b, 42);
//   Op noise = RandomNormal(&random, "f32[8,128]");
//   Op y = Dropout(&random, x, 0.1);
//
// A state gives other numbers at each call, which replaces random.state. A loop
// or a branch that draws takes the RandomState as a part of its state, and
// returns it.
//
// Shapes are arrays of floats (IND0604) whose dims are static or named
// (IND0207). computation_builder.h says how composites treat wrong Ops, lines
// and sharding; after an error the state is poisoned too.

#ifndef INDIM_BUILDER_COMPOSITES_RANDOM_H_
#define INDIM_BUILDER_COMPOSITES_RANDOM_H_

#include <cstdint>
#include <tuple>

#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

struct RandomState {
  RandomAlgorithm algorithm = RandomAlgorithm::kThreeFry;
  Op state;  // u64[2] of ThreeFry, u64[3] of Philox
  // It can be a part of the state of a loop (aggregate.h).
  auto Members() { return std::tie(state); }
};
// A new state: {seed, 0} for ThreeFry2x32-20, {seed, 0, 0} for Philox4x32-10.
// Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3; XLA,
// RngBitGenerator.
RandomState ThreeFryState(ComputationBuilder& b, uint64_t seed,
                          Caller caller = Caller::Here());
RandomState PhiloxState(ComputationBuilder& b, uint64_t seed,
                        Caller caller = Caller::Here());

// Uniform in low..high, low included; high comes up only where rounding to the
// type leads there, not for 0..1. As many bits are random as the mantissa of
// the type has, at most 23, or 52 for f64. Source: XLA's client library,
// UniformFloatingPointDistribution; JAX, random.uniform.
Op RandomUniform(RandomState* random, const ShapeArg& shape, double low = 0,
                 double high = 1, Caller caller = Caller::Here());

// Normal, by the Box-Muller transform of two uniform numbers; types below 32
// bits are rounded from f32. No number is farther from the mean than 5.77
// deviations, or 8.57 for f64. Source: XLA's client library,
// NormalFloatingPointDistribution.
Op RandomNormal(RandomState* random, const ShapeArg& shape, double mean = 0,
                double deviation = 1, Caller caller = Caller::Here());

// An index along `dim` (negative: from the end; IND0111) of the logits, floats,
// with probability Softmax(logits), as s32 without that dim. By the Gumbel-max
// trick. All dims have names or upper ends (IND0613). Source: JAX,
// random.categorical.
Op RandomCategorical(RandomState* random, Op logits, int64_t dim = -1,
                     Caller caller = Caller::Here());

// x / (1 - rate), with each element 0 instead with probability `rate`, 0..1
// (IND0658). Floats, whose dims have names or upper ends (IND0613). For
// training: to infer, leave it out. Source: JAX, flax.linen.Dropout.
Op Dropout(RandomState* random, Op x, double rate,
           Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_RANDOM_H_
