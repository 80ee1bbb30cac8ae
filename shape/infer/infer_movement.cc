// SPDX-License-Identifier: Apache-2.0
// Shape functions of operations that move data without changing it: transpose,
// reverse, slice, concatenate, pad, iota, and the relations of broadcast and
// reshape.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_math.h"
#include "indim/shape/infer/builder_forms.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// The declared dims with element type `type`. The comparison with the record
// reports a wrong recorded type.
Shape WithElementType(const Shape& declared, ElementType type) {
  Shape result = declared.WithoutLayout();
  result.set_element_type(type);
  return result;
}

// The number of elements from `start` to the end of a dim of unknown size
// `size`.
std::optional<Dim> SliceToEnd(Dim size, int64_t start, int64_t stride) {
  if (start == 0 && stride == 1) return size;
  if (size.is_symbolic()) {
    const DimExpr left = DimExpr(size) - start;
    return left.CeilDivide(stride).ToDim();
  }
  return MapDim(size, [&](int64_t n) {
    return CheckedCeilDivide(std::max<int64_t>(n - start, 0), stride);
  });
}

// `size` with padding at both ends and between elements; nullopt: does not fit.
std::optional<int64_t> PaddedSize(int64_t size, const PaddingDim& padding) {
  const std::optional<int64_t> edges = CheckedAdd(padding.low, padding.high);
  const std::optional<int64_t> interior =
      CheckedMultiply(std::max<int64_t>(size - 1, 0), padding.interior);
  if (!edges || !interior) return std::nullopt;
  const std::optional<int64_t> inner = CheckedAdd(size, *interior);
  if (!inner) return std::nullopt;
  return CheckedAdd(*inner, *edges);
}

// The smallest size that can be padded, where negative padding removes
// elements.
int64_t SmallestPadded(const PaddingDim& padding) {
  const std::optional<int64_t> edges = CheckedAdd(padding.low, padding.high);
  if (!edges || *edges >= 0 || *edges == INT64_MIN) return 0;
  // n + (n-1) * interior + edges >= 0, for n >= 1.
  const std::optional<int64_t> taken = CheckedSubtract(0, *edges);
  const std::optional<int64_t> step = CheckedAdd(padding.interior, 1);
  const std::optional<int64_t> whole = CheckedAdd(*taken, padding.interior);
  if (!step || !whole) return 1;
  return *CheckedCeilDivide(*whole, *step);
}

// PaddedSize of a symbolic size, which is at least `smallest` at run time.
std::optional<Dim> PaddedSymbol(Dim size, int64_t smallest,
                                const PaddingDim& padding) {
  const DimExpr n(size);
  const DimExpr gaps = smallest > 0 ? n - 1 : (n - 1).Max(0);
  return (n + gaps * padding.interior + padding.low + padding.high).ToDim();
}

std::optional<Dim> PadDim(InferContext* context, const OpInputs& inputs, int i,
                          Dim dim, const PaddingDim& padding) {
  if (padding.interior < 0) {
    return context->Diagnose(Code::kPadInterior, 0, i).Arg(padding.interior);
  }
  if (inputs.operands[0]->has_rank() && !dim.is_static()) {
    const int64_t smallest = SmallestPadded(padding);
    AddAtLeastCondition(context, inputs, {0, i}, smallest);
    if (dim.is_symbolic()) {
      const std::optional<Dim> padded = PaddedSymbol(dim, smallest, padding);
      if (padded) return padded;
    }
  }
  const std::optional<Dim> padded =
      MapDim(dim, [&](int64_t size) { return PaddedSize(size, padding); });
  if (padded) return padded;
  const std::optional<int64_t> largest =
      dim.has_upper() ? PaddedSize(dim.upper(), padding) : std::nullopt;
  if (largest && *largest < 0) {
    return context->Diagnose(Code::kPadBelowZero, 0, i);
  }
  return SizeOverflow(context, i);
}

