// SPDX-License-Identifier: Apache-2.0
// OpAccess: what an Op holds, for parts of Indim that follow ops beyond their
// builder. Not part of the API.

#ifndef INDIM_BUILDER_OP_ACCESS_H_
#define INDIM_BUILDER_OP_ACCESS_H_

#include <cstdint>

#include "indim/builder/op.h"

namespace indim::internal {

struct OpAccess {
  // The position of the op among those of its builder.
  static uint32_t Node(Op op) { return op.node_; }
  static BuilderControl* Control(Op op) { return op.control_; }
  static uint32_t Generation(Op op) { return op.generation_; }
  static bool IsOf(Op op, const BuilderControl* control, uint32_t generation) {
    return op.control_ == control && op.generation_ == generation;
  }
  static Op Make(BuilderControl* control, uint32_t generation, uint32_t node) {
    return Op(control, generation, node);
  }
  // Whether two ops are of one builder. Two default ops are.
  static bool SameBuilder(Op a, Op b) {
    return a.control_ == b.control_ && a.generation_ == b.generation_;
  }
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_OP_ACCESS_H_
