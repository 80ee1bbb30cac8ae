// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/copy_nodes.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "indim/ir/link.h"
#include "indim/ir/stable_order.h"
#include "indim/proto/codec/attribute_wire.h"

namespace indim::internal {

std::vector<uint32_t> InOrder(EditGraph* graph,
                              absl::Span<const uint32_t> nodes,
                              std::vector<uint32_t>* cycle_of) {
  // Needs outside `nodes` count as done.
  absl::flat_hash_map<uint32_t, uint32_t> index;
  for (uint32_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
  std::vector<uint32_t> items, order, cycle;
  for (uint32_t i = 0; i < nodes.size(); ++i) items.push_back(i);
  const auto needs_of = [&](uint32_t i, std::vector<uint32_t>* needs) {
    std::vector<uint32_t> all;
    graph->AddNeeds(nodes[i], &all);
    for (const uint32_t node : all) {
      const auto found = index.find(node);
      if (found != index.end()) needs->push_back(found->second);
    }
  };
  StableSorter(static_cast<uint32_t>(nodes.size()))
      .Append(items, needs_of, &order, &cycle);
  if (!cycle.empty()) order = std::move(items);
  for (uint32_t& i : order) i = nodes[i];
  if (cycle_of != nullptr) {
    for (const uint32_t i : cycle) cycle_of->push_back(nodes[i]);
  }
  return order;
}

std::vector<uint32_t> InOrder(EditGraph* graph, uint32_t c,
                              std::vector<uint32_t>* cycle) {
  std::vector<uint32_t> nodes;
  for (uint32_t node = graph->at(c).head; node != EditGraph::kNone;
       node = graph->next(node)) {
    nodes.push_back(node);
  }
  return graph->at(c).disordered ? InOrder(graph, nodes, cycle) : nodes;
}

uint32_t CopyNode(EditGraph* graph, uint32_t node, uint32_t c, uint32_t before,
                  uint32_t place, NodeMap* map) {
  const auto mapped = [map](uint32_t old) {
    if (map == nullptr) return old;
    const auto found = map->find(old);
    return found == map->end() ? old : found->second;
  };
  InstructionRecord record = graph->record(node);
  absl::InlinedVector<uint32_t, 6> operands, predecessors;
  for (const uint32_t k : graph->Operands(node)) operands.push_back(mapped(k));
  const absl::Span<const uint32_t> span = graph->Callees(node);
  const absl::InlinedVector<uint32_t, 2> callees(span.begin(), span.end());
  if (graph->HasControl(node)) {
    for (const uint32_t k : graph->control().predecessors(node)) {
      const uint32_t to = mapped(k);
      if (graph->computation(to) == c) predecessors.push_back(to);
    }
    size_t next = 0;
    const AttributeBytesView bytes =
        graph->pools().attribute_bytes(record.attribute_bytes);
    const std::string control =
        MapControl(bytes.control, [&](uint64_t) -> std::optional<uint64_t> {
          if (next == predecessors.size()) return std::nullopt;
          return static_cast<uint64_t>(graph->id(predecessors[next++]));
        });
    record.attribute_bytes = graph->MutablePools().AddAttributeBytes(
        {bytes.before_id, control, bytes.after_callees});
  }
  const std::string opcode_name =
      record.unknown_opcode ? std::string(graph->OpcodeName(node)) : "";
  const uint32_t copy =
      graph->Add(record, operands, callees, c, before,
                 place == EditGraph::kNone ? graph->place(node) : place);
  if (record.unknown_opcode) graph->SetOpcodeName(copy, opcode_name);
  graph->AddControl(copy, predecessors);
  if (map != nullptr) (*map)[node] = copy;
  return copy;
}

InstructionRecord NewRecord(EditGraph* graph, Opcode opcode, const Shape& shape,
                            const Attributes& attributes) {
  Pools& pools = graph->MutablePools();
  InstructionRecord record;
  record.opcode = opcode;
  record.shape = pools.shapes().Intern(shape);
  record.attribute_bytes =
      pools.AddAttributeBytes(EncodeAttributes(opcode, attributes).view());
  return record;
}

Shape TupleOf(const EditGraph& graph, absl::Span<const uint32_t> nodes) {
  std::vector<Shape> shapes;
  for (const uint32_t node : nodes) {
    shapes.push_back(graph.pools().shapes().shape(graph.record(node).shape));
  }
  return Shape::Tuple(std::move(shapes));
}

}  // namespace indim::internal
