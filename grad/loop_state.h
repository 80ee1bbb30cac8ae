// SPDX-License-Identifier: Apache-2.0
// LoopState: the state of the loop that the derivative of a while writes;
// ActiveState: which parts of it have tangents.

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
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {

// The parts of a loop's state that have tangents.
struct ActiveState {
  std::vector<size_t> leaves;
  std::vector<Shape> shapes;
  // What steps back do with their cotangents.
  enum Cotangent : uint8_t {
    kChanged,
    kRead,  // each step reads its slice of it (FindWritten)
    kZero   // likewise, and it is known to be 0
  };
  std::vector<Cotangent> cotangents;  // of reverse mode
};

// What has tangents, and matters for what is wanted of the result.
inline ActiveState ActiveStateOf(const Primal& node) {
  ActiveLeaves active;
  for (const Tangent& t : node.tangents(0)) active.push_back(t.has_value());
  active = ActiveInLoop(node.node().callee(0), active);
  const ActiveLeaves wanted = WantedInLoop(node.node().callee(0), node.wanted(),
                                           &node.context().wanted);
  const std::vector<Shape> shapes = LeafShapes(node.shape());
  ActiveState state;
  for (size_t i = 0; i < active.size(); ++i) {
    if (!active[i] || !wanted[i]) continue;
    state.leaves.push_back(i);
    state.shapes.push_back(shapes[i].WithoutLayout());
  }
  return state;
}

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
    FindKnown();
  }

  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  // The elements that the body hands on, or changes by a constant number.
  const std::vector<int64_t>& known() const { return known_; }
  // Whether the body hands an element on.
  bool is_handed_on(int64_t i) const {
    return absl::c_linear_search(handed_on_, i);
  }
  const Shape& element(int64_t i) const {
    return elements_[static_cast<size_t>(i)];
  }
  // The element that holds a leaf.
  int64_t ElementWith(size_t leaf) const {
    int64_t i = -1;
    for (size_t end = 0; end <= leaf;) end += LeafCount(element(++i));
    return i;
  }

  Shape With(const std::vector<Shape>& others) const {
    std::vector<Shape> parts = elements_;
    parts.insert(parts.end(), others.begin(), others.end());
    return Shape::Tuple(std::move(parts));
  }
  // The elements of a value of the old state.
  std::vector<Op> Parts(ComputationBuilder& b, Op old_state) const {
    if (!shape_.is_tuple()) return {old_state};
    return ElementsFrom(b, old_state, 0);
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
  // The known elements in step k, of those at the start; of all steps the
  // `stride`-th ones count.
  std::vector<Op> KnownIn(ComputationBuilder& b, std::vector<Op> start, Op k,
                          int64_t stride) const {
    for (const int64_t i : known_) {
      Op& value = start[static_cast<size_t>(i)];
      if (is_handed_on(i) || value == Op()) continue;
      const int64_t step = stride * steps_[static_cast<size_t>(i)];
      const Op moved =
          ConvertTo(b, step == 1 ? k : b.Mul(k, ConstantSteps(b, step)),
                    element(i).element_type());
      value = ScalarConstant(b, value) == 0 ? moved : b.Add(value, moved);
    }
    return start;
  }
  // The element that is the number of the step; -1: none is. `start` are the
  // elements at the start.
  int64_t CountingElement(const ComputationBuilder& b,
                          absl::Span<const Op> start) const {
    for (const int64_t i : known_) {
      const auto at = static_cast<size_t>(i);
      if (steps_[at] == 1 && ScalarConstant(b, start[at]) == 0 &&
          elements_[at].element_type() == ElementType::kS64) {
        return i;
      }
    }
    return -1;
  }
  // The arrays that a step changes and that aren't known, and a state of such
  // and of the known elements.
  std::vector<Op> Changing(ComputationBuilder& b, Op old_state) const {
    std::vector<Op> leaves;
    const std::vector<Op> parts = Parts(b, old_state);
    for (int64_t i = 0; i < size(); ++i) {
      if (!is_known(i)) AddLeaves(b, parts[static_cast<size_t>(i)], &leaves);
    }
    return leaves;
  }
  Op With(ComputationBuilder& b, absl::Span<const Op> changing,
          absl::Span<const Op> known) const {
    std::vector<Op> parts(known.begin(), known.end());
    for (int64_t i = 0; i < size(); ++i) {
      const auto at = static_cast<size_t>(i);
      if (!is_known(i)) parts[at] = FromLeaves(b, elements_[at], &changing);
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
  bool is_known(int64_t i) const { return absl::c_linear_search(known_, i); }
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
  void FindKnown() {
    steps_.resize(elements_.size());
    const Instruction root = loop_.callee(0).root();
    if (root.opcode() != Opcode::kTuple) return;
    for (int i = 0; i < root.operand_count(); ++i) {
      const Instruction next = root.operand(i);
      if (next.opcode() == Opcode::kGetTupleElement &&
          next.operand(0).opcode() == Opcode::kParameter &&
          As<GetTupleElementAttributes>(next.attributes()).index == i) {
        handed_on_.push_back(i);
        known_.push_back(i);
        continue;
      }
      constexpr int64_t kMost = int64_t{1} << 31;
      const Shape& part = element(i);
      if (!part.is_scalar() || !IsIntegral(part.element_type()) ||
          Info(part.element_type()).bits < 8) {
        continue;
      }
      const int64_t step = StepOf(loop_.callee(0), i).value_or(0);
      if (step == 0 || step > kMost || step < -kMost) continue;
      steps_[static_cast<size_t>(i)] = step;
      known_.push_back(i);
    }
  }

  Instruction loop_;
  Shape shape_;
  std::vector<Shape> elements_;
  std::vector<int64_t> handed_on_, known_;
  std::vector<int64_t> steps_;  // of known elements that change, by element
};

}  // namespace indim::internal

#endif  // INDIM_GRAD_LOOP_STATE_H_
