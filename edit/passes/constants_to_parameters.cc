// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/constants_to_parameters.h"

#include <string>
#include <utility>

#include "indim/edit/edit_session.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {

using internal::EditSession;

std::vector<TakenConstant> ConstantsToParameters(Editor* editor,
                                                 int64_t min_elements,
                                                 Caller caller) {
  std::vector<TakenConstant> taken;
  EditSession& graph = EditSession::Of(editor);
  if (!graph.CheckOpen("ConstantsToParameters", caller)) return taken;
  using field::HloInstructionProto::kSharding;
  const ComputationRef entry = editor->entry();
  int64_t number = static_cast<int64_t>(editor->parameters(entry).size());
  for (const InstructionRef constant : editor->instructions(entry)) {
    if (editor->opcode(constant) != Opcode::kConstant) continue;
    absl::StatusOr<Literal> value = editor->literal(constant);
    const uint32_t node = graph.NodeOf(constant);
    if (!value.ok() || value->shape().is_tuple() ||
        value->element_count() < min_elements || graph.control().Any(node)) {
      continue;
    }
    const Shape shape = editor->shape(constant);
    const InstructionRecord record = graph.record(node);
    const InstructionRef parameter =
        editor->AddParameter(entry, shape, "", caller);
    bool sharded = false;
    const std::string sharding(AttributeBytesField(
        graph.pools().attribute_bytes(record.attribute_bytes), kSharding,
        &sharded));
    if (sharded) editor->SetSharding(parameter, sharding, caller);
    graph.ReplaceUses(node, graph.NodeOf(parameter));
    graph.Remove(node);
    InstructionRecord& made = graph.Touch(graph.NodeOf(parameter));
    made.name = record.name;
    made.metadata = record.metadata;
    taken.push_back({number++, parameter, *std::move(value)});
  }
  return taken;
}

}  // namespace indim
