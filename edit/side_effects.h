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
  bool Own(uint32_t node) const;

  const EditGraph& graph_;
  std::vector<bool> computations_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_SIDE_EFFECTS_H_
