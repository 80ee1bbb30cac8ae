// HashIndex: finds things that stand in an array of their owner by their hash.
//
// Eight bytes a slot, so that the index of a million names is small enough to
// stay near; it never looks at the things themselves when it grows.
//
// For ir/text/ alone.

#ifndef INDIM_IR_TEXT_HASH_INDEX_H_
#define INDIM_IR_TEXT_HASH_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/numeric/bits.h"
#include "indim/ir/prefetch.h"

namespace indim {

class HashIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Slot {
    uint32_t tag = 0;
    uint32_t index = kNone;  // in the owner's array
  };

  HashIndex() : slots_(kFirstSize) {}
  // With twice as many slots as things to come: found soon, and no growing.
  explicit HashIndex(size_t expected)
      : slots_(absl::bit_ceil(std::max(2 * expected, kFirstSize))) {}

  // The slot of what has this hash and for whose index equals(index) is true;
  // without one, the free slot (index kNone) where Put may put it. Valid until
  // the next call of Put.
  template <typename Equals>
  Slot* Find(uint64_t hash, Equals equals) {
    const uint32_t tag = Tag(hash);
    const size_t mask = slots_.size() - 1;
    for (size_t i = tag & mask;; i = (i + 1) & mask) {
      Slot* const slot = &slots_[i];
      if (slot->index == kNone) return slot;
      if (slot->tag == tag && equals(slot->index)) return slot;
    }
  }

  // Room for so many, before the first is put in.
  void Reserve(size_t count) {
    size_t size = slots_.size();
    while (size / 4 * 3 < count) size *= 2;
    slots_.resize(size);
  }

  // Brings the slot of what Find will ask for near.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Prefetch(uint64_t hash) const {
    indim::Prefetch(&slots_[Tag(hash) & (slots_.size() - 1)]);
  }

  // Fills a free slot that Find has given for this hash.
  void Put(Slot* slot, uint64_t hash, uint32_t index) {
    *slot = {Tag(hash), index};
    if (++count_ > slots_.size() / 4 * 3) Grow();
  }

 private:
  static constexpr size_t kFirstSize = 64;  // a power of two

  static uint32_t Tag(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }
  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.index == kNone) continue;
      size_t i = slot.tag & mask;
      while (slots_[i].index != kNone) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  std::vector<Slot> slots_;  // at most three of four are filled
  size_t count_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_TEXT_HASH_INDEX_H_
