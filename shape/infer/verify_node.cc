// VerifyNode: a recorded result against inference.

#include <algorithm>

#include "indim/shape/infer/infer.h"
#include "indim/shape/infer/infer_util.h"

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

// One shape in, the same out, of sizes that are known: nothing broadcasts and
// nothing is left open, in any mode.
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

// The Broadcastable trait, with operands where their rule's plan puts them;
// the element type must be the op's own.
bool VerifyTrait(InferContext* context, const OpInputs& inputs,
                 const Shape& inferred) {
  if (IsOneStaticShape(inputs, inferred)) return true;
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

// How a node of `opcode` is checked, where it is right.
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
    // What else than a token is recorded misleads whoever uses it.
    if (!context->is_builder() && inferred.is_token() &&
        Info(inputs.opcode).has(kResultMadeAnew)) {
      context->Error(Rule::kResultOdd).Arg(inferred);
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
