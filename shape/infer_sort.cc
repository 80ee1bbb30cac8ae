// Shape functions of sort and topk.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "indim/shape/infer_sizes.h"
#include "indim/shape/infer_util.h"
#include "indim/shape/reducer.h"
#include "indim/shape/shape_functions.h"

namespace indim {
namespace {

// The dim that is sorted along, and the comparator. XLA's builder looks at
// neither (it takes -1 for the last dim; warnings.def has what is odd about the
// comparator), its verifier at both.
bool ExpectSortOrder(InferContext* context, const OpInputs& inputs) {
  const int64_t dim = inputs.attributes_as<SortAttributes>().dimensions[0];
  const Shape& operand = *inputs.operands[0];
  if (!context->is_builder()) {
    return ExpectDimIndex(context, inputs, 0, dim, "dimensions") &&
           ExpectComparator(context, inputs, *inputs.callees[0]);
  }
  const int64_t rank = operand.rank();
  if (operand.has_rank() && (dim < -rank || dim >= rank)) {
    context->Error(Rule::kSortDimensionOdd, 0).Arg(dim).Arg(rank);
  }
  return true;
}

}  // namespace

// All operands are moved alike, so their dims match; each keeps its own.
std::optional<Shape> InferSort(InferContext* context, const OpInputs& inputs) {
  if (!OnlyDimension(context,
                     inputs.attributes_as<SortAttributes>().dimensions)) {
    return std::nullopt;
  }
  const int count = static_cast<int>(inputs.operands.size());
  int first = -1;  // ranked operand
  for (int i = 0; i < count; ++i) {
    if (!ExpectArray(context, inputs, i)) return std::nullopt;
    if (first < 0 && inputs.operands[i]->has_rank()) first = i;
    if (first >= 0 && !ExpectEqualDims(context, inputs, first, i)) {
      return std::nullopt;
    }
  }
  if (!ExpectSortOrder(context, inputs)) return std::nullopt;
  if (count == 1) return inputs.operands[0]->WithoutLayout();
  std::vector<Shape> results;
  for (const Shape* operand : inputs.operands) {
    results.push_back(operand->WithoutLayout());
  }
  return Shape::Tuple(std::move(results));
}

// The k largest (or smallest) of each last row, and where they were.
std::optional<Shape> InferTopK(InferContext* context, const OpInputs& inputs) {
  const int64_t k = inputs.attributes_as<TopKAttributes>().k;
  Shape values = inputs.operands[0]->WithoutLayout();
  if (values.has_rank()) {
    if (values.rank() == 0) return context->Error(Rule::kTopKScalar, 0);
    const int last = values.rank() - 1;
    const Dim size = values.dim(last);
    // XLA has no answer for a row of unknown length; a bounded one counts as
    // full.
    if (k < 0 || size.is_unknown() || k > size.upper()) {
      return context->Error(Rule::kTopKRange, 0, last).Arg(k);
    }
    values.set_dim(last, Dim::Static(k));
  } else if (k < 0) {
    return context->Error(Rule::kTopKRange, 0).Arg(k);
  }
  Shape positions = values;
  positions.set_element_type(ElementType::kS32);
  return Shape::Tuple({std::move(values), std::move(positions)});
}

}  // namespace indim
