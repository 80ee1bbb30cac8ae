// SPDX-License-Identifier: Apache-2.0
// Shape functions of reduce-window and select-and-scatter.
// Source: XLA, InferReduceWindowShape and InferSelectAndScatterShape.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/reducer.h"
#include "indim/shape/infer/shape_functions.h"
#include "indim/shape/infer/window.h"

namespace indim {
namespace {

// One array per input, with the windows over that input's own dims (XLA doesn't
// merge the inputs' dims) and the element type of its initial value (XLA takes
// that one where the reducer's type differs). Bare where the reducer's result
// is bare. An input of unknown rank has the dims of input `base`. nullopt after
// an error.
std::optional<Shape> WindowedShape(InferContext* context,
                                   const OpInputs& inputs,
                                   const Signature& reducer, int count,
                                   int base) {
  const auto& window = inputs.attributes_as<WindowAttributes>().window;
  std::vector<Shape> arrays;
  for (int i = 0; i < count; ++i) {
    const ElementType type = inputs.operands[count + i]->element_type();
    if (base < 0) {
      arrays.push_back(Shape::Unranked(type));
      continue;
    }
    const std::optional<DimVector> dims = WindowedDims(
        context, inputs, inputs.operands[i]->has_rank() ? i : base, window);
    if (!dims) return std::nullopt;
    arrays.push_back(Shape::Array(type, *dims));
  }
  if (!reducer.result.is_tuple()) return arrays[0];
  return Shape::Tuple(std::move(arrays));
}

// `select` must take two elements of operand 0 and return a pred. For a float
// operand its parameters may have any float type.
bool ExpectSelect(InferContext* context, const OpInputs& inputs,
                  const Signature& select) {
  if (select.parameters.size() != 2 ||
      !Compatible(select.result, Shape::Scalar(ElementType::kPred))) {
    return context->Diagnose(Code::kSelectSignature)
        .Arg(Number(select.parameters.size()))
        .Arg(select.result);
  }
  const Shape element = Shape::Scalar(inputs.operands[0]->element_type());
  for (size_t i = 0; i < select.parameters.size(); ++i) {
    if (CompatibleIgnoringFloatPrecision(element, select.parameters[i])) {
      continue;
    }
    return context->Diagnose(Code::kSelectParameter, 0)
        .Arg(Number(i))
        .Arg(select.parameters[i]);
  }
  return true;
}

}  // namespace

// Operands: N inputs, then their N initial values.
std::optional<Shape> InferReduceWindow(InferContext* context,
                                       const OpInputs& inputs) {
  const int count = static_cast<int>(inputs.operands.size() / 2);
  return WindowedShape(context, inputs, *inputs.callees[0], count,
                       FirstRanked(inputs, count));
}

// Operands: the array, the source (one element per window), the initial value.
// Callees: select, then scatter, which combines the values that go to one
// place.
std::optional<Shape> InferSelectAndScatter(InferContext* context,
                                           const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const Shape& source = *inputs.operands[1];
  if (!ExpectSelect(context, inputs, *inputs.callees[0]) ||
      !ExpectReducer(context, *inputs.callees[1], inputs.operands.subspan(2),
                     {source.element_type()})) {
    return std::nullopt;
  }
  if (!operand.has_rank()) return operand;
  const std::optional<DimVector> dims = WindowedDims(
      context, inputs, 0, inputs.attributes_as<WindowAttributes>().window);
  if (!dims) return std::nullopt;
  const Shape windowed = Shape::Array(operand.element_type(), *dims);
  if (!CompatibleIgnoringFloatPrecision(source, windowed)) {
    return context->Diagnose(Code::kSourceShape, 1).Other(0).Arg(windowed);
  }
  AddEqualDimsConditions(context, source, windowed);
  return operand.WithoutLayout();
}

}  // namespace indim
