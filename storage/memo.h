// Memo: answers by everything that they depend on, for work that repeats
// itself: a real graph of 90,000 nodes has some hundred different ones.
//
// A cache of two places for each key: a newer answer takes an older one's, and
// what is gone is worked out again. It grows while it is used, up to a bound,
// so that a graph of nothing but different nodes costs no more memory than any
// other.

#ifndef INDIM_STORAGE_MEMO_H_
#define INDIM_STORAGE_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"

namespace indim {

// kMost: how many answers are kept at most, a power of two, 16 at least.
template <size_t kWords, typename Answer, size_t kMost = 4096>
class Memo {
 public:
  using Key = std::array<uint64_t, kWords>;

  // Null when the answer isn't here. Valid until the next Insert.
  Answer* Find(const Key& key) {
    if (entries_.empty()) return nullptr;
    const size_t place = Place(key);
    for (Entry* entry : {&entries_[place], &entries_[place ^ 1]}) {
      if (Same(entry->key, key) && entry->used) return &entry->answer;
    }
    return nullptr;
  }

  // For a key that Find didn't find. What is returned is valid until the next
  // Insert.
  Answer* Insert(const Key& key, Answer answer) {
    if (inserted_ >= entries_.size() && entries_.size() < kMost) Grow();
    ++inserted_;
    return &Put({key, std::move(answer), true})->answer;
  }

 private:
  static constexpr size_t kFirst = 16;
  static_assert(kMost >= kFirst && (kMost & (kMost - 1)) == 0);

  struct Entry {
    Key key = {};
    Answer answer = {};
    bool used = false;
  };

  static bool Same(const Key& a, const Key& b) {
    uint64_t differ = 0;
    for (size_t i = 0; i < kWords; ++i) differ |= a[i] ^ b[i];
    return differ == 0;
  }
  size_t Place(const Key& key) const {
    constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
    uint64_t hash = 0;
    for (const uint64_t word : key) {
      hash = (hash ^ word) * kMultiplier;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash) & (entries_.size() - 1);
  }
  // On its own: where a compiler takes its caller's code for rarely run, it
  // would copy the entries byte by byte.
  ABSL_ATTRIBUTE_NOINLINE Entry* Put(Entry&& entry) {
    const size_t place = Place(entry.key);
    if (entries_[place].used) {
      entries_[place ^ 1] = std::move(entries_[place]);
    }
    entries_[place] = std::move(entry);
    return &entries_[place];
  }
  void Grow() {
    std::vector<Entry> old(entries_.empty() ? kFirst : entries_.size() * 2);
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
};

}  // namespace indim

#endif  // INDIM_STORAGE_MEMO_H_
