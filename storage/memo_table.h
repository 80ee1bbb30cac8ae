// MemoTable: answers by everything that they depend on, for work that repeats
// itself: a real graph of 90,000 nodes has some hundred different ones.
//
// Each key has two places, and a newer answer takes an older one's: what is
// gone is worked out again. The table grows while it is used much, so that a
// small graph's stays small, up to a bound, so that a graph of nothing but
// different nodes costs no more memory than any other; there hardly any answer
// is kept, until one is asked for again.

#ifndef INDIM_STORAGE_MEMO_TABLE_H_
#define INDIM_STORAGE_MEMO_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"

namespace indim {

// Key: ==, and uint64_t Hash() const, all of whose bits are mixed. Sizes are
// powers of two, 2 at least.
template <typename Key, typename Answer, size_t kFirstSize, size_t kLargestSize>
class MemoTable {
 public:
  // Null when the answer isn't here. Valid until the next Insert.
  Answer* Find(const Key& key) {
    if (entries_.empty()) return nullptr;
    const size_t at = Place(key);
    Entry* entry = &entries_[at];
    if (!(entry->key == key && entry->used)) {
      entry = &entries_[at ^ 1];
      if (!(entry->key == key && entry->used)) return nullptr;
    }
    unused_ = 0;
    return &entry->answer;
  }

  // For a key that Find didn't find. Null when the answer isn't kept.
  Answer* Insert(const Key& key, Answer answer) {
    if (++unused_ > kMostUnused && unused_ % kKeptOfUnused != 0) return nullptr;
    if (inserted_ >= entries_.size() && entries_.size() < kLargestSize) Grow();
    ++inserted_;
    return &Put({key, std::move(answer), true}).answer;
  }

 private:
  // After so many answers that nobody asked for, one in eight is kept.
  static constexpr size_t kMostUnused = 4 * kLargestSize;
  static constexpr size_t kKeptOfUnused = 8;

  struct Entry {
    Key key;
    Answer answer = {};
    bool used = false;
  };

  size_t Place(const Key& key) const {
    return static_cast<size_t>(key.Hash() >> 32) & (entries_.size() - 1);
  }
  // On its own: where a compiler takes its caller's code for rarely run, it
  // would copy the entries byte by byte.
  ABSL_ATTRIBUTE_NOINLINE Entry& Put(Entry&& entry) {
    const size_t at = Place(entry.key);
    if (entries_[at].used) entries_[at ^ 1] = std::move(entries_[at]);
    entries_[at] = std::move(entry);
    return entries_[at];
  }
  void Grow() {
    std::vector<Entry> old(entries_.empty() ? kFirstSize : entries_.size() * 4);
    old.swap(entries_);
    inserted_ = 0;
    for (Entry& entry : old) {
      if (!entry.used) continue;
      ++inserted_;
      Put(std::move(entry));
    }
  }

  std::vector<Entry> entries_;
  size_t inserted_ = 0;
  size_t unused_ = 0;  // inserted since an answer was found
};

}  // namespace indim

#endif  // INDIM_STORAGE_MEMO_TABLE_H_