// The result of concatenating all operands along dim `along`. An unranked
// operand only makes that dim unknown.
std::optional<Shape> ConcatenateDims(InferContext* context,
                                     const OpInputs& inputs, int first,
                                     int64_t along, ElementType type) {
  Shape result = *inputs.operands[first];
  result.clear_layout();
  result.set_element_type(type);
  Dim extent = Dim::Static(0);
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    const Shape& operand = *inputs.operands[i];
    const Dim length = operand.has_rank() ? operand.dim(static_cast<int>(along))
                                          : Dim::Unknown();
    const std::optional<Dim> sum = AddDims(extent, length);
    if (!sum) return SizeOverflow(context, static_cast<int>(along));
    extent = *sum;
    if (!operand.has_rank()) continue;
    for (int dim = 0; dim < result.rank(); ++dim) {
      if (dim == along) continue;
      const std::optional<Dim> both =
          MostSpecificDim(result.dim(dim), operand.dim(dim));
      if (!both) {
        return context
            ->Diagnose(Code::kSizesMustMatch, static_cast<int>(i), dim)
            .Other(first, dim);
      }
      result.set_dim(dim, *both);
    }
  }
  result.set_dim(static_cast<int>(along), extent);
  return result;
}

// A fast path for nearly all concatenations: operands of one element type and
// of static sizes that are equal except along `along`. Returns the sum of the
// sizes along it; nullopt where an operand is different, wrong or not known.
std::optional<int64_t> PlainExtent(const OpInputs& inputs, size_t along) {
  const Shape& first = *inputs.operands[0];
  const absl::Span<const Dim> sizes = first.dims();
  if (along >= sizes.size()) return std::nullopt;
  int64_t extent = 0;
  for (const Shape* operand : inputs.operands) {
    const absl::Span<const Dim> dims = operand->dims();
    if (dims.size() != sizes.size() ||
        operand->element_type() != first.element_type()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!dims[i].is_static() || (i != along && dims[i] != sizes[i])) {
        return std::nullopt;
      }
    }
    if (__builtin_add_overflow(extent, dims[along].size(), &extent) ||
        extent == Dim::kInfinity) {
      return std::nullopt;
    }
  }
  return extent;
}

// Operand dim `i` and result dim `to`, where it goes, must have one size.
bool ExpectMappedSize(InferContext* context, const Shape& operand, int i,
                      const Shape& result, int to) {
  const Dim from = operand.dim(i), place = result.dim(to);
  // XLA's builder refuses 4 for <=4 here; for a graph both are equal.
  const bool same_kind =
      !context->is_builder() || from.is_bounded() == place.is_bounded();
  if (same_kind && CompatibleDims(from, place)) {
    if (from.is_symbolic() || place.is_symbolic()) {
      context->Require({Condition::Kind::kEqual, from, place});
    }
    return true;
  }
  return context->Diagnose(Code::kBroadcastMapSize, 0, i)
      .Arg(int64_t{to})
      .Arg(place);
}

// Replaces the only `?` of a recorded result by the size that the other sizes
// and the number of elements leave. The `?` stays where some size is neither
// static nor symbolic, or where static sizes don't divide (XLA accepts any
// count for a `?`).
bool FillInMissingSize(InferContext* context, const Shape& operand,
                       Shape* result) {
  int missing = -1;
  DimVector others;
  for (int i = 0; i < result->rank(); ++i) {
    const Dim dim = result->dim(i);
    if (dim.is_unknown() && missing < 0) {
      missing = i;
    } else if (dim.is_exact()) {
      others.push_back(dim);
    } else {
      return true;
    }
  }
  const bool counted = std::all_of(operand.dims().begin(), operand.dims().end(),
                                   [](Dim dim) { return dim.is_exact(); });
  if (missing < 0 || !counted) return true;
  InferContext asked(context->policy());
  const std::optional<Dim> size =
      InferMissingSize(&asked, operand, others, *result);
  if (!size && operand.is_static() && !result->is_symbolic()) return true;
  for (const Condition& condition : asked.conditions()) {
    context->Require(condition);
  }
  for (Diagnostic& d : *asked.mutable_diagnostics()) {
    context->mutable_diagnostics()->push_back(std::move(d));
  }
  if (!size) return false;
  result->set_dim(missing, *size);
  return true;
}

}  // namespace

// --- Transpose --------------------------------------------------------------

