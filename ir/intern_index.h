// An index of things that are kept once, by their bytes, behind 32-bit ids: the
// ids alone, with part of a hash each. What an id stands for lies with the
// owner, who also compares.
//
// Eight bytes a slot and at most three slots in four taken: a table of views
// takes four to seven times as much. Hashes must be seeded (byte_hash.h), since
// slots follow from them.

#ifndef INDIM_IR_INTERN_INDEX_H_
#define INDIM_IR_INTERN_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace indim {

class InternIndex {
 public:
  // The id that was inserted with `hash` and for which same(id) holds; 0: none.
  template <typename Same>
  uint32_t Find(uint64_t hash, const Same& same) const {
    if (slots_.empty()) return 0;
    const size_t mask = slots_.size() - 1;
    const uint32_t part = Part(hash);
    for (size_t at = part & mask; slots_[at].id != 0; at = (at + 1) & mask) {
      if (slots_[at].part == part && same(slots_[at].id)) return slots_[at].id;
    }
    return 0;
  }

  // `id` is not 0 and not in the index.
  void Insert(uint64_t hash, uint32_t id) {
    if (4 * (size_ + 1) > 3 * slots_.size()) Grow();
    ++size_;
    Place({Part(hash), id});
  }

 private:
  struct Slot {
    uint32_t part = 0;  // of the hash
    uint32_t id = 0;    // 0: free
  };
  static constexpr size_t kFirstSize = 16;

  static uint32_t Part(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }

  void Place(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t at = slot.part & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFirstSize : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != 0) Place(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two
  size_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_INTERN_INDEX_H_
