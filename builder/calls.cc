// Ops of ComputationBuilder that call, branch, and order.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::OrNothing;

}  // namespace

// --- Calls, control flow, tuples
// ----------------------------------------------------

Op ComputationBuilder::Call(const Callee& computation,
                            absl::Span<const Op> operands, Caller caller) {
  return OrNothing(
      recorder_.get(),
      {Opcode::kCall, operands, nullptr, nullptr, One(computation)}, caller);
}

Op ComputationBuilder::While(const Callee& condition, const Callee& body,
                             Op init, Caller caller) {
  const Callee callees[] = {body, condition};  // as on the wire
  return OrNothing(recorder_.get(),
                   {Opcode::kWhile, {init}, nullptr, nullptr, callees}, caller);
}

Op ComputationBuilder::Conditional(Op predicate, Op true_operand,
                                   const Callee& true_computation,
                                   Op false_operand,
                                   const Callee& false_computation,
                                   Caller caller) {
  const Callee callees[] = {true_computation, false_computation};
  return OrNothing(recorder_.get(),
                   {Opcode::kConditional,
                    {predicate, true_operand, false_operand},
                    nullptr,
                    nullptr,
                    callees},
                   caller);
}

Op ComputationBuilder::Conditional(Op branch_index,
                                   absl::Span<const Callee> branches,
                                   absl::Span<const Op> branch_operands,
                                   Caller caller) {
  std::vector<Op> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(),
                  branch_operands.end());
  return OrNothing(recorder_.get(),
                   {Opcode::kConditional, operands, nullptr, nullptr, branches},
                   caller);
}

Op ComputationBuilder::Tuple(absl::Span<const Op> elements, Caller caller) {
  return OrNothing(recorder_.get(), {Opcode::kTuple, elements}, caller);
}

Op ComputationBuilder::GetTupleElement(Op tuple, int64_t index, Caller caller) {
  const Attributes attributes = GetTupleElementAttributes{index};
  return OrNothing(recorder_.get(),
                   {Opcode::kGetTupleElement, {tuple}, &attributes}, caller);
}

Op ComputationBuilder::CustomCall(absl::string_view call_target_name,
                                  absl::Span<const Op> operands,
                                  const ShapeArg& shape, bool has_side_effect,
                                  Caller caller) {
  if (recorder_ == nullptr) return Op();
  if (!shape.shape().ok()) {
    return recorder_->Reject(Opcode::kCustomCall, operands, Rule::kNoShape,
                             {std::string(shape.shape().status().message())},
                             caller);
  }
  CustomCallAttributes call;
  call.target = std::string(call_target_name);
  call.has_side_effect = has_side_effect;
  const Attributes attributes = std::move(call);
  return recorder_->Record(
      {Opcode::kCustomCall, operands, &attributes, &*shape.shape()}, caller);
}

// --- Order
// --------------------------------------------------------------------------

Op ComputationBuilder::CreateToken(Caller caller) {
  return AfterAll({}, caller);
}
Op ComputationBuilder::AfterAll(absl::Span<const Op> tokens, Caller caller) {
  return OrNothing(recorder_.get(), {Opcode::kAfterAll, tokens}, caller);
}
Op ComputationBuilder::OptimizationBarrier(Op operand, Caller caller) {
  return OrNothing(recorder_.get(), {Opcode::kOptimizationBarrier, {operand}},
                   caller);
}
Op ComputationBuilder::ReplicaId(Caller caller) {
  return OrNothing(recorder_.get(), {Opcode::kReplicaId, {}}, caller);
}
Op ComputationBuilder::PartitionId(Caller caller) {
  return OrNothing(recorder_.get(), {Opcode::kPartitionId, {}}, caller);
}

}  // namespace indim
