// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/reducer.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "indim/shape/infer/infer_sizes.h"

namespace indim {
namespace {

const Shape& ResultOf(const Signature& reducer, int i) {
  return reducer.result.is_tuple() ? reducer.result.elements()[i]
                                   : reducer.result;
}

// The reducer must return `count` scalars, bare or in a tuple.
bool ExpectScalarResults(InferContext* context, const Signature& reducer,
                         size_t count) {
  const Shape& result = reducer.result;
  bool ok = result.is_tuple() ? result.elements().size() == count
                              : result.is_array() && count == 1;
  for (const Shape& element : result.elements()) {
    ok = ok && element.is_scalar();
  }
  if (result.is_array()) ok = ok && result.is_scalar();
  if (ok) return true;
  return context->Diagnose(Code::kReducerResult).Arg(result).Arg(Number(count));
}

// The types of accumulator, init value and element `i` must fit each other.
bool ExpectReduction(InferContext* context, const Signature& reducer, int i,
                     const Shape& init, ElementType input) {
  const Shape& result = ResultOf(reducer, i);
  const int element = static_cast<int>(reducer.parameters.size()) / 2 + i;
  const Shape& accumulator = reducer.parameters[i];
  const Shape& argument = reducer.parameters[element];
  if (!Compatible(result, accumulator)) {
    return context->Diagnose(Code::kReducerAccumulator)
        .Arg(int64_t{i})
        .Arg(accumulator)
        .Arg(result);
  }
  if (!CompatibleIgnoringFloatPrecision(result, init)) {
    return context->Diagnose(Code::kReducerInit)
        .Arg(int64_t{i})
        .Arg(init)
        .Arg(result);
  }
  if (!CompatibleIgnoringFloatPrecision(Shape::Scalar(input), argument)) {
    return context->Diagnose(Code::kReducerInput)
        .Arg(int64_t{element})
        .Arg(argument)
        .Arg(int64_t{i})
        .Arg(input);
  }
  if (!CompatibleIgnoringFloatPrecision(result, argument)) {
    return context->Diagnose(Code::kReducerMixesTypes)
        .Arg(int64_t{element})
        .Arg(argument)
        .Arg(result);
  }
  return true;
}

}  // namespace

bool ExpectReducer(InferContext* context, const Signature& reducer,
                   absl::Span<const Shape* const> inits,
                   absl::Span<const ElementType> inputs) {
  if (reducer.parameters.size() != 2 * inputs.size()) {
    return context->Diagnose(Code::kReducerParameters)
        .Arg(Number(reducer.parameters.size()))
        .Arg(Number(inputs.size()))
        .Arg(Number(2 * inputs.size()));
  }
  if (!ExpectScalarResults(context, reducer, inputs.size())) return false;
  bool ok = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ok = ExpectReduction(context, reducer, static_cast<int>(i), *inits[i],
                         inputs[i]) &&
         ok;
  }
  return ok;
}

Shape ReducedShape(const Signature& reducer, absl::Span<const Dim> dims) {
  if (!reducer.result.is_tuple()) {
    return Shape::Array(reducer.result.element_type(), dims);
  }
  std::vector<Shape> elements;
  for (const Shape& element : reducer.result.elements()) {
    elements.push_back(Shape::Array(element.element_type(), dims));
  }
  return Shape::Tuple(std::move(elements));
}

bool ExpectParameterTypes(InferContext* context, const OpInputs& inputs,
                          const Signature& computation, int count) {
  if (context->is_builder()) return true;
  bool ok = true;
  for (int i = 0; i < count; ++i) {
    const Shape& parameter = computation.parameters[i];
    if (parameter.element_type() == inputs.operands[i]->element_type()) {
      continue;
    }
    ok = context->Diagnose(Code::kReducerPrecision, i)
             .Arg(int64_t{i})
             .Arg(parameter);
  }
  return ok;
}

bool ExpectComparator(InferContext* context, const OpInputs& inputs,
                      const Signature& comparator) {
  if (comparator.parameters.size() != 2 * inputs.operands.size() ||
      !comparator.result.is_scalar() ||
      comparator.result.element_type() != ElementType::kPred) {
    return context->Diagnose(Code::kComparatorSignature)
        .Arg(Number(comparator.parameters.size()))
        .Arg(comparator.result)
        .Arg(Number(2 * inputs.operands.size()));
  }
  bool ok = true;
  for (size_t i = 0; i < comparator.parameters.size(); ++i) {
    const Shape& parameter = comparator.parameters[i];
    const int operand = static_cast<int>(i) / 2;
    if (parameter.is_scalar() &&
        SameTypeIgnoringFloatPrecision(
            parameter.element_type(),
            inputs.operands[operand]->element_type())) {
      continue;
    }
    ok = context->Diagnose(Code::kComparatorParameter, operand)
             .Arg(Number(i))
             .Arg(parameter);
  }
  return ok;
}

}  // namespace indim
