// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/expand_broadcasts.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/ir/node_key.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/instruction_emitter.h"
#include "indim/passes/export/node_expander.h"

namespace indim {
namespace {

// Expands a module node by node.
class BroadcastExpander {
 public:
  explicit BroadcastExpander(Module module)
      : old_(internal::TakeData(std::move(module))),
        nodes_(old_.get(), &report_),
        emit_(old_.get()) {}

  ExpandResult Run() {
    for (uint32_t c = 0; c < old_->computations.size(); ++c) {
      emit_.BeginComputation(c);
      for (uint32_t i = 0; i < old_->computations[c].count; ++i) Visit(c, i);
      emit_.EndComputation();
    }
    ExpandResult result;
    result.module =
        report_.ok() ? emit_.Finish() : internal::ModuleOf(std::move(old_));
    result.report = std::move(report_);
    return result;
  }

 private:
  void Visit(uint32_t c, uint32_t i);

  std::shared_ptr<ModuleData> old_;
  Report report_;
  NodeExpander nodes_;
  InstructionEmitter emit_;
  NodeMemo<kMaxKeyParts, InternedExpansion> expansions_;
  // The current node's operands, as positions in the new computation.
  std::vector<uint32_t> operands_;
};

void BroadcastExpander::Visit(uint32_t c, uint32_t i) {
  const InstructionRecord& r = old_->Record(c, i);
  emit_.BeginInstruction(i);
  emit_.MapOperands(r, &operands_);
  if (r.opcode != Opcode::kConstant && nodes_.NeverChanges(r.opcode)) {
    return emit_.EndInstruction(r, operands_);
  }
  NodeKey key;
  const bool has_key = nodes_.KeyOf(c, i, &key);
  if (has_key) {
    if (const InternedExpansion* known = expansions_.Find(key)) {
      return emit_.Follow(*known, r, &operands_);
    }
  }
  const std::optional<Expansion> expansion = nodes_.Expand(c, i);
  if (!expansion) return emit_.EndInstruction(r, operands_);
  InternedExpansion interned = emit_.Intern(*expansion);
  emit_.Follow(interned, r, &operands_);
  if (has_key) expansions_.Insert(key, std::move(interned));
}

}  // namespace

ExpandResult ExpandBroadcasts(Module module) {
  if (!module.is_recorded()) return {std::move(module), Report()};
  return BroadcastExpander(std::move(module)).Run();
}

ExpandResult VerifyAndExpand(
    Module module, bool verify,
    absl::FunctionRef<void(Module* module, Report* report)> prepare) {
  InferOptions fill;
  fill.only_missing = true;
  InferResult inferred = InferShapes(std::move(module), fill);
  ExpandResult result = {std::move(inferred.module),
                         std::move(inferred.report)};
  if (!result.ok()) return result;
  result.report = verify ? VerifyModule(result.module).report
                         : VerifyShapes(result.module).report;
  if (!result.ok()) return result;
  result.report = Report();
  prepare(&result.module, &result.report);
  if (!result.ok()) return result;
  const bool recorded = result.module.is_recorded();
  result = ExpandBroadcasts(std::move(result.module));
  if (verify && recorded && result.ok()) {
    result.report = VerifyShapes(result.module).report;
  }
  return result;
}

}  // namespace indim
