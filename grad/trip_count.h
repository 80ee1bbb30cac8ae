// SPDX-License-Identifier: Apache-2.0
// TripCount: how often a while runs its body.

#ifndef INDIM_GRAD_TRIP_COUNT_H_
#define INDIM_GRAD_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "indim/ir/module.h"

namespace indim::internal {

// Where a counter with constant start, step and bound decides: the bound is a
// constant in the condition, or a part of the state that the body hands on.
// nullopt: it isn't known.
std::optional<int64_t> TripCount(const Instruction& loop);

}  // namespace indim::internal

#endif  // INDIM_GRAD_TRIP_COUNT_H_
