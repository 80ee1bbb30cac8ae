// SPDX-License-Identifier: Apache-2.0
// ComputationOrder: the computations of an edited module, in an order.

#ifndef INDIM_EDIT_COMPUTATION_ORDER_H_
#define INDIM_EDIT_COMPUTATION_ORDER_H_

#include <cstdint>
#include <vector>

#include "indim/edit/use_lists.h"

namespace indim::internal {

class ComputationOrder {
 public:
  // The next computation, behind all others by number, comes before `before`
  // (kNone: at the end).
  void Add(uint32_t before) {
    const uint32_t c = static_cast<uint32_t>(links_.size());
    const uint32_t after = before == kNone ? last_ : links_[before].previous;
    links_.push_back({before, after});
    (after == kNone ? first_ : links_[after].next) = c;
    (before == kNone ? last_ : links_[before].previous) = c;
    changed_ = true;
  }
  void Remove(uint32_t c) {
    const auto [before, after] = links_[c];
    (after == kNone ? first_ : links_[after].next) = before;
    (before == kNone ? last_ : links_[before].previous) = after;
    changed_ = true;
  }
  // Valid until the next change.
  const std::vector<uint32_t>& all() const {
    if (!changed_) return all_;
    changed_ = false;
    all_.clear();
    for (uint32_t c = first_; c != kNone; c = links_[c].next) all_.push_back(c);
    return all_;
  }

 private:
  struct Link {
    uint32_t next, previous;
  };
  std::vector<Link> links_;
  uint32_t first_ = kNone, last_ = kNone;
  mutable std::vector<uint32_t> all_;  // while nothing changes the list
  mutable bool changed_ = true;
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_COMPUTATION_ORDER_H_
