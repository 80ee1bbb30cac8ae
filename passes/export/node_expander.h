// NodeExpander: how one instruction's implicit broadcasts become explicit.
//
// For BroadcastRule::kXla the instructions are those that XLA's builder emits
// (reference: XLA, xla_builder.cc BinaryOp), unless they compute something else
// than the rule says; other rules expand by their BroadcastPlan.

#ifndef INDIM_PASSES_EXPORT_NODE_EXPANDER_H_
#define INDIM_PASSES_EXPORT_NODE_EXPANDER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/export/expansion.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/infer/infer.h"

namespace indim {

class NodeExpander {
 public:
  // Both must outlive this; what can't be expanded is reported. Every
  // instruction must have its shape.
  NodeExpander(const ModuleData* data, Report* report);

  // Whether computation `c` has nothing to expand: it stays as it is, but for
  // the layouts of its constants.
  bool IsExpanded(uint32_t c);
  // Whether the operands of `r`, an instruction of `c`, already are what XLA's
  // verifier asks for.
  bool IsExpanded(uint32_t c, const InstructionRecord& r);
  // Whether instructions of this opcode always do.
  bool NeverChanges(Opcode opcode) const {
    return !may_change_[static_cast<size_t>(opcode)];
  }

  // The expansion of instruction `i` of computation `c`; nullopt: reported. It
  // depends on the opcode, the operands' and the own shape and the attribute
  // bytes alone.
  std::optional<Expansion> Expand(uint32_t c, uint32_t i);

 private:
  using Value = Expansion::Value;

  // Whether the attribute bytes have the field of what the author wrote about
  // broadcasting.
  bool SaysBroadcast(AttributeBytesId attribute_bytes);
  // False: reported.
  bool ExpandBinary(const OpInputs& inputs, uint32_t c, uint32_t i);
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
  void Fail(uint32_t c, uint32_t i, Rule rule, int dim, int operand = -1);

  const ModuleData& data_;
  Report& report_;
  NodeInputs inputs_;
  std::array<bool, 256> may_change_ = {};  // by opcode
  enum class Known : uint8_t { kNotYet, kNo, kYes };
  std::vector<Known> says_broadcast_;  // by attribute bytes
  // Of the instruction at hand.
  std::optional<RecipeBuilder> emit_;
  Expansion::Values operands_;
};

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_NODE_EXPANDER_H_
