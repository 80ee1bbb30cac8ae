// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/undeclared_candidates.h"

#include <algorithm>
#include <utility>

#include "indim/shape/fixes/fix_candidates.h"
#include "indim/shape/ops/declare_attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

// Attributes that give a number for each dim of operand 0, in a range that only
// a shape function checks: from `least` to the dim's size.
constexpr struct {
  Code code;
  const AttributeRef* list;
  int64_t least;
} kNumbersOfDims[] = {
    {Code::kSliceBounds, &declare::kStarts, 0},
    {Code::kSliceBounds, &declare::kLimits, 0},
    {Code::kSliceStride, &declare::kStrides, 1},
    {Code::kSliceSizeRange,
     &declare::kRef<&DynamicSliceAttributes::slice_sizes>, 0},
    {Code::kSliceSizeRange, &declare::kRef<&GatherAttributes::slice_sizes>, 0},
    {Code::kTopKRange, &declare::kRef<&TopKAttributes::k>, 0},
};

// A negative number counted from the end, as in NumPy; else the nearest number
// in range.
std::vector<Fix> OfNumbers(const OpInputs& inputs, const Diagnostic& d) {
  std::vector<Fix> fixes;
  const Shape& operand = *inputs.operands[0];
  if (d.dim < 0 || d.dim >= operand.rank()) return fixes;
  const size_t dim = static_cast<size_t>(d.dim);
  const int64_t size = operand.dim(d.dim).upper();
  for (const auto& row : kNumbersOfDims) {
    const DimIndices numbers = NumbersOf(*row.list, inputs);
    const size_t at = row.list->is_number ? 0 : dim;
    if (row.code != d.code || at >= numbers.size()) continue;
    const int64_t given = numbers[at];
    std::vector<int64_t> instead;
    // A count of elements isn't counted from the end.
    const bool has_end = size != Dim::kInfinity && !row.list->is_number;
    if (has_end && given < 0 && given >= -size) instead.push_back(given + size);
    if (given < row.least) instead.push_back(row.least);
    if (given > size) instead.push_back(size);
    for (const int64_t number : instead) {
      DimIndices mended = numbers;
      mended[at] = number;
      fixes.push_back(Listed(*row.list, std::move(mended)));
    }
  }
  return fixes;
}

// A size for each dim of operand 0: where one isn't given, the whole dim.
std::vector<Fix> OfSliceSizes(const OpInputs& inputs) {
  const AttributeRef& list =
      declare::kRef<&DynamicSliceAttributes::slice_sizes>;
  const Shape& operand = *inputs.operands[0];
  if (!operand.is_static() || operand.rank() > kMostDims) return {};
  DimIndices sizes = NumbersOf(list, inputs);
  for (auto dim = static_cast<int>(sizes.size()); dim < operand.rank(); ++dim) {
    sizes.push_back(operand.dim(dim).size());
  }
  sizes.resize(static_cast<size_t>(operand.rank()));
  return {Listed(list, std::move(sizes))};
}

// For dims of a broadcast that aren't of their result dims' sizes: the first
// result dims that are, in order.
std::vector<Fix> OfBroadcastDims(const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  if (inputs.declared == nullptr || !inputs.declared->has_rank() ||
      inputs.declared->rank() > kMostDims) {
    return {};
  }
  DimIndices dims;
  for (const Dim dim : operand.dims()) {
    int to = dims.empty() ? 0 : static_cast<int>(dims.back()) + 1;
    while (to < inputs.declared->rank() && inputs.declared->dim(to) != dim) {
      ++to;
    }
    dims.push_back(to);
  }
  return {Listed(declare::kDimensions, std::move(dims))};
}

// Two operands of other types, or of other ranks: the later one in the type of
// the earlier one, or with dims of size 1 before its own.
std::vector<Fix> OfTheOther(const OpInputs& inputs, const Diagnostic& d) {
  const int early = std::min(d.operand, d.other_operand);
  const int late = std::max(d.operand, d.other_operand);
  if (early < 0 || late >= static_cast<int>(inputs.operands.size())) return {};
  const Shape& wanted = *inputs.operands[static_cast<size_t>(early)];
  Fix fix;
  fix.index = late;
  fix.shape = inputs.operands[static_cast<size_t>(late)]->WithoutLayout();
  if (!wanted.has_rank() || !fix.shape.has_rank()) return {};
  if (d.code == Code::kOperandTypesDiffer) {
    fix.shape.set_element_type(wanted.element_type());
  } else {
    DimVector dims(fix.shape.dims().begin(), fix.shape.dims().end());
    if (wanted.rank() > kMostDims) return {};
    while (static_cast<int>(dims.size()) < wanted.rank()) {
      dims.insert(dims.begin(), Dim::Static(1));
    }
    fix.shape = Shape::Array(fix.shape.element_type(), dims);
  }
  return {std::move(fix)};
}

// A map over all dims in order, the only one allowed.
std::vector<Fix> OfMap(const OpInputs& inputs) {
  const int rank = inputs.operands[0]->rank();
  if (rank > kMostDims) return {};
  DimIndices all;
  for (int64_t dim = 0; dim < rank; ++dim) all.push_back(dim);
  return {Listed(declare::kDimensions, std::move(all))};
}

// For a conditional on a number: whether it is another than 0.
std::vector<Fix> OfPredicate(const OpInputs& inputs) {
  Fix fix;
  fix.shape = Shape::Scalar(ElementType::kPred);
  if (!inputs.operands[0]->is_scalar()) return {};
  return {std::move(fix)};
}

// Other element types.
std::vector<Fix> OfTypes(const OpInputs& inputs, const Diagnostic& d) {
  std::vector<Fix> fixes;
  if (d.operand < 0) return fixes;
  const Shape& operand = *inputs.operands[static_cast<size_t>(d.operand)];
  if (!operand.is_array()) return fixes;
  for (const ElementType type : TypesInsteadOf(operand.element_type())) {
    Fix fix;
    fix.index = d.operand;
    fix.shape = operand.WithoutLayout();
    fix.shape.set_element_type(type);
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace

DimIndices NumbersOf(const AttributeRef& list, const OpInputs& inputs) {
  static const Attributes* const kNothing = new Attributes();
  const NumberList numbers = list.numbers(
      inputs.attributes != nullptr ? *inputs.attributes : *kNothing);
  return DimIndices(numbers.begin(), numbers.end());
}

Fix Listed(const AttributeRef& list, DimIndices numbers) {
  Fix fix;
  fix.what = Fix::What::kAttribute;
  fix.attribute = &list;
  fix.numbers = std::move(numbers);
  return fix;
}

std::vector<Fix> UndeclaredCandidates(const OpInputs& inputs,
                                      const Diagnostic& diagnostic) {
  switch (diagnostic.code) {
    case Code::kMapDimensions:
      return OfMap(inputs);
    case Code::kOperandTypeClass:
      return OfTypes(inputs, diagnostic);
    case Code::kBranchIndex:
      return OfPredicate(inputs);
    case Code::kSliceSizesCount:
      return OfSliceSizes(inputs);
    case Code::kBroadcastMapRange:
    case Code::kBroadcastMapSize:
      return OfBroadcastDims(inputs);
    case Code::kOperandTypesDiffer:
    case Code::kOperandRanksDiffer:
      return OfTheOther(inputs, diagnostic);
    default:
      return OfNumbers(inputs, diagnostic);
  }
}

}  // namespace indim
