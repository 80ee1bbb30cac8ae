// SPDX-License-Identifier: Apache-2.0
// Operations of ArrayOps on types, dims and positions of elements.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"
#include "indim/shape/infer/builder_forms.h"

namespace indim {
namespace {

using internal::ForItself;
using internal::Indices;
using internal::Recorder;
using internal::RejectText;

Op WithDimensions(Recorder* recorder, Opcode opcode,
                  absl::Span<const Op> operands,
                  absl::Span<const int64_t> dimensions, const Shape* declared,
                  Caller caller) {
  const Attributes attributes = DimensionsAttributes{Indices(dimensions)};
  return recorder->Record({opcode, operands, &attributes, declared}, caller);
}

// Calls `form` with the shape of `operand`. Rejects the call if the shape isn't
// known or `form` returns nullopt.
template <typename Form>
Op RecordForm(Recorder* recorder, Opcode opcode, Op operand, Caller caller,
              Form form) {
  const absl::Span<const Op> operands = absl::MakeConstSpan(&operand, 1);
  const Shape* from = recorder->ShapeOf(operand);
  if (from == nullptr) return recorder->Reject(opcode, operands, {}, caller);
  InferContext context;
  std::optional<Op> result = form(*from, &context);
  if (result) return *result;
  return recorder->Reject(opcode, operands,
                          std::move(*context.mutable_diagnostics()), caller);
}

Op ConvertTo(Recorder* recorder, Opcode opcode, absl::Span<const Op> operands,
             ElementType type, Caller caller) {
  // Only its element type counts.
  const Shape declared = Shape::Scalar(type);
  return recorder->Record({opcode, operands, nullptr, &declared}, caller);
}

// A broadcast in HLO's form: dims of `from` become the `dimensions` of the
// result, sizes unchanged. Where a dim of size 1 stretches, `out` differs from
// that: then a reshape removes the 1s before the broadcast.
Op BroadcastAndStretch(Recorder* recorder, Op operand, const Shape& from,
                       const Shape& out, absl::Span<const int64_t> dimensions,
                       Caller caller) {
  Shape in_dim = out;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int to = static_cast<int>(dimensions[i]);
    const Dim dim = from.dim(static_cast<int>(i));
    if (dim.is_static() || dim.is_bounded()) in_dim.set_dim(to, dim);
  }
  const Op broadcast = WithDimensions(recorder, Opcode::kBroadcast, {operand},
                                      dimensions, &in_dim, caller);
  if (SameStructure(in_dim, out)) return broadcast;

  Shape kept = Shape::Scalar(from.element_type());
  DimIndices kept_dims;
  for (int i = 0; i < out.rank(); ++i) {
    if (in_dim.dim(i) != out.dim(i)) continue;
    kept.add_dim(out.dim(i));
    kept_dims.push_back(i);
  }
  Op reshape;
  {
    const ForItself part(recorder);
    reshape = WithDimensions(recorder, Opcode::kReshape, {broadcast}, {}, &kept,
                             caller);
  }
  return WithDimensions(recorder, Opcode::kBroadcast, {reshape}, kept_dims,
                        &out, caller);
}

// The broadcast of `from` into `dims`; nullopt: *context has an error.
std::optional<Op> BroadcastInto(Recorder* recorder, const Shape& from,
                                InferContext* context, Op operand,
                                absl::Span<const Dim> dims,
                                absl::Span<const int64_t> broadcast_dimensions,
                                Caller caller) {
  const std::optional<Shape> out =
      InferBroadcastInDim(context, from, dims, broadcast_dimensions);
  if (!out) return std::nullopt;
  if (from.is_unranked()) {
    return WithDimensions(recorder, Opcode::kBroadcast, {operand},
                          broadcast_dimensions, &*out, caller);
  }
  // Both broadcasts have the sharding in scope, as in XLA.
  // By value: recording may move the shape that `from` refers to.
  return BroadcastAndStretch(recorder, operand, Shape(from), *out,
                             broadcast_dimensions, caller);
}

// `sizes` as dims, with an unknown one for each -1 if `may_miss`. nullopt: a
// size is negative (IND0200).
std::optional<DimVector> DimsOf(InferContext* context, const SizesArg& sizes,
                                bool may_miss = false) {
  DimVector dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t number = sizes[i].number().value_or(0);
    if (number < 0 && !(may_miss && number == -1)) {
      context->Diagnose(Code::kNegativeSize, -1, static_cast<int>(i))
          .Arg(number)
          .Arg(std::string());
      return std::nullopt;
    }
    dims.push_back(sizes[i].dim());
  }
  return dims;
}

