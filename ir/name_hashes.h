// NameHashes: a set of names by their hashes, for graphs of millions of names,
// of which nearly always all differ.

#ifndef INDIM_IR_NAME_HASHES_H_
#define INDIM_IR_NAME_HASHES_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"
#include "indim/ir/byte_hash.h"
#include "indim/ir/column.h"
#include "indim/ir/prefetch.h"

namespace indim {

// What it says isn't there isn't; what it says is there has the hash of a name
// that is.
class NameHashes {
 public:
  // `count`: about how many are inserted, where that is known.
  explicit NameHashes(size_t count = 0) {
    size_t size = 16;
    while (Room(size) < count) size *= 2;
    slots_.resize(size);
  }
  // False: perhaps it was there.
  bool Insert(absl::string_view name) { return InsertHash(HashOf(name)); }
  // Inserts names as they come, some at a time: the table is too large for any
  // cache, so what they need is asked for before it is needed. False: perhaps
  // two are the same.
  class Inserter {
   public:
    explicit Inserter(NameHashes* names) : names_(*names) {}
    bool Add(absl::string_view name) {
      const uint64_t hash = HashOf(name);
      names_.Prefetch(hash);
      pending_[count_++] = hash;
      return count_ < kMost || Finish();
    }
    bool Finish() {
      bool differ = true;
      for (size_t i = 0; i < count_; ++i) {
        differ = names_.InsertHash(pending_[i]) && differ;
      }
      count_ = 0;
      return differ;
    }

   private:
    static constexpr size_t kMost = 16;
    NameHashes& names_;
    uint64_t pending_[kMost];
    size_t count_ = 0;
  };
  bool MayHave(absl::string_view name) {
    const uint64_t hash = HashOf(name);
    return Slot(hash) == hash;
  }

 private:
  // How many of so many slots are taken at most.
  static size_t Room(size_t slots) { return slots / 4 * 3; }
  static uint64_t HashOf(absl::string_view name) {
    const uint64_t hash = HashBytes(name);
    return hash == 0 ? 1 : hash;  // 0 marks what is free
  }
  bool InsertHash(uint64_t hash) {
    uint64_t& slot = Slot(hash);
    if (slot == hash) return false;
    slot = hash;
    if (++size_ > Room(slots_.size())) Grow();
    return true;
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Prefetch(uint64_t hash) const {
    indim::Prefetch(&slots_[static_cast<size_t>(hash) & (slots_.size() - 1)]);
  }
  // Where the hash is, or would be.
  uint64_t& Slot(uint64_t hash) {
    size_t at = static_cast<size_t>(hash) & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != hash) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at];
  }

  void Grow() {
    Column<uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    for (const uint64_t hash : old) {
      if (hash != 0) Slot(hash) = hash;
    }
  }

  Column<uint64_t> slots_;  // a power of two
  size_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_NAME_HASHES_H_
