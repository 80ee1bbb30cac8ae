// A program that fits a line with Adam, an optimiser: all steps are one loop on
// the device.
//
// Source: Kingma and Ba, Adam: A Method for Stochastic Optimization.

#ifndef INDIM_EXAMPLES_MODELS_ADAM_H_
#define INDIM_EXAMPLES_MODELS_ADAM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// w and c that make x . w + c close to y, after `steps` steps from 0 on at the
// rate 0.1. Parameters: x f32[64,3], y f32[64]. Result: the tuple (w f32[3], c
// f32[], the means and the squares of both).
absl::StatusOr<Module> FitLine(int64_t steps);

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_ADAM_H_