// DimsOf, of sizes that are static or named (else IND0207).
std::optional<DimVector> ExactDims(InferContext* context,
                                   const SizesArg& sizes) {
  std::optional<DimVector> dims = DimsOf(context, sizes);
  if (!dims) return std::nullopt;
  for (size_t i = 0; i < dims->size(); ++i) {
    if ((*dims)[i].is_exact()) continue;
    context->Diagnose(Code::kResultSizeUnknown, -1, static_cast<int>(i))
        .Arg((*dims)[i]);
    return std::nullopt;
  }
  return dims;
}

// Broadcast, of a `from` that was checked.
Op BroadcastInFront(Recorder* recorder, const Shape& from, Op operand,
                    absl::Span<const Dim> sizes, Caller caller) {
  if (from.is_unranked()) {
    return WithDimensions(recorder, Opcode::kBroadcast, {operand}, {}, &from,
                          caller);
  }
  Shape result = Shape::Array(from.element_type(), sizes);
  DimIndices dimensions;
  for (const Dim dim : from.dims()) {
    dimensions.push_back(result.rank());
    result.add_dim(dim);
  }
  return WithDimensions(recorder, Opcode::kBroadcast, {operand}, dimensions,
                        &result, caller);
}

// The dims of a reshape, and the place of the one that was -1 (-1: none).
struct ReshapeTarget {
  DimVector dims;
  int64_t missing = -1;
};
std::optional<ReshapeTarget> TargetOf(InferContext* context, const Shape& from,
                                      const SizesArg& sizes) {
  const absl::Span<const int64_t>* numbers = sizes.numbers();
  if (numbers != nullptr && !absl::c_linear_search(*numbers, -1)) {
    std::optional<DimVector> dims = DimsOfReshape(context, from, *numbers);
    if (!dims) return std::nullopt;
    return ReshapeTarget{*std::move(dims)};
  }
  std::optional<DimVector> dims = DimsOf(context, sizes, /*may_miss=*/true);
  if (!dims) return std::nullopt;
  const auto unknown = absl::c_find(*dims, Dim::Unknown());
  if (unknown == dims->end()) return ReshapeTarget{*std::move(dims)};
  const int64_t missing = unknown - dims->begin();
  if (!FillInMissingDim(context, from, &*dims)) return std::nullopt;
  return ReshapeTarget{*std::move(dims), missing};
}

}  // namespace

Op ArrayOps::ConvertElementType(Op operand, ElementType new_type,
                                Caller caller) {
  const Shape* from = recorder()->ShapeOf(operand);
  if (from != nullptr && IsComplex(from->element_type()) &&
      !IsComplex(new_type)) {
    const ForItself part(recorder());
    operand = builder().Real(operand, caller);
  }
  return ConvertTo(recorder(), Opcode::kConvert, {operand}, new_type, caller);
}

Op ArrayOps::BitcastConvertType(Op operand, ElementType new_type,
                                Caller caller) {
  return ConvertTo(recorder(), Opcode::kBitcastConvert, {operand}, new_type,
                   caller);
}

Op ArrayOps::StochasticConvertType(Op operand, Op random, ElementType new_type,
                                   Caller caller) {
  return ConvertTo(recorder(), Opcode::kStochasticConvert, {operand, random},
                   new_type, caller);
}

