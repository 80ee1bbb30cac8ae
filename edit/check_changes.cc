// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/check_changes.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "indim/passes/check/node_checker.h"

namespace indim::internal {
namespace {

class ChangeChecker {
 public:
  ChangeChecker(EditSession* graph, Assembled* assembled)
      : graph_(*graph),
        old_(graph->old()),
        assembled_(*assembled),
        data_(*assembled->data),
        signature_changed_(data_.computations.size()) {}

  Report Run();

 private:
  StructureId StructureOf(ShapeId shape) const {
    return data_.pools->shapes().structure(shape);
  }
  // Whether inference or verification may see a difference from the module.
  bool Differs(uint32_t c, uint32_t position);
  bool SameOperands(uint32_t c, const InstructionRecord& now,
                    const InstructionRecord& before, uint32_t first) const;
  bool SignatureDiffers(uint32_t c);
  void Check(uint32_t c, uint32_t i);

  EditSession& graph_;
  const ModuleData& old_;
  Assembled& assembled_;
  ModuleData& data_;
  std::vector<bool> signature_changed_;  // by index in the new module
  bool any_signature_changed_ = false;
  std::optional<ShapeInferrerAndVerifier> checker_;  // made when needed
  ::indim::Report inferred_;
  VerifyResult verified_;
};

bool ChangeChecker::SameOperands(uint32_t c, const InstructionRecord& now,
                                 const InstructionRecord& before,
                                 uint32_t first) const {
  const absl::Span<const uint32_t> operands = data_.Operands(now);
  const absl::Span<const uint32_t> were = old_.Operands(before);
  if (operands.size() != were.size()) return false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const ShapeId shape = data_.Record(c, operands[k]).shape;
    const ShapeId was = old_.instructions[first + were[k]].shape;
    if (shape != was && (!shape || StructureOf(shape) != StructureOf(was))) {
      return false;
    }
  }
  return true;
}

bool ChangeChecker::Differs(uint32_t c, uint32_t position) {
  const uint32_t node = assembled_.nodes[position];
  if (graph_.is_new(node)) return true;
  const InstructionRecord& now = data_.instructions[position];
  const InstructionRecord& before = old_.instructions[node];
  if (now.opcode != before.opcode || now.shape != before.shape ||
      now.attribute_bytes != before.attribute_bytes ||
      now.callee_count != before.callee_count) {
    return true;
  }
  const absl::Span<const uint32_t> callees = data_.Callees(now);
  const absl::Span<const uint32_t> were = old_.Callees(before);
  for (size_t k = 0; k < callees.size(); ++k) {
    if (assembled_.computations[callees[k]] != were[k] ||
        signature_changed_[callees[k]]) {
      return true;
    }
  }
  const uint32_t first = old_.computations[assembled_.computations[c]].first;
  return !SameOperands(c, now, before, first);
}

bool ChangeChecker::SignatureDiffers(uint32_t c) {
  const uint32_t number = assembled_.computations[c];
  const EditGraph::EditComputation& edited = graph_.at(number);
  if (edited.is_new) return true;
  if (edited.signature_changed) return true;
  const ComputationRecord& record = data_.computations[c];
  const ComputationRecord& was = old_.computations[number];
  if (record.count == 0) return false;
  if (StructureOf(data_.Record(c, record.root).shape) !=
      StructureOf(old_.Record(number, was.root).shape)) {
    return true;
  }
  for (uint32_t i = 0; i < record.count; ++i) {
    const InstructionRecord& r = data_.Record(c, i);
    if (r.opcode != Opcode::kParameter) continue;
    const uint32_t node = assembled_.nodes[record.first + i];
    if (graph_.is_new(node) ||
        StructureOf(r.shape) != StructureOf(old_.instructions[node].shape)) {
      return true;
    }
  }
  return false;
}

void ChangeChecker::Check(uint32_t c, uint32_t i) {
  if (!checker_) {
    graph_.MutablePools();
    data_.pools = graph_.SharePools();
    checker_.emplace(
        &data_, RulesOf(data_),
        Inference{/*drop=*/false, /*only_missing=*/false, &inferred_},
        Verification{BroadcastableMode::kLenient, &verified_});
  }
  checker_->Visit(c, i);
}

Report ChangeChecker::Run() {
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    const EditGraph::EditComputation& edited =
        graph_.at(assembled_.computations[c]);
    if (!edited.touched && !any_signature_changed_) continue;
    const ComputationRecord record = data_.computations[c];
    bool any = edited.touched;
    for (uint32_t i = 0; i < record.count; ++i) {
      // In an untouched computation only callers can differ, and what follows.
      if (!any && data_.instructions[record.first + i].callee_count == 0) {
        continue;
      }
      if (!Differs(c, record.first + i)) continue;
      Check(c, i);
      any = true;
    }
    if (!any || !SignatureDiffers(c)) continue;
    signature_changed_[c] = any_signature_changed_ = true;
    if (!edited.is_new) graph_.SignatureChanged(assembled_.computations[c]);
  }
  // What inference found, verification mostly finds again.
  std::set<std::pair<uint32_t, uint32_t>> told;
  for (const ModuleDiagnostic& d : verified_.report.diagnostics()) {
    told.emplace(d.computation, d.instruction);
  }
  verified_.report.Append(inferred_, [&](const ModuleDiagnostic& d) {
    return told.count({d.computation, d.instruction}) != 0;
  });
  return std::move(verified_.report);
}

}  // namespace

Report CheckChanges(EditSession* graph, Assembled* assembled) {
  return ChangeChecker(graph, assembled).Run();
}

}  // namespace indim::internal
