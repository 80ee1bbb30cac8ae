// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/diff/instruction_matcher.h"

#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "indim/ir/storage/mix.h"

namespace indim {
namespace {

// Of 0 too it is a large number.
uint64_t Mix(uint64_t x) { return MixBits(x + 0x9e3779b97f4a7c15); }

class Matcher {
 public:
  Matcher(const MatchSide& a, const MatchSide& b)
      : a_(a),
        b_(b),
        match_a_(a.size(), kUnmatched),
        match_b_(b.size(), kUnmatched) {}

  std::vector<uint32_t> Run() {
    const auto deep_and_use = [](const MatchSide& s, uint32_t i) {
      return std::make_pair(uint64_t{s.deep[i]}, s.use[i]);
    };
    const auto deep = [](const MatchSide& s, uint32_t i) {
      return std::make_pair(uint64_t{s.deep[i]}, uint64_t{0});
    };
    const auto signature_and_use = [](const MatchSide& s, uint32_t i) {
      return std::make_pair(uint64_t{s.signature[i]}, s.use[i]);
    };
    const auto signature = [](const MatchSide& s, uint32_t i) {
      return std::make_pair(uint64_t{s.signature[i]}, uint64_t{0});
    };
    const auto opcode = [](const MatchSide& s, uint32_t i) {
      return std::make_pair(uint64_t{s.opcode[i]}, uint64_t{0});
    };
    InOrder(deep_and_use);
    InOrder(deep);
    InOrder(signature_and_use);
    Spread();
    InOrder(signature);
    Spread();
    FillGaps();
    InOrder(opcode);
    return std::move(match_a_);
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;

  void Match(uint32_t i, uint32_t j) {
    match_a_[i] = j;
    match_b_[j] = i;
    fresh_.push_back(i);
  }

  // Matches what has equal keys: the first of `a` with the first of `b`, and so
  // on.
  template <typename KeyOf>
  void InOrder(KeyOf key_of) {
    struct Queue {
      std::vector<uint32_t> positions;
      size_t next = 0;
    };
    absl::flat_hash_map<Key, Queue> queues;
    for (uint32_t j : b_.order) {
      if (match_b_[j] == kUnmatched) {
        queues[key_of(b_, j)].positions.push_back(j);
      }
    }
    if (queues.empty()) return;
    for (uint32_t i : a_.order) {
      if (match_a_[i] != kUnmatched) continue;
      const auto it = queues.find(key_of(a_, i));
      if (it == queues.end()) continue;
      Queue& queue = it->second;
      if (queue.next < queue.positions.size()) {
        Match(i, queue.positions[queue.next++]);
      }
    }
  }

  // From matched pairs to operands and users at the same place.
  void Spread() {
    // Users that are matched already are no longer looked for, and those are
    // nearly all where little has changed.
    if (uses_a_.empty()) {
      uses_a_ = UnmatchedUses();
      // The first user is taken first, from the end of its list.
      for (uint32_t n = static_cast<uint32_t>(b_.size()); n > 0; --n) {
        const uint32_t j = n - 1;
        if (match_b_[j] != kUnmatched) continue;
        const auto operands = b_.Operands(j);
        for (uint32_t k = 0; k < operands.size(); ++k) {
          users_b_[{operands[k], k, b_.signature[j]}].push_back(j);
        }
      }
    }
    while (!fresh_.empty()) {
      const uint32_t i = fresh_.back();
      fresh_.pop_back();
      SpreadToOperands(i, match_a_[i]);
      SpreadToUsers(i, match_a_[i]);
    }
  }

  void SpreadToOperands(uint32_t i, uint32_t j) {
    const auto operands_a = a_.Operands(i), operands_b = b_.Operands(j);
    for (size_t k = 0; k < operands_a.size() && k < operands_b.size(); ++k) {
      const uint32_t p = operands_a[k], q = operands_b[k];
      if (match_a_[p] == kUnmatched && match_b_[q] == kUnmatched &&
          a_.opcode[p] == b_.opcode[q]) {
        Match(p, q);
      }
    }
  }

  // What stands at the same place of matched users, and the roots, whatever
  // they say: the old and the new form of a line.
  void FillGaps() {
    if (a_.size() > 0 && b_.size() > 0 && match_a_[a_.root] == kUnmatched &&
        match_b_[b_.root] == kUnmatched) {
      Match(a_.root, b_.root);
    }
    for (uint32_t n = static_cast<uint32_t>(a_.size()); n > 0; --n) {
      const uint32_t i = n - 1;
      if (match_a_[i] == kUnmatched) continue;
      const auto operands_a = a_.Operands(i);
      const auto operands_b = b_.Operands(match_a_[i]);
      if (operands_a.size() != operands_b.size()) continue;
      for (size_t k = 0; k < operands_a.size(); ++k) {
        const uint32_t p = operands_a[k], q = operands_b[k];
        if (match_a_[p] == kUnmatched && match_b_[q] == kUnmatched) {
          Match(p, q);
        }
      }
    }
  }

  void SpreadToUsers(uint32_t i, uint32_t j) {
    for (const auto& [user, k] : uses_a_[i]) {
      if (match_a_[user] != kUnmatched) continue;
      const auto users = users_b_.find({j, k, a_.signature[user]});
      if (users == users_b_.end()) continue;
      // What is matched is dropped, so nothing is looked at twice.
      std::vector<uint32_t>& list = users->second;
      while (!list.empty() && match_b_[list.back()] != kUnmatched) {
        list.pop_back();
      }
      if (!list.empty()) Match(user, list.back());
    }
  }

  // Of `a`: user and number of the operand, by position.
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> UnmatchedUses()
      const {
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> uses(a_.size());
    for (uint32_t i = 0; i < a_.size(); ++i) {
      if (match_a_[i] != kUnmatched) continue;
      const auto operands = a_.Operands(i);
      for (uint32_t k = 0; k < operands.size(); ++k) {
        uses[operands[k]].emplace_back(i, k);
      }
    }
    return uses;
  }

  const MatchSide& a_;
  const MatchSide& b_;
  std::vector<uint32_t> match_a_;
  std::vector<uint32_t> match_b_;
  std::vector<uint32_t> fresh_;  // of a, whose neighbours weren't looked at
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> uses_a_;
  // By operand, its number and the user's signature.
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t>,
                      std::vector<uint32_t>>
      users_b_;
};

}  // namespace

void MatchSide::HashUses() {
  use.assign(size(), 0);
  // Operands precede their users.
  for (uint32_t i = static_cast<uint32_t>(size()); i > 0; --i) {
    const uint32_t user = i - 1;
    uint64_t k = 0;
    for (uint32_t operand : Operands(user)) {
      // A sum: the order of users says nothing.
      use[operand] += Mix(Mix(use[user]) + Mix(signature[user]) * 31 + k++);
    }
  }
}

std::vector<uint32_t> MatchInstructions(const MatchSide& a,
                                        const MatchSide& b) {
  return Matcher(a, b).Run();
}

}  // namespace indim
