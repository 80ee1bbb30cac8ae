// InternIndex: finds things that their owner keeps once, in an array of its
// own, by their hash.
//
// Eight bytes a slot: an index and part of the hash, so that it never looks at
// the things themselves when it grows. Hashes must be seeded (byte_hash.h),
// since slots follow from them.

#ifndef INDIM_STORAGE_INTERN_INDEX_H_
#define INDIM_STORAGE_INTERN_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "indim/storage/column.h"

namespace indim {

class InternIndex {
 public:
  // What was inserted with `hash` and for which same(index) holds.
  template <typename Same>
  std::optional<uint32_t> Find(uint64_t hash, const Same& same) const {
    if (slots_.empty()) return std::nullopt;
    const uint32_t tag = Tag(hash);
    const size_t mask = slots_.size() - 1;
    for (size_t at = tag & mask; slots_[at].number != 0; at = (at + 1) & mask) {
      if (slots_[at].tag == tag && same(slots_[at].number - 1)) {
        return slots_[at].number - 1;
      }
    }
    return std::nullopt;
  }

  // `index` is less than 2^32 - 1 and not in here.
  void Insert(uint64_t hash, uint32_t index) {
    Reserve(++count_);
    Place({Tag(hash), index + 1});
  }

  // Room for so many.
  void Reserve(size_t count) {
    size_t size = slots_.empty() ? kFirstSize : slots_.size();
    while (size / 4 * 3 < count) size *= 2;
    if (size == slots_.size()) return;
    Column<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != 0) Place(slot);
    }
  }

 private:
  struct Slot {
    uint32_t tag = 0;     // the upper half of the hash
    uint32_t number = 0;  // the index + 1; 0: free
  };
  static constexpr size_t kFirstSize = 16;  // a power of two

  static uint32_t Tag(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }
  void Place(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t at = slot.tag & mask;
    while (slots_[at].number != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  Column<Slot> slots_;  // at most three of four are taken
  size_t count_ = 0;
};

}  // namespace indim

#endif  // INDIM_STORAGE_INTERN_INDEX_H_
