// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/change.h"

#include <vector>

#include "indim/shape/broadcast/broadcast.h"

namespace indim {

bool SameElementCount(const Shape& a, const Shape& b) {
  return a.has_rank() && b.has_rank() && a.is_static() && b.is_static() &&
         a.ElementCount().has_value() && a.ElementCount() == b.ElementCount();
}

std::optional<DimIndices> DimsForBroadcast(const Shape& from, const Shape& to) {
  if (!from.has_rank() || !to.is_static() || from.rank() > to.rank()) {
    return std::nullopt;
  }
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  if (PlanBroadcast({}, {&from, &to}, &plan, &diagnostics)) {
    if (plan.dims != DimVector(to.dims().begin(), to.dims().end())) {
      return std::nullopt;
    }
    return DimIndices(plan.operands[0].begin(), plan.operands[0].end());
  }
  return diagnostics.empty() ? std::nullopt
                             : diagnostics[0].fix_broadcast_dimensions;
}

}  // namespace indim
