// SPDX-License-Identifier: Apache-2.0
// Copies of instructions, and records of new ones.

#ifndef INDIM_EDIT_COPY_NODES_H_
#define INDIM_EDIT_COPY_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "indim/edit/edit_graph.h"
#include "indim/ir/module_data.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// By node, its copy or what stands for it.
using NodeMap = absl::flat_hash_map<uint32_t, uint32_t>;

// The nodes of a computation, or `nodes`, so that operands precede users. Nodes
// that need each other keep their order; *cycle, unless null, gets them.
std::vector<uint32_t> InOrder(EditGraph* graph, uint32_t c,
                              std::vector<uint32_t>* cycle = nullptr);
std::vector<uint32_t> InOrder(EditGraph* graph,
                              absl::Span<const uint32_t> nodes,
                              std::vector<uint32_t>* cycle = nullptr);

// Copies a node to computation `c` before `before`. The copy uses what *map
// maps an operand or a control predecessor to; others stay (control
// predecessors only within the computation). `place` as in EditGraph::Add;
// kNone: the node's own. Enters the copy in *map; null: nothing is mapped.
uint32_t CopyNode(EditGraph* graph, uint32_t node, uint32_t c, uint32_t before,
                  uint32_t place, NodeMap* map);

// A record of a new instruction, for EditGraph::Add.
InstructionRecord NewRecord(EditGraph* graph, Opcode opcode, const Shape& shape,
                            const Attributes& attributes);
// The tuple of the shapes of nodes.
Shape TupleOf(const EditGraph& graph, absl::Span<const uint32_t> nodes);

}  // namespace indim::internal

#endif  // INDIM_EDIT_COPY_NODES_H_
