// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/assemble.h"

#include <algorithm>
#include <utility>

#include "indim/edit/new_names.h"
#include "indim/ir/module_builder.h"
#include "indim/ir/stable_order.h"

namespace indim::internal {
namespace {

class Assembler {
 public:
  explicit Assembler(EditGraph* graph)
      : graph_(*graph),
        old_(graph->old()),
        sorter_(graph->node_count()),
        builder_(old_) {}

  Assembled Run();

 private:
  bool OrderComputations();
  // The nodes of a computation in their new order, in nodes_. False: a cycle.
  bool OrderNodes(uint32_t c);
  bool Append(uint32_t c);
  void AppendNode(uint32_t node);
  // What the module keeps of a node beside its record.
  InstructionDetails DetailsOfNode(uint32_t node) const;
  void FinishHeader();

  EditGraph& graph_;
  const ModuleData& old_;
  StableSorter sorter_;
  Assembled result_;
  ModuleData* new_ = nullptr;
  ModuleBuilder builder_;
  std::vector<uint32_t> nodes_;         // of the current computation
  Column<uint32_t> index_;              // by node, in its computation
  std::vector<uint32_t> new_index_of_;  // of each computation
};

bool Assembler::OrderComputations() {
  if (!graph_.calls_disordered()) {
    result_.computations = graph_.computation_order();
    return true;
  }
  std::vector<std::vector<uint32_t>> callees(graph_.computation_count());
  for (uint32_t node = 0; node < graph_.node_count(); ++node) {
    if (graph_.record(node).callee_count == 0 || graph_.is_erased(node)) {
      continue;
    }
    for (const uint32_t callee : graph_.Callees(node)) {
      callees[graph_.computation(node)].push_back(callee);
    }
  }
  StableSorter sorter(graph_.computation_count());
  return sorter.Append(
      graph_.computation_order(),
      [&](uint32_t c, std::vector<uint32_t>* needs) { *needs = callees[c]; },
      &result_.computations, &result_.cycle);
}

bool Assembler::OrderNodes(uint32_t c) {
  const EditGraph::EditComputation& computation = graph_.at(c);
  nodes_.clear();
  nodes_.reserve(computation.count);
  for (uint32_t node = computation.head; node != kNone;
       node = graph_.next(node)) {
    nodes_.push_back(node);
  }
  if (!computation.disordered) return true;
  const std::vector<uint32_t> base = std::move(nodes_);
  nodes_.clear();
  return sorter_.Append(
      base,
      [this](uint32_t node, std::vector<uint32_t>* needs) {
        graph_.AddNeeds(node, needs);
      },
      &nodes_, &result_.cycle);
}

bool Assembler::Append(uint32_t c) {
  if (!OrderNodes(c)) return false;
  const EditGraph::EditComputation& computation = graph_.at(c);
  for (uint32_t i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
  builder_.Begin(computation.record);
  for (const uint32_t node : nodes_) AppendNode(node);
  builder_.End(computation.root == kNone ? 0 : index_[computation.root]);
  return true;
}

void Assembler::AppendNode(uint32_t node) {
  builder_.AddMapped(
      graph_.record(node), graph_.Operands(node),
      [this](uint32_t k) { return index_[k]; }, graph_.Callees(node),
      [this](uint32_t c) { return new_index_of_[c]; }, DetailsOfNode(node));
  result_.nodes.push_back(node);
}

InstructionDetails Assembler::DetailsOfNode(uint32_t node) const {
  InstructionDetails details;
  details.id = graph_.id(node);
  if (graph_.record(node).unknown_opcode) {
    details.opcode_name = graph_.OpcodeName(node);
  }
  if (old_.places == nullptr) return details;
  const uint32_t place = graph_.place(node);
  if (place != kNone) details.place = old_.places->at(place);
  if (!graph_.is_new(node)) details.text_name = old_.places->name(node);
  return details;
}

void Assembler::FinishHeader() {
  new_->entry = new_index_of_[graph_.entry()];
  if (graph_.entry_changes().entry_changed) {
    new_->entry_name.clear();
    new_->entry_name_when_empty = WhenEmpty::kMake;
  }
  // Whether the ids are still positions plus 1.
  if (old_.ids.empty() && new_->ids.count_up()) new_->ids = InstructionIds();
  // Both count only while the instruction is as it was read.
  if (old_.operand_spellings.empty() && old_.root_spellings.empty()) return;
  Column<uint32_t> position_of(graph_.node_count());
  for (uint32_t i = 0; i < result_.nodes.size(); ++i) {
    position_of[result_.nodes[i]] = i;
  }
  for (const auto& [node, spelling] : old_.operand_spellings) {
    if (!graph_.is_erased(node) && !graph_.is_touched(node)) {
      new_->operand_spellings.emplace_back(position_of[node], spelling);
    }
  }
  std::sort(new_->operand_spellings.begin(), new_->operand_spellings.end());
  for (const auto& [c, spelling] : old_.root_spellings) {
    const EditGraph::EditComputation& computation = graph_.at(c);
    if (!computation.erased &&
        computation.root ==
            old_.computations[c].first + old_.computations[c].root) {
      new_->root_spellings.emplace_back(new_index_of_[c], spelling);
    }
  }
  std::sort(new_->root_spellings.begin(), new_->root_spellings.end());
}

Assembled Assembler::Run() {
  if (!OrderComputations()) {
    result_.cycle_of_computations = true;
    return std::move(result_);
  }
  new_index_of_.resize(graph_.computation_count(), kNone);
  for (uint32_t i = 0; i < result_.computations.size(); ++i) {
    new_index_of_[result_.computations[i]] = i;
  }
  index_.resize(graph_.node_count());
  result_.nodes.reserve(graph_.node_count());
  for (const uint32_t c : result_.computations) {
    if (!Append(c)) return std::move(result_);
  }
  result_.data = builder_.Take();
  new_ = result_.data.get();
  FinishHeader();
  NameNew(result_.nodes, result_.computations, &graph_, new_);
  new_->pools = graph_.SharePools();
  return std::move(result_);
}

}  // namespace

Assembled Assemble(EditGraph* graph) { return Assembler(graph).Run(); }

}  // namespace indim::internal
