// SPDX-License-Identifier: Apache-2.0
// Derivatives of Ops, in the middle of a graph:
//
//   Op loss = b.Mean(b.Square(model(x, w) - y), {0});
//   Op gradient = Gradient(loss, {w})[0];
//   Op next = w - 0.1 * gradient;
//
// What they record stands behind what is there, and code goes on after it. They
// take any Ops of the computation that is recorded, also inside a loop's body
// or a branch. Derivatives of derivatives are the same calls again.
//
// A sharding in scope isn't set on them: it is of values.
//
// A wrong call is an error of the builder at the caller's line, and its results
// are poisoned; after an error of the builder they are poisoned too. IND1401: y
// or an Op of `wrt` is no array of floats or complex numbers, or is of an
// enclosing computation; an Op stands in `wrt` twice; a seed or tangent has
// another shape. y itself may stand there. IND1400: an operation between them
// has no derivative; it calls what draws random numbers, moves data or has side
// effects (calls, loops and branches on the way to a result are recorded
// again).

#ifndef INDIM_GRAD_BUILDER_GRADIENT_H_
#define INDIM_GRAD_BUILDER_GRADIENT_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/op.h"

namespace indim {

// The gradients of <seed, y> by each Op of `wrt`, of its type and dims: zeros
// where y doesn't depend on it. `y` and `wrt` are arrays of floats or complex
// numbers; an Op of `wrt` counts as independent, whatever it is computed from.
// In a loop's body or a branch, an Op of an enclosing computation is the value
// that the body captures: the derivative is by what the body does with it.
// Without a seed, y is a scalar and the seed 1. A gradient that is known to be
// zero is a warning of the builder (IND1402, IND1403). As of Gradient(module)
// in all else (gradient.h).
std::vector<Op> Gradient(Op y, absl::Span<const Op> wrt,
                         std::optional<Op> seed = std::nullopt,
                         Caller caller = Caller::Here());

// The same, and y. Calls, loops and branches on the way to y are recorded
// again, and `value` is computed from these: a program that uses it in the
// place of y runs a loop once. Random numbers and side effects are not recorded
// again: if they depend on a loop, both loops run.
struct ValueAndGradients {
  Op value;
  std::vector<Op> gradients;
};
ValueAndGradients ValueAndGradient(Op y, absl::Span<const Op> wrt,
                                   std::optional<Op> seed = std::nullopt,
                                   Caller caller = Caller::Here());

// The tangent of y where those of `wrt` are `tangents`, each of its Op's type
// and dims: the directional derivative.
Op Tangent(Op y, absl::Span<const Op> wrt, absl::Span<const Op> tangents,
           Caller caller = Caller::Here());

// dy/dx, of y's dims and then x's, in x's type: a loop takes the gradient of
// one element of y after the other. The derivative of a complex y exists by a
// complex x, of which it is a holomorphic function.
Op Jacobian(Op y, Op x, Caller caller = Caller::Here());
// The second derivatives of a scalar y, of x's dims twice: the Jacobian of its
// gradient.
Op Hessian(Op y, Op x, Caller caller = Caller::Here());
// The Hessian times `v`, of x's type and dims, without the Hessian: the tangent
// of the gradient.
Op HessianVectorProduct(Op y, Op x, Op v, Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_GRAD_BUILDER_GRADIENT_H_
