// SPDX-License-Identifier: Apache-2.0
// Special functions, made of the builder's calls: gamma, zeta, error and Bessel
// functions, and neighbours of floats.
//
//   Op y = Lgamma(b.Parameter("f32[8]", "x"));
//
// Operands are floats (else IND0102) of dims that may be any, known or not;
// those below 32 bits are computed in f32. computation_builder.h says how
// composites treat wrong Ops, lines and sharding. Sources: Lanczos' series for
// the gamma function (g = 7, 9 terms), Euler and Maclaurin's for zeta, Giles'
// polynomials for the inverse of erf, those of the Cephes library for erfc and
// the Bessel function; StableHLO's CHLO dialect defines what is not a number.

#ifndef INDIM_BUILDER_COMPOSITES_SPECIAL_H_
#define INDIM_BUILDER_COMPOSITES_SPECIAL_H_

#include "indim/builder/op.h"

namespace indim {

// log(|gamma(x)|).
Op Lgamma(Op x, Caller caller = Caller::Here());
// The derivative of Lgamma.
Op Digamma(Op x, Caller caller = Caller::Here());
// The sum of 1 / (q + k)^x over k = 0, 1, ... Both have one element type;
// ranks match as in Add.
Op Zeta(Op x, Op q, Caller caller = Caller::Here());
// Derivative number `n`, a whole number >= 0, of Digamma at x. Types and ranks
// as of Zeta.
Op Polygamma(Op n, Op x, Caller caller = Caller::Here());

// The y with erf(y) == x.
Op ErfInv(Op x, Caller caller = Caller::Here());
// 1 - erf(x), exact also where erf(x) is nearly 1.
Op Erfc(Op x, Caller caller = Caller::Here());
// exp(-|x|) times the modified Bessel function of order 1.
Op BesselI1e(Op x, Caller caller = Caller::Here());

// The float next to x in the direction of y; y where they are equal. Both have
// one element type (IND0103) and equal dims, or one is a scalar.
Op NextAfter(Op x, Op y, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_SPECIAL_H_
