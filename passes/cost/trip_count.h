// SPDX-License-Identifier: Apache-2.0
// TripCount: how often a while runs its body; CallChain: what is known about
// the parameters of the computation that it is in.

#ifndef INDIM_PASSES_COST_TRIP_COUNT_H_
#define INDIM_PASSES_COST_TRIP_COUNT_H_

#include <cstdint>
#include <optional>
#include <set>

#include "indim/ir/module.h"

namespace indim::internal {

// The instruction that runs a computation: what its parameters are.
struct CallChain {
  Instruction caller;  // a call, while or conditional, or what was expanded
  int callee = 0;
  const CallChain* outer = nullptr;  // the caller's; null: the entry
  int depth = 0;
  // The operands that someone looked at to find a constant. What was made for
  // one call is right for another one only if those are the same.
  mutable std::set<int> looked_at = {};
};

// The integer that a scalar of a computation is, if it is constant; also where
// it comes from outside: from operands of calls, or from a part of an outer
// loop's state that its body hands on, or from a loop whose steps are known.
std::optional<int64_t> ConstantOf(const Instruction& node,
                                  const CallChain* site);

// Where the backend_config says so (known_trip_count), or a counter with
// constant start, step and bound decides: the bound is a constant in the
// condition, or a part of the state that the body hands on. Several counters
// may decide together (`and`). nullopt: it isn't known.
std::optional<int64_t> TripCount(const Instruction& loop,
                                 const CallChain* site);
// The same where anything else may end the loop earlier, as TensorFlow's
// maximum_iterations: then it isn't exact.
struct Trips {
  int64_t most;
  bool is_exact;
};
std::optional<Trips> TripsOf(const Instruction& loop, const CallChain* site);

// By how much each step of a loop's body changes the element `counter` of its
// state, if that is an integer and the number is constant.
std::optional<int64_t> StepOf(const Computation& body, int64_t counter);

// An integer in step k of a loop: start + k * step.
struct StepNumber {
  int64_t start = 0;
  int64_t step = 0;
  int64_t At(int64_t k) const { return start + k * step; }
};

// What a scalar of a loop's body is in each of `count` steps, if it goes by a
// constant step. `body` is the site of the body, `site` where `node` is: that
// one, or that of something that the body calls.
std::optional<StepNumber> NumberInStep(const Instruction& node,
                                       const CallChain* site,
                                       const CallChain* body, int64_t count);

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_TRIP_COUNT_H_