std::optional<Shape> InferTranspose(InferContext*, const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const DimIndices& dimensions =
      inputs.attributes_as<DimensionsAttributes>().dimensions;
  Shape result = Shape::Scalar(operand.element_type());
  for (int64_t i : dimensions) {
    result.add_dim(operand.has_rank() ? operand.dim(static_cast<int>(i))
                                      : Dim::Unknown());
  }
  return result;
}

// --- Slice, pad, concatenate ------------------------------------------------

// Unknown dims become static. A bounded dim stays bounded, with the slice's
// size as its bound, but a slice of size 1 is static. Source: XLA.

std::optional<Shape> InferSlice(InferContext* context, const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const SliceAttributes& slice = inputs.attributes_as<SliceAttributes>();
  Shape result = Shape::Scalar(operand.element_type());
  bool ok = true;
  for (size_t i = 0; i < slice.starts.size(); ++i) {
    const int dim = static_cast<int>(i);
    const Dim size = operand.has_rank() ? operand.dim(dim) : Dim::Unknown();
    const bool whole = absl::c_linear_search(slice.whole, dim);
    const int64_t start = slice.starts[i];
    const int64_t limit = !whole ? slice.limits[i]
                          : size.is_static() || size.is_bounded() ? size.size()
                                                                  : start;
    const int64_t stride = slice.strides.empty() ? 1 : slice.strides[i];
    if (stride <= 0) {
      ok = context->Diagnose(Code::kSliceStride, 0, dim).Arg(stride);
      continue;
    }
    if (start < 0 || limit < start || limit > size.upper()) {
      ok = context->Diagnose(Code::kSliceBounds, 0, dim).Arg(start).Arg(limit);
      continue;
    }
    if (operand.has_rank())
      AddAtLeastCondition(context, inputs, {0, dim}, limit);
    if (whole && !size.is_static() && !size.is_bounded()) {
      result.add_dim(SliceToEnd(size, start, stride).value_or(Dim::Unknown()));
      continue;
    }
    // limit >= start >= 0, so neither step can overflow.
    const int64_t length = *CheckedCeilDivide(limit - start, stride);
    result.add_dim(size.is_bounded() && length != 1 ? Dim::Bounded(length)
                                                    : Dim::Static(length));
  }
  if (!ok) return std::nullopt;
  return result;
}

std::optional<Shape> InferPad(InferContext* context, const OpInputs& inputs) {
  const std::optional<ElementType> type = HigherType(context, inputs, 0, 1);
  if (!type) return std::nullopt;

  const Shape& operand = *inputs.operands[0];
  const std::vector<PaddingDim>& padding =
      inputs.attributes_as<PadAttributes>().padding;
  Shape result = Shape::Scalar(*type);
  bool ok = true;
  for (size_t i = 0; i < padding.size(); ++i) {
    const int dim = static_cast<int>(i);
    const Dim size = operand.has_rank() ? operand.dim(dim) : Dim::Unknown();
    const std::optional<Dim> padded =
        PadDim(context, inputs, dim, size, padding[i]);
    ok = ok && padded.has_value();
    if (padded) result.add_dim(*padded);
  }
  if (!ok) return std::nullopt;
  return result;
}

std::optional<Shape> InferConcatenate(InferContext* context,
                                      const OpInputs& inputs) {
  const int64_t along =
      inputs.attributes_as<DimensionsAttributes>().dimensions[0];
  if (const auto extent = PlainExtent(inputs, static_cast<size_t>(along))) {
    std::optional<Shape> result(*inputs.operands[0]);
    result->clear_layout();
    result->set_dim(static_cast<int>(along), Dim::Static(*extent));
    return result;
  }
  // As in XLA, the last and the first operand decide: f16, f32, f16 gives f16.
  const int last = static_cast<int>(inputs.operands.size()) - 1;
  const std::optional<ElementType> type = HigherType(context, inputs, last, 0);
  if (!type) return std::nullopt;
  int first = 0;  // the first ranked operand
  while (first <= last && !inputs.operands[first]->has_rank()) ++first;
  if (first > last) return Shape::Unranked(*type);
  // Every operand must match the first one too, whatever lies between: [?],
  // [3], [5].
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    if (!inputs.operands[i]->has_rank()) continue;
    for (int dim = 0; dim < inputs.operands[i]->rank(); ++dim) {
      if (dim != along && !ExpectEqualSizes(context, inputs, {first, dim},
                                            {static_cast<int>(i), dim})) {
        return std::nullopt;
      }
    }
  }
  return ConcatenateDims(context, inputs, first, along, *type);
}

