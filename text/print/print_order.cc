// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/print_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "indim/ir/schedule_field.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloModuleProto::kSchedule;

// States of instructions in the depth-first walk.
enum : uint8_t { kHasUser = 1, kVisiting = 2, kVisited = 4 };

// The callers of each computation, by ids.
class CallGraph {
 public:
  explicit CallGraph(const ModuleData& data)
      : called_(data.computations.size()) {
    for (uint32_t c = 0; c < called_.size(); ++c) {
      first_.push_back(callers_.size());
      AddCallers(data, c);
    }
    first_.push_back(callers_.size());
  }

  bool is_called(uint32_t computation) const { return called_[computation]; }
  // Positions in the module.
  absl::Span<const uint32_t> CallersIn(uint32_t computation) const {
    return absl::MakeConstSpan(callers_).subspan(
        first_[computation], first_[computation + 1] - first_[computation]);
  }

 private:
  void AddCallers(const ModuleData& data, uint32_t computation) {
    const ComputationRecord& record = data.computations[computation];
    for (uint32_t i = record.first; i < record.first + record.count; ++i) {
      const InstructionRecord& instruction = data.instructions[i];
      if (instruction.callee_count == 0) continue;
      callers_.push_back(i);
      for (uint32_t callee : data.Callees(instruction)) called_[callee] = true;
    }
    if (data.ids.empty()) return;
    std::stable_sort(callers_.begin() + static_cast<ptrdiff_t>(first_.back()),
                     callers_.end(), [&](uint32_t a, uint32_t b) {
                       return data.ids.low(a) < data.ids.low(b);
                     });
  }

  std::vector<uint32_t> callers_;
  std::vector<size_t> first_;  // in callers_, of each computation, then the end
  std::vector<bool> called_;
};

// Whether callees precede their callers.
bool IsCalleesFirst(const ModuleData& data) {
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    for (const InstructionRecord& r : data.Instructions(c)) {
      for (const uint32_t callee : data.Callees(r)) {
        if (callee >= c) return false;
      }
    }
  }
  return true;
}

}  // namespace

// All callees of one instruction count as seen at once: a branch that calls the
// next branch precedes it, as in XLA.
std::vector<uint32_t> ComputationOrder(const ModuleData& data) {
  if (data.recorded && IsCalleesFirst(data)) {
    std::vector<uint32_t> as_recorded(data.computations.size());
    std::iota(as_recorded.begin(), as_recorded.end(), 0u);
    return as_recorded;
  }
  const CallGraph graph(data);
  std::vector<uint32_t> order;
  std::vector<bool> seen(data.computations.size());
  // A computation, and how many of its callers were visited.
  std::vector<std::pair<uint32_t, size_t>> stack;
  const auto push = [&](uint32_t computation) {
    if (seen[computation]) return;
    seen[computation] = true;
    stack.emplace_back(computation, 0);
  };
  for (uint32_t root = 0; root < seen.size(); ++root) {
    if (!graph.is_called(root)) push(root);
    while (!stack.empty()) {
      auto& [computation, next] = stack.back();
      const absl::Span<const uint32_t> callers = graph.CallersIn(computation);
      if (next == callers.size()) {
        order.push_back(computation);
        stack.pop_back();
        continue;
      }
      const auto callees = data.Callees(data.instructions[callers[next++]]);
      for (size_t k = callees.size(); k > 0; --k) push(callees[k - 1]);
    }
  }
  return order;
}

IdOrder::IdOrder(const ModuleData& data)
    : data_(data), first_(data.computations.size(), 0) {
  uint32_t longest = 0;
  for (const ComputationRecord& record : data.computations) {
    longest = std::max(longest, record.count);
  }
  positions_.resize(longest);
  std::iota(positions_.begin(), positions_.end(), 0u);
  if (data.ids.empty()) return;
  for (size_t c = 0; c < first_.size(); ++c) {
    const ComputationRecord& record = data.computations[c];
    const auto ids = data.ids.lows().subspan(record.first, record.count);
    if (std::is_sorted(ids.begin(), ids.end())) continue;
    first_[c] = positions_.size();
    Sort(ids);
  }
}

void IdOrder::Sort(absl::Span<const uint32_t> ids) {
  const uint32_t count = static_cast<uint32_t>(ids.size());
  const size_t first = positions_.size();
  positions_.resize(first + count);
  const auto begin = positions_.begin() + static_cast<ptrdiff_t>(first);
  const auto sort = [&] {
    std::iota(begin, positions_.end(), 0u);
    std::stable_sort(begin, positions_.end(),
                     [&](uint32_t a, uint32_t b) { return ids[a] < ids[b]; });
  };
  uint32_t lowest = ids[0];
  uint32_t highest = ids[0];
  for (const uint32_t id : ids) {
    lowest = std::min(lowest, id);
    highest = std::max(highest, id);
  }
  const uint32_t width = highest - lowest;
  if (width / 4 > count) {
    sort();
    return;
  }
  // Dense ids need no comparisons; 0: nobody has that id.
  slots_.assign(size_t{width} + 1, 0);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t& slot = slots_[ids[i] - lowest];
    if (slot != 0) {  // a duplicate
      sort();
      return;
    }
    slot = i + 1;
  }
  auto next = begin;
  for (uint32_t slot : slots_) {
    if (slot != 0) *next++ = slot - 1;
  }
}

