// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/infer/builder_forms.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

bool ExpectArrayOperand(InferContext* context, const Shape& operand) {
  if (operand.is_array()) return true;
  return context->Diagnose(Code::kOperandNotArray, 0);
}

bool ExpectKnownSizes(InferContext* context, absl::Span<const Dim> dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i].is_exact() && !dims[i].is_bounded()) {
      return context
          ->Diagnose(Code::kResultSizeUnknown, -1, static_cast<int>(i))
          .Arg(dims[i]);
    }
  }
  return true;
}

Shape StaticShape(ElementType type, absl::Span<const int64_t> sizes) {
  return Shape::Of(type, sizes);
}

// `operand` for counting its elements as XLA does: an array with an empty dim
// has 0 elements, whatever its other dims are. nullopt, after an error: a dim
// is unknown, and none is empty.
std::optional<Shape> CountedShape(InferContext* context, const Shape& operand) {
  const auto is_unknown = [](Dim dim) { return dim.is_unknown(); };
  const auto is_empty = [](Dim dim) { return dim.upper() == 0; };
  const absl::Span<const Dim> dims = operand.dims();
  if (std::none_of(dims.begin(), dims.end(), is_unknown)) return operand;
  if (std::any_of(dims.begin(), dims.end(), is_empty)) {
    return StaticShape(operand.element_type(), {0});
  }
  return context->Diagnose(Code::kElementCountUnknown, 0);
}

// An array of `dims`, with bounds as static sizes.
Shape SizedShape(ElementType type, absl::Span<const Dim> dims) {
  Shape shape = Shape::Array(type, dims);
  for (int i = 0; i < shape.rank(); ++i) {
    if (dims[i].is_bounded()) shape.set_dim(i, Dim::Static(dims[i].size()));
  }
  return shape;
}

bool AnySymbolic(absl::Span<const Dim> dims) {
  return std::any_of(dims.begin(), dims.end(),
                     [](Dim dim) { return dim.is_symbolic(); });
}

// --- Reshape: where bounded dims go -----------------------------------------

// Half-open ranges: operand dims [from_begin, from_end) become result dims
// [to_begin, to_end).
struct DimGroup {
  int from_begin = 0, from_end = 0;
  int to_begin = 0, to_end = 0;
};
using DimGroups = absl::InlinedVector<DimGroup, 8>;

int64_t ProductFrom(absl::Span<const int64_t> sizes, size_t begin) {
  return CheckedProduct(sizes.subspan(begin)).value_or(-1);
}

// Cuts both lists, whose products are equal and fit, into the shortest runs of
// equal product: {2,3,4} and {6,2,2} give {2,3}|{6} and {4}|{2,2}. A size 1
// that forms a run of its own has an empty partner. Where sizes of 0 make the
// cut ambiguous, the rest is one group. Source: XLA's CommonFactors.
DimGroups CommonFactors(absl::Span<const int64_t> from,
                        absl::Span<const int64_t> to) {
  DimGroups groups;
  const int from_size = static_cast<int>(from.size());
  const int to_size = static_cast<int>(to.size());
  int i = 0, j = 0;
  while (i < from_size && j < to_size && from[i] == to[j]) {
    groups.push_back({i, i + 1, j, j + 1});
    ++i;
    ++j;
  }
  if (i == from_size && j == to_size) return groups;
  const int64_t rest = ProductFrom(from, i);
  // A 0 made the whole products equal; the rests differ or don't fit.
  if (rest < 0 || rest != ProductFrom(to, j)) {
    return {{0, from_size, 0, to_size}};
  }
  if (rest == 0) {
    groups.push_back({i, from_size, j, to_size});
    return groups;
  }
  DimGroup group = {i, i, j, j};
  int64_t from_product = 1, to_product = 1;
  while (i < from_size || j < to_size) {
    const bool level = from_product == to_product;
    const bool has_from = i < from_size, has_to = j < to_size;
    // Neither product passes `rest`, so these multiplications can't overflow.
    const bool take_from = from_product < to_product ||
                           (level && has_from && (!has_to || from[i] <= to[j]));
    const bool take_to = to_product < from_product ||
                         (level && has_to && (!has_from || to[j] <= from[i]));
    if (take_from) from_product *= from[i++];
    if (take_to) to_product *= to[j++];
    if (from_product == to_product) {
      group.from_end = i;
      group.to_end = j;
      groups.push_back(group);
      group = {i, i, j, j};
    }
  }
  return groups;
}

