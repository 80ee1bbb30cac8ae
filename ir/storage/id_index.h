// SPDX-License-Identifier: Apache-2.0
// Finds the instructions of a computation by XLA's ids, of which only the low
// 32 bits count. Consecutive ids need no table, ids that lie close together use
// an array, other ids a map; each takes memory in proportion to the number of
// instructions.

#ifndef INDIM_IR_STORAGE_ID_INDEX_H_
#define INDIM_IR_STORAGE_ID_INDEX_H_

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

  // Empties the index and prepares it for inserting `ids`, in this order, at
  // positions 0, 1, 2, ...
  void Reset(absl::Span<const int64_t> ids) { ResetFor(ids); }
  // Reset with the low 32 bits of the ids.
  void Reset(absl::Span<const uint32_t> ids) { ResetFor(ids); }

  // `id` must be the next of Reset's ids. Returns false when an id with these
  // low bits is in the index already.
  template <typename Id>
  bool Insert(Id id, uint32_t position) {
    ++inserted_;
    if (form_ == Form::kCount) return true;
    if (form_ == Form::kMap) return map_.emplace(Low(id), position).second;
    const uint32_t offset = Low(id) - lowest_;
    if (form_ == Form::kShortArray) {
      if (short_array_[offset] != kShortNone) return false;
      short_array_[offset] = static_cast<uint16_t>(position);
      return true;
    }
    if (array_[offset] != kNone) return false;
    array_[offset] = position;
    return true;
  }

  // The position inserted for `id`, or kNone. `id` may be only the low half.
  template <typename Id>
  ABSL_ATTRIBUTE_ALWAYS_INLINE uint32_t Find(Id id) const {
    // An id below the lowest wraps around to a large offset.
    const uint32_t offset = Low(id) - lowest_;
    if (form_ == Form::kShortArray) {
      if (offset >= short_array_.size()) return kNone;
      const uint16_t position = short_array_[offset];
      return position != kShortNone ? position : kNone;
    }
    if (form_ == Form::kArray) {
      return offset < array_.size() ? array_[offset] : kNone;
    }
    if (form_ == Form::kCount) return offset < inserted_ ? offset : kNone;
    return FindInMap(Low(id));
  }

 private:
  template <typename Id>
  void ResetFor(absl::Span<const Id> ids) {
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
    short_array_.clear();
    if (counts_up && lowest_ == Low(ids[0])) {
      form_ = Form::kCount;
    } else if (!ids.empty() && highest - lowest_ < 4 * ids.size() + 16) {
      const size_t size = size_t{highest} - lowest_ + 1;
      if (ids.size() <= kShortNone) {
        form_ = Form::kShortArray;
        short_array_.resize(size, kShortNone);
      } else {
        form_ = Form::kArray;
        array_.resize(size, kNone);
      }
    } else {
      form_ = Form::kMap;
      map_.reserve(ids.size());
    }
  }

  // kShortArray: so few ids that positions fit in 16 bits.
  enum class Form : uint8_t { kCount, kShortArray, kArray, kMap };
  static constexpr uint16_t kShortNone = 0xffff;

  static uint32_t Low(int64_t id) { return static_cast<uint32_t>(id); }
  static uint32_t Low(uint32_t id) { return id; }

  ABSL_ATTRIBUTE_NOINLINE uint32_t FindInMap(uint32_t low) const {
    auto it = map_.find(low);
    return it == map_.end() ? kNone : it->second;
  }

  Form form_ = Form::kMap;
  uint32_t lowest_ = 0;
  uint32_t inserted_ = 0;
  std::vector<uint16_t> short_array_;
  std::vector<uint32_t> array_;
  absl::flat_hash_map<uint32_t, uint32_t> map_;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_ID_INDEX_H_
