// SPDX-License-Identifier: Apache-2.0
// EditGraph's changes: nodes that come, go, and get other operands, and
// computations.

#include <algorithm>
#include <utility>
#include <vector>

#include "indim/edit/edit_graph.h"
#include "indim/edit/insertion_state.h"
#include "indim/ir/append_record.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {
namespace {

using field::HloInstructionProto::kParameterNumber;

// Between a new node and the one before it, where there is room.
constexpr uint64_t kNewKeyStep = uint64_t{1} << 16;

}  // namespace

int64_t EditGraph::NextId(uint32_t c) {
  const EditComputation& computation = computations_[c];
  uint64_t high = 0;
  if (has_high_) {
    high = computation.head != kNone
               ? static_cast<uint64_t>(id(computation.head) & ~kLowHalf)
               : static_cast<uint64_t>(computation.record.id) << 32;
  }
  const int64_t low = low_halves_.Next([&](FreshIds::Ids* used) {
    for (uint32_t node = 0; node < node_count(); ++node) {
      used->insert(id(node) & kLowHalf);
    }
  });
  return static_cast<int64_t>(high | static_cast<uint64_t>(low));
}

void EditGraph::Link(uint32_t node, uint32_t c, uint32_t before) {
  EditComputation& computation = computations_[c];
  const uint32_t after = before == kNone ? computation.tail : previous_[before];
  computation_[node] = c;
  next_[node] = before;
  previous_[node] = after;
  (after == kNone ? computation.head : next_[after]) = node;
  (before == kNone ? computation.tail : previous_[before]) = node;
  ++computation.count;
  computation.touched = true;
  const uint64_t low = after == kNone ? 0 : keys_[after];
  if (before == kNone) {
    keys_[node] = low + kKeyStep;
  } else {
    const uint64_t step = std::min((keys_[before] - low) / 2, kNewKeyStep);
    keys_[node] = low + step;
    if (step == 0) MakeRoom(node);
  }
}

// Operands and callees lie behind the others.
uint32_t EditGraph::Add(InstructionRecord record,
                        absl::Span<const uint32_t> operands,
                        absl::Span<const uint32_t> callees, uint32_t c,
                        uint32_t before, uint32_t place) {
  changed_ = true;
  const uint32_t node = node_count();
  const int64_t id = NextId(c);
  record = AppendRecordLike(record, operands, callees, &operands_, &records_);
  computation_.push_back(c);
  next_.push_back(kNone);
  previous_.push_back(kNone);
  keys_.push_back(0);
  flags_.push_back(kTouched | kRenamed);
  new_nodes_.push_back({id, place});
  Link(node, c, before);
  if (uses_ != nullptr) {
    uses_->AddNodes(1);
    uses_->AddSlots(static_cast<uint32_t>(operands.size() + callees.size()));
    for (uint32_t k = record.operand_count; k-- > 0;) {
      uses_->Link(record.first_operand + k, node, operands[k]);
    }
  }
  for (const uint32_t operand : operands) CheckOrder(node, operand);
  if (!callees.empty()) calls_disordered_ = true;
  if (callers_ != nullptr) AddToCallers(node, callees);
  if (record.opcode == Opcode::kParameter) AddToParameters(node, c);
  if (computations_[c].root == kNone) computations_[c].root = node;
  return node;
}

void EditGraph::AddToParameters(uint32_t node, uint32_t c) {
  const auto known = parameters_.find(c);
  if (known == parameters_.end()) return;
  ParameterList& list = known->second;
  if (!list.complete ||
      ParameterNumber(node) != static_cast<int64_t>(list.by_number.size())) {
    parameters_.erase(known);
    return;
  }
  list.by_number.push_back(node);
  if (list.last == kNone || keys_[node] > keys_[list.last]) list.last = node;
}

void EditGraph::AddToCallers(uint32_t node,
                             absl::Span<const uint32_t> callees) {
  for (const uint32_t callee : callees) {
    if (callee >= callers_->size()) callers_->resize(computation_count());
    (*callers_)[callee].push_back(node);
  }
}

