// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, activations and one-hot rows, made of the builder's
// calls.
//
//   Op y = Relu(b.Add(b.Dot(x, w), bias, {1}));
//   Op p = Softmax(y, -1);
//
// Dims may be any, known or not, unless a comment says otherwise. Each comment
// gives the element types (else IND0102). Floats below 32 bits are computed in
// f32 where more than one step could round. computation_builder.h says how
// composites treat wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_MATH_H_
#define INDIM_BUILDER_COMPOSITES_MATH_H_

#include <cstdint>

#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// --- Numbers -----------------------------------------------------------------

// x * x. Integers, floats, complex.
Op Square(Op x, Caller caller = Caller::Here());
// 1 / x. Floats, complex.
Op Reciprocal(Op x, Caller caller = Caller::Here());
// The arc tangent. Floats, complex.
Op Atan(Op x, Caller caller = Caller::Here());
// log(exp(x) + exp(y)) without overflow. Both are floats; ranks match as in
// Add.
Op LogAddExp(Op x, Op y, Caller caller = Caller::Here());

// The result is pred. Floats.
Op IsNan(Op x, Caller caller = Caller::Here());
Op IsInf(Op x, Caller caller = Caller::Here());
Op IsPosInf(Op x, Caller caller = Caller::Here());
Op IsNegInf(Op x, Caller caller = Caller::Here());

// --- Division and powers of NumPy --------------------------------------------

// The quotient rounded down, and what then remains, which has the sign of y:
// NumPy's // and %. Integers, floats; ranks match as in Div. FloorMod of a zero
// y is 0 of integers, and NaN of floats. Source: JAX, numpy.floor_divide,
// numpy.remainder.
Op FloorDiv(Op x, Op y, Caller caller = Caller::Here());
Op FloorMod(Op x, Op y, Caller caller = Caller::Here());
// x to the power y by products, which wrap around. Integers; ranks match as in
// Mul. The low 6 bits of y count: from exponent 64 on, and below 0, it isn't
// the power, but what JAX has for it. Source: JAX, numpy.power.
Op IntegerPower(Op x, Op y, Caller caller = Caller::Here());

// --- Activations -------------------------------------------------------------

// max(x, 0); a NaN stays. Integers, floats. The derivative at 0 is 1/2, as of
// every maximum of equals (docs/gradients.md); jax.nn.relu's is 0.
Op Relu(Op x, Caller caller = Caller::Here());
// min(max(x, 0), 6).
Op Relu6(Op x, Caller caller = Caller::Here());
// x where x >= 0, else slope * x. Floats.
Op LeakyRelu(Op x, double slope = 0.01, Caller caller = Caller::Here());
// x where x > 0, else alpha * (exp(x) - 1). Floats.
Op Elu(Op x, double alpha = 1, Caller caller = Caller::Here());
// x / (1 + exp(-x)). Floats.
Op Silu(Op x, Caller caller = Caller::Here());
// Softplus is log(1 + exp(x)), LogSigmoid -Softplus(-x). Floats.
Op Softplus(Op x, Caller caller = Caller::Here());
Op LogSigmoid(Op x, Caller caller = Caller::Here());
// x times the standard normal distribution's cumulative probability at x;
// `approximate` computes it by a tanh. Floats.
Op Gelu(Op x, bool approximate = false, Caller caller = Caller::Here());

// exp(x) divided by its sum along `dims` (negative: from the end; IND0111;
// twice one: IND0112), and the logarithm of this. Floats of known rank
// (IND0612).
Op Softmax(Op x, const DimsArg& dims = -1, Caller caller = Caller::Here());
Op LogSoftmax(Op x, const DimsArg& dims = -1, Caller caller = Caller::Here());

// --- Indices -----------------------------------------------------------------

// For each index a row of `depth` elements of `type`, along a new dim `dim` of
// the result (negative: from its end): `on` at the index, `off` elsewhere. A
// row for an index outside 0..depth-1 is all `off`. Indices are integers of
// known rank. A negative depth: IND0120; one that is neither static nor named:
// IND0228.
Op OneHot(Op indices, SizeArg depth, ElementType type, int64_t dim = -1,
          double on = 1, double off = 0, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_MATH_H_
