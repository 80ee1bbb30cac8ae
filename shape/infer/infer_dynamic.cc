// SPDX-License-Identifier: Apache-2.0
// Shape functions of operations with offsets or sizes as operands: dynamic
// slices and set-dimension-size.

#include <cstdint>
#include <optional>

#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// The operands from `first` on must be the start indices of `rank` dims (-1:
// unknown): a scalar for each, all of one type; or, in the old form, one
// vector. Source: XLA, InferDynamicSliceShape.
bool ExpectStartIndices(InferContext* context, const OpInputs& inputs,
                        int first, int rank) {
  const int count = static_cast<int>(inputs.operands.size()) - first;
  if (count == 1 && inputs.operands[first]->rank() == 1) {
    const Dim length = inputs.operands[first]->dim(0);
    if (rank < 0) return true;
    if (length.is_symbolic() && context->Require({Condition::Kind::kEqual,
                                                  length, Dim::Static(rank)})) {
      return true;
    }
    if (!length.is_unknown() && length.size() == rank) return true;
    return context->Diagnose(Code::kStartIndexCount, 0)
        .Arg(length)
        .Arg(int64_t{rank});
  }
  if (rank >= 0 && count != rank) {
    return context->Diagnose(Code::kStartIndexCount, 0)
        .Arg(int64_t{count})
        .Arg(int64_t{rank});
  }
  for (int i = first; i < first + count; ++i) {
    if (!ExpectScalar(context, inputs, i)) return false;
    if (inputs.operands[i]->element_type() !=
        inputs.operands[first]->element_type()) {
      return context->Diagnose(Code::kOperandTypesDiffer, i).Other(first);
    }
  }
  return true;
}

// A dynamic slice has static size `slice`. Only a slice that takes all of a
// bounded dim, of more than one element, stays bounded.
Dim SlicedDim(Dim size, int64_t slice) {
  const bool whole = size.is_bounded() && size.size() == slice && slice > 1;
  return whole ? size : Dim::Static(slice);
}

// Whether an update of `size` fits into a dim of `whole`. XLA's builder accepts
// only an unknown update for an unknown whole.
bool UpdateFits(const InferContext& context, Dim whole, Dim size) {
  if (whole.is_unknown()) return size.is_unknown() || !context.is_builder();
  return SizeFits(whole, size);
}

// `array` after the update: a static dim that a bounded update of its size
// covers becomes bounded.
std::optional<Shape> UpdatedShape(InferContext* context, const Shape& array,
                                  const Shape& update) {
  Shape result = array.WithoutLayout();
  if (!array.has_rank() || !update.has_rank()) return result;
  if (array.rank() != update.rank()) {
    return context->Diagnose(Code::kOperandRanksDiffer, 1).Other(0);
  }
  bool ok = true;
  for (int i = 0; i < array.rank(); ++i) {
    const Dim whole = array.dim(i), size = update.dim(i);
    if (!UpdateFits(*context, whole, size)) {
      ok =
          context->Diagnose(Code::kUpdateTooLarge, 1, i).Other(0, i).Arg(whole);
    } else if (whole.is_symbolic() || size.is_symbolic()) {
      context->Require({Condition::Kind::kAtMost, size, whole});
    } else if (whole.is_static() && size.is_bounded() &&
               size.size() == whole.size()) {
      result.set_dim(i, size);
    }
  }
  if (!ok) return std::nullopt;
  return result;
}

}  // namespace

std::optional<Shape> InferDynamicSlice(InferContext* context,
                                       const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const DimIndices& sizes =
      inputs.attributes_as<DynamicSliceAttributes>().slice_sizes;
  const int rank =
      operand.has_rank() ? operand.rank() : static_cast<int>(sizes.size());
  if (!ExpectStartIndices(context, inputs, 1, rank)) return std::nullopt;
  if (Number(sizes.size()) != rank) {
    return context->Diagnose(Code::kSliceSizesCount, 0)
        .Arg(Number(sizes.size()))
        .Arg(int64_t{rank});
  }
  Shape result = Shape::Scalar(operand.element_type());
  bool ok = true;
  for (int i = 0; i < rank; ++i) {
    const Dim size = operand.has_rank() ? operand.dim(i) : Dim::Unknown();
    if (sizes[i] < 0 || sizes[i] > size.upper()) {
      ok = context->Diagnose(Code::kSliceSizeRange, 0, i).Arg(sizes[i]);
      continue;
    }
    if (operand.has_rank())
      AddAtLeastCondition(context, inputs, {0, i}, sizes[i]);
    result.add_dim(SlicedDim(size, sizes[i]));
  }
  if (!ok) return std::nullopt;
  return result;
}

// Operand 0 may be a buffer; then the result is one.
std::optional<Shape> InferDynamicUpdateSlice(InferContext* context,
                                             const OpInputs& inputs) {
  const Shape& operand = *inputs.operands[0];
  const Shape& array = operand.is_buffer() ? operand.elements()[0] : operand;
  const Shape& update = *inputs.operands[1];
  const int rank = array.has_rank()    ? array.rank()
                   : update.has_rank() ? update.rank()
                                       : -1;
  if (!ExpectStartIndices(context, inputs, 2, rank)) return std::nullopt;
  if (!SameTypeIgnoringFloatPrecision(array.element_type(),
                                      update.element_type())) {
    return context->Diagnose(Code::kOperandTypesDiffer, 1).Other(0);
  }
  const std::optional<Shape> result = UpdatedShape(context, array, update);
  if (!result || !operand.is_buffer()) return result;
  return Shape::Buffer(*result);
}

// A static dim becomes bounded by its size, a symbolic one an interval from 0
// to its upper end; a dynamic dim stays. A recorded result may be static all
// the same: then the op removes the dynamism.
std::optional<Shape> InferSetDimensionSize(InferContext*,
                                           const OpInputs& inputs) {
  Shape result = inputs.operands[0]->WithoutLayout();
  if (!result.has_rank()) return result;
  const int dim = static_cast<int>(
      inputs.attributes_as<DimensionsAttributes>().dimensions[0]);
  if (result.dim(dim).is_static()) {
    result.set_dim(dim, Dim::Bounded(result.dim(dim).size()));
  } else if (result.dim(dim).is_symbolic()) {
    result.set_dim(dim, Dim::Hull(0, result.dim(dim).upper()));
  }
  return result;
}

}  // namespace indim
