// SPDX-License-Identifier: Apache-2.0
// LoopState: the state of the loop that the derivative of a while writes.

#ifndef INDIM_GRAD_LOOP_STATE_H_
#define INDIM_GRAD_LOOP_STATE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/stacks.h"
#include "indim/ir/module.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// The state of the loop that is written: the elements of the state that was
// read (or the one array), then others.
class LoopState {
 public:
  explicit LoopState(const Instruction& loop)
      : loop_(loop), shape_(loop.shape().WithoutLayout()) {
    if (shape_.is_tuple()) {
      elements_.assign(shape_.elements().begin(), shape_.elements().end());
    } else {
      elements_.push_back(shape_);
    }
    FindHandedOn();
  }

  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  const std::vector<int64_t>& handed_on() const { return handed_on_; }
  // Whether the body hands an element on.
  bool is_handed_on(int64_t i) const {
    return absl::c_linear_search(handed_on_, i);
  }
  // Whether it hands on all elements that hold these leaves.
  bool HandsOnAll(const std::vector<size_t>& leaves) const {
    size_t first = 0;
    for (int64_t i = 0; i < size(); ++i) {
      const size_t end =
          first + LeafShapes(elements_[static_cast<size_t>(i)]).size();
      for (const size_t leaf : leaves) {
        if (first <= leaf && leaf < end && !is_handed_on(i)) return false;
      }
      first = end;
    }
    return true;
  }

  // The array of a tuple that a leaf is; -1: it is in an inner tuple.
  int64_t ElementOfLeaf(size_t leaf) const {
    size_t first = 0;
    for (int64_t i = 0; i < size() && first <= leaf; ++i) {
      const Shape& element = elements_[static_cast<size_t>(i)];
      if (first == leaf && element.is_array()) return i;
      first += LeafShapes(element).size();
    }
    return -1;
  }

  Shape With(const std::vector<Shape>& others) const {
    std::vector<Shape> parts = elements_;
    parts.insert(parts.end(), others.begin(), others.end());
    return Shape::Tuple(std::move(parts));
  }
  // The elements of a value of the old state.
  std::vector<Op> Parts(ComputationBuilder& b, Op old_state) const {
    if (!shape_.is_tuple()) return {old_state};
    if (IsA(b, old_state, Opcode::kTuple)) return *b.operands(old_state);
    std::vector<Op> parts;
    for (int64_t i = 0; i < size(); ++i) {
      parts.push_back(b.GetTupleElement(old_state, i));
    }
    return parts;
  }
  // The old state, of its elements.
  Op Whole(ComputationBuilder& b, absl::Span<const Op> parts) const {
    return shape_.is_tuple() ? b.Tuple(parts) : parts[0];
  }
  // The old state, of a value of the new one.
  Op Old(ComputationBuilder& b, Op new_state) const {
    std::vector<Op> parts;
    for (int64_t i = 0; i < size(); ++i) {
      parts.push_back(b.GetTupleElement(new_state, i));
    }
    return Whole(b, parts);
  }
  // The arrays that a step changes, and a state of such and of the elements
  // that are handed on.
  std::vector<Op> Changing(ComputationBuilder& b, Op old_state) const {
    std::vector<Op> leaves;
    const std::vector<Op> parts = Parts(b, old_state);
    for (int64_t i = 0; i < size(); ++i) {
      if (!is_handed_on(i))
        AddLeaves(b, parts[static_cast<size_t>(i)], &leaves);
    }
    return leaves;
  }
  Op With(ComputationBuilder& b, absl::Span<const Op> changing,
          absl::Span<const Op> start) const {
    std::vector<Op> parts(start.begin(), start.end());
    for (int64_t i = 0; i < size(); ++i) {
      const auto at = static_cast<size_t>(i);
      if (!is_handed_on(i)) parts[at] = FromLeaves(b, elements_[at], &changing);
    }
    return Whole(b, parts);
  }
  // The next elements: of `old_state`, but for those that are handed on.
  std::vector<Op> Next(ComputationBuilder& b, Op old_state,
                       Op new_state) const {
    std::vector<Op> parts = Parts(b, old_state);
    for (const int64_t i : handed_on_) {
      parts[static_cast<size_t>(i)] = b.GetTupleElement(new_state, i);
    }
    return parts;
  }

 private:
  static Op FromLeaves(ComputationBuilder& b, const Shape& shape,
                       absl::Span<const Op>* leaves) {
    if (!shape.is_tuple()) {
      const Op leaf = leaves->front();
      leaves->remove_prefix(1);
      return leaf;
    }
    std::vector<Op> parts;
    for (const Shape& part : shape.elements()) {
      parts.push_back(FromLeaves(b, part, leaves));
    }
    return b.Tuple(parts);
  }
  void FindHandedOn() {
    const Instruction root = loop_.callee(0).root();
    if (root.opcode() != Opcode::kTuple) return;
    for (int i = 0; i < root.operand_count(); ++i) {
      const Instruction next = root.operand(i);
      if (next.opcode() == Opcode::kGetTupleElement &&
          next.operand(0).opcode() == Opcode::kParameter &&
          As<GetTupleElementAttributes>(next.attributes()).index == i) {
        handed_on_.push_back(i);
      }
    }
  }

  Instruction loop_;
  Shape shape_;
  std::vector<Shape> elements_;
  std::vector<int64_t> handed_on_;
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_LOOP_STATE_H_