// --- Iota, broadcast, reshape: the result is given --------------------------

std::optional<Shape> InferIota(InferContext* context, const OpInputs& inputs) {
  const Shape* declared = inputs.declared;
  const int64_t dimension =
      inputs.attributes_as<DimensionsAttributes>().dimensions[0];
  if (declared->is_unranked()) return declared->WithoutLayout();

  const bool in_range = dimension >= 0 && dimension < declared->rank();
  if (context->is_builder()) {
    for (int i = 0; i < declared->rank(); ++i) {
      if (declared->dim(i).is_exact()) continue;
      return context->Diagnose(Code::kIotaDynamic, -1, i).Arg(declared->dim(i));
    }
    if (!in_range) {
      context->Diagnose(Code::kIotaDimensionOdd)
          .Arg(dimension)
          .Arg(int64_t{declared->rank()});
    }
    return declared->WithoutLayout();
  }
  if (!in_range) {
    return context->Diagnose(Code::kIotaDimension)
        .Arg(dimension)
        .Arg(int64_t{declared->rank()});
  }
  if (!Accepts(TypeMask::kNumber, declared->element_type())) {
    return context->Diagnose(Code::kIotaType);
  }
  return declared->WithoutLayout();
}

// dimensions[i] is the result dim of operand dim i. No size stretches;
// stretching takes a reshape first. XLA's builder wants the map strictly
// increasing; XLA's verifier accepts any order, and even a repeated dim.
std::optional<Shape> InferBroadcast(InferContext* context,
                                    const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const Shape* declared = inputs.declared;
  const DimIndices& map =
      inputs.attributes_as<DimensionsAttributes>().dimensions;
  bool ok = true;
  for (size_t i = 0; i < map.size(); ++i) {
    const int dim = static_cast<int>(i);
    if (map[i] < 0 || (declared->has_rank() && map[i] >= declared->rank())) {
      ok = context->Diagnose(Code::kBroadcastMapRange, 0, dim)
               .Arg(map[i])
               .Arg(int64_t{declared->rank()});
      continue;
    }
    if (context->is_builder() && i > 0 && map[i] <= map[i - 1]) {
      ok = context->Diagnose(Code::kBroadcastMapIncreasing, 0, dim)
               .Arg(map[i])
               .Arg(map[i - 1]);
    } else if (std::find(map.begin(), map.begin() + i, map[i]) !=
               map.begin() + i) {
      context->Diagnose(Code::kBroadcastMapRepeats, 0, dim).Arg(map[i]);
    }
    if (operand.has_rank() && declared->has_rank()) {
      ok = ExpectMappedSize(context, operand, dim, *declared,
                            static_cast<int>(map[i])) &&
           ok;
    }
  }
  if (!ok) return std::nullopt;
  Shape result = WithElementType(*declared, operand.element_type());
  if (!result.has_rank() || !operand.has_rank()) return result;
  // Nothing stretches, so a recorded unknown dim has the operand's size.
  for (size_t i = 0; i < map.size(); ++i) {
    const int to = static_cast<int>(map[i]);
    if (result.dim(to).is_unknown()) {
      result.set_dim(to, operand.dim(static_cast<int>(i)));
    }
  }
  return result;
}

std::optional<Shape> InferReshape(InferContext* context,
                                  const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const Shape* declared = inputs.declared;
  Shape result = WithElementType(*declared, operand.element_type());
  if (operand.is_unranked() || declared->is_unranked()) return result;
  if (context->is_builder()) {
    const DimIndices& inferred =
        inputs.attributes_as<DimensionsAttributes>().dimensions;
    return InferReshapeTo(context, operand, declared->dims(),
                          inferred.empty() ? -1 : inferred[0]);
  }
  if (!FillInMissingSize(context, operand, &result)) return std::nullopt;
  return result;
}

}  // namespace indim