void EditGraph::CheckOrder(uint32_t user, uint32_t value) {
  if (keys_[value] >= keys_[user]) {
    computations_[computation_[user]].disordered = true;
  }
}

void EditGraph::Unuse(uint32_t node) {
  if (uses_ == nullptr) return;
  const InstructionRecord& r = records_[node];
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    uses_->Unlink(r.first_operand + k, operands_[r.first_operand + k]);
  }
}

void EditGraph::AddControl(uint32_t successor,
                           absl::Span<const uint32_t> predecessors) {
  if (predecessors.empty()) return;
  for (const uint32_t predecessor : predecessors) {
    CheckOrder(successor, predecessor);
    // Edges that are found later find this one too.
    if (control_ != nullptr) control_->Add(predecessor, successor);
  }
}

void EditGraph::Remove(uint32_t node) {
  changed_ = true;
  for (InsertionState* insertion : insertions_) insertion->Leave(node);
  Unuse(node);
  if (control_ != nullptr) control_->RemoveBefore(node);
  EditComputation& computation = computations_[computation_[node]];
  const uint32_t before = previous_[node];
  const uint32_t after = next_[node];
  (before == kNone ? computation.head : next_[before]) = after;
  (after == kNone ? computation.tail : previous_[after]) = before;
  if (computation.root == node) computation.root = kNone;
  --computation.count;
  computation.touched = true;
  flags_[node] |= kErased;
  if (records_[node].opcode == Opcode::kParameter) {
    parameters_.erase(computation_[node]);
  }
}

void EditGraph::RemoveParameters(uint32_t c,
                                 absl::Span<const int64_t> numbers) {
  if (numbers.empty()) return;
  ParametersOf(c);
  ParameterList list = std::move(parameters_[c]);
  parameters_.erase(c);
  std::vector<uint32_t>& nodes = list.by_number;
  const size_t first = static_cast<size_t>(numbers[0]);
  size_t kept = first;
  for (size_t k = first, next = 0; k < nodes.size(); ++k) {
    const bool goes =
        next < numbers.size() && static_cast<size_t>(numbers[next]) == k;
    if (goes) {
      if (nodes[k] == list.last) {
        do {
          list.last = previous_[list.last];
        } while (list.last != kNone &&
                 records_[list.last].opcode != Opcode::kParameter);
      }
      Remove(nodes[k]);
      ++next;
      continue;
    }
    if (nodes[k] != kNone && kept != k) {
      FieldList fields = FieldList::Of(
          pools().attribute_bytes(records_[nodes[k]].attribute_bytes));
      fields.SetNumber(kParameterNumber, static_cast<int64_t>(kept));
      SetAttributeBytes(nodes[k], fields.ToAttributeBytes().view());
    }
    nodes[kept++] = nodes[k];
  }
  nodes.resize(kept);
  // Numbers out of range may be in range now.
  if (list.complete) parameters_[c] = std::move(list);
}

void EditGraph::SetOperand(uint32_t node, uint32_t index, uint32_t value) {
  InstructionRecord& r = Touch(node);
  const uint32_t slot = r.first_operand + index;
  if (uses_ != nullptr) {
    uses_->Unlink(slot, operands_[slot]);
    uses_->Link(slot, node, value);
  }
  operands_[slot] = value;
  CheckOrder(node, value);
}

void EditGraph::SetOperands(uint32_t node, absl::Span<const uint32_t> values) {
  Unuse(node);
  const std::vector<uint32_t> callees(Callees(node).begin(),
                                      Callees(node).end());
  InstructionRecord& r = Touch(node);
  const size_t first = operands_.size();
  operands_.insert(operands_.end(), values.begin(), values.end());
  operands_.insert(operands_.end(), callees.begin(), callees.end());
  TakeOperands(first, callees.size(), operands_, &r);
  if (uses_ != nullptr) {
    uses_->AddSlots(static_cast<uint32_t>(values.size() + callees.size()));
    for (uint32_t k = r.operand_count; k-- > 0;) {
      uses_->Link(r.first_operand + k, node, values[k]);
    }
  }
  for (const uint32_t value : values) CheckOrder(node, value);
}

