// SPDX-License-Identifier: Apache-2.0
// NodeExpander: makes the implicit broadcasts of one instruction explicit.
//
// For BroadcastRule::kXla it emits the instructions of XLA's builder (source:
// XLA, xla_builder.cc BinaryOp), unless those compute something other than the
// rule; other rules expand by their BroadcastPlan.

#ifndef INDIM_PASSES_EXPORT_NODE_EXPANDER_H_
#define INDIM_PASSES_EXPORT_NODE_EXPANDER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/export/recipe_builder.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/infer/infer.h"

namespace indim {

class NodeExpander {
 public:
  // Both must outlive this. `report` gets the errors of Expand. Every
  // instruction must have its shape.
  NodeExpander(const ModuleData* data, Report* report);

  // As of an Expander (proto/hlo_module/expansion.h). Without an expansion a
  // node stays as it is, and is an error only where its computation has other
  // nodes to expand.
  std::optional<Expansion> Expand(uint32_t c, uint32_t i);
  bool KeyOf(uint32_t c, uint32_t i, NodeKey* key);
  // Whether instructions of this opcode never need expansion.
  bool NeverChanges(Opcode opcode) const {
    return !may_change_[static_cast<size_t>(opcode)];
  }

 private:
  using Value = Expansion::Value;

  // Whether nothing in computation `c` needs expansion, except layouts of
  // constants.
  bool Keeps(uint32_t c);
  // Whether the operands of `r`, an instruction of `c`, already fulfil the
  // rules of XLA's verifier.
  bool IsExpanded(uint32_t c, const InstructionRecord& r);
  // Whether the attribute bytes have the field for the author's broadcasting.
  bool HasImplicitBroadcast(AttributeBytesId attribute_bytes);
  // False: errors_ says why not.
  bool ExpandAlone(const InstructionRecord& r, const OpInputs& inputs,
                   Expansion* expansion);
  bool ExpandBinary(const OpInputs& inputs);
  void ExpandScalars(const OpInputs& inputs);
  void MatchFloatTypes(const OpInputs& inputs);
  Value PlaceOperand(const BroadcastPlan& plan, BroadcastRule rule,
                     const OpInputs& inputs, int operand);
  Value PlaceStatic(const BroadcastPlan& plan, const Shape& shape,
                    BroadcastPlan::DimMap map, Value value);
  Value PlaceAtRunTime(const BroadcastPlan& plan, const OpInputs& inputs,
                       int operand);
  Value ResultSize(const BroadcastPlan& plan, const OpInputs& inputs,
                   int result_dim);
  bool Fail(Code code, int dim, int operand = -1);

  const ModuleData& data_;
  Report& report_;
  NodeInputs inputs_;
  std::array<bool, 256> may_change_ = {};  // by opcode
  enum class Known : uint8_t { kNotYet, kNo, kYes };
  std::vector<Known> says_broadcast_;  // by attribute bytes
  std::vector<Known> keeps_;           // by computation
  // Of the current instruction.
  std::optional<RecipeBuilder> emit_;
  Expansion::Values operands_;
  std::vector<Diagnostic> errors_;
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_NODE_EXPANDER_H_
