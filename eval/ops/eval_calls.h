// SPDX-License-Identifier: Apache-2.0
// Decisions of calls and control flow.

#ifndef INDIM_EVAL_OPS_EVAL_CALLS_H_
#define INDIM_EVAL_OPS_EVAL_CALLS_H_

#include <optional>

#include "indim/eval/ops/evaluation.h"

namespace indim {

// Whether a while goes on, by the value of its condition; nullopt after an
// error.
std::optional<bool> GoesOn(Evaluation& e, const Value& condition);
// The branch of a conditional; nullopt after an error.
std::optional<int> BranchOf(Evaluation& e);
// The result of an async-start whose computation gives `result`; nullopt after
// an error.
std::optional<Value> AsyncStarted(Evaluation& e, Value result);

}  // namespace indim

#endif  // INDIM_EVAL_OPS_EVAL_CALLS_H_
