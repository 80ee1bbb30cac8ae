// SPDX-License-Identifier: Apache-2.0
// Shardy's operations, as XLA writes them in HLO: custom calls and frontend
// attributes.

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/stablehlo/import/lowering.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

// A custom call of `operands` whose result has that shape.
Node EmitTarget(OpImport* op, absl::string_view target, bool has_side_effect,
                const Shape& shape, absl::Span<const Node> operands) {
  CustomCallAttributes attributes;
  attributes.target = std::string(target);
  attributes.has_side_effect = has_side_effect;
  attributes.api_version = kApiOriginal;
  return op->Emit(Opcode::kCustomCall, shape, attributes, operands);
}

std::vector<Node> ElementsOf(HloWriter* writer, Node node, size_t count) {
  if (count == 1) return {node};
  std::vector<Node> elements;
  for (size_t i = 0; i < count; ++i) {
    elements.push_back(writer->Element(node, static_cast<int64_t>(i)));
  }
  return elements;
}

// A custom call of the operand that notes the number `name`, as MLIR prints it.
Node LowerWithNumber(OpImport* op, absl::string_view target, const Shape& shape,
                     absl::string_view name, absl::string_view key) {
  const Attribute& number = op->ir().attr(op->Find(name));
  const Node node = EmitTarget(op, target, true, shape, {op->operand(0)});
  AddCommonAttributes(op, node);
  AddNotes(&op->writer(), node,
           {{key, absl::StrCat(number.integer, " : ",
                               TypeText(op->ir(), number.type))}});
  return node;
}

}  // namespace

void LowerShardingConstraint(OpImport* op) {
  const std::string sharding = AttributeText(op->ir(), op->Find("sharding"));
  // A part of a sum on each device may not be thrown away.
  const bool is_unreduced = absl::StrContains(sharding, ", unreduced=");
  const Node node = EmitTarget(op, "Sharding", is_unreduced,
                               op->operand_shape(0), {op->operand(0)});
  AddCommonAttributes(op, node);
  AddNotes(&op->writer(), node, {{kSdySharding, ShardyPerValue({sharding})}});
  const ValueSharding& meaning =
      op->importer().shardy().Of(op->Find("sharding"));
  if (meaning.has_value()) SetSharding(&op->writer(), node, *meaning);
  op->SetResult(0, node);
}

void LowerPropagationBarrier(OpImport* op) {
  op->SetResult(
      0, LowerWithNumber(op, "xla.sdy.PropagationBarrier", op->operand_shape(0),
                         "allowed_direction", "xla.sdy.allowed_direction"));
}

void LowerShardingGroup(OpImport* op) {
  LowerWithNumber(op, "xla.sdy.ShardingGroup", Shape::Tuple({}), "group_id",
                  "xla.sdy.sharding_group_id");
}

// The region is a computation on the parts that one device has.
void LowerManualComputation(OpImport* op) {
  HloWriter& writer = op->writer();
  const Signature body = writer.SignatureOf(op->importer().callees()[0]);
  const Ir& ir = op->ir();
  const std::string axes = AttributeText(ir, op->Find("manual_axes"));
  if (body.parameters.size() != op->operand_count()) {
    return op->Error("must have as many operands as its region has arguments");
  }
  std::vector<Node> local;
  if (op->operand_count() > 0) {
    const Node to_local =
        EmitTarget(op, "xla.sdy.GlobalToLocalShape", true,
                   body.parameters.size() == 1 ? body.parameters[0]
                                               : Shape::Tuple(body.parameters),
                   op->operands());
    AddNotes(&writer, to_local,
             {{kSdyInShardings, AttributeText(ir, op->Find("in_shardings"))},
              {kSdyManualAxes, axes}});
    local = ElementsOf(&writer, to_local, op->operand_count());
  }
  const Node call = op->Emit(Opcode::kCall, body.result, NoAttributes(), local,
                             op->importer().callees());
  AddNotes(&writer, call, {{"inlineable", "false"}});
  if (op->result_count() == 0) return;
  const Node to_global =
      EmitTarget(op, "xla.sdy.LocalToGlobalShape", true, op->ResultsShape(),
                 ElementsOf(&writer, call, op->result_count()));
  AddCommonAttributes(op, to_global);
  AddNotes(&writer, to_global,
           {{kSdyManualAxes, axes},
            {kSdyOutShardings, AttributeText(ir, op->Find("out_shardings"))}});
  op->SetResults(to_global);
}

}  // namespace indim::stablehlo_import
