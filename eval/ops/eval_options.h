// SPDX-License-Identifier: Apache-2.0
// The limits of an evaluation.

#ifndef INDIM_EVAL_OPS_EVAL_OPTIONS_H_
#define INDIM_EVAL_OPS_EVAL_OPTIONS_H_

#include <cstdint>

namespace indim {

struct EvalOptions {
  // Each computed element and each summed product is a step; running an
  // instruction takes kInstructionSteps. With the default an evaluation ends in
  // about a minute, whatever the module does.
  static constexpr int64_t kInstructionSteps = 100;
  int64_t max_steps = int64_t{2} * 1000 * 1000 * 1000;
  // The largest size of all values that are alive at one time.
  int64_t max_bytes = int64_t{4} << 30;
  // The largest depth of calls.
  int max_depth = 200;
};

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_OPTIONS_H_
