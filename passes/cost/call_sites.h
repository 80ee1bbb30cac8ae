// SPDX-License-Identifier: Apache-2.0
// CallSites: where each computation of a module is called, if it is one place.

#ifndef INDIM_PASSES_COST_CALL_SITES_H_
#define INDIM_PASSES_COST_CALL_SITES_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "indim/ir/module.h"
#include "indim/passes/cost/trip_count.h"

namespace indim::internal {

class CallSites {
 public:
  explicit CallSites(const Module& module);

  // Null: the computation is the entry, several instructions name it, or one
  // that applies it to elements.
  const CallChain* Of(const Computation& computation) const {
    return sites_[static_cast<size_t>(computation.index())];
  }

 private:
  std::vector<const CallChain*> sites_;
  std::deque<CallChain> chains_;
};

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_CALL_SITES_H_
