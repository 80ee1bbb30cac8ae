// An index of things that are kept once, by their bytes, behind 32-bit ids: the
// ids alone, with part of a hash each. What an id stands for lies with the
// owner, who also compares.
//
// At most three slots in four are taken. The first three thousand things, which
// are all that most modules have, take four bytes a slot, later ones eight; a
// table of views takes four to seven times as much. Hashes must be seeded
// (byte_hash.h), since slots follow from them.

#ifndef INDIM_IR_INTERN_INDEX_H_
#define INDIM_IR_INTERN_INDEX_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "indim/ir/column.h"
#include "indim/ir/prefetch.h"

namespace indim {

class InternIndex {
 public:
  // Find(hash) is coming: of millions of slots the one is far away.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Expect(uint64_t hash) const {
    if (wide_.empty()) return;
    Prefetch(&wide_[Part(hash) & (wide_.size() - 1)]);
  }

  // The id that was inserted with `hash` and for which same(id) holds; 0: none.
  template <typename Same>
  uint32_t Find(uint64_t hash, const Same& same) const {
    const uint32_t part = Part(hash);
    if (narrow_.empty()) return 0;
    Expect(hash);  // where what is new is looked for
    const uint32_t mask = static_cast<uint32_t>(narrow_.size() - 1);
    for (uint32_t at = part >> (32 - bits_); narrow_[at] != 0;
         at = (at + 1) & mask) {
      const uint32_t id = narrow_[at] & mask;
      if ((narrow_[at] ^ part) >> bits_ == 0 && same(id)) return id;
    }
    return wide_.empty() ? 0 : FindWide(part, same);
  }

  // `id` is not 0 and not in the index.
  void Insert(uint64_t hash, uint32_t id) {
    const uint32_t part = Part(hash);
    while (bits_ < kMostBits && !HasNarrowRoom(id)) GrowNarrow();
    if (HasNarrowRoom(id)) {
      ++narrow_count_;
      Place(part >> bits_ << bits_ | id);
      return;
    }
    if (4 * (wide_count_ + 1) > 3 * wide_.size()) GrowWide();
    ++wide_count_;
    Place(Slot{part, id});
  }

 private:
  // Of the wide table.
  struct Slot {
    uint32_t part = 0;  // of the hash
    uint32_t id = 0;    // 0: free
  };
  // Sizes of the narrow table: the upper bits of a slot, which are those of the
  // hash, must tell where it goes when the table grows, and eight more tell it
  // from its neighbours, so that what is asked for and not there is rarely
  // compared with something that lies far away.
  static constexpr uint32_t kFirstBits = 4;
  static constexpr uint32_t kMostBits = 12;
  static constexpr size_t kFirstWide = size_t{1} << kMostBits;

  static uint32_t Part(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }

  // The table isn't too full, and `id` fits into a slot.
  bool HasNarrowRoom(uint32_t id) const {
    return 4 * (narrow_count_ + 1) <= 3 * narrow_.size() && id < narrow_.size();
  }
  void Place(uint32_t slot) {
    const uint32_t mask = static_cast<uint32_t>(narrow_.size() - 1);
    uint32_t at = slot >> (32 - bits_);
    while (narrow_[at] != 0) at = (at + 1) & mask;
    narrow_[at] = slot;
  }
  void GrowNarrow() {
    const uint32_t old_mask = static_cast<uint32_t>(narrow_.size()) - 1;
    bits_ = narrow_.empty() ? kFirstBits : bits_ + 1;
    Column<uint32_t> old(size_t{1} << bits_);
    old.swap(narrow_);
    for (const uint32_t slot : old) {
      const uint32_t id = slot & old_mask;
      if (slot != 0) Place(slot >> bits_ << bits_ | id);
    }
  }

  template <typename Same>
  uint32_t FindWide(uint32_t part, const Same& same) const {
    const size_t mask = wide_.size() - 1;
    for (size_t at = part & mask; wide_[at].id != 0; at = (at + 1) & mask) {
      if (wide_[at].part == part && same(wide_[at].id)) return wide_[at].id;
    }
    return 0;
  }
  void Place(Slot slot) {
    const size_t mask = wide_.size() - 1;
    size_t at = slot.part & mask;
    while (wide_[at].id != 0) at = (at + 1) & mask;
    wide_[at] = slot;
  }
  void GrowWide() {
    Column<Slot> old(wide_.empty() ? kFirstWide : 2 * wide_.size());
    old.swap(wide_);
    for (const Slot& slot : old) {
      if (slot.id != 0) Place(slot);
    }
  }

  // Both sizes are powers of two. What comes when the narrow table is full goes
  // into the wide one. A narrow slot is the upper bits of a hash, then an id in
  // the lowest bits_ bits; 0: free.
  Column<uint32_t> narrow_;
  uint32_t bits_ = 0;
  size_t narrow_count_ = 0;
  Column<Slot> wide_;
  size_t wide_count_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_INTERN_INDEX_H_
