// SPDX-License-Identifier: Apache-2.0
// InstructionIds: XLA's id of each instruction of a module, by position.
//
// An id has 64 bits, but its upper half is that of the computation's id, or 0.
// So neighbours with equal upper halves share one copy of it.

#ifndef INDIM_IR_INSTRUCTION_IDS_H_
#define INDIM_IR_INSTRUCTION_IDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "indim/ir/storage/column.h"

namespace indim {

class InstructionIds {
 public:
  bool empty() const { return low_.empty(); }
  size_t size() const { return low_.size(); }

  int64_t operator[](size_t position) const {
    return Join(high(position), low_[position]);
  }
  // The halves of an id.
  uint32_t low(size_t position) const { return low_[position]; }
  uint32_t high(size_t position) const {
    size_t run = run_at_[position / kStep];
    while (run + 1 < runs_.size() && runs_[run + 1].first <= position) ++run;
    return runs_[run].high;
  }
  static int64_t Join(uint32_t high, uint32_t low) {
    return static_cast<int64_t>(uint64_t{high} << 32 | low);
  }

  // The lower halves of all ids.
  absl::Span<const uint32_t> lows() const { return low_; }
  // Whether all ids from `position` on have the same upper half.
  bool is_one_run_from(size_t position) const {
    return position >= runs_.back().first;
  }
  // Whether the ids are 1, 2, 3, ...
  bool count_up() const {
    if (runs_.size() != 1 || runs_[0].high != 0) return false;
    for (size_t i = 0; i < low_.size(); ++i) {
      if (low_[i] != i + 1) return false;
    }
    return true;
  }

  void reserve(size_t count) { low_.reserve(count); }
  void push_back(int64_t id) {
    const size_t position = low_.size();
    const uint32_t high =
        static_cast<uint32_t>(static_cast<uint64_t>(id) >> 32);
    if (runs_.empty() || runs_.back().high != high) {
      runs_.push_back({position, high});
    }
    if (position % kStep == 0) {
      run_at_.push_back(static_cast<uint32_t>(runs_.size() - 1));
    }
    low_.push_back(static_cast<uint32_t>(id));
  }

 private:
  static constexpr size_t kStep = 64;

  struct Run {
    size_t first;  // position
    uint32_t high;
  };
  Column<uint32_t> low_;
  std::vector<Run> runs_;
  std::vector<uint32_t> run_at_;  // index in runs_ of each kStep-th position
};

}  // namespace indim

#endif  // INDIM_IR_INSTRUCTION_IDS_H_