// The group of operand dim `dim`, extended on both sides by the result's size-1
// dims that belong to no operand dim: a bounded dim could end up in those too.
DimGroup GroupOf(const DimGroups& groups, int dim) {
  DimGroup found;
  for (const DimGroup& group : groups) {
    if (group.from_begin <= dim && dim < group.from_end) found = group;
  }
  for (const DimGroup& group : groups) {
    if (group.from_begin == found.from_begin) {
      found.to_begin = std::min(found.to_begin, group.to_begin);
    }
    if (group.from_end == found.from_end) {
      found.to_end = std::max(found.to_end, group.to_end);
    }
  }
  return found;
}

// Stores the result dim that becomes bounded because operand dim `dim` is; -1:
// none. Returns false, after an error, where XLA has no answer.
bool PlaceBoundedDim(InferContext* context, const Shape& operand, int dim,
                     const Shape& result, const DimGroups& groups,
                     int64_t inferred_dimension, int* place) {
  DimGroup exact;
  for (const DimGroup& group : groups) {
    if (group.from_begin <= dim && dim < group.from_end) exact = group;
  }
  if (exact.from_end - exact.from_begin > 1 &&
      exact.to_end - exact.to_begin > 1) {
    return context->Diagnose(Code::kReshapeSplitsAndMerges, 0, dim).Arg(result);
  }
  *place = -1;
  if (operand.dim(dim).size() == 1 && result.rank() > 0) {
    // A size of 1 fits anywhere; its place is clear only at either end.
    if (dim == 0) *place = 0;
    if (dim == operand.rank() - 1) *place = result.rank() - 1;
    if (*place >= 0) return true;
    return context->Diagnose(Code::kReshapeBoundedOne, 0, dim).Arg(result);
  }
  const DimGroup group = GroupOf(groups, dim);
  const int candidates = group.to_end - group.to_begin;
  if (candidates == 1) *place = group.to_begin;
  if (candidates > 1) *place = static_cast<int>(inferred_dimension);
  if (*place >= 0) return true;
  // Several dims are possible: take the most-major one that isn't 1. The run's
  // size is then a multiple of the sizes after it.
  for (int i = group.to_begin; i < group.to_end && *place < 0; ++i) {
    if (result.dim(i).size() != 1) *place = i;
  }
  return true;
}

// "; 4 there keeps the 32 elements"; "" where no size does.
std::string MissingSizeText(const Shape& operand,
                            absl::Span<const int64_t> sizes) {
  const std::optional<int64_t> count = operand.ElementCount();
  if (!count || !operand.is_static()) return "";
  std::optional<int64_t> others = 1;
  int missing = 0;
  for (const int64_t size : sizes) {
    if (size < 0) {
      ++missing;
    } else if (others) {
      others = CheckedMultiply(*others, size);
    }
  }
  if (missing != 1 || !others || *others == 0 || *count % *others != 0) {
    return "";
  }
  return absl::StrCat("; ", *count / *others, " there keeps the ", *count,
                      " elements");
}

// `sizes` as static dims. `hint` ends the message about a negative size.
std::optional<DimVector> StaticDims(InferContext* context,
                                    absl::Span<const int64_t> sizes,
                                    const std::string& hint) {
  DimVector dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      context->Diagnose(Code::kNegativeSize, -1, static_cast<int>(i))
          .Arg(sizes[i])
          .Arg(hint);
      return std::nullopt;
    }
    dims.push_back(Dim::Static(sizes[i]));
  }
  return dims;
}

