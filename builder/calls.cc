// Operations of ComputationBuilder: calls, control flow, order.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::Recorder;
using internal::With;
using internal::WithCallees;

// A conditional that a scalar of `type` selects. XLA's builder has a call for
// pred[] and one for s32[]: for a pred[] the true branch comes first, so with
// the wrong type the conditional would silently take the other branch.
Op RecordConditional(Recorder* recorder, ElementType type,
                     absl::Span<const Op> operands,
                     absl::Span<const Callee> branches, Caller caller) {
  const Shape* index = recorder->ShapeOf(operands[0]);
  if (index != nullptr && index->element_type() != type) {
    Diagnostic wrong;
    wrong.code = Code::kBranchIndex;
    wrong.operand = 0;
    wrong.args = {Shape::Scalar(type)};
    return recorder->Reject(Opcode::kConditional, operands, {wrong}, caller);
  }
  return recorder->Record(
      {Opcode::kConditional, operands, nullptr, nullptr, branches}, caller);
}

}  // namespace

// --- Calls, control flow, tuples ---------------------------------------------

Op ComputationBuilder::Call(const Callee& computation,
                            absl::Span<const Op> operands, Caller caller) {
  return recorder_->Record(
      {Opcode::kCall, operands, nullptr, nullptr, One(computation)}, caller);
}

Op ComputationBuilder::Inline(const Module& module,
                              absl::Span<const Op> arguments, Caller caller) {
  return recorder_->Inline(module, arguments, caller);
}

Op ComputationBuilder::CompositeCall(const Callee& computation,
                                     absl::Span<const Op> operands,
                                     absl::string_view name,
                                     absl::string_view attributes,
                                     int64_t version, Caller caller) {
  const Op call = Call(computation, operands, caller);
  if (recorder_->ShapeOf(call) == nullptr) return call;
  recorder_->SetComposite(call, caller);
  SetFrontendAttribute(call, "composite.name", name, caller);
  SetFrontendAttribute(call, "composite.attributes", attributes, caller);
  SetFrontendAttribute(call, "composite.version", absl::StrCat(version),
                       caller);
  return call;
}

Op ComputationBuilder::Fusion(
    absl::Span<const Op> operands, absl::string_view kind,
    const Callee& computation,
    std::vector<OutputOperandAliasing> output_operand_aliasing, Caller caller) {
  return WithCallees(
      recorder_.get(), Opcode::kFusion, operands,
      FusionAttributes{std::string(kind), std::move(output_operand_aliasing)},
      One(computation), caller);
}

Op ComputationBuilder::While(const Callee& condition, const Callee& body,
                             Op init, Caller caller) {
  const Callee callees[] = {body, condition};  // as on the wire
  return recorder_->Record({Opcode::kWhile, {init}, nullptr, nullptr, callees},
                           caller);
}

Op ComputationBuilder::Conditional(Op predicate, Op true_operand,
                                   const Callee& true_computation,
                                   Op false_operand,
                                   const Callee& false_computation,
                                   Caller caller) {
  const Callee callees[] = {true_computation, false_computation};
  return RecordConditional(recorder_.get(), ElementType::kPred,
                           {predicate, true_operand, false_operand}, callees,
                           caller);
}

Op ComputationBuilder::Conditional(Op branch_index,
                                   absl::Span<const Callee> branches,
                                   absl::Span<const Op> branch_operands,
                                   Caller caller) {
  std::vector<Op> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(),
                  branch_operands.end());
  return RecordConditional(recorder_.get(), ElementType::kS32, operands,
                           branches, caller);
}

Op ComputationBuilder::Tuple(absl::Span<const Op> elements, Caller caller) {
  return recorder_->Record({Opcode::kTuple, elements}, caller);
}

Op ComputationBuilder::GetTupleElement(Op tuple, int64_t index, Caller caller) {
  const Attributes attributes = GetTupleElementAttributes{index};
  return recorder_->Record({Opcode::kGetTupleElement, {tuple}, &attributes},
                           caller);
}

// --- Order -------------------------------------------------------------------

Op ComputationBuilder::CreateToken(Caller caller) {
  return AfterAll({}, caller);
}
Op ComputationBuilder::AfterAll(absl::Span<const Op> tokens, Caller caller) {
  return recorder_->Record({Opcode::kAfterAll, tokens}, caller);
}
Op ComputationBuilder::OptimizationBarrier(Op operand, Caller caller) {
  return recorder_->Record({Opcode::kOptimizationBarrier, {operand}}, caller);
}
Op ComputationBuilder::AddDependency(Op operand, Op token, Caller caller) {
  return recorder_->Record({Opcode::kAddDependency, {operand, token}}, caller);
}
Op ComputationBuilder::Domain(Op operand, absl::string_view entry_sharding,
                              absl::string_view exit_sharding, Caller caller) {
  DomainAttributes attributes;
  attributes.entry_sharding = std::string(entry_sharding);
  attributes.exit_sharding = std::string(exit_sharding);
  return With(recorder_.get(), Opcode::kDomain, {operand}, attributes, caller);
}

}  // namespace indim
