// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/infer_case.h"

#include <algorithm>

#include "indim/shape/infer/builder_forms.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

// Sizes as the author wrote them; nullopt when one is negative.
std::optional<DimVector> Dims(InferContext* context, const Case& c) {
  const bool all_known = std::find(c.sizes.begin(), c.sizes.end(),
                                   Case::kUnknownSize) == c.sizes.end();
  if (c.form == CaseForm::kReshapeTo && all_known) {
    return DimsOfReshape(context, c.operands[0], c.sizes);
  }
  DimVector dims;
  for (const int64_t size : c.sizes) {
    if (size == Case::kUnknownSize) {
      dims.push_back(Dim::Unknown());
      continue;
    }
    const std::optional<DimVector> one = DimsFromSizes(context, {size});
    if (!one) return std::nullopt;
    dims.push_back((*one)[0]);
  }
  return dims;
}

// XLA's builder has one function for a pred and one for an index.
bool CheckBranchIndex(InferContext* context, const Case& c) {
  if (c.operands.empty()) return true;  // the operand count is checked later
  const ElementType wanted =
      c.form == CaseForm::kTwoBranches ? ElementType::kPred : ElementType::kS32;
  if (c.operands[0].element_type() == wanted) return true;
  return context->Diagnose(Code::kBranchIndex, 0).Arg(Shape::Scalar(wanted));
}

}  // namespace

std::optional<Shape> InferCase(InferContext* context, const Case& c) {
  const CaseInputs inputs(c);
  const bool branches =
      c.form == CaseForm::kTwoBranches || c.form == CaseForm::kIndexedBranches;
  if (c.form == CaseForm::kOp || branches) {
    if (branches && !CheckBranchIndex(context, c)) return std::nullopt;
    return InferShape(context, inputs.inputs());
  }
  const auto count = static_cast<int64_t>(c.operands.size());
  if (c.form == CaseForm::kDynamicReshapeTo ? count == 0 : count != 1) {
    return context->Diagnose(Code::kOperandCount).Arg(int64_t{1}).Arg(count);
  }
  const Shape& operand = c.operands[0];
  if (c.form == CaseForm::kCollectiveOfTuple) {
    return InferCollectiveOfTuple(context, inputs.inputs());
  }
  if (c.form == CaseForm::kRandomBits) {
    return c.declared->tuple_size() == 2
               ? InferRandomBits(context, operand, c.declared->elements()[1])
               : InferShape(context, inputs.inputs());
  }
  if (c.form == CaseForm::kBroadcastSizes) {
    return InferBroadcastSizes(context, operand, c.sizes);
  }
  if (c.form == CaseForm::kDynamicReshapeTo) {
    return InferDynamicReshapeTo(context, operand,
                                 inputs.inputs().operands.subspan(1), c.sizes,
                                 c.dims_are_dynamic);
  }
  const std::optional<DimVector> dims = Dims(context, c);
  if (!dims) return std::nullopt;
  const DimIndices& places = As<DimensionsAttributes>(c.attributes).dimensions;
  if (c.form == CaseForm::kBroadcastInDim) {
    return InferBroadcastInDim(context, operand, *dims, places);
  }
  return InferReshapeTo(context, operand, *dims,
                        places.empty() ? -1 : places[0]);
}

}  // namespace indim
