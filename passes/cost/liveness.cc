// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/liveness.h"

#include <iterator>

#include "indim/passes/cost/op_costs.h"
#include "indim/passes/cost/sizes.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {
namespace {

ResultPlace PlaceOf(const Instruction& node) {
  return OpCostOf(node.opcode()).place;
}

// Whether everything in a fusion works on single elements, so that it may write
// over an operand.
bool IsElementwiseFusion(const Instruction& fusion) {
  for (const Instruction node : fusion.callee(0).instructions()) {
    if (node.opcode() != Opcode::kParameter &&
        node.opcode() != Opcode::kConstant &&
        node.opcode() != Opcode::kBroadcast &&
        node.opcode() != Opcode::kTuple &&
        !Info(node.opcode()).has(kElementwise)) {
      return false;
    }
  }
  return true;
}

// The operand that the result lies in: of what works in place, or of a fusion
// that ends with such an operation; kNever: none.
int OperandInPlace(const Instruction& node) {
  if (PlaceOf(node) == ResultPlace::kInPlace) return 0;
  if (node.opcode() != Opcode::kFusion || node.callee_count() == 0) {
    return kNever;
  }
  const Instruction root = node.callee(0).root();
  if (PlaceOf(root) != ResultPlace::kInPlace || root.operand_count() == 0) {
    return kNever;
  }
  const Instruction changed = root.operand(0);
  return changed.opcode() == Opcode::kParameter
             ? static_cast<int>(
                   As<ParameterAttributes>(changed.attributes()).number)
             : kNever;
}

// The array of that number in a result.
Shape LeafOf(const Shape& shape, size_t leaf) {
  Shape found;
  ForEachLeaf(shape, [&](const Shape& array) {
    if (leaf-- != 0) return true;
    found = array;
    return false;
  });
  return found;
}

}  // namespace

void Liveness::DefineView(const Instruction& node) {
  const LeafRange of = ranges_[static_cast<size_t>(node.operand(0).index())];
  size_t begin = 0;
  const size_t count = bytes_.Of(node).leaves.size();
  if (node.opcode() == Opcode::kGetTupleElement) {
    const int64_t index =
        As<GetTupleElementAttributes>(node.attributes()).index;
    begin = LeavesAt(node.operand(0).shape(), {index}).first;
  } else if (of.count > count) {
    // The end of something asynchronous has a part of what its start has: the
    // result behind the operand.
    begin = std::min(count, of.count - count);
  }
  begin = std::min(begin, of.count);
  AddLeaves({of.first + begin, std::min(count, of.count - begin)});
}

void Liveness::Define(const Instruction& node) {
  for (const Instruction operand : node.operands()) {
    for (const size_t leaf : Leaves(operand)) {
      LiveBuffer& buffer = buffers_[Root(leaf)];
      buffer.last = std::max(buffer.last, now_);
    }
  }
  const Opcode opcode = node.opcode();
  const size_t first = leaves_.size();
  if (opcode == Opcode::kTuple) {
    for (const Instruction operand : node.operands()) {
      AddLeaves(ranges_[static_cast<size_t>(operand.index())]);
    }
  } else if (PlaceOf(node) == ResultPlace::kPart && node.operand_count() > 0) {
    DefineView(node);
  }
  const bool is_outer =
      opcode == Opcode::kParameter || opcode == Opcode::kConstant;
  const std::vector<double>& bytes = bytes_.Of(node).leaves;
  for (size_t leaf = leaves_.size() - first; leaf < bytes.size(); ++leaf) {
    leaves_.push_back(New(bytes[leaf] * shares_.Of(node, leaf), is_outer));
  }
  ranges_[static_cast<size_t>(node.index())] = {first, leaves_.size() - first};
  // Loops and updates work in place, unless the operand is needed further, or
  // isn't theirs to change: then they work on a copy.
  const int in_place = OperandInPlace(node);
  if (in_place == kNever || in_place >= node.operand_count()) return;
  const absl::Span<const size_t> leaves = Leaves(node);
  const absl::Span<const size_t> of = Leaves(node.operand(in_place));
  for (size_t i = 0; i < of.size() && i < leaves.size(); ++i) {
    const LiveBuffer& operand = buffers_[Root(of[i])];
    if (!operand.is_outer || !is_entry_ || IsOnlyRead(node, i)) {
      Join(of[i], leaves[i]);
    }
  }
}