Op ArrayOps::Broadcast(Op operand, const SizesArg& broadcast_sizes,
                       Caller caller) {
  return RecordForm(
      recorder(), Opcode::kBroadcast, operand, caller,
      [&](const Shape& from, InferContext* context) -> std::optional<Op> {
        const std::optional<Shape> checked =
            InferBroadcastSizes(context, from, {});
        if (!checked) return std::nullopt;
        const std::optional<DimVector> sizes =
            ExactDims(context, broadcast_sizes);
        if (!sizes) return std::nullopt;
        return BroadcastInFront(recorder(), *checked, operand, *sizes, caller);
      });
}

Op ArrayOps::BroadcastInDim(Op operand, const SizesArg& out_dim_sizes,
                            absl::Span<const int64_t> broadcast_dimensions,
                            Caller caller) {
  return RecordForm(
      recorder(), Opcode::kBroadcast, operand, caller,
      [&](const Shape& from, InferContext* context) -> std::optional<Op> {
        const std::optional<DimVector> dims = ExactDims(context, out_dim_sizes);
        if (!dims) return std::nullopt;
        return BroadcastInto(recorder(), from, context, operand, *dims,
                             broadcast_dimensions, caller);
      });
}

Op ArrayOps::Reshape(Op operand, const SizesArg& new_sizes, Caller caller) {
  const auto form = [&](const Shape& from,
                        InferContext* context) -> std::optional<Op> {
    const std::optional<ReshapeTarget> to = TargetOf(context, from, new_sizes);
    if (!to) return std::nullopt;
    std::optional<Shape> result =
        InferReshapeTo(context, from, to->dims, to->missing);
    if (!result) return std::nullopt;
    return WithDimensions(recorder(), Opcode::kReshape, {operand}, {}, &*result,
                          caller);
  };
  const auto record = [&] {
    return RecordForm(recorder(), Opcode::kReshape, operand, caller, form);
  };
  const absl::Span<const int64_t>* numbers = new_sizes.numbers();
  if (numbers == nullptr || numbers->empty()) return record();
  // The memo knows the sizes as it knows a list of dims.
  const AttributeBytesId sizes = recorder()->BytesOf(
      Opcode::kTranspose, DimensionsAttributes{Indices(*numbers)});
  return recorder()->Repeat({Opcode::kReshape, sizes}, {operand}, caller,
                            record);
}

Op ArrayOps::DynamicReshape(Op operand, absl::Span<const Op> dim_sizes,
                            absl::Span<const int64_t> new_size_bounds,
                            const std::vector<bool>& dims_are_dynamic,
                            Caller caller) {
  std::vector<Op> operands = {operand};
  operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
  std::vector<const Shape*> shapes;
  for (Op op : operands) {
    shapes.push_back(recorder()->ShapeOf(op));
    if (shapes.back() != nullptr) continue;
    return recorder()->Reject(Opcode::kDynamicReshape, operands, {}, caller);
  }
  InferContext context;
  const std::optional<Shape> result = InferDynamicReshapeTo(
      &context, *shapes[0], absl::MakeConstSpan(shapes).subspan(1),
      new_size_bounds, dims_are_dynamic);
  if (!result) {
    return recorder()->Reject(Opcode::kDynamicReshape, operands,
                              std::move(*context.mutable_diagnostics()),
                              caller);
  }
  return recorder()->Record(
      {Opcode::kDynamicReshape, operands, nullptr, &*result}, caller);
}

Op ArrayOps::Bitcast(Op operand, const ShapeArg& shape, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder(), Opcode::kBitcast, {operand}, shape, caller);
  }
  return recorder()->Record(
      {Opcode::kBitcast, {operand}, nullptr, &*shape.shape()}, caller);
}

