// SPDX-License-Identifier: Apache-2.0
// VerifyNode compares a recorded result with the inferred one.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/verify_node_with.h"

namespace indim {
namespace {

bool ResultDiffers(InferContext* context, const Shape& inferred) {
  return context->Diagnose(Code::kResultDiffers).Arg(inferred);
}

// XLA's verifier: each operand must have the result's dims, because plain HLO
// never broadcasts implicitly.
bool CheckNoBroadcast(InferContext* context, const OpInputs& inputs) {
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    Shape operand = inputs.operands[i]->WithoutLayout();
    operand.set_element_type(inputs.declared->element_type());
    if (Compatible(operand, *inputs.declared)) continue;
    return context->Diagnose(Code::kImplicitBroadcast, static_cast<int>(i))
        .Arg(inputs.declared->WithoutLayout());
  }
  return true;
}

// True when all operands and the result have the same static dims, and the op
// names no others: then nothing broadcasts, in any mode, and no condition
// remains.
bool IsOneStaticShape(const OpInputs& inputs, const Shape& inferred) {
  const Shape& declared = *inputs.declared;
  if (!declared.has_rank() || !inferred.has_rank() ||
      declared.element_type() != inferred.element_type() ||
      declared.dims() != inferred.dims()) {
    return false;
  }
  for (const Dim dim : declared.dims()) {
    if (!dim.is_static()) return false;
  }
  for (const Shape* operand : inputs.operands) {
    if (!operand->has_rank() || operand->dims() != declared.dims()) {
      return false;
    }
  }
  return !Info(inputs.opcode).has(kBroadcasts) ||
         (inputs.operands.size() == 2 &&
          TakesEqualDims(BroadcastSpecOf(inputs)));
}

// Verifies the Broadcastable trait of operands that are placed by their rule's
// plan; the element type must be the inferred one.
bool VerifyBroadcast(InferContext* context, const OpInputs& inputs,
                     const Shape& inferred) {
  const Shape& declared = *inputs.declared;
  if (declared.element_type() != inferred.element_type()) {
    return ResultDiffers(context, inferred);
  }
  // Inference mostly makes this plan too, and reported its warnings. It needs
  // none where nothing stretches, so the plan can still fail here.
  BroadcastPlan plan;
  std::vector<Diagnostic> found;
  if (!PlanBroadcast(BroadcastSpecOf(inputs), inputs.operands, &plan, &found)) {
    for (Diagnostic& d : found) {
      context->mutable_diagnostics()->push_back(std::move(d));
    }
    return false;
  }
  if (!VerifyBroadcastable(context->mode(), plan, inputs.operands, declared,
                           context->mutable_diagnostics())) {
    return false;
  }
  if (context->is_builder()) return true;
  if (!CheckNoBroadcast(context, inputs)) return false;
  return Compatible(inferred, declared) || ResultDiffers(context, inferred);
}

// Verifies a result that must be compatible with the inferred one; where the
// Broadcastable trait holds, in the context's mode too.
bool VerifyCompatible(InferContext* context, const OpInputs& inputs,
                      const Shape& inferred, bool has_trait) {
  const Shape& declared = *inputs.declared;
  if (Compatible(inferred, declared)) {
    return !has_trait ||
           VerifyBroadcastable(context->mode(), inputs.operands, declared,
                               context->mutable_diagnostics());
  }
  // A record that is not the expected token misleads its readers, but XLA
  // accepts it.
  if (!context->is_builder() && inferred.is_token() &&
      Info(inputs.opcode).has(kResultReinferred)) {
    context->Diagnose(Code::kResultOdd).Arg(inferred);
    return true;
  }
  return ResultDiffers(context, inferred);
}

// The result of checking a node, without an error.
NodeCheck KindOfCheck(const OpInputs& inputs) {
  const OpInfo& op = Info(inputs.opcode);
  const bool given = op.result == ResultSource::kGiven ||
                     op.result == ResultSource::kSizesGiven;
  NodeCheck check;
  check.kind = given ? CheckKind::kRelated : CheckKind::kInferred;
  check.broadcastable = BroadcastabilityOf(inputs);
  return check;
}

}  // namespace

Broadcastability BroadcastabilityOf(const OpInputs& inputs) {
  const Broadcastability op = Info(inputs.opcode).broadcastable;
  if (op != Broadcastability::kYes) return op;
  if (inputs.operands.empty()) return Broadcastability::kNoOperand;
  const Shape* const result = inputs.declared;
  if (result != nullptr && result->is_tuple()) {
    return Broadcastability::kSeveralResults;
  }
  if (result != nullptr && !result->is_array()) {
    return Broadcastability::kNotArrays;
  }
  for (const Shape* operand : inputs.operands) {
    if (operand == nullptr || !operand->is_array()) {
      return Broadcastability::kNotArrays;
    }
  }
  return Broadcastability::kYes;
}

NodeCheck VerifyInferred(InferContext* context, const OpInputs& inputs,
                         const Shape& inferred) {
  NodeCheck check = KindOfCheck(inputs);
  const bool has_trait = check.broadcastable == Broadcastability::kYes;
  if (has_trait && IsOneStaticShape(inputs, inferred)) return check;
  check.ok = Info(inputs.opcode).has(kBroadcasts)
                 ? VerifyBroadcast(context, inputs, inferred)
                 : VerifyCompatible(context, inputs, inferred, has_trait);
  return check;
}

NodeCheck VerifyNode(InferContext* context, const OpInputs& inputs) {
  return VerifyNodeWith(context, inputs, &InferShape);
}

NodeCheck VerifyNodeWith(InferContext* context, const OpInputs& inputs,
                         ShapeFunction infer) {
  if (!IsInferable(inputs.opcode) || inputs.declared == nullptr) {
    return NodeCheck();
  }
  const std::optional<Shape> inferred = infer(context, inputs);
  NodeCheck check;
  if (inferred) {
    check = VerifyInferred(context, inputs, *inferred);
    // An error means that nothing is right, whoever found it.
    check.ok = check.ok && !context->has_error();
  } else {
    check = KindOfCheck(inputs);
    check.ok = false;
  }
  if (!check.ok && !context->has_error()) {
    context->Diagnose(Code::kResultDiffers).Arg(std::string("no shape"));
  }
  return check;
}

}  // namespace indim
