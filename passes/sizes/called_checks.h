// Which computations give the pred of run_time_checks.h back to who calls them.
// Not part of the API.

#ifndef INDIM_PASSES_SIZES_CALLED_CHECKS_H_
#define INDIM_PASSES_SIZES_CALLED_CHECKS_H_

#include <cstdint>
#include <vector>

#include "indim/ir/module_data.h"

namespace indim {

// By computation. One whose conditions can be asked about returns (result,
// pred[]) and its caller unpacks it: what is called by call, is a branch of a
// conditional, or the body of a while, whose state is (state, pred[]) then, for
// its condition too. Other calls (map, reduce, fusion, async, ...) have a
// result whose form is theirs; so have loops and branches that carry shardings,
// and what the condition of a loop calls.
struct CalledChecks {
  std::vector<bool> returns;    // the result is (result, pred[])
  std::vector<bool> body;       // and the parameter (state, pred[])
  std::vector<bool> condition;  // of a loop whose body is in `returns`
};

// `counts`: how many conditions of each computation can be written. Without any
// in a computation and in all that it calls it stays as it is.
CalledChecks PlanCalledChecks(const ModuleData& data,
                              const std::vector<int64_t>& counts);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CALLED_CHECKS_H_