bool Liveness::IsOnlyRead(const Instruction& node, size_t leaf) const {
  if (node.opcode() != Opcode::kWhile || node.callee_count() == 0) return false;
  const std::vector<bool>& handed_on =
      inner_[static_cast<size_t>(node.callee(0).index())].handed_on;
  return leaf < handed_on.size() && handed_on[leaf];
}

std::vector<bool> Liveness::HandedOn() const {
  std::vector<bool> handed_on;
  for (const Instruction node : computation_.instructions()) {
    if (node.opcode() != Opcode::kParameter) continue;
    const absl::Span<const size_t> state = Leaves(node);
    const absl::Span<const size_t> root = Leaves(computation_.root());
    for (size_t i = 0; i < std::min(state.size(), root.size()); ++i) {
      handed_on.push_back(state[i] == root[i]);
    }
    break;
  }
  return handed_on;
}

void Liveness::MarkResults() {
  if (computation_.instruction_count() == 0) return;
  for (const size_t leaf : Leaves(computation_.root())) {
    LiveBuffer& buffer = buffers_[Root(leaf)];
    buffer.last = now_;
    // A caller has the memory of what it gets.
    if (is_entry_) {
      buffer.is_result = !buffer.is_outer;
    } else {
      buffer.is_outer = true;
    }
  }
}

void Liveness::MarkDonations() {
  for (const Donation& donation : donations_) {
    LiveBuffer& result =
        buffers_[Root(Leaves(computation_.root())[donation.result])];
    const LiveBuffer& argument =
        buffers_[Root(Leaves(donation.argument)[donation.part])];
    reused_ += result.bytes;
    if (!result.is_result) continue;
    // What is written while the argument is still read lies elsewhere, and is
    // copied in the end.
    if (result.first < argument.last) {
      result.is_result = false;
    } else {
      result.taken = argument.last;
    }
  }
}

bool Liveness::MayShare(const Instruction& node) const {
  if (node.opcode() == Opcode::kFusion) {
    return node.callee_count() == 1 && IsElementwiseFusion(node);
  }
  return PlaceOf(node) == ResultPlace::kOver ||
         Info(node.opcode()).has(kElementwise);
}

bool Liveness::IsTooEarly(const LiveBuffer& value,
                          const LiveBuffer& result) const {
  return value.first < result.taken ||
         (result.taken > 0 && value.first == result.taken &&
          !MayShare(At(value.first)));
}

// An elementwise operation writes over an operand of its size that nobody needs
// any more.
void Liveness::ShareOperands() {
  int now = 0;
  for (const uint32_t i : order_) {
    const Instruction node = computation_.instruction(static_cast<int>(i));
    const int at = now++;
    if (!MayShare(node)) continue;
    const absl::Span<const size_t> leaves = Leaves(node);
    for (size_t l = 0; l < leaves.size(); ++l) {
      const size_t result = Root(leaves[l]);
      if (buffers_[result].is_outer || buffers_[result].first != at) continue;
      for (int o = 0; o < node.operand_count(); ++o) {
        const Instruction operand = node.operand(o);
        if (Leaves(operand).size() != 1) continue;
        if (PlaceOf(node) == ResultPlace::kOver && o != static_cast<int>(l)) {
          continue;
        }
        const size_t from = Root(Leaves(operand)[0]);
        const LiveBuffer& buffer = buffers_[from];
        if (buffer.is_outer || buffer.is_result || buffer.last != at ||
            buffer.bytes != buffers_[result].bytes || from == result ||
            IsTooEarly(buffer, buffers_[result])) {
          continue;
        }
        Join(from, result);
        break;
      }
    }
  }
}

