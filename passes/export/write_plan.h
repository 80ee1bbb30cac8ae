// WritePlan: how a node is written, expansion included, and a cache of them by
// all that they depend on. For expanded_writer.h.

#ifndef INDIM_PASSES_EXPORT_WRITE_PLAN_H_
#define INDIM_PASSES_EXPORT_WRITE_PLAN_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "indim/hlo_proto/instruction_encoder.h"
#include "indim/passes/check/few_memo.h"
#include "indim/passes/export/expansion.h"
#include "indim/storage/memo_table.h"

namespace indim {

// What a node's steps, bytes and verification depend on: but for its name, id
// and the ids of its operands and callees all that there is.
struct WriteKey {
  static constexpr size_t kParts = 6;  // operands and callees

  std::array<uint64_t, 2 + kParts / 2> words = {};
  static_assert(kParts == 6, "all words are named below");

  friend bool operator==(const WriteKey& a, const WriteKey& b) {
    return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) |
            (a.words[2] ^ b.words[2]) | (a.words[3] ^ b.words[3]) |
            (a.words[4] ^ b.words[4])) == 0;
  }
  uint64_t Hash() const {
    // Products that don't wait for each other.
    const uint64_t hash =
        words[0] * 0x9e3779b97f4a7c15 + words[1] * 0xa0761d6478bd642f +
        words[2] * 0xe7037ed1a0b428db + words[3] * 0x8ebc6af09c88c6e3 +
        words[4] * 0x589965cc75374cc3;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
  }
};

struct WritePlan {
  Expansion expansion;
  std::vector<InstructionBytes> steps;  // of the expansion
  InstructionBytes bytes;
  // None of this: the node stays as it is where its computation has nothing to
  // expand, and is expanded elsewhere.
  bool hangs_on_computation = false;
  bool is_parameter = false;

  // How many operands the steps or the instruction have at most.
  size_t MostOperands() const {
    size_t most = expansion.operands.size();
    for (const Expansion::Step& step : expansion.steps) {
      most = std::max(most, step.operands.size());
    }
    return most;
  }
};

// Plans are kept when they are wanted a second time. There is a bound to how
// many: then all are forgotten and made again.
class WritePlans {
 public:
  // Null: none is kept. Valid until the next Keep.
  WritePlan* Find(const WriteKey& key) {
    WritePlan** const known = table_.Find(key);
    return known == nullptr ? nullptr : *known;
  }
  // Whether a plan for `key` is worth keeping: not where none was wanted
  // before.
  bool IsWantedAgain(const WriteKey& key) {
    if (table_.Find(key) != nullptr) return true;
    table_.Insert(key, nullptr);
    return false;
  }
  WritePlan* Keep(const WriteKey& key, std::unique_ptr<WritePlan> plan) {
    if (plans_.size() >= kMost) Forget();
    plans_.push_back(std::move(plan));
    WritePlan* const kept = plans_.back().get();
    WritePlan** const known = table_.Find(key);
    if (known != nullptr) {
      *known = kept;
    } else {
      table_.Insert(key, kept);
    }
    return kept;
  }

  // A shorter way to plans that are kept. A null plan is none.
  using Few = FewMemo<WritePlan*, 10>;
  WritePlan* FindFew(const Few::Words& words) const {
    WritePlan* const* const known = few_.Find(words);
    return known == nullptr ? nullptr : *known;
  }
  void KeepFew(const Few::Words& words, WritePlan* plan) {
    few_.Put(words, plan);
  }

 private:
  static constexpr size_t kMost = 4096;

  void Forget() {
    plans_.clear();
    table_ = {};
    few_.Clear();
  }

  std::vector<std::unique_ptr<WritePlan>> plans_;
  MemoTable<WriteKey, WritePlan*, 16, 4096> table_;  // null: seen once
  Few few_;
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_WRITE_PLAN_H_
