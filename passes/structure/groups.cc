// SPDX-License-Identifier: Apache-2.0
// Checks groups of devices given by a formula or by axes of a mesh, and the
// form of an all-to-all.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "indim/passes/structure/checks.h"
#include "indim/sharding/sharding_faults.h"

namespace indim::structure {
void CheckGroupFormulas(Context* context) {
  // Many collectives share their attribute bytes.
  absl::flat_hash_set<uint32_t> good;
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (Info(r.opcode).attributes != AttributesKind::kCollective ||
            good.contains(r.attribute_bytes.value)) {
          return;
        }
        const std::string fault =
            GroupFault(context->data.pools->attribute_bytes(r.attribute_bytes));
        if (fault.empty()) {
          good.insert(r.attribute_bytes.value);
        } else if (context->data.pools
                       ->attributes_status(r.opcode, r.attribute_bytes)
                       .ok()) {  // else IND0701 says it
          context->Add(Code::kGroupFormula, c, i, fault);
        }
      });
}

namespace {

// The layout, without its memory space.
std::optional<Layout> LayoutAnywhere(const Shape& shape) {
  if (shape.layout() == nullptr) return std::nullopt;
  Layout layout = *shape.layout();
  layout.memory_space = 0;
  return layout;
}

// ShapeInference::InferAllToAllTupleShape. Inference, which ignores layouts,
// checks that the operands' shapes are equal.
void CheckLayoutsOfParts(Context* context, uint32_t c, uint32_t i) {
  const Instruction exchange = context->At(c, i);
  if (exchange.operand_count() == 0) return;  // its arity is reported elsewhere
  const Shape& first = exchange.operand(0).shape();
  for (int k = 1; k < exchange.operand_count(); ++k) {
    const Shape& part = exchange.operand(k).shape();
    if (LayoutAnywhere(part) == LayoutAnywhere(first)) continue;
    return context->Add(Code::kOperandLayoutsDiffer, c, i, int64_t{k},
                        part.ToString(), first.ToString());
  }
}

}  // namespace

// HloInstruction::CreateFromProto. Inference checks the sizes of the parts.
void CheckSplits(Context* context) {
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (r.opcode != Opcode::kAllToAll) return;
        const auto& attributes =
            As<CollectiveAttributes>(context->At(c, i).attributes());
        const int64_t dims = static_cast<int64_t>(attributes.dimensions.size());
        if (dims == 0) return CheckLayoutsOfParts(context, c, i);
        if (dims == 1 && r.operand_count == 1) return;
        context->Add(Code::kSplitForm, c, i, dims, int64_t{r.operand_count});
      });
}

}  // namespace indim::structure
