// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/peak_memory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/passes/cost/sizes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/text/print/print_order.h"

namespace indim {
namespace {

constexpr int kNever = -1;

// Memory of one value, or of several that lie in one place one after the other.
struct LiveBuffer {
  double bytes = 0;
  int first = 0;  // when it is written, and last read: places in the order
  int last = 0;
  // Somebody else's: an argument, a constant, a part of the caller's result.
  bool is_outer = false;
  bool is_result = false;
};

// What callers need to know of a computation.
struct CalledMemory {
  double temporaries = 0;  // the most at one time
  // Of the parts of a loop's state, those that the body hands on unchanged.
  std::vector<bool> handed_on;
};

// Operations whose result is a part of their operands, which take no memory.
bool IsView(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kCopyDone:
      return true;
    default:
      return false;
  }
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

// The operand that the result lies in: of an update, or of a fusion that ends
// with one; kNever: none.
int OperandInPlace(const Instruction& node) {
  if (node.opcode() == Opcode::kDynamicUpdateSlice ||
      node.opcode() == Opcode::kScatter) {
    return 0;
  }
  if (node.opcode() != Opcode::kFusion || node.callee_count() == 0) {
    return kNever;
  }
  Instruction root = node.callee(0).root();
  if (root.opcode() != Opcode::kDynamicUpdateSlice &&
      root.opcode() != Opcode::kScatter) {
    return kNever;
  }
  root = root.operand(0);
  return root.opcode() == Opcode::kParameter
             ? static_cast<int>(
                   As<ParameterAttributes>(root.attributes()).number)
             : kNever;
}

// One computation: which buffers its values are in, and when they are live.
class Liveness {
 public:
  Liveness(const Computation& computation, std::vector<uint32_t> order,
           const std::vector<CalledMemory>& inner, bool is_entry)
      : computation_(computation),
        order_(std::move(order)),
        inner_(inner),
        is_entry_(is_entry),
        leaves_(static_cast<size_t>(computation.instruction_count())) {}

  void Run() {
    for (const uint32_t i : order_) {
      Define(computation_.instruction(static_cast<int>(i)));
      ++now_;
    }
    MarkResults();
    ShareOperands();
    PlaceInResults();
  }

