// SPDX-License-Identifier: Apache-2.0
// Which results have tangents.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/ir/module_access.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {
namespace {

// Answers for called computations of one module, and how deep calls nest.
struct ActivityMemo {
  std::map<std::pair<int, ActiveLeaves>, ActiveLeaves> answers;
  int depth = 0;
};

ActiveLeaves ResultsOf(const Computation& computation,
                       absl::Span<const ActiveLeaves> parameters,
                       ActivityMemo* memo);
ActiveLeaves LoopOf(const Computation& body, ActiveLeaves carry,
                    ActivityMemo* memo);

// Whether its derivative is 0 for these types.
bool IsZeroForTypes(const Instruction& node, const GradientRule& rule) {
  if (!rule.has(kZeroOfReals) && !rule.has(kZeroOfOtherType)) return false;
  const ElementType from = node.operand(0).shape().element_type();
  return rule.has(kZeroOfReals) ? !IsComplex(from)
                                : from != node.shape().element_type();
}

class Activity {
 public:
  Activity(const Computation& computation,
           absl::Span<const ActiveLeaves> parameters, ActivityMemo* memo,
           const Instruction* independent = nullptr)
      : computation_(computation),
        parameters_(parameters),
        memo_(memo),
        independent_(independent) {}

  // By instruction.
  std::vector<ActiveLeaves> OfAll() {
    for (const Instruction node : computation_.instructions()) {
      leaves_.push_back(Of(node));
    }
    return std::move(leaves_);
  }

 private:
  const ActiveLeaves& Operand(const Instruction& node, int i) const {
    return leaves_[static_cast<size_t>(node.operand(i).index())];
  }

  ActiveLeaves Of(const Instruction& node) {
    if (independent_ != nullptr && node == *independent_) {
      return ActiveLeaves(LeafCount(node.shape()), true);
    }
    switch (MarkOf(node)) {
      case GradientMark::kStop:
        return ActiveLeaves(LeafCount(node.shape()));
      case GradientMark::kCustom:
        return OfOther(node);
      default:
        return OfOpcode(node);
    }
  }

  ActiveLeaves OfOpcode(const Instruction& node) {
    switch (node.opcode()) {
      case Opcode::kParameter:
        if (parameters_.empty()) return ActiveLeaves(LeafCount(node.shape()));
        return parameters_[static_cast<size_t>(
            As<ParameterAttributes>(node.attributes()).number)];
      case Opcode::kTuple:
        return OfTuple(node);
      case Opcode::kGetTupleElement:
        return OfElement(node);
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
        return Operand(node, 0);
      case Opcode::kCall:
      case Opcode::kFusion:
        return OfCall(node);
      case Opcode::kWhile:
        return OfWhile(node);
      case Opcode::kConditional:
        return OfConditional(node);
      default:
        return OfOther(node);
    }
  }

  ActiveLeaves OfTuple(const Instruction& node) const {
    ActiveLeaves leaves;
    for (int i = 0; i < node.operand_count(); ++i) {
      const ActiveLeaves& part = Operand(node, i);
      leaves.insert(leaves.end(), part.begin(), part.end());
    }
    return leaves;
  }

  ActiveLeaves OfElement(const Instruction& node) const {
    const LeafRange part =
        LeavesAt(node.operand(0).shape(),
                 {As<GetTupleElementAttributes>(node.attributes()).index});
    const ActiveLeaves& all = Operand(node, 0);
    const auto begin = all.begin() + static_cast<ptrdiff_t>(part.first);
    return ActiveLeaves(begin, begin + static_cast<ptrdiff_t>(part.count));
  }

  ActiveLeaves OfCall(const Instruction& node) const {
    std::vector<ActiveLeaves> arguments;
    for (int i = 0; i < ArgumentCount(node); ++i) {
      arguments.push_back(Operand(node, i));
    }
    return ResultsOf(node.callee(0), arguments, memo_);
  }

  ActiveLeaves OfWhile(const Instruction& node) const {
    return LoopOf(node.callee(0), Operand(node, 0), memo_);
  }

  ActiveLeaves OfConditional(const Instruction& node) const {
    ActiveLeaves any(LeafCount(node.shape()));
    for (int k = 0; k < node.callee_count(); ++k) {
      const ActiveLeaves branch =
          ResultsOf(node.callee(k), {Operand(node, k + 1)}, memo_);
      for (size_t i = 0; i < any.size(); ++i) any[i] = any[i] || branch[i];
    }
    return any;
  }

  ActiveLeaves OfOther(const Instruction& node) const {
    const std::vector<Shape> shapes = LeafShapes(node.shape());
    ActiveLeaves leaves(shapes.size());
    const GradientRule& rule = GradientRuleOf(node.opcode());
    if (rule.kind == GradientKind::kZero || IsZeroForTypes(node, rule)) {
      return leaves;
    }
    bool active = false;
    for (int i = 0; i < node.operand_count(); ++i) {
      active = active || absl::c_linear_search(Operand(node, i), true);
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      leaves[i] = active && IsDifferentiable(shapes[i]);
    }
    return leaves;
  }

  const Computation& computation_;
  absl::Span<const ActiveLeaves> parameters_;
  ActivityMemo* memo_;
  const Instruction* independent_;
  std::vector<ActiveLeaves> leaves_;
};

ActiveLeaves ResultsOf(const Computation& computation,
                       absl::Span<const ActiveLeaves> parameters,
                       ActivityMemo* memo) {
  ActiveLeaves all;
  for (const ActiveLeaves& leaves : parameters) {
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  const auto key = std::make_pair(computation.index(), std::move(all));
  const auto found = memo->answers.find(key);
  if (found != memo->answers.end()) return found->second;
  ActiveLeaves answer;
  if (memo->depth >= kMostNestedCalls) {
    for (const Shape& leaf : LeafShapes(computation.root().shape())) {
      answer.push_back(IsDifferentiable(leaf));
    }
  } else {
    ++memo->depth;
    answer = Activity(computation, parameters, memo)
                 .OfAll()[static_cast<size_t>(computation.root().index())];
    --memo->depth;
  }
  memo->answers.emplace(key, answer);
  return answer;
}

ActiveLeaves LoopOf(const Computation& body, ActiveLeaves carry,
                    ActivityMemo* memo) {
  while (true) {
    const ActiveLeaves next = ResultsOf(body, {carry}, memo);
    bool changed = false;
    for (size_t i = 0; i < carry.size(); ++i) {
      if (next[i] && !carry[i]) carry[i] = changed = true;
    }
    if (!changed) return carry;
  }
}

}  // namespace

ActiveLeaves ActiveResults(const Computation& computation,
                           absl::Span<const ActiveLeaves> parameters) {
  ActivityMemo memo;
  return ResultsOf(computation, parameters, &memo);
}

std::vector<ActiveLeaves> ActiveInstructions(
    const Computation& computation, absl::Span<const ActiveLeaves> parameters,
    const Instruction* independent) {
  ActivityMemo memo;
  return Activity(computation, parameters, &memo, independent).OfAll();
}

ActiveLeaves ActiveInLoop(const Computation& body, ActiveLeaves carry) {
  ActivityMemo memo;
  return LoopOf(body, std::move(carry), &memo);
}

}  // namespace indim::internal
