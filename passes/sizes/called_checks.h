// SPDX-License-Identifier: Apache-2.0
// PlanCalledChecks: decides which computations return the pred of
// run_time_checks.h to their callers. Not part of the API.

#ifndef INDIM_PASSES_SIZES_CALLED_CHECKS_H_
#define INDIM_PASSES_SIZES_CALLED_CHECKS_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module_data.h"

namespace indim {

// Flags by computation. A computation that returns its conditions has the
// result (result, pred[]), which its caller unpacks: callees of call, branches
// of a conditional, and bodies of while, whose state becomes (state, pred[]),
// for its condition too. Other callers (map, reduce, fusion, async, ...)
// determine their callees' results, so their callees can't; nor can loops and
// branches with shardings, and callees of a loop's condition.
struct CalledChecks {
  std::vector<bool> returns;    // the result is (result, pred[])
  std::vector<bool> body;       // and the parameter (state, pred[])
  std::vector<bool> condition;  // of a loop whose body is in `returns`
};

// `counts` has the number of conditions of each computation that can be
// written. A computation without any, also in its callees, stays unchanged.
CalledChecks PlanCalledChecks(const ModuleData& data,
                              const std::vector<int64_t>& counts);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CALLED_CHECKS_H_