void EditGraph::SetCallee(uint32_t node, uint32_t index, uint32_t callee) {
  const InstructionRecord& r = Touch(node);
  operands_[r.first_operand + r.operand_count + index] = callee;
  calls_disordered_ = true;
  if (callers_ != nullptr) {
    AddToCallers(node, absl::MakeConstSpan(&callee, 1));
  }
}

InstructionRecord& EditGraph::Touch(uint32_t node) {
  changed_ = true;
  flags_[node] |= kTouched;
  computations_[computation_[node]].touched = true;
  return records_[node];
}

void EditGraph::SetAttributeBytes(uint32_t node, AttributeBytesView bytes) {
  const AttributeBytesId id = MutablePools().AddAttributeBytes(bytes);
  const bool is_parameter = records_[node].opcode == Opcode::kParameter;
  const int64_t number = is_parameter ? ParameterNumber(node) : 0;
  Touch(node).attribute_bytes = id;
  if (is_parameter && ParameterNumber(node) != number) {
    parameters_.erase(computation_[node]);
  }
}

void EditGraph::SetName(uint32_t node, absl::string_view name) {
  const NameId id = MutablePools().AddName(name);
  Touch(node).name = id;
  flags_[node] |= kRenamed;
}

void EditGraph::SetRoot(uint32_t c, uint32_t root) {
  changed_ = true;
  computations_[c].root = root;
  computations_[c].touched = true;
}

void EditGraph::ReplaceUses(uint32_t node, uint32_t by) {
  UseLists& lists = uses();
  for (uint32_t slot = lists.first(node); slot != kNone;
       slot = lists.first(node)) {
    const uint32_t user = lists.user(slot);
    SetOperand(user, slot - records_[user].first_operand, by);
  }
  const uint32_t c = computation_[node];
  if (computations_[c].root == node) SetRoot(c, by);
}

void EditGraph::ReplaceEach(const Column<uint32_t>& to) {
  uses_ = nullptr;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (is_erased(node)) continue;
    const InstructionRecord& r = records_[node];
    bool touched = false;
    for (uint32_t k = r.first_operand; k < r.first_operand + r.operand_count;
         ++k) {
      const uint32_t replacement = to[operands_[k]];
      touched |= replacement != operands_[k];
      operands_[k] = replacement;
    }
    if (touched) Touch(node);
  }
  for (uint32_t c = 0; c < computation_count(); ++c) {
    const uint32_t root = computations_[c].root;
    if (root != kNone && to[root] != root) SetRoot(c, to[root]);
  }
}

// --- Computations ------------------------------------------------------------

uint32_t EditGraph::AddComputation(absl::string_view name,
                                   const ComputationRecord& other,
                                   uint32_t before) {
  changed_ = true;
  const uint32_t c = computation_count();
  EditComputation computation;
  computation.record = other;
  computation.record.name = MutablePools().AddName(name);
  computation.record.id = computation_ids_.Next([&](FreshIds::Ids* used) {
    for (const EditComputation& other : computations_) {
      used->insert(other.record.id);
    }
  });
  computation.record.program_shape = {};
  computation.record.program_shape_when_empty = WhenEmpty::kMake;
  computation.is_new = computation.touched = true;
  computations_.push_back(std::move(computation));
  order_.Add(before);
  return c;
}

void EditGraph::RemoveComputation(uint32_t c) {
  while (computations_[c].head != kNone) Remove(computations_[c].tail);
  computations_[c].erased = true;
  order_.Remove(c);
}

void EditGraph::SetEntry(uint32_t c) {
  changed_ = true;
  entry_ = c;
  entry_changes_ = EntryChanges();
  entry_changes_.entry_changed = true;
}

void EditGraph::SignatureChanged(uint32_t c) {
  computations_[c].signature_changed = true;
}

}  // namespace indim::internal
