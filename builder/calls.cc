// SPDX-License-Identifier: Apache-2.0
// ControlOps with Callees; tuples and order.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/inline.h"
#include "indim/builder/op_settings.h"
#include "indim/builder/record_util.h"

namespace indim {
namespace {

using internal::One;
using internal::RecordConditional;
using internal::With;
using internal::WithCallees;

}  // namespace

// --- Calls, control flow, tuples ---------------------------------------------

Op ControlOps::Call(const Callee& computation, absl::Span<const Op> operands,
                    Caller caller) {
  return recorder()->Record(
      {Opcode::kCall, operands, nullptr, nullptr, One(computation)}, caller);
}

Op ControlOps::Inline(const Module& module, absl::Span<const Op> arguments,
                      Caller caller) {
  return internal::InlineEntry(recorder(), module, arguments, caller);
}

Op ControlOps::CompositeCall(const Callee& computation,
                             absl::Span<const Op> operands,
                             absl::string_view name,
                             absl::string_view attributes, int64_t version,
                             Caller caller) {
  const Op call = Call(computation, operands, caller);
  if (recorder()->ShapeOf(call) == nullptr) return call;
  internal::OpSettings(recorder()).SetComposite(call, caller);
  builder().SetFrontendAttribute(call, "composite.name", name, caller);
  builder().SetFrontendAttribute(call, "composite.attributes", attributes,
                                 caller);
  builder().SetFrontendAttribute(call, "composite.version",
                                 absl::StrCat(version), caller);
  return call;
}

Op ControlOps::Fusion(
    absl::Span<const Op> operands, absl::string_view kind,
    const Callee& computation,
    std::vector<OutputOperandAliasing> output_operand_aliasing, Caller caller) {
  return WithCallees(
      recorder(), Opcode::kFusion, operands,
      FusionAttributes{std::string(kind), std::move(output_operand_aliasing)},
      One(computation), caller);
}

Op ControlOps::While(const Callee& condition, const Callee& body, Op init,
                     Caller caller) {
  const Callee callees[] = {body, condition};  // as on the wire
  return recorder()->Record({Opcode::kWhile, {init}, nullptr, nullptr, callees},
                            caller);
}

Op ControlOps::Conditional(Op predicate, Op true_operand,
                           const Callee& true_computation, Op false_operand,
                           const Callee& false_computation, Caller caller) {
  const Callee callees[] = {true_computation, false_computation};
  return RecordConditional(recorder(), ElementType::kPred,
                           {predicate, true_operand, false_operand}, callees,
                           caller);
}

Op ControlOps::Conditional(Op branch_index, absl::Span<const Callee> branches,
                           absl::Span<const Op> branch_operands,
                           Caller caller) {
  std::vector<Op> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(),
                  branch_operands.end());
  return RecordConditional(recorder(), ElementType::kS32, operands, branches,
                           caller);
}

Op ControlOps::Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits,
                    const Callee& computation, int64_t scan_dimension,
                    bool is_reverse, std::optional<bool> is_associative,
                    Caller caller) {
  std::vector<Op> all(inputs.begin(), inputs.end());
  all.insert(all.end(), inits.begin(), inits.end());
  ScanAttributes attributes;
  attributes.dimensions = {scan_dimension};
  attributes.num_carries = static_cast<int64_t>(inits.size());
  attributes.is_reverse = is_reverse;
  if (is_associative) attributes.is_associative = *is_associative ? 1 : 2;
  return WithCallees(recorder(), Opcode::kScan, all, attributes,
                     One(computation), caller);
}

Op ControlOps::Tuple(absl::Span<const Op> elements, Caller caller) {
  return recorder()->Record({Opcode::kTuple, elements}, caller);
}

Op ControlOps::GetTupleElement(Op tuple, int64_t index, Caller caller) {
  const Attributes attributes = GetTupleElementAttributes{index};
  return recorder()->Record({Opcode::kGetTupleElement, {tuple}, &attributes},
                            caller);
}

// --- Order -------------------------------------------------------------------

Op ControlOps::CreateToken(Caller caller) { return AfterAll({}, caller); }
Op ControlOps::AfterAll(absl::Span<const Op> tokens, Caller caller) {
  return recorder()->Record({Opcode::kAfterAll, tokens}, caller);
}
Op ControlOps::OptimizationBarrier(Op operand, Caller caller) {
  return recorder()->Record({Opcode::kOptimizationBarrier, {operand}}, caller);
}
Op ControlOps::AddDependency(Op operand, Op token, Caller caller) {
  return recorder()->Record({Opcode::kAddDependency, {operand, token}}, caller);
}
Op ControlOps::Domain(Op operand, absl::string_view entry_sharding,
                      absl::string_view exit_sharding, Caller caller) {
  DomainAttributes attributes;
  attributes.entry_sharding = std::string(entry_sharding);
  attributes.exit_sharding = std::string(exit_sharding);
  return With(recorder(), Opcode::kDomain, {operand}, attributes, caller);
}

}  // namespace indim
