// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/stable_order.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim::internal {

bool StableSorter::Append(absl::Span<const uint32_t> items, Needs needs,
                          std::vector<uint32_t>* order,
                          std::vector<uint32_t>* cycle) {
  for (const uint32_t item : items) {
    if (!AppendOne(item, needs, order, cycle)) return false;
  }
  return true;
}

// Iterative, because a graph may be deeper than the call stack.
bool StableSorter::AppendOne(uint32_t item, Needs needs,
                             std::vector<uint32_t>* order,
                             std::vector<uint32_t>* cycle) {
  if (state_[item] == kDone) return true;
  struct Open {
    uint32_t item;
    std::vector<uint32_t> needs;
    size_t next = 0;
  };
  std::vector<Open> path;
  const auto open = [&](uint32_t next) {
    state_[next] = kOpen;
    path.push_back({next, {}, 0});
    needs(next, &path.back().needs);
  };
  open(item);
  while (!path.empty()) {
    Open& last = path.back();
    if (last.next == last.needs.size()) {
      state_[last.item] = kDone;
      order->push_back(last.item);
      path.pop_back();
      continue;
    }
    const uint32_t need = last.needs[last.next++];
    if (state_[need] == kDone) continue;
    if (state_[need] == kOpen) {
      size_t first = path.size();
      while (path[--first].item != need) {
      }
      for (; first < path.size(); ++first) cycle->push_back(path[first].item);
      return false;
    }
    open(need);
  }
  return true;
}

std::string CycleText(absl::Span<const std::string> names) {
  constexpr size_t kMax = 8;
  std::string text = absl::StrJoin(names.subspan(0, kMax), " -> ");
  if (names.size() > kMax) {
    absl::StrAppend(&text, " -> ... ", names.size() - kMax, " more");
  }
  return text;
}

}  // namespace indim::internal
