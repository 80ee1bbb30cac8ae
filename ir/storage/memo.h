// SPDX-License-Identifier: Apache-2.0
// Memo: a cache of answers, whose key is everything that they depend on. It
// pays where work repeats: a real graph of 90,000 nodes has a few hundred
// different keys.
//
// Each key has two places; a new answer replaces the older one, and a lost
// answer is computed again. The cache grows with its use up to a limit, so that
// a graph of many different nodes needs no more memory than another.

#ifndef INDIM_IR_STORAGE_MEMO_H_
#define INDIM_IR_STORAGE_MEMO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"

namespace indim {

// Whether two keys are equal: without a branch, unlike ==. Compilers don't
// unroll loops over words of themselves.
template <size_t kWords, size_t... kWord>
bool SameWords(const std::array<uint64_t, kWords>& a,
               const std::array<uint64_t, kWords>& b,
               std::index_sequence<kWord...>) {
  return ((a[kWord] ^ b[kWord]) | ...) == 0;
}
template <size_t kWords>
bool SameKey(const std::array<uint64_t, kWords>& a,
             const std::array<uint64_t, kWords>& b) {
  return SameWords(a, b, std::make_index_sequence<kWords>());
}

// kMax: the largest number of answers, a power of two, at least 16.
template <size_t kWords, typename Answer, size_t kMax = 4096>
class Memo {
 public:
  using Key = std::array<uint64_t, kWords>;

  // The answer; null when it isn't in the cache. Valid until the next Insert.
  Answer* Find(const Key& key) {
    if (entries_.empty()) return nullptr;
    const size_t place = Place(key);
    for (Entry* entry : {&entries_[place], &entries_[place ^ 1]}) {
      if (SameKey(entry->key, key) && entry->used) return &entry->answer;
    }
    return nullptr;
  }

  // Inserts an answer for a key that Find didn't find. The returned pointer is
  // valid until the next Insert.
  Answer* Insert(const Key& key, Answer answer) {
    if (inserted_ >= entries_.size() && entries_.size() < kMax) Grow();
    ++inserted_;
    return &Put({key, std::move(answer), true})->answer;
  }

 private:
  static constexpr size_t kFirst = 16;
  static_assert(kMax >= kFirst && kMax <= size_t{1} << 16 &&
                (kMax & (kMax - 1)) == 0);

  struct Entry {
    Key key = {};
    Answer answer = {};
    bool used = false;
  };

  size_t Place(const Key& key) const {
    uint64_t hash = Sum(key, std::make_index_sequence<kWords>());
    hash = (hash ^ hash >> 32) * kOdd;
    return hash >> 48 & (entries_.size() - 1);
  }
  // The upper bits depend on all bits of all words, whose products processors
  // compute side by side.
  template <size_t... kWord>
  static uint64_t Sum(const Key& key, std::index_sequence<kWord...>) {
    return ((key[kWord] * std::integral_constant<uint64_t, Factor(kWord)>()) +
            ...);
  }
  static constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  static constexpr uint64_t Factor(size_t word) {
    uint64_t power = kOdd;
    for (size_t i = 0; i < word; ++i) power *= kOdd;
    return power;
  }
  // Not inlined: into code that a compiler takes for rarely run, it would copy
  // the entries byte by byte.
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

#endif  // INDIM_IR_STORAGE_MEMO_H_
