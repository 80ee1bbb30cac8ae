// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/memory_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace indim::internal {

std::vector<uint32_t> MemoryOrder(const Computation& computation,
                                  const LeafBytes& bytes) {
  const auto count = static_cast<size_t>(computation.instruction_count());
  // Of each with all that it needs, what many need counted again: further users
  // and bytes.
  std::vector<std::pair<double, double>> weights(count);
  std::vector<double> users(count);
  for (const Instruction node : computation.instructions()) {
    for (const Instruction operand : node.operands()) {
      ++users[static_cast<size_t>(operand.index())];
    }
  }
  double all = 0;
  for (const Instruction node : computation.instructions()) {
    const auto i = static_cast<size_t>(node.index());
    const double own = bytes.Of(node).sum;
    all += own;
    weights[i] = {std::max(0.0, users[i] - 1), own};
    for (const Instruction operand : node.operands()) {
      const auto o = static_cast<size_t>(operand.index());
      weights[i].first += weights[o].first;
      weights[i].second += weights[o].second;
    }
    // What is counted again would grow without end.
    weights[i].first = std::min(weights[i].first, static_cast<double>(count));
    weights[i].second = std::min(weights[i].second, all);
  }
  std::vector<uint32_t> order;
  order.reserve(count);
  std::vector<bool> is_seen(count), is_done(count);
  std::vector<uint32_t> stack;
  const auto lighter = [&](uint32_t a, uint32_t b) {
    return weights[a] < weights[b];
  };
  const auto visit = [&](uint32_t root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const uint32_t i = stack.back();
      if (is_done[i]) {
        stack.pop_back();
      } else if (is_seen[i]) {
        is_done[i] = true;
        order.push_back(i);
        stack.pop_back();
      } else {
        is_seen[i] = true;
        const size_t first = stack.size();
        for (const Instruction operand :
             computation.instruction(static_cast<int>(i)).operands()) {
          stack.push_back(static_cast<uint32_t>(operand.index()));
        }
        // The last one on the stack comes first. A sort of few takes memory
        // too.
        const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(first);
        if (!std::is_sorted(begin, stack.end(), lighter)) {
          std::stable_sort(begin, stack.end(), lighter);
        }
      }
    }
  };
  for (uint32_t i = 0; i < count; ++i) {
    if (users[i] == 0) visit(i);
  }
  return order;
}

}  // namespace indim::internal
