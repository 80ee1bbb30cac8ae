// SPDX-License-Identifier: Apache-2.0
// Shape functions of control flow and outfeed.
// Source: XLA's ShapeInference and HLO verifier.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {
namespace {

Shape ScalarOf(ElementType type) { return Shape::Scalar(type); }

// XLA's verifier checks that both computations take the initial value. The
// result is the body's, even if the body couldn't take it for another turn (the
// warning IND0914).
std::optional<Shape> VerifyWhile(InferContext* context,
                                 const OpInputs& inputs) {
  for (int callee = 0; callee < 2; ++callee) {
    const Shape& parameter = inputs.callees[callee]->parameters[0];
    if (Compatible(parameter, *inputs.operands[0])) {
      AddEqualDimsConditions(context, parameter, *inputs.operands[0]);
      continue;
    }
    return context->Diagnose(Code::kCalleeParameter, 0)
        .Arg(CalleeRole(inputs.opcode, callee))
        .Arg(int64_t{0})
        .Arg(parameter)
        .Arg(DifferenceText(*inputs.operands[0], parameter));
  }
  const Shape& result = inputs.callees[0]->result;
  if (Compatible(result, *inputs.operands[0])) {
    AddEqualDimsConditions(context, result, *inputs.operands[0]);
    return inputs.operands[0]->WithoutLayout();
  }
  return result.WithoutLayout();
}

// A dim of a conditional's result: merges `result`, of the branches so far,
// with `branch`, of the next one. XLA's dims keep the first branch's size,
// which becomes bounded as soon as a branch's size is not static.
Dim BranchDim(Dim result, Dim branch) {
  if (result == branch) return result;
  if (!result.is_xla() || !branch.is_xla()) {
    return Dim::Hull(std::min(result.lower(), branch.lower()),
                     std::max(result.upper(), branch.upper()));
  }
  if (!result.is_static() || branch.is_static()) return result;
  return Dim::Bounded(result.upper());
}

// Applies BranchDim to each dim, at every depth of two compatible shapes.
Shape BranchShape(const Shape& result, const Shape& branch) {
  if (result == branch) return result;
  if (result.has_rank() && branch.has_rank()) {
    Shape merged = result;
    for (int i = 0; i < merged.rank(); ++i) {
      merged.set_dim(i, BranchDim(result.dim(i), branch.dim(i)));
    }
    return merged;
  }
  if (branch.is_unranked()) return branch;
  if (!result.is_tuple()) return result;
  std::vector<Shape> elements;
  for (int i = 0; i < result.tuple_size(); ++i) {
    elements.push_back(BranchShape(result.elements()[i], branch.elements()[i]));
  }
  return Shape::Tuple(std::move(elements));
}

// Operand 0 selects the branch: pred[] between two, s32[] among any number.
bool CheckBranches(InferContext* context, const OpInputs& inputs) {
  const Shape& index = *inputs.operands[0];
  const bool is_pred = index.element_type() == ElementType::kPred;
  const bool is_index = index.element_type() == ElementType::kS32;
  const size_t branches = inputs.callees.size();
  if (!(index.is_scalar() || index.is_unranked()) || !(is_pred || is_index)) {
    const bool either = !is_pred && !is_index && branches == 2;
    return context->Diagnose(Code::kBranchIndex, 0)
        .Arg(std::string(either                     ? "pred[] or s32[]"
                         : is_pred && branches == 2 ? "pred[]"
                                                    : "s32[]"));
  }
  if (branches == 0 || branches + 1 != inputs.operands.size() ||
      (is_pred && branches != 2)) {
    return context->Diagnose(Code::kBranchCount)
        .Arg(static_cast<int64_t>(branches))
        .Arg(static_cast<int64_t>(inputs.operands.size()) - 1);
  }
  return true;
}

}  // namespace

// --- Calls -------------------------------------------------------------------
// Callees are in the order of the proto: the body, then the condition.
std::optional<Shape> InferWhile(InferContext* context, const OpInputs& inputs) {
  constexpr int kBody = 0;
  constexpr int kCondition = 1;
  if (!ExpectOneValue(context, inputs, kBody) ||
      !ExpectOneValue(context, inputs, kCondition)) {
    return std::nullopt;
  }
  const Signature& body = *inputs.callees[kBody];
  const Signature& condition = *inputs.callees[kCondition];
  if (!Compatible(condition.result, ScalarOf(ElementType::kPred))) {
    const bool swapped =
        Compatible(body.result, ScalarOf(ElementType::kPred)) &&
        body.result.is_array();
    return context->Diagnose(Code::kCalleeResult)
        .Arg(CalleeRole(inputs.opcode, kCondition))
        .Arg(condition.result)
        .Arg(std::string(swapped ? "pred[], as the body does: are they swapped?"
                                 : "pred[]"))
        .Arg(std::string());
  }
  if (!context->is_builder()) return VerifyWhile(context, inputs);
  // `?` is compatible with every size, so all three are compared with the
  // body's result.
  const std::pair<const Shape*, const char*> others[] = {
      {&condition.parameters[0], "condition's parameter"},
      {&body.parameters[0], "body's parameter"},
      {inputs.operands[0], "initial value"}};
  const Shape* wrong = nullptr;
  std::vector<std::string> wrong_names;  // of all that equal `wrong`
  for (const auto& other : others) {
    if (Compatible(body.result, *other.first)) {
      AddEqualDimsConditions(context, body.result, *other.first);
      continue;
    }
    if (wrong == nullptr) wrong = other.first;
    if (SameStructure(*wrong, *other.first)) {
      wrong_names.push_back(other.second);
    }
  }
  if (wrong == nullptr) return inputs.operands[0]->WithoutLayout();
  return context->Diagnose(Code::kLoopShape, 0)
      .Arg(body.result)
      .Arg(*wrong)
      .Arg(absl::StrJoin(wrong_names, ", "))
      .Arg(DifferenceText(body.result, *wrong));
}

std::optional<Shape> InferConditional(InferContext* context,
                                      const OpInputs& inputs) {
  if (!CheckBranches(context, inputs)) return std::nullopt;
  const Shape& first = inputs.callees[0]->result;
  Shape result = first.WithoutLayout();
  for (size_t i = 0; i < inputs.callees.size(); ++i) {
    const int branch = static_cast<int>(i);
    if (!ExpectOneValue(context, inputs, branch) ||
        !ExpectArgument(context, inputs, branch + 1, branch, 0)) {
      return std::nullopt;
    }
    const Shape& shape = inputs.callees[i]->result;
    if (!Compatible(first, shape)) {
      return context->Diagnose(Code::kCalleeResult)
          .Arg(CalleeRole(inputs.opcode, branch))
          .Arg(shape)
          .Arg(absl::StrCat(first.WithoutLayout().ToString(), ", as ",
                            CalleeRole(inputs.opcode, 0)))
          .Arg(DifferenceText(shape, first));
    }
    result = BranchShape(result, shape.WithoutLayout());
  }
  return result;
}

// --- Transfers ---------------------------------------------------------------
std::optional<Shape> InferOutfeed(InferContext* context,
                                  const OpInputs& inputs) {
  const Shape& shape = inputs.attributes_as<OutfeedAttributes>().outfeed_shape;
  if (!shape.is_none() && !Compatible(shape, *inputs.operands[0])) {
    return context->Diagnose(Code::kOperandShape, 0).Arg(shape);
  }
  return Shape::Token();
}

}  // namespace indim