  // The most at one time, and when.
  double Temporaries(int* at) const;
  std::vector<bool> HandedOn() const;
  const std::vector<size_t>& Leaves(const Instruction& node) const {
    return leaves_[static_cast<size_t>(node.index())];
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
  size_t New(const Shape& leaf, bool is_outer) {
    LiveBuffer buffer;
    buffer.bytes = internal::BytesOf(leaf).number();
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
    parent_[b] = a;
  }
  void Define(const Instruction& node);
  void DefineView(const Instruction& node);
  void MarkResults();
  void ShareOperands();
  void PlaceInResults();
  bool MayShare(const Instruction& node) const;
  // Whether the loop hands on this part of its state, so that an argument may
  // be it.
  bool IsOnlyRead(const Instruction& node, size_t leaf) const;

  const Computation computation_;
  const std::vector<uint32_t> order_;
  const std::vector<CalledMemory>& inner_;
  const bool is_entry_;
  int now_ = 0;
  std::vector<LiveBuffer> buffers_;
  mutable std::vector<size_t> parent_;       // of joined buffers
  std::vector<std::vector<size_t>> leaves_;  // buffers of each instruction
};

void Liveness::DefineView(const Instruction& node) {
  std::vector<size_t>& leaves = leaves_[static_cast<size_t>(node.index())];
  const std::vector<size_t>& of = Leaves(node.operand(0));
  size_t begin = 0;
  const size_t count = LeafCount(node.shape());
  if (node.opcode() == Opcode::kGetTupleElement) {
    const int64_t index =
        As<GetTupleElementAttributes>(node.attributes()).index;
    const auto elements = node.operand(0).shape().elements();
    for (int64_t i = 0; i < index && i < static_cast<int64_t>(elements.size());
         ++i) {
      begin += LeafCount(elements[static_cast<size_t>(i)]);
    }
  } else if (of.size() > count) {
    // The end of something asynchronous has a part of what its start has: the
    // result behind the operand.
    begin = std::min(count, of.size() - count);
  }
  for (size_t i = begin; i < begin + count && i < of.size(); ++i) {
    leaves.push_back(of[i]);
  }
}

void Liveness::Define(const Instruction& node) {
  std::vector<size_t>& leaves = leaves_[static_cast<size_t>(node.index())];
  for (const Instruction operand : node.operands()) {
    for (const size_t leaf : Leaves(operand)) {
      LiveBuffer& buffer = buffers_[Root(leaf)];
      buffer.last = std::max(buffer.last, now_);
    }
  }
  const Opcode opcode = node.opcode();
  if (opcode == Opcode::kGetTupleElement || IsView(opcode)) {
    if (node.operand_count() > 0) DefineView(node);
  } else if (opcode == Opcode::kTuple) {
    for (const Instruction operand : node.operands()) {
      const auto& of = Leaves(operand);
      leaves.insert(leaves.end(), of.begin(), of.end());
    }
  }
  const bool is_outer =
      opcode == Opcode::kParameter || opcode == Opcode::kConstant;
  size_t leaf = 0;
  ForEachLeaf(node.shape(), [&](const Shape& shape) {
    if (leaf++ == leaves.size()) leaves.push_back(New(shape, is_outer));
  });
  // Loops and updates work in place, unless the operand is needed further, or
  // isn't theirs to change: then they work on a copy.
  const int in_place = opcode == Opcode::kWhile ? 0 : OperandInPlace(node);
  if (in_place == kNever || in_place >= node.operand_count()) return;
  const std::vector<size_t> of = Leaves(node.operand(in_place));
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
    const std::vector<size_t>& state = Leaves(node);
    const std::vector<size_t>& root = Leaves(computation_.root());
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

bool Liveness::MayShare(const Instruction& node) const {
  if (node.opcode() == Opcode::kFusion) {
    return node.callee_count() == 1 && IsElementwiseFusion(node);
  }
  return node.opcode() == Opcode::kSort ||
         Info(node.opcode()).has(kElementwise);
}

// An elementwise operation writes over an operand of its size that nobody needs
// any more.
void Liveness::ShareOperands() {
  int now = 0;
  for (const uint32_t i : order_) {
    const Instruction node = computation_.instruction(static_cast<int>(i));
    const int at = now++;
    if (!MayShare(node)) continue;
    const std::vector<size_t>& leaves = Leaves(node);
    for (size_t l = 0; l < leaves.size(); ++l) {
      const size_t result = Root(leaves[l]);
      if (buffers_[result].is_outer || buffers_[result].first != at) continue;
      for (int o = 0; o < node.operand_count(); ++o) {
        const Instruction operand = node.operand(o);
        if (Leaves(operand).size() != 1) continue;
        // A sort works in place.
        if (node.opcode() == Opcode::kSort && o != static_cast<int>(l)) {
          continue;
        }
        const size_t from = Root(Leaves(operand)[0]);
        const LiveBuffer& buffer = buffers_[from];
        if (buffer.is_outer || buffer.is_result || buffer.last != at ||
            buffer.bytes != buffers_[result].bytes || from == result) {
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
  std::vector<std::map<int, int>> taken(std::min(results.size(), kMostTried));
  for (size_t r = 0; r < taken.size(); ++r) {
    taken[r][buffers_[results[r]].first] = buffers_[results[r]].last;
  }
  for (const size_t other : others) {
    LiveBuffer& b = buffers_[other];
    for (size_t r = 0; r < taken.size(); ++r) {
      if (b.bytes > buffers_[results[r]].bytes) break;
      const auto after = taken[r].upper_bound(b.last);
      if (after != taken[r].begin() && std::prev(after)->second >= b.first) {
        continue;
      }
      taken[r][b.first] = b.last;
      b.is_outer = true;
      break;
    }
  }
}

double Liveness::Temporaries(int* at) const {
  std::vector<double> change(static_cast<size_t>(now_) + 2);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const LiveBuffer& buffer = buffers_[i];
    if (parent_[i] != i || buffer.is_outer || buffer.is_result) continue;
    change[static_cast<size_t>(buffer.first)] += buffer.bytes;
    change[static_cast<size_t>(buffer.last) + 1] -= buffer.bytes;
  }
  double live = 0, most = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    live += change[i];
    const Instruction node =
        computation_.instruction(static_cast<int>(order_[i]));
    double inner = 0;
    if (node.opcode() != Opcode::kFusion) {
      for (int k = 0; k < node.callee_count(); ++k) {
        inner = std::max(
            inner,
            inner_[static_cast<size_t>(node.callee(k).index())].temporaries);
      }
    }
    if (live + inner > most) {
      most = live + inner;
      *at = static_cast<int>(order_[i]);
    }
  }
  return most;
}

// The bytes of the results that lie in donated arguments.
double ReusedBytes(const ModuleData& data, const Shape& result) {
  double bytes = 0;
  const FieldList fields(WireMessage::kHloModuleProto, data.other_fields);
  const FieldList aliases(
      WireMessage::kHloInputOutputAliasProto,
      fields.Text(field::HloModuleProto::kInputOutputAlias));
  for (const absl::string_view text :
       aliases.Texts(field::HloInputOutputAliasProto::kEntries)) {
    const FieldList entry(
        WireMessage::kHloInputOutputAliasProto_AliasEntryProto, text);
    const Shape* part = &result;
    for (const int64_t i :
         entry.Numbers(field::HloInputOutputAliasProto_AliasEntryProto::
                           kOutputShapeIndex)) {
      if (i < 0 || i >= part->tuple_size()) break;
      part = &part->elements()[static_cast<size_t>(i)];
    }
    bytes += internal::BytesOfLeaves(*part).number();
  }
  return bytes;
}

bool SizesAreKnown(const Shape& shape) {
  return internal::BytesOfLeaves(shape).is_number();
}

}  // namespace

absl::StatusOr<MemoryUse> PeakMemory(const Module& module) {
  if (module.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no entry computation");
  }
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (!node.shape().is_none() && SizesAreKnown(node.shape())) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the size of '", node.text_name(),
                       "' isn't known, which is ", node.shape().ToString()));
    }
  }
  const ModuleData& data = internal::DataOf(module);
  MemoryUse use;
  InstructionOrder orders(data);
  use.is_scheduled = orders.is_scheduled();
  std::vector<CalledMemory> inner(
      static_cast<size_t>(module.computation_count()));
  const Computation entry = module.entry();
  for (const Computation computation : module.computations()) {
    const auto c = static_cast<uint32_t>(computation.index());
    std::vector<uint32_t> order;
    if (use.is_scheduled) {
      order = orders.Of(c, /*scheduled=*/true);
    } else {
      order.resize(static_cast<size_t>(computation.instruction_count()));
      std::iota(order.begin(), order.end(), 0);
    }
    Liveness liveness(computation, std::move(order), inner,
                      computation.is_entry());
    liveness.Run();
    int at = kNever;
    inner[c] = {liveness.Temporaries(&at), liveness.HandedOn()};
    if (computation == entry) {
      use.temporaries = inner[c].temporaries;
      use.at = at == kNever ? Instruction::Nothing() : entry.instruction(at);
    }
    for (const Instruction node : computation.instructions()) {
      const double bytes = internal::BytesOfLeaves(node.shape()).number();
      if (node.opcode() == Opcode::kConstant) use.constants += bytes;
      if (node.opcode() == Opcode::kParameter && computation.is_entry()) {
        use.arguments += bytes;
      }
    }
  }
  const Shape& result = entry.root().shape();
  use.results = internal::BytesOfLeaves(result).number();
  if (result.is_tuple()) use.results += internal::BytesOf(result).number();
  use.reused = std::min(ReusedBytes(data, result), use.results);
  use.peak = use.arguments + use.results - use.reused + use.temporaries;
  return use;
}

}  // namespace indim
