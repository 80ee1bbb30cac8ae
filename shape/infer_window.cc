// Shape functions of reduce-window and select-and-scatter.
// Source: XLA, InferReduceWindowShape and InferSelectAndScatterShape.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/infer_sizes.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/reducer.h"
#include "indim/shape/shape_functions.h"
#include "indim/shape/window.h"

namespace indim {
namespace {

// One array per input, of the type of its initial value (where that differs
// from the reducer's, XLA takes it) and with the windows over its own dims:
// XLA keeps apart what the inputs say about a size. Bare where the reducer's
// result is. An input of unknown rank is as the others. nullopt with an error.
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

// The first operand of 0..count-1 whose rank is known, all of which must have
// equal dims; -1: none is. nullopt with an error.
std::optional<int> CommonBase(InferContext* context, const OpInputs& inputs,
                              int count) {
  int first = -1;
  for (int i = 0; i < count; ++i) {
    if (!inputs.operands[i]->has_rank()) continue;
    if (first < 0) first = i;
    if (!ExpectEqualDims(context, inputs, first, i)) return std::nullopt;
  }
  return first;
}

}  // namespace

// Operands: N inputs, then their N initial values.
std::optional<Shape> InferReduceWindow(InferContext* context,
                                       const OpInputs& inputs) {
  if (inputs.operands.size() % 2 != 0) {
    return context->Error(Rule::kReduceOperandsOdd)
        .Arg(Number(inputs.operands.size()));
  }
  const int count = static_cast<int>(inputs.operands.size() / 2);
  std::vector<ElementType> types;
  for (int i = 0; i < count; ++i) {
    if (!ExpectArray(context, inputs, i)) return std::nullopt;
    types.push_back(inputs.operands[i]->element_type());
  }
  const std::optional<int> base = CommonBase(context, inputs, count);
  if (!base) return std::nullopt;
  const Signature& reducer = *inputs.callees[0];
  if (!ExpectReducer(context, reducer, inputs.operands.subspan(count), types) ||
      !ExpectParameterTypes(context, inputs, reducer, count * 2)) {
    return std::nullopt;
  }
  return WindowedShape(context, inputs, reducer, count, *base);
}

namespace {

// `select` tells which of two elements of operand 0 is chosen; any floating
// type will do for a floating operand.
bool ExpectSelect(InferContext* context, const OpInputs& inputs,
                  const Signature& select) {
  if (select.parameters.size() != 2 ||
      !Compatible(select.result, Shape::Scalar(ElementType::kPred))) {
    return context->Error(Rule::kSelectSignature)
        .Arg(Number(select.parameters.size()))
        .Arg(select.result);
  }
  const Shape element = Shape::Scalar(inputs.operands[0]->element_type());
  for (size_t i = 0; i < select.parameters.size(); ++i) {
    if (CompatibleIgnoringFloatPrecision(element, select.parameters[i])) {
      continue;
    }
    return context->Error(Rule::kSelectParameter, 0)
        .Arg(Number(i))
        .Arg(select.parameters[i]);
  }
  return true;
}

}  // namespace

// Operands: the array, the source (one element per window), the initial value.
// Callees: select, then scatter, which adds up what is scattered to one place.
std::optional<Shape> InferSelectAndScatter(InferContext* context,
                                           const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const Shape& source = *inputs.operands[1];
  if (!ExpectArray(context, inputs, 1) ||
      !ExpectSelect(context, inputs, *inputs.callees[0]) ||
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
    return context->Error(Rule::kSourceShape, 1).Other(0).Arg(windowed);
  }
  return operand.WithoutLayout();
}

}  // namespace indim