InstructionOrder::InstructionOrder(const ModuleData& data)
    : data_(data), by_id_(data) {
  for (uint32_t id = 0; id < data.pools->attribute_bytes_count(); ++id) {
    has_control_ |=
        !data.pools->attribute_bytes(AttributeBytesId{id}).control.empty();
  }
  ReadSchedule();
}

void InstructionOrder::ReadSchedule() {
  is_scheduled_ = internal::HasSchedule(data_);
  if (!is_scheduled_) return;
  FieldList module(WireMessage::kHloModuleProto, data_.other_fields);
  FieldList schedule(WireMessage::kHloScheduleProto, module.Text(kSchedule));
  for (absl::string_view text :
       schedule.Texts(field::HloScheduleProto::kSequences)) {
    FieldList entry(WireMessage::kHloScheduleProto_SequencesEntry, text);
    FieldList sequence(
        WireMessage::kHloScheduleProto_InstructionSequence,
        entry.Text(field::HloScheduleProto_SequencesEntry::kValue));
    const DimIndices ids = sequence.Numbers(
        field::HloScheduleProto_InstructionSequence::kInstructionIds);
    schedule_[entry.Number(field::HloScheduleProto_SequencesEntry::kKey)]
        .assign(ids.begin(), ids.end());
  }
}

const IdIndex& InstructionOrder::IndexOf(uint32_t computation) {
  if (indexed_ == computation) return index_;
  indexed_ = computation;
  const ComputationRecord& record = data_.computations[computation];
  std::vector<int64_t> ids(record.count);
  for (uint32_t i = 0; i < record.count; ++i) {
    ids[i] = data_.InstructionId(record.first + i);
  }
  index_.Reset(ids);
  for (uint32_t i = 0; i < record.count; ++i) index_.Insert(ids[i], i);
  return index_;
}

std::vector<uint32_t> InstructionOrder::Of(uint32_t computation,
                                           bool scheduled) {
  std::vector<uint32_t> order;
  if (scheduled && UseSchedule(computation, &order)) return order;
  const auto instructions = data_.Instructions(computation);
  if (data_.recorded) {
    order.resize(instructions.size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  state_.assign(instructions.size(), 0);
  const uint32_t* const operands = data_.operands.data();
  for (const InstructionRecord& record : instructions) {
    const uint32_t* const first = operands + record.first_operand;
    for (uint32_t k = 0; k < record.operand_count; ++k) {
      state_[first[k]] = kHasUser;
    }
  }
  order.reserve(instructions.size());
  for (uint32_t i : by_id_.Of(computation)) {
    if ((state_[i] & kHasUser) == 0) Visit(computation, i, &order);
  }
  return order;
}

bool InstructionOrder::UseSchedule(uint32_t computation,
                                   std::vector<uint32_t>* order) {
  if (!is_scheduled_) return false;
  const auto sequence = schedule_.find(data_.computations[computation].id);
  if (sequence == schedule_.end() || sequence->second.empty()) return false;
  const IdIndex& index = IndexOf(computation);
  for (int64_t id : sequence->second) {
    const uint32_t position = index.Find(id);
    if (position != IdIndex::kNone) order->push_back(position);
  }
  return true;
}

std::vector<uint32_t> InstructionOrder::ControlPredecessors(
    uint32_t computation, uint32_t position) {
  std::vector<uint32_t> positions;
  const uint32_t first = data_.computations[computation].first;
  const AttributeBytesView attribute_bytes = data_.pools->attribute_bytes(
      data_.instructions[first + position].attribute_bytes);
  if (attribute_bytes.control.empty()) return positions;
  const IdIndex& index = IndexOf(computation);
  for (int64_t id : indim::ControlPredecessors(attribute_bytes)) {
    const uint32_t predecessor = index.Find(id);
    if (predecessor != IdIndex::kNone) positions.push_back(predecessor);
  }
  return positions;
}

// Pushes operands from the last to the first, then the control predecessors:
// the last of those is popped first.
void InstructionOrder::Visit(uint32_t computation, uint32_t root,
                             std::vector<uint32_t>* order) {
  const InstructionRecord* const instructions =
      data_.Instructions(computation).data();
  const uint32_t* const all_operands = data_.operands.data();
  uint8_t* const states = state_.data();
  const auto push = [&](uint32_t i) {
    if ((states[i] & kVisited) == 0) stack_.push_back(i);
  };
  push(root);
  while (!stack_.empty()) {
    const uint32_t i = stack_.back();
    uint8_t& state = states[i];
    if ((state & (kVisiting | kVisited)) == 0) {
      state |= kVisiting;
      const size_t before = stack_.size();
      const InstructionRecord& record = instructions[i];
      const uint32_t* const operands = all_operands + record.first_operand;
      for (uint32_t k = record.operand_count; k > 0; --k) push(operands[k - 1]);
      if (has_control_ && !data_.pools->attribute_bytes(record.attribute_bytes)
                               .control.empty()) {
        for (uint32_t predecessor : ControlPredecessors(computation, i)) {
          push(predecessor);
        }
      }
      if (stack_.size() > before) continue;
    }
    // Its predecessors precede it.
    stack_.pop_back();
    if ((state & kVisited) != 0) continue;
    state |= kVisited;
    order->push_back(i);
  }
}

}  // namespace indim