// Temporaries, the largest first, go where a result isn't needed yet.
void Liveness::PlaceInResults() {
  if (!is_entry_) return;
  std::vector<size_t> results, others;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (Root(i) != i || buffers_[i].is_outer || buffers_[i].bytes == 0)
      continue;
    (buffers_[i].is_result ? results : others).push_back(i);
  }
  const auto larger = [&](size_t a, size_t b) {
    // Of equal ones the last: what comes before the last one then has the place
    // of the first.
    return buffers_[a].bytes != buffers_[b].bytes
               ? buffers_[a].bytes > buffers_[b].bytes
               : buffers_[a].first > buffers_[b].first;
  };
  std::stable_sort(results.begin(), results.end(), larger);
  std::stable_sort(others.begin(), others.end(), larger);
  // When something lies in each result: it, and what was placed there, by the
  // beginnings. Most modules have few results; of many the first are looked at.
  constexpr size_t kMostTried = 64;
  using Times = std::vector<std::pair<int, int>>;
  std::vector<Times> taken(std::min(results.size(), kMostTried));
  for (size_t r = 0; r < taken.size(); ++r) {
    const LiveBuffer& result = buffers_[results[r]];
    taken[r] = {{0, result.taken}, {result.first, result.last}};
    if (result.first == 0) taken[r].erase(taken[r].begin());
  }
  for (const size_t other : others) {
    LiveBuffer& b = buffers_[other];
    for (size_t r = 0; r < taken.size(); ++r) {
      const LiveBuffer& result = buffers_[results[r]];
      if (b.bytes > result.bytes) break;
      // Nearly always it is there at the time of the result itself.
      if (b.last >= result.first && b.first <= result.last) continue;
      const auto after = std::partition_point(
          taken[r].begin(), taken[r].end(),
          [&](const auto& times) { return times.first <= b.last; });
      if (after != taken[r].begin() && std::prev(after)->second >= b.first) {
        continue;
      }
      taken[r].insert(after, {b.first, b.last});
      b.is_in_result = true;
      break;
    }
  }
}

double Liveness::Temporaries(int* at) const {
  std::vector<double> change(static_cast<size_t>(now_) + 2);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const LiveBuffer& buffer = buffers_[i];
    if (parent_[i] != i || buffer.is_outer || buffer.is_result ||
        buffer.is_in_result) {
      continue;
    }
    change[static_cast<size_t>(buffer.first)] += buffer.bytes;
    change[static_cast<size_t>(buffer.last) + 1] -= buffer.bytes;
  }
  double live = 0, most = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    live += change[i];
    const CalledMemory* const inner = Inner(At(static_cast<int>(i)));
    const double all = live + (inner == nullptr ? 0 : inner->temporaries);
    if (all > most) {
      most = all;
      *at = static_cast<int>(i);
    }
  }
  return most;
}

const CalledMemory* Liveness::Inner(const Instruction& node) const {
  const CalledMemory* most = nullptr;
  if (node.opcode() == Opcode::kFusion) return most;
  for (int k = 0; k < node.callee_count(); ++k) {
    const CalledMemory& inner =
        inner_[static_cast<size_t>(node.callee(k).index())];
    if (most == nullptr || inner.temporaries > most->temporaries) most = &inner;
  }
  return most;
}

std::vector<MemoryUse::Value> Liveness::ValuesAt(int at) const {
  using Kind = MemoryUse::Value::Kind;
  std::vector<MemoryUse::Value> values;
  // When each was written last, and as which array of the result.
  struct Written {
    int at = kNever;
    size_t leaf = 0;
  };
  std::vector<Written> written(buffers_.size());
  for (int i = 0; i <= at; ++i) {
    const Instruction node = At(i);
    if (PlaceOf(node) == ResultPlace::kPart) continue;
    const absl::Span<const size_t> leaves = Leaves(node);
    for (size_t k = 0; k < leaves.size(); ++k) {
      written[Root(leaves[k])] = {i, k};
    }
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const LiveBuffer& buffer = buffers_[i];
    if (written[i].at == kNever || buffer.is_outer || buffer.last < at ||
        buffer.bytes == 0) {
      continue;
    }
    const Instruction node = At(written[i].at);
    values.push_back({node, LeafOf(node.shape(), written[i].leaf), buffer.bytes,
                      buffer.is_result      ? Kind::kResult
                      : buffer.is_in_result ? Kind::kInResult
                                            : Kind::kTemporary});
  }
  if (const CalledMemory* const inner = Inner(At(at))) {
    values.insert(values.end(), inner->values.begin(), inner->values.end());
  }
  return values;
}

}  // namespace indim::internal
