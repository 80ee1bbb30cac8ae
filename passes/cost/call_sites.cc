// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/call_sites.h"

#include "indim/shape/ops/opcode.h"

namespace indim::internal {
namespace {

// Whether the callees' parameters are operands, or parts of the loop's state.
bool PassesOperands(Opcode opcode) {
  switch (Info(opcode).callee_form) {
    case CalleeForm::kCalled:
    case CalleeForm::kFused:
    case CalleeForm::kBodyAndCondition:
    case CalleeForm::kBranches:
    case CalleeForm::kStarted:
      return true;
    default:
      return false;
  }
}

}  // namespace

CallSites::CallSites(const Module& module)
    : sites_(static_cast<size_t>(module.computation_count())) {
  std::vector<int> calls(sites_.size());
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      for (int i = 0; i < node.callee_count(); ++i) {
        ++calls[static_cast<size_t>(node.callee(i).index())];
      }
    }
  }
  // Callers come after their callees: the outermost first.
  for (int c = module.computation_count() - 1; c >= 0; --c) {
    const CallChain* outer = sites_[static_cast<size_t>(c)];
    for (const Instruction node : module.computation(c).instructions()) {
      if (node.callee_count() == 0 || !PassesOperands(node.opcode())) continue;
      for (int i = 0; i < node.callee_count(); ++i) {
        const auto callee = static_cast<size_t>(node.callee(i).index());
        if (calls[callee] != 1) continue;
        chains_.push_back(
            {node, i, outer, outer == nullptr ? 1 : outer->depth + 1});
        sites_[callee] = &chains_.back();
      }
    }
  }
}

}  // namespace indim::internal
