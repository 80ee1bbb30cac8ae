// SPDX-License-Identifier: Apache-2.0
// What the forward part of a derivative keeps for its reverse part.

#ifndef INDIM_GRAD_KEPT_H_
#define INDIM_GRAD_KEPT_H_

#include <cstdint>
#include <vector>

#include "indim/grad/gradient.h"
#include "indim/ir/module.h"

namespace indim::internal {

// The values that instructions of the entry from id `reverse` to id `last` use
// and that those before compute, largest first. Parameters and constants
// aren't among them; of what costs nothing to make again, its operand is.
// Instructions behind `last` are broadcasts that were implicit.
std::vector<KeptValue> KeptValues(const Module& derivative, int64_t reverse,
                                  int64_t last);

}  // namespace indim::internal

#endif  // INDIM_GRAD_KEPT_H_