Op ArrayOps::Transpose(Op operand, const DimsArg& permutation, Caller caller) {
  if (permutation.dims()) {
    return recorder()->RecordAgain(
        {Opcode::kTranspose, {operand}},
        DimensionsAttributes{Indices(*permutation.dims())}, caller);
  }
  return RecordForm(
      recorder(), Opcode::kTranspose, operand, caller,
      [&](const Shape& from, InferContext* context) -> std::optional<Op> {
        if (from.is_unranked()) {
          context->Diagnose(Code::kRankNeeded, 0);
          return std::nullopt;
        }
        DimIndices reversed;
        for (int i = from.rank() - 1; i >= 0; --i) reversed.push_back(i);
        return recorder()->RecordAgain({Opcode::kTranspose, {operand}},
                                       DimensionsAttributes{reversed}, caller);
      });
}

Op ArrayOps::Rev(Op operand, absl::Span<const int64_t> dimensions,
                 Caller caller) {
  return WithDimensions(recorder(), Opcode::kReverse, {operand}, dimensions,
                        nullptr, caller);
}

Op ArrayOps::Shuffle(Op operand, absl::Span<const int64_t> dimensions,
                     absl::Span<const int64_t> shifts, Caller caller) {
  const Attributes attributes =
      ShuffleAttributes{Indices(dimensions), Indices(shifts)};
  return recorder()->Record({Opcode::kShuffle, {operand}, &attributes}, caller);
}

Op ArrayOps::Slice(Op operand, absl::Span<const int64_t> start_indices,
                   absl::Span<const int64_t> limit_indices,
                   absl::Span<const int64_t> strides, Caller caller) {
  SliceAttributes slice;
  slice.starts = Indices(start_indices);
  slice.limits = Indices(limit_indices);
  slice.strides = Indices(strides);
  const Shape* from = recorder()->ShapeOf(operand);
  for (size_t i = 0; i < slice.limits.size(); ++i) {
    if (slice.limits[i] != kWhole) continue;
    const int dim = static_cast<int>(i);
    const Dim size =
        from != nullptr && dim < from->rank() ? from->dim(dim) : Dim::Unknown();
    const bool known = size.is_static() || size.is_bounded();
    slice.limits[i] = known ? size.size() : 0;
    if (!known) slice.whole.push_back(dim);
  }
  const Attributes attributes = std::move(slice);
  return recorder()->Record({Opcode::kSlice, {operand}, &attributes}, caller);
}

Op ArrayOps::SliceInDim(Op operand, int64_t start_index, int64_t limit_index,
                        int64_t stride, int64_t dimno, Caller caller) {
  return RecordForm(
      recorder(), Opcode::kSlice, operand, caller,
      [&](const Shape& from, InferContext* context) -> std::optional<Op> {
        if (!from.has_rank()) {
          context->Diagnose(Code::kRankNeeded, 0);
          return std::nullopt;
        }
        if (dimno < -from.rank() || dimno >= from.rank()) {
          context->Diagnose(Code::kDimIndexRange, 0)
              .Arg(std::string("dimno"))
              .Arg(dimno)
              .Arg(int64_t{from.rank()});
          return std::nullopt;
        }
        if (dimno < 0) dimno += from.rank();
        DimIndices starts, limits, strides;
        for (int i = 0; i < from.rank(); ++i) {
          starts.push_back(i == dimno ? start_index : 0);
          limits.push_back(i == dimno ? limit_index : kWhole);
          strides.push_back(i == dimno ? stride : 1);
        }
        return Slice(operand, starts, limits, strides, caller);
      });
}

Op ArrayOps::ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
                         Caller caller) {
  return WithDimensions(recorder(), Opcode::kConcatenate, operands, {dimension},
                        nullptr, caller);
}

Op ArrayOps::Pad(Op operand, Op padding_value,
                 absl::Span<const PaddingDim> padding, Caller caller) {
  const Attributes attributes =
      PadAttributes{std::vector<PaddingDim>(padding.begin(), padding.end())};
  return recorder()->Record(
      {Opcode::kPad, {operand, padding_value}, &attributes}, caller);
}

}  // namespace indim
