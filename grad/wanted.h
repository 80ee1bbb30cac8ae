// SPDX-License-Identifier: Apache-2.0
// Which values' tangents a derivative of a result may pass: what lies on no way
// from the result back to a parameter needs none.

#ifndef INDIM_GRAD_WANTED_H_
#define INDIM_GRAD_WANTED_H_

#include <map>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/grad/tape.h"
#include "indim/ir/module.h"

namespace indim::internal {

// Which parts of a value have tangents, or are wanted.
using ActiveLeaves = absl::InlinedVector<bool, 8>;

// Of the computations of a module which leaves of its parameters a derivative
// of these leaves of the root may pass.
struct WantedMemo {
  std::map<std::pair<int, ActiveLeaves>, std::vector<ActiveLeaves>> parameters;
  int depth = 0;
};

// Of each instruction the leaves that a derivative of the root may pass; none:
// it passes nothing there. It ends at independent values of `recorded`.
std::vector<ActiveLeaves> WantedForRoot(const Computation& computation,
                                        const ActiveLeaves* wanted_of_root,
                                        absl::Span<const Traced> recorded,
                                        WantedMemo* memo);

// The parts of a loop's state that a derivative of the wanted parts of its
// result may pass.
ActiveLeaves WantedInLoop(const Computation& body, ActiveLeaves wanted,
                          WantedMemo* memo);

}  // namespace indim::internal

#endif  // INDIM_GRAD_WANTED_H_
