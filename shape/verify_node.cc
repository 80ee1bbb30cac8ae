// VerifyNode: a recorded result against inference.

#include <algorithm>

#include "indim/shape/infer.h"
#include "indim/shape/infer_util.h"

namespace indim {
namespace {

bool ResultDiffers(InferContext* context, const Shape& inferred) {
  return context->Error(Rule::kResultDiffers).Arg(inferred);
}

// XLA's own verifier: a node whose operands are not of the result's shape
// broadcasts, which HLO itself never does.
bool CheckNoBroadcast(InferContext* context, const OpInputs& inputs) {
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    Shape operand = inputs.operands[i]->WithoutLayout();
    operand.set_element_type(inputs.declared->element_type());
    if (Compatible(operand, *inputs.declared)) continue;
    return context->Error(Rule::kImplicitBroadcast, static_cast<int>(i))
        .Arg(inputs.declared->WithoutLayout());
  }
  return true;
}

// The Broadcastable trait, with operands where their rule's plan puts them;
// the element type must be the op's own.
bool VerifyTrait(InferContext* context, const OpInputs& inputs,
                 const Shape& inferred) {
  const Shape& declared = *inputs.declared;
  if (declared.element_type() != inferred.element_type()) {
    return ResultDiffers(context, inferred);
  }
  // Inference has made this plan before, so it can't fail; what it has to say
  // has been said.
  BroadcastPlan plan;
  std::vector<Diagnostic> said;
  if (!PlanBroadcast(BroadcastSpecOf(inputs), inputs.operands, &plan, &said)) {
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

}  // namespace

NodeCheck VerifyNode(InferContext* context, const OpInputs& inputs) {
  NodeCheck check;
  if (!IsInferable(inputs.opcode) || inputs.declared == nullptr) return check;
  const OpInfo& op = Info(inputs.opcode);
  const bool given = op.result == ResultSource::kGiven ||
                     op.result == ResultSource::kSizesGiven;
  check.kind = given ? CheckKind::kRelated : CheckKind::kInferred;
  check.broadcastable = op.has(kBroadcastable);
  const std::optional<Shape> inferred = InferShape(context, inputs);
  if (!inferred) {
    check.ok = false;
  } else if (check.broadcastable) {
    check.ok = VerifyTrait(context, inputs, *inferred);
  } else if (!Compatible(*inferred, *inputs.declared)) {
    check.ok = ResultDiffers(context, *inferred);
  }
  return check;
}

}  // namespace indim
