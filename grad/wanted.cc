// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/wanted.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

void Want(ActiveLeaves* leaves, const Shape& shape, size_t first,
          absl::Span<const bool> wanted) {
  leaves->resize(LeafCount(shape));
  for (size_t i = 0; i < wanted.size(); ++i) {
    (*leaves)[first + i] = (*leaves)[first + i] || wanted[i];
  }
}

// By parameter. Of computations that nest too deeply: all.
std::vector<ActiveLeaves> WantedOfParameters(const Computation& computation,
                                             const ActiveLeaves& root,
                                             WantedMemo* memo) {
  const auto key = std::make_pair(computation.index(), root);
  const auto found = memo->parameters.find(key);
  if (found != memo->parameters.end()) return found->second;
  std::vector<ActiveLeaves> answer;
  const bool is_too_deep = memo->depth >= kMostNestedCalls;
  ++memo->depth;
  std::vector<ActiveLeaves> all;
  if (!is_too_deep) all = WantedForRoot(computation, &root, {}, memo);
  --memo->depth;
  for (const Instruction node : computation.instructions()) {
    if (node.opcode() != Opcode::kParameter) continue;
    const auto number =
        static_cast<size_t>(As<ParameterAttributes>(node.attributes()).number);
    answer.resize(std::max(answer.size(), number + 1));
    answer[number].assign(LeafCount(node.shape()), is_too_deep);
    if (is_too_deep) continue;
    Want(&answer[number], node.shape(), 0,
         all[static_cast<size_t>(node.index())]);
  }
  memo->parameters.emplace(key, answer);
  return answer;
}

// Gives the operands of an instruction that runs computations what these may
// pass. False: it isn't one.
bool WantThrough(const Instruction& node, const ActiveLeaves& wanted,
                 std::vector<ActiveLeaves>* all, WantedMemo* memo) {
  const GradientMark mark = MarkOf(node);
  if (mark != GradientMark::kNone && mark != GradientMark::kCheckpoint) {
    return false;
  }
  const auto want = [&](int i, const ActiveLeaves& leaves) {
    const Instruction operand = node.operand(i);
    Want(&(*all)[static_cast<size_t>(operand.index())], operand.shape(), 0,
         leaves);
  };
  switch (node.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion: {
      const std::vector<ActiveLeaves> parameters =
          WantedOfParameters(node.callee(0), wanted, memo);
      for (int i = 0; i < ArgumentCount(node); ++i) {
        want(i, parameters[static_cast<size_t>(i)]);
      }
      return true;
    }
    case Opcode::kWhile:
      want(0, WantedInLoop(node.callee(0), wanted, memo));
      return true;
    case Opcode::kConditional:
      for (int k = 0; k < node.callee_count(); ++k) {
        want(k + 1, WantedOfParameters(node.callee(k), wanted, memo)[0]);
      }
      return true;
    default:
      return false;
  }
}

}  // namespace

bool HasTangents(const Shape& shape) {
  return !ForEachLeaf(shape, [](const Shape& leaf) {
    return !IsDifferentiable(leaf) || leaf.ElementCount() == 0;
  });
}

bool AnyTangent(const TangentLeaves& tangents) {
  return absl::c_any_of(tangents,
                        [](const Tangent& t) { return t.has_value(); });
}

std::vector<ActiveLeaves> WantedForRoot(const Computation& computation,
                                        const ActiveLeaves* wanted_of_root,
                                        absl::Span<const Traced> recorded,
                                        WantedMemo* memo) {
  std::vector<ActiveLeaves> all(
      static_cast<size_t>(computation.instruction_count()));
  const Instruction root = computation.root();
  all[static_cast<size_t>(root.index())] =
      wanted_of_root != nullptr ? *wanted_of_root
                                : ActiveLeaves(LeafCount(root.shape()), true);
  for (int i = computation.instruction_count(); i-- > 0;) {
    const Instruction node = computation.instruction(i);
    ActiveLeaves& wanted = all[static_cast<size_t>(i)];
    if (MarkOf(node) == GradientMark::kStop) absl::c_fill(wanted, false);
    if (!absl::c_linear_search(wanted, true) ||
        GradientRuleOf(node.opcode()).kind == GradientKind::kZero ||
        !HasTangents(node.shape()) ||
        (!recorded.empty() &&
         AnyTangent(recorded[static_cast<size_t>(i)].tangents))) {
      continue;
    }
    if (WantThrough(node, wanted, &all, memo)) continue;
    size_t next = 0;
    for (const Instruction operand : node.operands()) {
      const size_t count = LeafCount(operand.shape());
      ActiveLeaves* const leaves = &all[static_cast<size_t>(operand.index())];
      const auto all_wanted = absl::MakeConstSpan(wanted);
      if (node.opcode() == Opcode::kTuple) {
        Want(leaves, operand.shape(), 0, all_wanted.subspan(next, count));
      } else if (node.opcode() == Opcode::kGetTupleElement) {
        const int64_t index =
            As<GetTupleElementAttributes>(node.attributes()).index;
        // The state of a loop that is still being recorded may grow.
        if (index >= operand.shape().tuple_size()) continue;
        Want(leaves, operand.shape(), LeavesAt(operand.shape(), {index}).first,
             all_wanted);
      } else {
        leaves->assign(count, true);
      }
      next += count;
    }
  }
  return all;
}

ActiveLeaves WantedInLoop(const Computation& body, ActiveLeaves wanted,
                          WantedMemo* memo) {
  while (true) {
    const ActiveLeaves before = WantedOfParameters(body, wanted, memo)[0];
    bool changed = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (before[i] && !wanted[i]) wanted[i] = changed = true;
    }
    if (!changed) return wanted;
  }
}

}  // namespace indim::internal
