// SPDX-License-Identifier: Apache-2.0
// Which buffers the values of a computation are in, and when they are live.

#ifndef INDIM_PASSES_COST_LIVENESS_H_
#define INDIM_PASSES_COST_LIVENESS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/passes/cost/device_shares.h"
#include "indim/passes/cost/donations.h"
#include "indim/passes/cost/leaf_bytes.h"
#include "indim/passes/cost/peak_memory.h"
#include "indim/shape/types/leaf_range.h"

namespace indim::internal {

constexpr int kNever = -1;

// Memory of one value, or of several that lie in one place one after the other.
struct LiveBuffer {
  double bytes = 0;
  int first = 0;  // when it is written, and last read: places in the order
  int last = 0;
  // Somebody else's: an argument, a constant, a part of the caller's result.
  bool is_outer = false;
  bool is_result = false;
  bool is_in_result = false;  // a temporary that lies where a result will
  // Of a result in a donated argument: when that is last read. Before then it
  // isn't the place of anything else.
  int taken = 0;
};

// What callers need to know of a computation.
struct CalledMemory {
  double temporaries = 0;                // the most at one time
  std::vector<MemoryUse::Value> values;  // these
  // Of the parts of a loop's state, those that the body hands on unchanged.
  std::vector<bool> handed_on;
};

// Of one computation. PeakMemory (peak_memory.h) has the rules.
class Liveness {
 public:
  // `donations` are the entry's; the entry has a caller's memory.
  Liveness(const Computation& computation, std::vector<uint32_t> order,
           const std::vector<CalledMemory>& inner, const LeafBytes& bytes,
           const DeviceShares& shares, absl::Span<const Donation> donations)
      : computation_(computation),
        order_(std::move(order)),
        inner_(inner),
        bytes_(bytes),
        shares_(shares),
        donations_(donations),
        is_entry_(computation.is_entry()),
        ranges_(static_cast<size_t>(computation.instruction_count())) {
    for (auto* const list : {&leaves_, &parent_}) list->reserve(ranges_.size());
    buffers_.reserve(ranges_.size());
  }

  void Run() {
    for (const uint32_t i : order_) {
      Define(computation_.instruction(static_cast<int>(i)));
      ++now_;
    }
    MarkResults();
    MarkDonations();
    ShareOperands();
    PlaceInResults();
  }

  Instruction At(int time) const {
    return computation_.instruction(
        static_cast<int>(order_[static_cast<size_t>(time)]));
  }
  // The most at one time, and when.
  double Temporaries(int* at) const;
  // What needs memory then, beside arguments and results that are there all the
  // time; with what a computation that is called then needs.
  std::vector<MemoryUse::Value> ValuesAt(int at) const;
  std::vector<bool> HandedOn() const;
  // Of the results, in donated arguments.
  double reused() const { return reused_; }
  // The buffers of its leaves; valid until the next instruction is defined.
  absl::Span<const size_t> Leaves(const Instruction& node) const {
    const LeafRange& range = ranges_[static_cast<size_t>(node.index())];
    return absl::MakeConstSpan(leaves_).subspan(range.first, range.count);
  }

 private:
  size_t Root(size_t buffer) const {
    while (parent_[buffer] != buffer) {
      // Halves the way for the next one.
      parent_[buffer] = parent_[parent_[buffer]];
      buffer = parent_[buffer];
    }
    return buffer;
  }
  size_t New(double bytes, bool is_outer) {
    LiveBuffer buffer;
    buffer.bytes = bytes;
    buffer.first = buffer.last = now_;
    buffer.is_outer = is_outer;
    buffers_.push_back(buffer);
    parent_.push_back(buffers_.size() - 1);
    return buffers_.size() - 1;
  }
  // Both lie in one place from now on.
  void Join(size_t a, size_t b) {
    a = Root(a);
    b = Root(b);
    if (a == b) return;
    LiveBuffer& to = buffers_[a];
    const LiveBuffer& from = buffers_[b];
    to.bytes = std::max(to.bytes, from.bytes);
    to.first = std::min(to.first, from.first);
    to.last = std::max(to.last, from.last);
    to.is_outer = to.is_outer || from.is_outer;
    to.is_result = to.is_result || from.is_result;
    to.taken = std::max(to.taken, from.taken);
    parent_[b] = a;
  }
  // Of the computations that it calls the one that needs most; null: none.
  const CalledMemory* Inner(const Instruction& node) const;
  void Define(const Instruction& node);
  void DefineView(const Instruction& node);
  // Adds buffers of another instruction to the leaves.
  void AddLeaves(LeafRange of) {
    for (size_t i = 0; i < of.count; ++i) {
      leaves_.push_back(leaves_[of.first + i]);
    }
  }
  void MarkResults();
  void MarkDonations();
  void ShareOperands();
  void PlaceInResults();
  bool MayShare(const Instruction& node) const;
  // Whether what is written can't lie where the result does, since a donated
  // argument is still read there.
  bool IsTooEarly(const LiveBuffer& value, const LiveBuffer& result) const;
  // Whether the loop hands on this part of its state, so that an argument may
  // be it.
  bool IsOnlyRead(const Instruction& node, size_t leaf) const;

  const Computation computation_;
  const std::vector<uint32_t> order_;
  const std::vector<CalledMemory>& inner_;
  const LeafBytes& bytes_;
  const DeviceShares& shares_;
  const absl::Span<const Donation> donations_;
  const bool is_entry_;
  double reused_ = 0;
  int now_ = 0;
  std::vector<LiveBuffer> buffers_;
  mutable std::vector<size_t> parent_;  // of joined buffers
  std::vector<size_t> leaves_;          // the buffers of all instructions
  std::vector<LeafRange> ranges_;       // of each instruction in `leaves_`
};

}  // namespace indim::internal

#endif  // INDIM_PASSES_COST_LIVENESS_H_
