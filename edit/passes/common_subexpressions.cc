// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/common_subexpressions.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "indim/edit/copy_nodes.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/side_effects.h"
#include "indim/ir/storage/column.h"

namespace indim {

using internal::EditSession;

namespace {

// Nodes by what they compute. Nodes of different computations differ: so do
// their operands, and instructions without operands are looked up in one
// computation at a time.
struct NodeForm {
  const EditSession* graph;
  const Column<uint32_t>* to;  // by node, what stands for it

  size_t operator()(uint32_t node) const {
    const InstructionRecord& r = graph->record(node);
    size_t hash = static_cast<size_t>(r.opcode);
    const auto mix = [&hash](uint64_t value) {
      hash = (hash ^ value) * 0x9ddfea08eb382d69u;
      hash ^= hash >> 29;
    };
    mix(uint64_t{r.shape.value} << 32 | r.attribute_bytes.value);
    for (const uint32_t operand : graph->Operands(node)) mix((*to)[operand]);
    for (const uint32_t callee : graph->Callees(node)) mix(callee);
    return hash;
  }
  bool operator()(uint32_t a, uint32_t b) const {
    const InstructionRecord& x = graph->record(a);
    const InstructionRecord& y = graph->record(b);
    if (x.opcode != y.opcode || x.shape != y.shape ||
        x.attribute_bytes != y.attribute_bytes ||
        x.operand_count != y.operand_count ||
        x.callee_count != y.callee_count ||
        graph->computation(a) != graph->computation(b)) {
      return false;
    }
    const absl::Span<const uint32_t> of_a = graph->Operands(a);
    const absl::Span<const uint32_t> of_b = graph->Operands(b);
    for (size_t k = 0; k < of_a.size(); ++k) {
      if ((*to)[of_a[k]] != (*to)[of_b[k]]) return false;
    }
    return graph->Callees(a) == graph->Callees(b);
  }
};

}  // namespace

int64_t MergeCommonSubexpressions(Editor* editor, Caller caller) {
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("MergeCommonSubexpressions", caller)) return 0;
  const internal::SideEffects effects(graph);
  internal::ControlEdges& control = graph.control();
  Column<uint32_t> to(graph.node_count());
  for (uint32_t node = 0; node < to.size(); ++node) to[node] = node;
  std::vector<uint32_t> merged;
  for (const uint32_t c : graph.computation_order()) {
    const NodeForm form = {&graph, &to};
    absl::flat_hash_set<uint32_t, NodeForm, NodeForm> known(0, form, form);
    known.reserve(graph.at(c).count);
    const auto look = [&](uint32_t node) {
      const InstructionRecord& r = graph.record(node);
      if (r.opcode == Opcode::kParameter || r.unknown_opcode ||
          effects.Of(node) || control.Any(node)) {
        return;
      }
      const auto [first, is_new] = known.insert(node);
      if (is_new) return;
      to[node] = *first;
      merged.push_back(node);
    };
    if (graph.at(c).disordered) {
      for (const uint32_t node : internal::InOrder(&graph, c)) look(node);
      continue;
    }
    for (uint32_t node = graph.at(c).head; node != internal::kNone;
         node = graph.next(node)) {
      look(node);
    }
  }
  if (merged.empty()) return 0;
  graph.ReplaceEach(to);
  for (const uint32_t node : merged) graph.Remove(node);
  return static_cast<int64_t>(merged.size());
}

}  // namespace indim
