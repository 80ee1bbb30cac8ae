// SPDX-License-Identifier: Apache-2.0
// ControlEdges: which nodes must run after which. Few graphs have any.

#ifndef INDIM_EDIT_CONTROL_EDGES_H_
#define INDIM_EDIT_CONTROL_EDGES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace indim::internal {

class ControlEdges {
 public:
  void Add(uint32_t predecessor, uint32_t successor) {
    predecessors_[successor].push_back(predecessor);
    successors_[predecessor].push_back(successor);
  }
  // Removes the edges that end at `successor`.
  void RemoveBefore(uint32_t successor) {
    const auto found = predecessors_.find(successor);
    if (found == predecessors_.end()) return;
    for (const uint32_t predecessor : found->second) {
      std::vector<uint32_t>& after = successors_[predecessor];
      after.erase(std::remove(after.begin(), after.end(), successor),
                  after.end());
    }
    predecessors_.erase(found);
  }

  absl::Span<const uint32_t> predecessors(uint32_t node) const {
    return Find(predecessors_, node);
  }
  absl::Span<const uint32_t> successors(uint32_t node) const {
    return Find(successors_, node);
  }
  bool Any(uint32_t node) const {
    return !predecessors(node).empty() || !successors(node).empty();
  }

 private:
  using Map = absl::flat_hash_map<uint32_t, std::vector<uint32_t>>;
  static absl::Span<const uint32_t> Find(const Map& map, uint32_t node) {
    if (map.empty()) return {};
    const auto found = map.find(node);
    return found == map.end() ? absl::Span<const uint32_t>()
                              : absl::MakeConstSpan(found->second);
  }

  Map predecessors_, successors_;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_CONTROL_EDGES_H_
