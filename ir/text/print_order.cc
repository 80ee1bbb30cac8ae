#include "indim/ir/text/print_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "indim/ir/field_list.h"

namespace indim {
namespace {

// HloModuleProto.
constexpr uint32_t kSchedule = 7;
// HloInstructionProto.
constexpr uint32_t kControlPredecessors = 37;

// States of instructions in the depth-first walk.
enum : uint8_t { kHasUser = 1, kVisiting = 2, kVisited = 4 };

// Which computations are called, and the callers in each.
struct CallGraph {
  CallGraph(const ModuleData& data, const IdOrder& ids)
      : callers(data.computations.size()), called(callers.size()) {
    for (uint32_t c = 0; c < callers.size(); ++c) {
      const absl::Span<const InstructionRecord> records = data.Instructions(c);
      for (const uint32_t i : ids.Of(c)) {
        const InstructionRecord& record = records[i];
        if (record.callee_count == 0) continue;
        callers[c].push_back(&record);
        for (uint32_t callee : data.Callees(record)) called[callee] = true;
      }
    }
  }
  std::vector<std::vector<const InstructionRecord*>> callers;
  std::vector<bool> called;
};

}  // namespace

// What one instruction calls counts as seen at once: a branch that calls the
// next branch stands before it, as in XLA.
std::vector<uint32_t> ComputationOrder(const ModuleData& data,
                                       const IdOrder& ids) {
  const CallGraph graph(data, ids);
  std::vector<uint32_t> order;
  std::vector<bool> seen(graph.called.size());
  // A computation and how many of its callers were looked at.
  std::vector<std::pair<uint32_t, size_t>> stack;
  const auto push = [&](uint32_t computation) {
    if (seen[computation]) return;
    seen[computation] = true;
    stack.emplace_back(computation, 0);
  };
  for (uint32_t root = 0; root < seen.size(); ++root) {
    if (!graph.called[root]) push(root);
    while (!stack.empty()) {
      auto& [computation, next] = stack.back();
      if (next == graph.callers[computation].size()) {
        order.push_back(computation);
        stack.pop_back();
        continue;
      }
      const auto callees = data.Callees(*graph.callers[computation][next++]);
      for (size_t k = callees.size(); k > 0; --k) push(callees[k - 1]);
    }
  }
  return order;
}

IdOrder::IdOrder(const ModuleData& data)
    : data_(data), positions_(data.instructions.size()) {
  for (const ComputationRecord& record : data.computations) Sort(record);
}

void IdOrder::Sort(const ComputationRecord& record) {
  const auto begin = positions_.begin() + record.first;
  const auto end = begin + record.count;
  std::iota(begin, end, 0u);
  if (data_.ids.empty()) return;
  const auto id_of = [&](uint32_t i) {
    return data_.ids.low(record.first + i);
  };
  const auto less = [&](uint32_t a, uint32_t b) { return id_of(a) < id_of(b); };
  if (std::is_sorted(begin, end, less)) return;
  const auto range = std::minmax_element(begin, end, less);
  const uint32_t lowest = id_of(*range.first);
  const uint32_t width = id_of(*range.second) - lowest;
  if (width / 4 > record.count) {
    std::stable_sort(begin, end, less);
    return;
  }
  // Ids that lie close together need no comparing; 0: nobody has that id.
  slots_.assign(size_t{width} + 1, 0);
  for (uint32_t i = 0; i < record.count; ++i) {
    uint32_t& slot = slots_[id_of(i) - lowest];
    if (slot != 0) {  // twice the same
      std::stable_sort(begin, end, less);
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
  for (uint32_t id = 0; id < data.pools->blob_count(); ++id) {
    has_control_ |= !data.pools->blob(BlobId{id}).control.empty();
  }
  ReadSchedule();
}

void InstructionOrder::ReadSchedule() {
  FieldList module(WireMessage::kHloModuleProto);
  module.Append(data_.other_fields);
  is_scheduled_ = module.has(kSchedule);
  if (!is_scheduled_) return;
  FieldList schedule(WireMessage::kHloScheduleProto);
  schedule.Append(module.Text(kSchedule));
  for (absl::string_view text : schedule.Texts(1)) {
    FieldList entry(WireMessage::kHloScheduleProto_SequencesEntry);
    entry.Append(text);
    FieldList sequence(WireMessage::kHloScheduleProto_InstructionSequence);
    sequence.Append(entry.Text(2));
    const DimIndices ids = sequence.Numbers(1);
    schedule_[entry.Number(1)].assign(ids.begin(), ids.end());
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
  state_.assign(instructions.size(), 0);
  for (const InstructionRecord& record : instructions) {
    for (uint32_t operand : data_.Operands(record)) state_[operand] = kHasUser;
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
  const BlobView blob =
      data_.pools->blob(data_.instructions[first + position].blob);
  if (blob.control.empty()) return positions;
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(blob.control);
  const IdIndex& index = IndexOf(computation);
  for (int64_t id : fields.Numbers(kControlPredecessors)) {
    const uint32_t predecessor = index.Find(id);
    if (predecessor != IdIndex::kNone) positions.push_back(predecessor);
  }
  return positions;
}

// Operands are put on the stack from the last to the first, then the control
// predecessors: the last of those comes out first.
void InstructionOrder::Visit(uint32_t computation, uint32_t root,
                             std::vector<uint32_t>* order) {
  const auto instructions = data_.Instructions(computation);
  const auto push = [&](uint32_t i) {
    if ((state_[i] & kVisited) == 0) stack_.push_back(i);
  };
  push(root);
  while (!stack_.empty()) {
    const uint32_t i = stack_.back();
    uint8_t& state = state_[i];
    if ((state & (kVisiting | kVisited)) != 0) {
      stack_.pop_back();
      if ((state & kVisited) == 0) {
        state |= kVisited;
        order->push_back(i);
      }
      continue;
    }
    state |= kVisiting;
    const InstructionRecord& record = instructions[i];
    const absl::Span<const uint32_t> operands = data_.Operands(record);
    for (size_t k = operands.size(); k > 0; --k) push(operands[k - 1]);
    if (!has_control_ || data_.pools->blob(record.blob).control.empty()) {
      continue;
    }
    for (uint32_t predecessor : ControlPredecessors(computation, i)) {
      push(predecessor);
    }
  }
}

}  // namespace indim
