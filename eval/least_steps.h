// LeastSteps: what evaluating a module takes at least, told before it is begun.

#ifndef INDIM_EVAL_LEAST_STEPS_H_
#define INDIM_EVAL_LEAST_STEPS_H_

#include <cstdint>
#include <optional>

#include "indim/ir/module.h"

namespace indim {

struct StepCount {
  int64_t steps = 0;  // the largest int64 where it is more
  // The instruction that takes the most by itself, and how much.
  std::optional<Instruction> largest;
  int64_t largest_steps = 0;
};

// No more than the steps (EvalOptions) that the entry's result takes: of the
// elementwise instructions, dots, convolutions and reductions whose shapes are
// static, in computations that are certainly called, once for each call.
// Loops, branches and calls that nest deeper than `max_depth` count as nothing.
StepCount LeastSteps(const Module& module, int max_depth);

}  // namespace indim

#endif  // INDIM_EVAL_LEAST_STEPS_H_
