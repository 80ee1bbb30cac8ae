// VerifyNode compares a recorded result with the inferred one.

#include <algorithm>

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/infer_util.h"

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

// True when all operands and the result have the same static dims: then nothing
// broadcasts, in any mode, and no condition remains.
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
  return !inputs.operands.empty();
}

// Verifies the Broadcastable trait, each operand placed by its rule's plan; the
// element type must be the inferred one.
bool VerifyTrait(InferContext* context, const OpInputs& inputs,
                 const Shape& inferred) {
  if (IsOneStaticShape(inputs, inferred)) return true;
  const Shape& declared = *inputs.declared;
  if (declared.element_type() != inferred.element_type()) {
    return ResultDiffers(context, inferred);
  }
  // Inference has made this plan before, so it can't fail here, and its
  // diagnostics have been reported.
  BroadcastPlan plan;
  std::vector<Diagnostic> ignored;
  if (!PlanBroadcast(BroadcastSpecOf(inputs), inputs.operands, &plan,
                     &ignored)) {
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

// The result of checking a node of `opcode`, without an error.
NodeCheck KindOfCheck(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  const bool given = op.result == ResultSource::kGiven ||
                     op.result == ResultSource::kSizesGiven;
  NodeCheck check;
  check.kind = given ? CheckKind::kRelated : CheckKind::kInferred;
  check.broadcastable = op.has(kBroadcastable);
  return check;
}

}  // namespace

NodeCheck VerifyInferred(InferContext* context, const OpInputs& inputs,
                         const Shape& inferred) {
  NodeCheck check = KindOfCheck(inputs.opcode);
  if (check.broadcastable) {
    check.ok = VerifyTrait(context, inputs, inferred);
  } else if (!Compatible(inferred, *inputs.declared)) {
    // A record that is not the expected token misleads its readers, but XLA
    // accepts it.
    if (!context->is_builder() && inferred.is_token() &&
        Info(inputs.opcode).has(kResultReinferred)) {
      context->Diagnose(Code::kResultOdd).Arg(inferred);
    } else {
      check.ok = ResultDiffers(context, inferred);
    }
  }
  return check;
}

NodeCheck VerifyNode(InferContext* context, const OpInputs& inputs) {
  if (!IsInferable(inputs.opcode) || inputs.declared == nullptr) {
    return NodeCheck();
  }
  const std::optional<Shape> inferred = InferShape(context, inputs);
  if (inferred) return VerifyInferred(context, inputs, *inferred);
  NodeCheck check = KindOfCheck(inputs.opcode);
  check.ok = false;
  return check;
}

}  // namespace indim
