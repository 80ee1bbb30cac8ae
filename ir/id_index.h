// Finds the instructions of a computation by XLA's ids, of which only the low
// 32 bits count. Ids that count up need no table at all, those that lie close
// together are looked up in an array, others in a map; neither is ever larger
// than the count of instructions asks for.

#ifndef INDIM_IR_ID_INDEX_H_
#define INDIM_IR_ID_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace indim {

class IdIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Empties the index and makes it ready for `ids`, which are not yet in it and
  // will be inserted in this order, at positions that count up from 0.
  void Reset(absl::Span<const int64_t> ids) {
    lowest_ = ~uint32_t{0};
    uint32_t highest = 0;
    bool counts_up = !ids.empty();
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint32_t low = Low(ids[i]);
      lowest_ = std::min(lowest_, low);
      highest = std::max(highest, low);
      counts_up &= low - Low(ids[0]) == i;
    }
    inserted_ = 0;
    map_.clear();
    array_.clear();
    if (counts_up && lowest_ == Low(ids[0])) {
      form_ = Form::kCount;
    } else if (!ids.empty() && highest - lowest_ < 4 * ids.size() + 16) {
      form_ = Form::kArray;
      array_.resize(size_t{highest} - lowest_ + 1, kNone);
    } else {
      form_ = Form::kMap;
      map_.reserve(ids.size());
    }
  }

  // `id` is one of those that Reset saw. False when an id with the same low
  // bits is there already.
  bool Insert(int64_t id, uint32_t position) {
    ++inserted_;
    if (form_ == Form::kCount) return true;
    if (form_ == Form::kMap) return map_.emplace(Low(id), position).second;
    uint32_t& slot = array_[Low(id) - lowest_];
    if (slot != kNone) return false;
    slot = position;
    return true;
  }

  // The position that was inserted for `id`, or kNone.
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t Find(int64_t id) const {
    // Below the lowest wraps around, past the end.
    const uint32_t offset = Low(id) - lowest_;
    if (form_ == Form::kArray) {
      return offset < array_.size() ? array_[offset] : kNone;
    }
    if (form_ == Form::kCount) return offset < inserted_ ? offset : kNone;
    return FindInMap(id);
  }

 private:
  enum class Form : uint8_t { kCount, kArray, kMap };

  static uint32_t Low(int64_t id) { return static_cast<uint32_t>(id); }

  ABSL_ATTRIBUTE_NOINLINE uint32_t FindInMap(int64_t id) const {
    auto it = map_.find(Low(id));
    return it == map_.end() ? kNone : it->second;
  }

  Form form_ = Form::kMap;
  uint32_t lowest_ = 0;
  uint32_t inserted_ = 0;
  std::vector<uint32_t> array_;
  absl::flat_hash_map<uint32_t, uint32_t> map_;
};

}  // namespace indim

#endif  // INDIM_IR_ID_INDEX_H_
