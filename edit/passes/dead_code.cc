// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/dead_code.h"

#include <vector>

#include "indim/edit/edit_session.h"
#include "indim/edit/side_effects.h"
#include "indim/ir/gradient_mark.h"

namespace indim {

using internal::EditSession;
using internal::kNone;

namespace {

// Marks what `open` needs, through operands and control predecessors.
void MarkNeeded(EditSession* graph, std::vector<uint32_t> open,
                std::vector<bool>* needed) {
  for (const uint32_t node : open) (*needed)[node] = true;
  const auto need = [&](uint32_t node) {
    if ((*needed)[node]) return;
    (*needed)[node] = true;
    open.push_back(node);
  };
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    for (const uint32_t operand : graph->Operands(node)) need(operand);
    for (const uint32_t before : graph->control().predecessors(node)) {
      need(before);
    }
  }
}

// Whether it is the derivative of what its computation computes.
bool IsDerivative(const EditSession& graph, uint32_t node) {
  return graph.record(node).opcode == Opcode::kCall &&
         internal::IsDerivative(
             internal::GradientMarkOf(graph.pools().attribute_bytes(
                 graph.record(node).attribute_bytes)));
}

int64_t EraseDeadInstructions(EditSession* graph, uint32_t without) {
  const internal::SideEffects effects(*graph);
  internal::ControlEdges& control = graph->control();
  std::vector<uint32_t> stay;
  for (uint32_t node = 0; node < graph->node_count(); ++node) {
    if (graph->is_erased(node)) continue;
    if (graph->record(node).opcode == Opcode::kParameter ||
        graph->at(graph->computation(node)).root == node ||
        (graph->computation(node) != without &&
         (effects.Of(node) || control.Any(node) ||
          IsDerivative(*graph, node)))) {
      stay.push_back(node);
    }
  }
  std::vector<bool> needed(graph->node_count());
  MarkNeeded(graph, std::move(stay), &needed);
  int64_t erased = 0;
  // Users mostly come after operands; the order of removals doesn't matter.
  for (uint32_t node = graph->node_count(); node-- > 0;) {
    if (needed[node] || graph->is_erased(node)) continue;
    graph->Remove(node);
    ++erased;
  }
  return erased;
}

int64_t EraseDeadComputations(EditSession* graph) {
  if (graph->entry() == kNone) return 0;
  std::vector<bool> called(graph->computation_count());
  std::vector<uint32_t> open = {graph->entry()};
  called[graph->entry()] = true;
  while (!open.empty()) {
    const uint32_t c = open.back();
    open.pop_back();
    for (uint32_t node = graph->at(c).head; node != kNone;
         node = graph->next(node)) {
      for (const uint32_t callee : graph->Callees(node)) {
        if (called[callee]) continue;
        called[callee] = true;
        open.push_back(callee);
      }
    }
  }
  int64_t erased = 0;
  const std::vector<uint32_t> order = graph->computation_order();
  for (auto c = order.rbegin(); c != order.rend(); ++c) {
    if (called[*c]) continue;
    erased += graph->at(*c).count;
    graph->RemoveComputation(*c);
  }
  return erased;
}

}  // namespace

int64_t RemoveDeadCode(Editor* editor, Caller caller) {
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("RemoveDeadCode", caller)) return 0;
  return internal::EraseUnneeded(&graph, kNone);
}

namespace internal {

int64_t EraseUnneeded(EditSession* graph, uint32_t computation) {
  graph->DropUses();
  const int64_t erased = EraseDeadInstructions(graph, computation);
  return erased + EraseDeadComputations(graph);
}

}  // namespace internal
}  // namespace indim
