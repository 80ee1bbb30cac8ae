// Functions of elements, and those that neural networks end in: made of the
// builder's calls.
//
//   Op y = Relu(b.Add(b.Dot(x, w), bias, {1}));
//   Op p = Softmax(y, -1);
//
// Any dims, known or not, except where said. Elements of another kind than said
// are IND0102. Floats below 32 bits are computed in f32 where more than one
// step could round. What composites do about wrong Ops, lines and sharding:
// composite.h.

#ifndef INDIM_BUILDER_COMPOSITES_MATH_H_
#define INDIM_BUILDER_COMPOSITES_MATH_H_

#include <cstdint>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// --- Numbers -----------------------------------------------------------------

// x x. Integers, floats, complex.
Op Square(Op x, Caller caller = Caller::Here());
// 1 / x. Floats, complex.
Op Reciprocal(Op x, Caller caller = Caller::Here());
// Floats, complex.
Op Atan(Op x, Caller caller = Caller::Here());
// log(exp(x) + exp(y)), without overflow. Two floats; ranks as for Add.
Op LogAddExp(Op x, Op y, Caller caller = Caller::Here());

// pred. Floats.
Op IsNan(Op x, Caller caller = Caller::Here());
Op IsInf(Op x, Caller caller = Caller::Here());
Op IsPosInf(Op x, Caller caller = Caller::Here());
Op IsNegInf(Op x, Caller caller = Caller::Here());

// --- Activations -------------------------------------------------------------

// max(x, 0). Integers, floats; NaN stays.
Op Relu(Op x, Caller caller = Caller::Here());
// min(max(x, 0), 6).
Op Relu6(Op x, Caller caller = Caller::Here());
// x where it is at least 0, else slope x. Floats.
Op LeakyRelu(Op x, double slope = 0.01, Caller caller = Caller::Here());
// x where it is above 0, else alpha (exp(x) - 1). Floats.
Op Elu(Op x, double alpha = 1, Caller caller = Caller::Here());
// x / (1 + exp(-x)). Floats.
Op Silu(Op x, Caller caller = Caller::Here());
// log(1 + exp(x)), and minus that of -x. Floats.
Op Softplus(Op x, Caller caller = Caller::Here());
Op LogSigmoid(Op x, Caller caller = Caller::Here());
// x times the share of a normal distribution that lies below x; approximate: by
// a tanh. Floats.
Op Gelu(Op x, bool approximate = false, Caller caller = Caller::Here());

// Along `dim` (negative: from the end; IND0111): exponentials as shares of
// their sum, and the logarithms of those. Floats of known rank (IND0612).
Op Softmax(Op x, int64_t dim = -1, Caller caller = Caller::Here());
Op LogSoftmax(Op x, int64_t dim = -1, Caller caller = Caller::Here());

// --- Indices -----------------------------------------------------------------

// For each index a row of `depth` elements of `type` along a new dim `dim` of
// the result (negative: from its end): `on` at the index, `off` elsewhere; only
// `off` for an index outside 0..depth-1. Integers of known rank. A depth below
// 0: IND0120.
Op OneHot(Op indices, int64_t depth, ElementType type, int64_t dim = -1,
          double on = 1, double off = 0, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_MATH_H_
