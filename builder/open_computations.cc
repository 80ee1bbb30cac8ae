// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/open_computations.h"

#include <atomic>
#include <string>

namespace indim::internal {

OpenComputations::OpenComputations(Recorder* owner, absl::string_view name)
    : owner_(owner) {
  current_ = NewFrame(name);
}

OpenComputations::~OpenComputations() {
  if (is_none()) return;
  ReleaseControl(current_.control);
  for (const Frame& outer : outer_) ReleaseControl(outer.control);
  for (BuilderControl* const ended : ended_) ReleaseControl(ended);
}

Frame OpenComputations::NewFrame(absl::string_view name) {
  Frame frame;
  frame.control = AcquireControl(owner_);
  frame.generation = frame.control->generation.load(std::memory_order_relaxed);
  frame.name = std::string(name);
  return frame;
}

std::optional<size_t> OpenComputations::DepthOf(const Region& region) const {
  for (size_t depth = 1; depth <= outer_.size(); ++depth) {
    if (region.control_ == At(depth).control &&
        region.generation_ == At(depth).generation) {
      return depth;
    }
  }
  return std::nullopt;
}

size_t OpenComputations::DepthOf(const Frame& frame) const {
  size_t depth = 0;
  while (&At(depth) != &frame) ++depth;
  return depth;
}

const Frame* OpenComputations::FrameOf(Op op) const {
  for (size_t depth = outer_.size() + 1; depth-- > 0;) {
    const Frame& frame = At(depth);
    if (OpAccess::IsOf(op, frame.control, frame.generation)) return &frame;
  }
  return nullptr;
}

OpState OpenComputations::StateOfOther(Op op) const {
  if (OpAccess::Control(op) == nullptr) return OpState::kDefault;
  if (const Frame* const outer = FrameOf(op)) {
    return HasShape(*outer, op) ? OpState::kOuter : OpState::kPoisoned;
  }
  const Recorder* const other =
      Follow(OpAccess::Control(op), OpAccess::Generation(op));
  return other == nullptr || other == owner_ ? OpState::kGone : OpState::kOther;
}

void OpenComputations::Enter(Frame frame) {
  outer_.push_back(std::move(current_));
  current_ = std::move(frame);
}

Frame OpenComputations::Leave() {
  Frame frame = std::move(current_);
  current_ = std::move(outer_.back());
  outer_.pop_back();
  return frame;
}

}  // namespace indim::internal
