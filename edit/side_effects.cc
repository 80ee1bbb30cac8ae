// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/side_effects.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {
namespace {

namespace of = field::HloInstructionProto;

bool HasFlag(AttributeBytesView bytes, uint32_t field) {
  return FieldList::Of(bytes).Number(field) != 0;
}

// Its own, by what it is.
bool HasOwn(const EditGraph& graph, uint32_t node) {
  const InstructionRecord& r = graph.record(node);
  switch (r.opcode) {
    case Opcode::kInvalid:  // nobody knows
    case Opcode::kRng:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
      return true;
    case Opcode::kAllReduce:
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kCollectiveReduce:
      return HasFlag(graph.pools().attribute_bytes(r.attribute_bytes),
                     of::kConstrainLayout);
    case Opcode::kCustomCall:
      return HasFlag(graph.pools().attribute_bytes(r.attribute_bytes),
                     of::kCustomCallHasSideEffect);
    default:
      return Info(r.opcode).has(kSideEffect);
  }
}

}  // namespace

SideEffects::SideEffects(const EditGraph& graph)
    : graph_(graph), computations_(graph.computation_count()) {
  // Callees mostly come first, and one round finds all.
  for (bool found = true; found;) {
    found = false;
    for (const uint32_t c : graph.computation_order()) {
      if (computations_[c]) continue;
      for (uint32_t node = graph.at(c).head; node != EditGraph::kNone;
           node = graph.next(node)) {
        if (!Of(node)) continue;
        computations_[c] = found = true;
        break;
      }
    }
    found = found && graph.calls_disordered();
  }
}

bool SideEffects::Of(uint32_t node) const {
  if (HasOwn(graph_, node)) return true;
  if (graph_.record(node).callee_count == 0) return false;
  const absl::Span<const uint32_t> callees = graph_.Callees(node);
  return std::any_of(callees.begin(), callees.end(),
                     [this](uint32_t c) { return computations_[c]; });
}

bool HasSideEffect(const EditGraph& graph, uint32_t node) {
  if (HasOwn(graph, node)) return true;
  const absl::Span<const uint32_t> callees = graph.Callees(node);
  std::vector<uint32_t> open(callees.begin(), callees.end());
  absl::flat_hash_set<uint32_t> seen(callees.begin(), callees.end());
  while (!open.empty()) {
    const uint32_t c = open.back();
    open.pop_back();
    for (uint32_t inner = graph.at(c).head; inner != EditGraph::kNone;
         inner = graph.next(inner)) {
      if (HasOwn(graph, inner)) return true;
      for (const uint32_t callee : graph.Callees(inner)) {
        if (seen.insert(callee).second) open.push_back(callee);
      }
    }
  }
  return false;
}

}  // namespace indim::internal
