// SPDX-License-Identifier: Apache-2.0
// LeastSteps: a lower bound for the steps of evaluating a module, computed
// without evaluating it.

#ifndef INDIM_EVAL_LEAST_STEPS_H_
#define INDIM_EVAL_LEAST_STEPS_H_

#include <cstdint>
#include <optional>

#include "indim/ir/module.h"

namespace indim {

struct StepCount {
  int64_t steps = 0;  // the largest int64 stands for that or more
  // The single instruction with the most steps, and its steps.
  std::optional<Instruction> largest;
  int64_t largest_steps = 0;
};

// At most the number of steps (EvalOptions) of the entry's result: it counts
// elementwise instructions, dots, convolutions and reductions of static shapes,
// in computations that are certainly called, once for each call. Loops,
// branches and calls that nest deeper than `max_depth` count as nothing.
StepCount LeastSteps(const Module& module, int max_depth);

}  // namespace indim

#endif  // INDIM_EVAL_LEAST_STEPS_H_
