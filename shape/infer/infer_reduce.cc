// SPDX-License-Identifier: Apache-2.0
// Shape function of reduce.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/reducer.h"
#include "indim/shape/infer/shape_functions.h"

namespace indim {
namespace {

// The dims of operand `first` that are not reduced. XLA takes the sizes from
// there even where another input has a more specific one.
DimVector KeptDims(const OpInputs& inputs, int first, int count,
                   const DimIndices& reduced) {
  DimVector kept;
  for (int dim = 0; dim < inputs.operands[first]->rank(); ++dim) {
    if (std::find(reduced.begin(), reduced.end(), dim) != reduced.end()) {
      continue;
    }
    Dim size = inputs.operands[first]->dim(dim);
    for (int i = 0; i < count; ++i) {
      if (inputs.operands[i]->has_rank()) {
        size = MergeDims(size, inputs.operands[i]->dim(dim));
      }
    }
    kept.push_back(size);
  }
  return kept;
}

// The reducer's results as unranked arrays, for inputs of unknown rank.
Shape UnrankedResults(const Signature& reducer) {
  if (!reducer.result.is_tuple()) {
    return Shape::Unranked(reducer.result.element_type());
  }
  std::vector<Shape> elements;
  for (const Shape& element : reducer.result.elements()) {
    elements.push_back(Shape::Unranked(element.element_type()));
  }
  return Shape::Tuple(std::move(elements));
}

}  // namespace

// Operands: N inputs, then their N initial values. The reducer's result gives
// the element types: a reducer may sum f32 inputs in f64.
std::optional<Shape> InferReduce(InferContext*, const OpInputs& inputs) {
  const int count = static_cast<int>(inputs.operands.size() / 2);
  const int first = FirstRanked(inputs, count);
  const DimIndices& dimensions =
      inputs.attributes_as<DimensionsAttributes>().dimensions;
  const Signature& reducer = *inputs.callees[0];
  if (first < 0) return UnrankedResults(reducer);
  return ReducedShape(reducer, KeptDims(inputs, first, count, dimensions));
}

}  // namespace indim
