#include "indim/passes/export/expand_broadcasts.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/export/instruction_emitter.h"
#include "indim/passes/export/node_expander.h"

namespace indim {
namespace {

class Expander {
 public:
  explicit Expander(Module module)
      : old_(internal::TakeData(std::move(module))),
        nodes_(old_.get(), &report_),
        inputs_(old_.get()) {}

  ExpandResult Run() {
    const uint32_t count = static_cast<uint32_t>(old_->computations.size());
    std::vector<bool> expanded(count);
    bool all = true;
    for (uint32_t c = 0; c < count; ++c) {
      expanded[c] = nodes_.IsExpanded(c);
      all = all && expanded[c];
    }
    if (all) return {KeepAll(), Report()};
    emit_.emplace(old_.get());
    for (uint32_t c = 0; c < count; ++c) {
      keep_ = expanded[c];
      emit_->BeginComputation(c);
      for (uint32_t i = 0; i < old_->computations[c].count; ++i) Visit(c, i);
      emit_->EndComputation();
    }
    ExpandResult result;
    result.module =
        report_.ok() ? emit_->Finish() : internal::ModuleOf(std::move(old_));
    result.report = std::move(report_);
    return result;
  }

 private:
  // The module if nothing broadcasts, as the emitter would copy it.
  Module KeepAll();
  void Visit(uint32_t c, uint32_t i);

  std::shared_ptr<ModuleData> old_;
  Report report_;
  NodeExpander nodes_;
  std::optional<InstructionEmitter> emit_;
  bool keep_ = false;  // keep the current computation, except its constants
  NodeInputs inputs_;
  NodeMemo<kMaxKeyParts, InternedExpansion> expansions_;
  // The current node's operands, as positions in the new computation.
  std::vector<uint32_t> operands_;
};

Module Expander::KeepAll() {
  Pools& pools = old_->MutablePools();
  for (InstructionRecord& r : old_->instructions) {
    if (r.opcode != Opcode::kConstant) continue;
    Expansion expansion;
    LayOutConstant(pools, r.shape, r.attribute_bytes, &expansion);
    if (expansion.shape) r.shape = pools.shapes().Intern(*expansion.shape);
    if (expansion.attribute_bytes)
      r.attribute_bytes =
          pools.AddAttributeBytes(expansion.attribute_bytes->view());
  }
  old_->recorded = false;
  old_->recorded_mark.reset();
  old_->ForgetSpellings();
  return internal::ModuleOf(std::move(old_));
}

void Expander::Visit(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      old_->instructions[old_->computations[c].first + i];
  emit_->BeginInstruction(i);
  emit_->MapOperands(r, &operands_);
  if (r.opcode != Opcode::kConstant &&
      (keep_ || nodes_.NeverChanges(r.opcode))) {
    return emit_->EndInstruction(r, operands_);
  }
  NodeKey key;
  const bool memoised =
      inputs_.KeyOf(c, r, r.attribute_bytes, MetadataId(), &key);
  if (memoised) {
    if (const InternedExpansion* known = expansions_.Find(key)) {
      return emit_->Follow(*known, r, &operands_);
    }
  }
  const std::optional<Expansion> expansion = nodes_.Expand(c, i);
  if (!expansion) return emit_->EndInstruction(r, operands_);  // reported
  InternedExpansion interned = emit_->Intern(*expansion);
  emit_->Follow(interned, r, &operands_);
  if (memoised) expansions_.Insert(key, std::move(interned));
}

}  // namespace

ExpandResult ExpandBroadcasts(Module module) {
  if (!module.is_recorded()) return {std::move(module), Report()};
  return Expander(std::move(module)).Run();
}

}  // namespace indim
