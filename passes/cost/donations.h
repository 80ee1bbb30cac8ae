// SPDX-License-Identifier: Apache-2.0
// Results that lie in donated arguments (input_output_alias).

#ifndef INDIM_PASSES_COST_DONATIONS_H_
#define INDIM_PASSES_COST_DONATIONS_H_

#include <cstddef>
#include <vector>

#include "indim/ir/module.h"

namespace indim::internal {

// A leaf of the result that lies in a leaf of a donated argument.
struct Donation {
  size_t result = 0;
  Instruction argument;
  size_t part = 0;  // of the argument
};

// Those that the module says. What it says of parts that aren't there is left
// out.
std::vector<Donation> DonationsOf(const Module& module);

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_DONATIONS_H_
