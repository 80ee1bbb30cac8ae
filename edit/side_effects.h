// SPDX-License-Identifier: Apache-2.0
// SideEffects: which instructions do something besides their result.

#ifndef INDIM_EDIT_SIDE_EFFECTS_H_
#define INDIM_EDIT_SIDE_EFFECTS_H_

#include <cstdint>
#include <vector>

#include "indim/edit/edit_graph.h"

namespace indim::internal {

// Source: XLA, HloInstruction::HasSideEffect: the operations that ops.def
// marks, rng, the starts and ends of asynchronous collectives, collectives that
// constrain layouts, custom-calls that say so, and whatever calls these.
class SideEffects {
 public:
  // The graph must not change while this is used.
  explicit SideEffects(const EditGraph& graph);

  bool Of(uint32_t node) const;

 private:
  const EditGraph& graph_;
  std::vector<bool> computations_;
};

// SideEffects(graph).Of(node) of one node, in time in proportion to what it
// calls.
bool HasSideEffect(const EditGraph& graph, uint32_t node);

}  // namespace indim::internal

#endif  // INDIM_EDIT_SIDE_EFFECTS_H_