// Whether operand dim `from` fits result dim `to`. A bounded 1 does not
// stretch: at run time it may be 0.
bool FitsInDim(Dim from, Dim to) {
  return from.is_bounded() ? from.size() == to.size()
                           : DimOneOrEqual(from, to) != Answer::kRefuted;
}

// "; broadcast_dimensions {0,1} fit", where no other broadcast_dimensions do.
std::string FittingMapText(const Shape& operand, const Shape& result) {
  // The leftmost and the rightmost places. If they are equal, the map is
  // unique.
  DimIndices left, right;
  for (int i = 0, to = 0; i < operand.rank(); ++i, ++to) {
    while (to < result.rank() && !FitsInDim(operand.dim(i), result.dim(to))) {
      ++to;
    }
    left.push_back(to);
  }
  for (int i = operand.rank() - 1, to = result.rank() - 1; i >= 0; --i, --to) {
    while (to >= 0 && !FitsInDim(operand.dim(i), result.dim(to))) --to;
    right.insert(right.begin(), to);
  }
  if (left != right) return "";
  return absl::StrCat("; broadcast_dimensions {", ListText(left), "} fit");
}

// InferReshapeTo for symbolic sizes on either side.
std::optional<Shape> InferSymbolicReshape(InferContext* context,
                                          const Shape& operand,
                                          absl::Span<const Dim> dims) {
  Shape result = SizedShape(operand.element_type(), dims);
  int missing = -1;
  DimVector others;
  for (int i = 0; i < result.rank(); ++i) {
    if (result.dim(i).is_exact()) {
      others.push_back(result.dim(i));
    } else if (missing < 0 && result.dim(i).is_unknown()) {
      missing = i;
    } else {
      return context->Diagnose(Code::kResultSizeUnknown, -1, i).Arg(dims[i]);
    }
  }
  if (missing >= 0 && operand.has_rank()) {
    const std::optional<Dim> size =
        InferMissingSize(context, operand, others, result);
    if (!size) return std::nullopt;
    result.set_dim(missing, *size);
  }
  if (operand.has_rank() && missing < 0 &&
      !ExpectEqualElementCounts(context, operand, result)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<DimVector> DimsFromSizes(InferContext* context,
                                       absl::Span<const int64_t> sizes) {
  return StaticDims(context, sizes, "");
}

std::optional<DimVector> DimsOfReshape(InferContext* context,
                                       const Shape& operand,
                                       absl::Span<const int64_t> sizes) {
  const bool any_negative = std::any_of(sizes.begin(), sizes.end(),
                                        [](int64_t size) { return size < 0; });
  return StaticDims(context, sizes,
                    any_negative ? MissingSizeText(operand, sizes) : "");
}

std::optional<Shape> InferBroadcastSizes(InferContext* context,
                                         const Shape& operand,
                                         absl::Span<const int64_t> sizes) {
  if (!ExpectArrayOperand(context, operand)) return std::nullopt;
  std::optional<DimVector> dims = DimsFromSizes(context, sizes);
  if (!dims) return std::nullopt;
  if (operand.is_unranked()) return operand.WithoutLayout();
  for (int i = 0; i < operand.rank(); ++i) {
    if (operand.dim(i).is_unknown()) {
      return context->Diagnose(Code::kBroadcastOfUnknown, 0, i);
    }
    dims->push_back(operand.dim(i));
  }
  return Shape::Array(operand.element_type(), *dims);
}

std::optional<Shape> InferBroadcastInDim(
    InferContext* context, const Shape& operand, absl::Span<const Dim> dims,
    absl::Span<const int64_t> broadcast_dimensions) {
  if (!ExpectArrayOperand(context, operand) ||
      !ExpectKnownSizes(context, dims)) {
    return std::nullopt;
  }
  Shape result = SizedShape(operand.element_type(), dims);
  if (operand.is_unranked()) return result;
  if (operand.rank() > result.rank()) {
    return context->Diagnose(Code::kBroadcastLowersRank, 0).Arg(result);
  }
  if (broadcast_dimensions.size() != operand.dims().size()) {
    return context->Diagnose(Code::kBroadcastMapCount, 0)
        .Arg(Number(broadcast_dimensions.size()))
        .Arg(int64_t{operand.rank()});
  }
  for (int i = 0; i < operand.rank(); ++i) {
    const int64_t to = broadcast_dimensions[i];
    if (to < 0 || to >= result.rank()) {
      return context->Diagnose(Code::kBroadcastMapRange, 0, i)
          .Arg(to)
          .Arg(int64_t{result.rank()});
    }
    if (i > 0 && to <= broadcast_dimensions[i - 1]) {
      return context->Diagnose(Code::kBroadcastMapIncreasing, 0, i)
          .Arg(to)
          .Arg(broadcast_dimensions[i - 1]);
    }
    const Dim from = operand.dim(i);
    const int place = static_cast<int>(to);
    if (!FitsInDim(from, result.dim(place))) {
      return context->Diagnose(Code::kBroadcastStretch, 0, i)
          .Arg(to)
          .Arg(result.dim(place))
          .Arg(FittingMapText(operand, result));
    }
    if (from.is_bounded()) {
      result.set_dim(place, from);
    } else if (from.is_symbolic() || result.dim(place).is_symbolic()) {
      context->Require({Condition::Kind::kOneOrEqual, from, result.dim(place)});
    } else if (!from.is_static()) {
      const Dim size = Dim::Static(result.dim(place).size());
      context->AddConditions(
          {{Condition::Kind::kOneOrEqual, DimRef{0, i}, size}});
    }
  }
  return result;
}

std::optional<Dim> InferMissingSize(InferContext* context, const Shape& operand,
                                    absl::Span<const Dim> others,
                                    const Shape& result) {
  // Cancel the factors that both sides share. Each must be at least 1: with a
  // 0, any size would fit.
  absl::InlinedVector<Dim, 4> left(operand.dims().begin(),
                                   operand.dims().end());
  std::optional<int64_t> divisor = 1;
  for (const Dim dim : others) {
    const auto same = std::find(left.begin(), left.end(), dim);
    if (dim.is_symbolic() && same != left.end()) {
      context->Require({Condition::Kind::kAtMost, Dim::Static(1), dim});
      left.erase(same);
    } else {
      divisor = dim.is_static() && divisor
                    ? CheckedMultiply(*divisor, dim.size())
                    : std::nullopt;
    }
  }
  DimExpr count = 1;
  for (const Dim dim : left) count = count * DimExpr(dim);
  const std::optional<Dim> whole = count.ToDim();
  if (!divisor || *divisor == 0 || !whole) return Dim::Unknown();
  if (!context->Require(
          {Condition::Kind::kDivisible, *whole, Dim::Static(*divisor)})) {
    return context->Diagnose(Code::kReshapeRemainder, 0)
        .Arg(*whole)
        .Arg(result)
        .Arg(*divisor);
  }
  return count.FloorDivide(*divisor).ToDim().value_or(Dim::Unknown());
}

bool FillInMissingDim(InferContext* context, const Shape& operand,
                      DimVector* dims) {
  if (!ExpectArrayOperand(context, operand)) return false;
  if (std::count(dims->begin(), dims->end(), Dim::Unknown()) > 1) {
    return context->Diagnose(Code::kReshapeTwoMissing, 0)
        .Arg(Shape::Array(operand.element_type(), *dims));
  }
  if (AnySymbolic(operand.dims()) || AnySymbolic(*dims)) return true;
  const auto missing = std::find(dims->begin(), dims->end(), Dim::Unknown());
  if (missing == dims->end()) return true;
  const Shape counted = SizedShape(operand.element_type(), operand.dims());
  DimVector others(dims->begin(), missing);
  others.insert(others.end(), missing + 1, dims->end());
  for (Dim& dim : others) {
    if (dim.is(0)) return context->Diagnose(Code::kReshapeZeroWithMissing);
    if (dim.is_bounded()) dim = Dim::Static(dim.size());
  }
  const Shape asked = Shape::Array(operand.element_type(), *dims);
  std::optional<Dim> size = Dim::Unknown();
  if (operand.has_rank()) {
    size = InferMissingSize(context, counted, others, asked);
  }
  if (!size) return false;
  if (!size->is_static()) {
    return context
        ->Diagnose(Code::kResultSizeUnknown, -1,
                   static_cast<int>(missing - dims->begin()))
        .Arg(*size);
  }
  *missing = *size;
  return true;
}

std::optional<Shape> InferReshapeTo(InferContext* context, const Shape& operand,
                                    absl::Span<const Dim> dims,
                                    int64_t inferred_dimension) {
  if (!ExpectArrayOperand(context, operand)) return std::nullopt;
  if (AnySymbolic(operand.dims()) || AnySymbolic(dims)) {
    return InferSymbolicReshape(context, operand, dims);
  }
  if (!ExpectKnownSizes(context, dims)) {
    return std::nullopt;
  }
  const DimIndices sizes = SizesOf(dims);
  Shape result = StaticShape(operand.element_type(), sizes);
  if (inferred_dimension < -1 || inferred_dimension >= result.rank()) {
    return context->Diagnose(Code::kInferredDimensionRange)
        .Arg(inferred_dimension)
        .Arg(int64_t{result.rank()});
  }
  if (operand.is_unranked()) return result;
  bool any_bounded = false, any_unknown = false;
  for (Dim dim : operand.dims()) {
    any_bounded |= dim.is_bounded();
    any_unknown |= dim.is_unknown();
  }
  if (any_unknown) {
    if (any_bounded) return context->Diagnose(Code::kReshapeMixedDynamism, 0);
    return result;
  }
  if (!ExpectEqualElementCounts(context, operand, result)) return std::nullopt;
  if (!any_bounded) return result;

  const DimGroups groups = CommonFactors(SizesOf(operand.dims()), sizes);
  const Shape asked = result;
  for (int i = 0; i < operand.rank(); ++i) {
    if (!operand.dim(i).is_bounded()) continue;
    int place = -1;
    if (!PlaceBoundedDim(context, operand, i, asked, groups, inferred_dimension,
                         &place)) {
      return std::nullopt;
    }
    if (place >= 0) result.set_dim(place, Dim::Bounded(sizes[place]));
  }
  return result;
}

std::optional<Shape> InferDynamicReshapeTo(
    InferContext* context, const Shape& operand,
    absl::Span<const Shape* const> sizes, absl::Span<const int64_t> bounds,
    const std::vector<bool>& dims_are_dynamic) {
  if (!ExpectArrayOperand(context, operand)) return std::nullopt;
  if (bounds.size() != dims_are_dynamic.size()) {
    return context->Diagnose(Code::kDynamicSizesCount)
        .Arg(Number(dims_are_dynamic.size()))
        .Arg(Number(bounds.size()));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Shape& size = *sizes[i];
    // XLA's own test: it accepts an f32[] and an s32[4].
    if (size.element_type() != ElementType::kS32 && !size.is_scalar()) {
      return context->Diagnose(Code::kDynamicSizeNotS32,
                               static_cast<int>(i) + 1);
    }
  }
  std::optional<DimVector> dims = DimsFromSizes(context, bounds);
  if (!dims) return std::nullopt;
  for (size_t i = 0; i < dims->size(); ++i) {
    if (dims_are_dynamic[i]) (*dims)[i] = Dim::Bounded(bounds[i]);
  }
  Shape result = Shape::Array(operand.element_type(), *dims);
  if (operand.is_unranked()) return result;
  const std::optional<Shape> counted = CountedShape(context, operand);
  if (!counted || !ExpectEqualElementCounts(context, *counted, result)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace indim
