// SPDX-License-Identifier: Apache-2.0
// FreshIds: ids for new instructions and computations.

#ifndef INDIM_EDIT_FRESH_IDS_H_
#define INDIM_EDIT_FRESH_IDS_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"

namespace indim::internal {

// Each is one above the highest so far. Once that is the largest id that there
// can be, the lowest ones that nothing has follow.
class FreshIds {
 public:
  // Ids from 1 to `largest`.
  explicit FreshIds(int64_t largest) : largest_(largest) {}

  // `id` is in use.
  void Use(int64_t id) { highest_ = std::max(highest_, id); }

  using Ids = absl::flat_hash_set<int64_t>;
  // `add_all` adds all ids in use; it is called once at most.
  int64_t Next(absl::FunctionRef<void(Ids*)> add_all) {
    if (highest_ < largest_) return ++highest_;
    if (used_.empty()) add_all(&used_);
    while (!used_.insert(++lowest_).second) continue;
    return lowest_;
  }

 private:
  const int64_t largest_;
  int64_t highest_ = 0;
  int64_t lowest_ = 0;
  Ids used_;  // empty: not asked for yet
};

}  // namespace indim::internal

#endif  // INDIM_EDIT_FRESH_IDS_H_
