// WritePlan: the bytes of a node, expansion included, and WritePlans, a cache
// of plans by the keys of their nodes, metadata included. For
// expanded_writer.h.

#ifndef INDIM_PASSES_EXPORT_WRITE_PLAN_H_
#define INDIM_PASSES_EXPORT_WRITE_PLAN_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "indim/hlo_proto/instruction_encoder.h"
#include "indim/ir/node_key.h"
#include "indim/passes/export/expansion.h"

namespace indim {

struct WritePlan {
  Expansion expansion;
  std::vector<InstructionBytes> steps;  // of the expansion's steps
  InstructionBytes bytes;
  // The plan is empty: the node stays unchanged in a computation that needs no
  // expansion, and is expanded elsewhere.
  bool hangs_on_computation = false;
  bool is_parameter = false;

  // The largest number of operands of a step or of the instruction.
  size_t MostOperands() const {
    size_t most = expansion.operands.size();
    for (const Expansion::Step& step : expansion.steps) {
      most = std::max(most, step.operands.size());
    }
    return most;
  }
};

// Keeps a plan when it is wanted a second time. At kMax plans it forgets all.
class WritePlans {
 public:
  // Null: not kept. Valid until the next Keep.
  WritePlan* Find(const NodeKey& key) {
    WritePlan** const known = table_.Find(key);
    return known == nullptr ? nullptr : *known;
  }
  // Whether a plan for `key` was wanted before, so that it is worth keeping.
  bool IsWantedAgain(const NodeKey& key) {
    if (table_.Find(key) != nullptr) return true;
    table_.Insert(key, nullptr);
    return false;
  }
  WritePlan* Keep(const NodeKey& key, std::unique_ptr<WritePlan> plan) {
    if (plans_.size() >= kMax) Forget();
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

  // A faster look-up of kept plans for nodes with at most two operands and no
  // callees, by the first three words of their keys.
  using Few = NodeMemo<2, WritePlan*, 1024>;
  WritePlan* FindFew(const Few::Key& words) {
    WritePlan** const known = few_.Find(words);
    return known == nullptr ? nullptr : *known;
  }
  void KeepFew(const Few::Key& words, WritePlan* plan) {
    few_.Insert(words, plan);
  }

 private:
  static constexpr size_t kMax = 4096;

  void Forget() {
    plans_.clear();
    table_ = {};
    few_ = {};
  }

  std::vector<std::unique_ptr<WritePlan>> plans_;
  NodeMemo<kMaxKeyParts, WritePlan*, 4096> table_;  // null: wanted once
  Few few_;
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_WRITE_PLAN_H_
