// SPDX-License-Identifier: Apache-2.0
// Optimizers: a step of training for one weight, as a function of its state.
//
//   std::vector<Op> gradients = Gradient(loss, weights);
//   SgdState next = Sgd(w, gradients[0], velocity, 0.1);
//   AdamState next = Adam(w, gradients[0], mean, square, step, 1e-3);
//
// The weight, its gradient and its state are floats (else IND0102) of known
// rank (IND0612) and of the same dims (IND0655). They are computed in the
// weight's type, or in f32 if that has fewer than 32 bits; each result has the
// type of what it replaces, so that the state of a bf16 weight can be f32. The
// state is 0 before the first step. `rate` is a number, or a float scalar, such
// as a function of the step. computation_builder.h says how composites treat
// wrong Ops, lines and sharding.

#ifndef INDIM_BUILDER_COMPOSITES_OPTIMIZERS_H_
#define INDIM_BUILDER_COMPOSITES_OPTIMIZERS_H_

#include <tuple>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// A weight and its state after a step; a loop can carry them (aggregate.h).
struct SgdState {
  Op weight, velocity;
  auto Members() { return std::tie(weight, velocity); }
};
struct AdamState {
  Op weight, mean, square;
  auto Members() { return std::tie(weight, mean, square); }
};

// Gradient descent with momentum:
//   velocity := gradient + momentum * velocity
//   weight   := weight - rate * velocity
// With `nesterov` the weight changes by gradient + momentum * velocity instead.
// Source: Optax, sgd (PyTorch's SGD without dampening is the same).
SgdState Sgd(Op weight, Op gradient, Op velocity, const Operand& rate,
             double momentum = 0.9, bool nesterov = false,
             Caller caller = Caller::Here());

// Running means of the gradient and of its square, `step` steps (an integer
// scalar, 0 in the first one) after they were 0:
//   mean   := beta1 * mean + (1 - beta1) * gradient
//   square := beta2 * square + (1 - beta2) * gradient^2
//   weight := weight - rate * (mean / (1 - beta1^(step + 1))) /
//             (sqrt(square / (1 - beta2^(step + 1))) + epsilon)
// Source: Optax, adam; Kingma and Ba, Adam: A Method for Stochastic
// Optimization.
AdamState Adam(Op weight, Op gradient, Op mean, Op square, Op step,
               const Operand& rate, double beta1 = 0.9, double beta2 = 0.999,
               double epsilon = 1e-8, Caller caller = Caller::Here());

// Adam, whose weight also changes by -rate * weight_decay * weight. Source:
// Optax, adamw (PyTorch's weight_decay is 1e-2 where none is given);
// Loshchilov and Hutter, Decoupled Weight Decay Regularization.
AdamState AdamW(Op weight, Op gradient, Op mean, Op square, Op step,
                const Operand& rate, double weight_decay = 1e-4,
                double beta1 = 0.9, double beta2 = 0.999, double epsilon = 1e-8,
                Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_OPTIMIZERS_H_
