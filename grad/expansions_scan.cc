// SPDX-License-Identifier: Apache-2.0
// scan as a loop.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "indim/builder/instruction_copier.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"

namespace indim::internal {
namespace {

// A scan as a loop over the slices along its dim. The state: outputs, carries,
// inputs.
class ScanLoop {
 public:
  ScanLoop(ComputationBuilder* b, const Instruction& scan, Callee step)
      : b_(*b),
        attributes_(As<ScanAttributes>(scan.attributes())),
        step_(std::move(step)),
        dim_(static_cast<int>(attributes_.dimensions[0])),
        carries_(static_cast<size_t>(attributes_.num_carries)),
        inputs_(static_cast<size_t>(scan.operand_count()) - carries_) {
    if (scan.shape().is_tuple()) {
      results_.assign(scan.shape().elements().begin(),
                      scan.shape().elements().end());
    } else {
      results_.push_back(scan.shape());
    }
    outputs_ = results_.size() - carries_;
    count_ =
        (inputs_ > 0 ? scan.operand(0).shape() : results_[0]).dim(dim_).size();
  }

  // The outputs and carries behind the last step.
  std::vector<Op> Run(const std::vector<Op>& operands) {
    const auto first_carry = operands.begin() + static_cast<ptrdiff_t>(inputs_);
    std::vector<Op> state;
    for (size_t i = 0; i < outputs_; ++i) {
      state.push_back(b_.Splat(0, results_[i].WithoutLayout()));
    }
    state.insert(state.end(), first_carry, operands.end());
    state.insert(state.end(), operands.begin(), first_carry);
    state = b_.ForLoop(
        b_.ConstantR0(ElementType::kS32, count_), state,
        [this](Op i, std::vector<Op> now) { return Step(i, std::move(now)); });
    state.resize(outputs_ + carries_);
    return state;
  }

 private:
  std::vector<Op> Step(Op i, std::vector<Op> state) {
    std::vector<Op> arguments;
    for (size_t k = 0; k < inputs_; ++k) {
      arguments.push_back(SliceAt(i, state[outputs_ + carries_ + k]));
    }
    for (size_t k = 0; k < carries_; ++k) {
      arguments.push_back(state[outputs_ + k]);
    }
    const Op made = b_.Call(step_, arguments);
    const bool one = outputs_ + carries_ == 1 && !ShapeIn(b_, made).is_tuple();
    const auto part = [&](size_t k) {
      return one ? made : b_.GetTupleElement(made, static_cast<int64_t>(k));
    };
    for (size_t k = 0; k < outputs_; ++k) {
      const Shape shape = ShapeIn(b_, state[k]);
      state[k] = b_.DynamicUpdateSlice(
          state[k], ReshapeTo(b_, part(k), SliceOf(shape)), Starts(i, shape));
    }
    for (size_t k = 0; k < carries_; ++k) {
      state[outputs_ + k] = part(outputs_ + k);
    }
    return state;
  }

  // Slice i of an input, without the dim.
  Op SliceAt(Op i, Op whole) {
    const Shape shape = ShapeIn(b_, whole);
    Shape element = Shape::Scalar(shape.element_type());
    for (int d = 0; d < shape.rank(); ++d) {
      if (d != dim_) element.add_dim(shape.dim(d));
    }
    return ReshapeTo(b_,
                     b_.DynamicSlice(whole, Starts(i, shape),
                                     SizesArg(SliceOf(shape).dims())),
                     element);
  }

  std::vector<Op> Starts(Op i, const Shape& shape) {
    std::vector<Op> all(static_cast<size_t>(shape.rank()),
                        b_.ConstantR0(ElementType::kS32, 0));
    all[static_cast<size_t>(dim_)] =
        attributes_.is_reverse
            ? b_.Sub(b_.ConstantR0(ElementType::kS32, count_ - 1), i)
            : i;
    return all;
  }

  Shape SliceOf(Shape shape) const {
    shape.set_dim(dim_, Dim::Static(1));
    return shape;
  }

  ComputationBuilder& b_;
  const ScanAttributes attributes_;
  const Callee step_;
  const int dim_;
  const size_t carries_, inputs_;
  std::vector<Shape> results_;
  size_t outputs_ = 0;
  int64_t count_ = 0;
};

}  // namespace

absl::Status TangentScan(Primal& primal) {
  const Instruction& node = primal.node();
  ComputationBuilder b("scan");
  ScanLoop loop(
      &b, node,
      InstructionCopier(primal.context().module, RecorderOf(b)->family())
          .CalleeOf(node.callee(0)));
  const std::vector<Op> results = loop.Run(Parameters(b, node));
  return primal.SetByExpansion(
      Finished(b, node.shape().is_tuple() ? b.Tuple(results) : results[0]));
}

}  // namespace indim::internal
