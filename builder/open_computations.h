// SPDX-License-Identifier: Apache-2.0
// OpenComputations: the computations that a builder has under construction: its
// own, and the regions that are open inside it (region.h), each a Frame. They
// say what an Op is to the builder.

#ifndef INDIM_BUILDER_OPEN_COMPUTATIONS_H_
#define INDIM_BUILDER_OPEN_COMPUTATIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/builder/control_block.h"
#include "indim/builder/op.h"
#include "indim/builder/op_access.h"
#include "indim/builder/region.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/column.h"

namespace indim::internal {

// The part of a Frame that only a region has.
struct RegionPart {
  CaptureForm form = CaptureForm::kNone;
  // The nodes of the region's arguments, in order.
  std::vector<uint32_t> arguments;
  // Values of the enclosing computation that the region uses: each one's Op
  // there, and the node that stands for it here.
  struct Captured {
    Op outer;
    uint32_t node;
  };
  std::vector<Captured> captured;
  // The node here for a value of an enclosing computation, by its depth and its
  // node there; copied constants included.
  absl::flat_hash_map<uint64_t, uint32_t> local;
  // The nodes of the region's results, since EndRegion().
  std::vector<uint32_t> results;
  // Set by EndRegion(): a call inside the region failed.
  bool failed = false;

  // Of the recorder, when the region began: the number of errors, and the
  // sharding in scope, which isn't the region's.
  size_t errors_before = 0;
  std::optional<std::string> sharding;
};

// A computation under construction: the builder's own, or a region that was
// begun inside it.
struct Frame {
  // The Ops of this computation have these two.
  BuilderControl* control = nullptr;
  uint32_t generation = 0;

  std::string name;
  Column<InstructionRecord> instructions;
  Column<uint32_t> operands;                          // as in ModuleData
  absl::flat_hash_map<int64_t, uint32_t> parameters;  // node by number
  int64_t free_parameter = 0;  // all lower numbers are taken
  // Nodes that were given names, in any order, possibly with repetitions.
  std::vector<uint32_t> named;
  bool calls = false;  // whether a node has callees
  uint32_t root = 0;
  // The tokens that the next Infeed and Outfeed without a token follow.
  Op infeed_token;
  Op outfeed_token;

  std::unique_ptr<RegionPart> region;  // null: the builder's own computation

  // The lowest number that no parameter has.
  int64_t NextParameter() {
    while (parameters.contains(free_parameter)) ++free_parameter;
    return free_parameter;
  }
};

// kOuter: a good op of an enclosing computation. kGone: of a builder that is
// gone, or of a region that has ended. kOther: of another builder.
enum class OpState { kGood, kPoisoned, kOuter, kDefault, kGone, kOther };

class OpenComputations {
 public:
  // The node of a call that has none.
  static constexpr uint32_t kNoNode = ~uint32_t{0};

  // None, for Recorder::None().
  OpenComputations() = default;
  // The own one of the builder of `owner`.
  OpenComputations(Recorder* owner, absl::string_view name);
  ~OpenComputations();
  OpenComputations(const OpenComputations&) = delete;
  OpenComputations& operator=(const OpenComputations&) = delete;

  bool is_none() const { return current_.control == nullptr; }
  // The one that is recorded: the builder's own, or the innermost region. Its
  // callees are in the family's store.
  const Frame& current() const { return current_; }
  Frame& current() { return current_; }
  // The depth of the current one: 0 is the builder's own.
  size_t depth() const { return outer_.size(); }
  const Frame& At(size_t depth) const {
    return depth == outer_.size() ? current_ : outer_[depth];
  }
  Frame& At(size_t depth) {
    return depth == outer_.size() ? current_ : outer_[depth];
  }
  // The depth of an open region; nullopt: it isn't open here.
  std::optional<size_t> DepthOf(const Region& region) const;
  size_t DepthOf(const Frame& frame) const;

  // The one that the op is of; null: none.
  const Frame* FrameOf(Op op) const;
  Frame* FrameOf(Op op) {
    return const_cast<Frame*>(std::as_const(*this).FrameOf(op));
  }
  OpState StateOf(Op op) const {
    return OpAccess::IsOf(op, current_.control, current_.generation)
               ? (HasShape(current_, op) ? OpState::kGood : OpState::kPoisoned)
               : StateOfOther(op);
  }
  // None for a poisoned op, and for one that isn't of these computations.
  ShapeId ShapeOf(Op op) const {
    const Frame* const frame = FrameOf(op);
    return frame != nullptr && HasShape(*frame, op)
               ? frame->instructions[OpAccess::Node(op)].shape
               : ShapeId();
  }

  // The op of a node of the current one.
  Op OpOf(uint32_t node) const { return OpIn(current_, node); }
  static Op OpIn(const Frame& frame, uint32_t node) {
    return OpAccess::Make(frame.control, frame.generation, node);
  }
  // The result of a call that records nothing.
  Op NoOp() const { return is_none() ? Op() : OpOf(kNoNode); }

  // Makes `frame` the current one, and goes back from it.
  void Enter(Frame frame);
  Frame Leave();
  // A frame inside the current one, with a control block of its own.
  Frame NewFrame(absl::string_view name);
  // The Ops of a region that has ended still lead to its builder, so that
  // operators can report them.
  void Retire(BuilderControl* control) { ended_.push_back(control); }

 private:
  static bool HasShape(const Frame& frame, Op op) {
    const uint32_t node = OpAccess::Node(op);
    return node < frame.instructions.size() && frame.instructions[node].shape;
  }
  // Of an op that isn't of the current one.
  OpState StateOfOther(Op op) const;

  Recorder* owner_ = nullptr;
  Frame current_;
  std::vector<Frame> outer_;  // those that enclose it, outermost first
  std::vector<BuilderControl*> ended_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_OPEN_COMPUTATIONS_H_
