#include "indim/builder/call_memo.h"

#include <utility>

namespace indim::internal {

size_t CallMemo::Hash(const Key& key) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t hash = (static_cast<uint64_t>(key.opcode) << 32 | key.callee) ^
                  (uint64_t{key.operands[0]} << 16);
  hash = (hash ^ (uint64_t{key.operands[1]} << 32 | key.operands[2])) *
         kMultiplier;
  for (const int64_t word : key.words.words()) {
    hash = (hash ^ (hash >> 29) ^ static_cast<uint64_t>(word)) * kMultiplier;
  }
  return static_cast<size_t>(hash >> 40);
}

void CallMemo::Insert(const Key& key, Answer answer) {
  if (entries_.empty()) entries_.resize(kFirstSize);
  if (++inserted_ > entries_.size() && entries_.size() < kLargestSize) {
    std::vector<Entry> old(entries_.size() * 4);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.key.opcode != Opcode::kInvalid) Place(entry);
    }
  }
  Place({key, answer});
}

}  // namespace indim::internal
