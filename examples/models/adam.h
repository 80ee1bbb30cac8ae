// Adam, an optimiser, and a program that fits a line with it: all steps are one
// loop on the device.
//
// Source: Kingma and Ba, Adam: A Method for Stochastic Optimization.

#ifndef INDIM_EXAMPLES_MODELS_ADAM_H_
#define INDIM_EXAMPLES_MODELS_ADAM_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/builder/computation_builder.h"
#include "indim/ir/module.h"

namespace indim {

// Running means of the gradients and of their squares; all 0 before step 0.
struct Adam {
  std::vector<Op> mean, square;
  auto Members() { return std::tie(mean, square); }
};

// Changes the weights, floats, and the state by step `step` (an integer scalar,
// from 0). There is one gradient, one mean and one square for each weight, of
// its shape.
void AdamStep(ComputationBuilder& b, Op step, const std::vector<Op>& gradients,
              double rate, std::vector<Op>* weights, Adam* adam);

// w and c that make x . w + c close to y, after `steps` steps from 0 on at the
// rate 0.1. Parameters: x f32[64,3], y f32[64]. Result: the tuple (w f32[3], c
// f32[], the means and the squares of both).
absl::StatusOr<Module> FitLine(int64_t steps);

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_ADAM_H_
