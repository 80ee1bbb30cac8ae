// SPDX-License-Identifier: Apache-2.0
// InternIndex: a hash table from hashes to indices into its owner's array,
// where each thing is kept once.
//
// A slot takes eight bytes: an index and part of the hash. So the table grows
// without looking at the things. Hashes must be seeded (byte_hash.h), because
// they determine the slots.

#ifndef INDIM_IR_STORAGE_INTERN_INDEX_H_
#define INDIM_IR_STORAGE_INTERN_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "indim/ir/storage/column.h"

namespace indim {

class InternIndex {
 public:
  // The index that was inserted with `hash` and for which same(index) is true.
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

  // `index` must be less than 2^32 - 1 and not be in the table.
  void Insert(uint64_t hash, uint32_t index) {
    Reserve(++count_);
    Place({Tag(hash), index + 1});
  }

  // Makes room for `count` indices.
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
    uint32_t number = 0;  // the index + 1; 0: an empty slot
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

  Column<Slot> slots_;  // at most three quarters are in use
  size_t count_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_INTERN_INDEX_H_
