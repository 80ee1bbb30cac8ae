// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/edit_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "indim/proto/wire/field_list.h"

namespace indim::internal {

EditGraph::EditGraph(Module module) : EditNodes(std::move(module)) {
  const ModuleData& data = *old_;
  if (data.ids.empty()) {
    low_halves_.Use(node_count());
  } else {
    for (uint32_t i = 0; i < node_count(); ++i) {
      low_halves_.Use(int64_t{data.ids.low(i)});
      has_high_ |= data.ids.high(i) != 0;
    }
  }
  computations_.resize(data.computations.size());
  for (uint32_t c = 0; c < computations_.size(); ++c) {
    EditComputation& computation = computations_[c];
    computation.record = data.computations[c];
    computation.count = computation.record.count;
    if (computation.count > 0) {
      computation.head = computation.record.first;
      computation.tail = computation.head + computation.count - 1;
      computation.root = computation.record.first + computation.record.root;
    }
    computation_ids_.Use(computation.record.id);
    order_.Add(kNone);
  }
  if (!computations_.empty()) entry_ = data.entry;
}

std::string EditGraph::ComputationName(uint32_t c) const {
  return std::string(pools().name(computations_[c].record.name));
}

UseLists& EditGraph::uses() {
  if (uses_ != nullptr) return *uses_;
  uses_ = std::make_unique<UseLists>(node_count(),
                                     static_cast<uint32_t>(operands_.size()));
  // Backwards, so that the lists begin with the first user.
  for (uint32_t node = node_count(); node-- > 0;) {
    if (is_erased(node)) continue;
    const InstructionRecord& r = records_[node];
    for (uint32_t k = r.operand_count; k-- > 0;) {
      uses_->Link(r.first_operand + k, node, operands_[r.first_operand + k]);
    }
  }
  return *uses_;
}

ControlEdges& EditGraph::control() {
  if (control_ != nullptr) return *control_;
  control_ = std::make_unique<ControlEdges>();
  std::vector<uint32_t> users;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (records_[node].attribute_bytes && !is_erased(node) &&
        HasControl(node)) {
      users.push_back(node);
    }
  }
  if (users.empty()) return *control_;
  // Only the low halves of ids count.
  absl::flat_hash_map<std::pair<uint32_t, int64_t>, uint32_t> by_id;
  for (uint32_t node = 0; node < node_count(); ++node) {
    if (!is_erased(node))
      by_id.emplace(std::pair(computation_[node], id(node) & kLowHalf), node);
  }
  for (const uint32_t user : users) {
    for (const int64_t id : ControlPredecessors(
             pools().attribute_bytes(records_[user].attribute_bytes))) {
      const auto found =
          by_id.find(std::pair(computation_[user], id & kLowHalf));
      if (found != by_id.end()) control_->Add(found->second, user);
    }
  }
  return *control_;
}

const EditGraph::ParameterList& EditGraph::ParametersOf(uint32_t c) const {
  const auto known = parameters_.find(c);
  if (known != parameters_.end()) return known->second;
  ParameterList& list = parameters_[c];
  std::vector<uint32_t> found;
  for (uint32_t node = computations_[c].head; node != kNone;
       node = next_[node]) {
    if (records_[node].opcode == Opcode::kParameter) found.push_back(node);
  }
  list.by_number.assign(found.size(), kNone);
  size_t placed = 0;
  for (const uint32_t node : found) {
    const int64_t number = ParameterNumber(node);
    if (number < 0 || number >= static_cast<int64_t>(found.size())) continue;
    uint32_t& place = list.by_number[static_cast<size_t>(number)];
    placed += place == kNone;
    place = node;
  }
  list.complete = placed == found.size();
  if (!found.empty()) list.last = found.back();
  return list;
}

void EditGraph::AddNeeds(uint32_t node, std::vector<uint32_t>* needs) {
  absl::c_copy(Operands(node), std::back_inserter(*needs));
  absl::c_copy(control().predecessors(node), std::back_inserter(*needs));
}

std::vector<uint32_t> EditGraph::CallersOf(uint32_t c) {
  if (callers_ == nullptr) {
    callers_ = std::make_unique<std::vector<std::vector<uint32_t>>>();
    for (uint32_t node = 0; node < node_count(); ++node) {
      if (!is_erased(node)) AddToCallers(node, Callees(node));
    }
  }
  if (c >= callers_->size()) return {};
  std::vector<uint32_t>& callers = (*callers_)[c];
  std::sort(callers.begin(), callers.end());
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  callers.erase(std::remove_if(callers.begin(), callers.end(),
                               [&](uint32_t node) {
                                 return is_erased(node) ||
                                        !absl::c_linear_search(Callees(node),
                                                               c);
                               }),
                callers.end());
  return callers;
}

}  // namespace indim::internal
