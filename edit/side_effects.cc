#include "indim/edit/side_effects.h"

#include <algorithm>

#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim::internal {
namespace {

namespace of = field::HloInstructionProto;

bool HasFlag(AttributeBytesView bytes, uint32_t field) {
  FieldList fields(WireMessage::kHloInstructionProto);
  fields.Append(bytes);
  return fields.Number(field) != 0;
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
  if (Own(node)) return true;
  if (graph_.record(node).callee_count == 0) return false;
  const absl::Span<const uint32_t> callees = graph_.Callees(node);
  return std::any_of(callees.begin(), callees.end(),
                     [this](uint32_t c) { return computations_[c]; });
}

bool SideEffects::Own(uint32_t node) const {
  const InstructionRecord& r = graph_.record(node);
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
      return HasFlag(graph_.pools().attribute_bytes(r.attribute_bytes),
                     of::kConstrainLayout);
    case Opcode::kCustomCall:
      return HasFlag(graph_.pools().attribute_bytes(r.attribute_bytes),
                     of::kCustomCallHasSideEffect);
    default:
      return Info(r.opcode).has(kSideEffect);
  }
}

}  // namespace indim::internal
