// Finds the instructions of a computation by XLA's ids, of which only the low
// 32 bits count. Ids that lie close together are looked up in an array, others
// in a map; neither is ever larger than the count of instructions asks for.

#ifndef INDIM_IR_ID_INDEX_H_
#define INDIM_IR_ID_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace indim {

class IdIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Empties the index and makes it ready for `ids`, which are not yet in it.
  void Reset(absl::Span<const int64_t> ids) {
    lowest_ = ~uint32_t{0};
    uint32_t highest = 0;
    for (int64_t id : ids) {
      lowest_ = std::min(lowest_, Low(id));
      highest = std::max(highest, Low(id));
    }
    map_.clear();
    array_.clear();
    is_array_ = !ids.empty() && highest - lowest_ < 4 * ids.size() + 16;
    if (is_array_) {
      array_.resize(size_t{highest} - lowest_ + 1, kNone);
    } else {
      map_.reserve(ids.size());
    }
  }

  // `id` is one of those that Reset saw. False when an id with the same low
  // bits is there already.
  bool Insert(int64_t id, uint32_t position) {
    if (!is_array_) return map_.emplace(Low(id), position).second;
    uint32_t& slot = array_[Low(id) - lowest_];
    if (slot != kNone) return false;
    slot = position;
    return true;
  }

  // The position that was inserted for `id`, or kNone.
  uint32_t Find(int64_t id) const {
    if (is_array_) {
      // Below the lowest wraps around, past the end.
      const size_t offset = uint32_t{Low(id) - lowest_};
      return offset < array_.size() ? array_[offset] : kNone;
    }
    auto it = map_.find(Low(id));
    return it == map_.end() ? kNone : it->second;
  }

 private:
  static uint32_t Low(int64_t id) { return static_cast<uint32_t>(id); }

  bool is_array_ = false;
  uint32_t lowest_ = 0;
  std::vector<uint32_t> array_;
  absl::flat_hash_map<uint32_t, uint32_t> map_;
};

}  // namespace indim

#endif  // INDIM_IR_ID_INDEX_H_
