// SPDX-License-Identifier: Apache-2.0
// Operations of ArrayOps with more attributes than a list of dims: slices by
// value, linear algebra, batch normalization, sizes, random numbers.
// Each packs its attributes; the shape functions check them.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/builder/record_util.h"
#include "indim/shape/infer/builder_forms.h"

namespace indim {
namespace {

using internal::Indices;
using internal::Recorder;
using internal::RejectText;
using internal::With;

Op Random(Recorder* recorder, RandomDistribution distribution,
          absl::Span<const Op> operands, const ShapeArg& shape, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectText(recorder, Opcode::kRng, operands, shape, caller);
  }
  const Attributes attributes = RngAttributes{distribution};
  return recorder->Record(
      {Opcode::kRng, operands, &attributes, &*shape.shape()}, caller);
}

// The sizes of a dynamic slice of `from` (null: poisoned) as HLO's numbers.
// nullopt: HLO can't say one (IND0646, IND0207).
std::optional<DimIndices> SliceSizes(InferContext* context, const Shape* from,
                                     const SizesArg& sizes) {
  DimIndices numbers;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int dim = static_cast<int>(i);
    const std::optional<int64_t> number = sizes[i].number();
    const bool whole = number == kWhole;
    Dim size = sizes[i].dim();
    if (number && !whole) {
      numbers.push_back(*number);
      continue;
    }
    // The shape function reports more sizes than dims.
    if (whole && (from == nullptr || dim >= from->rank()))
      size = Dim();
    else if (whole)
      size = from->dim(dim);
    if (size.is_static() || size.is_bounded()) {
      numbers.push_back(size.size());
      continue;
    }
    if (from != nullptr && dim < from->rank() && size == from->dim(dim)) {
      context->Diagnose(Code::kSizeUnsayable, 0, dim)
          .Arg(std::string("the sizes of a dynamic slice"));
    } else {
      context->Diagnose(Code::kResultSizeUnknown, -1, dim).Arg(size);
    }
    return std::nullopt;
  }
  return numbers;
}

}  // namespace

// --- Slices by value --------------------------------------------------------

Op ArrayOps::DynamicSlice(Op operand, const StartsArg& start_indices,
                          const SizesArg& slice_sizes, Caller caller) {
  std::vector<Op> all = {operand};
  Op failed;
  if (!internal::AddStarts(recorder(), Opcode::kDynamicSlice, start_indices,
                           caller, &all, &failed)) {
    return failed;
  }
  InferContext context;
  std::optional<DimIndices> sizes =
      SliceSizes(&context, recorder()->ShapeOf(operand), slice_sizes);
  if (!sizes) {
    return recorder()->Reject(Opcode::kDynamicSlice, all,
                              std::move(*context.mutable_diagnostics()),
                              caller);
  }
  return With(recorder(), Opcode::kDynamicSlice, all,
              DynamicSliceAttributes{*std::move(sizes)}, caller);
}

Op ArrayOps::DynamicUpdateSlice(Op operand, Op update,
                                const StartsArg& start_indices, Caller caller) {
  std::vector<Op> all = {operand, update};
  Op failed;
  if (!internal::AddStarts(recorder(), Opcode::kDynamicUpdateSlice,
                           start_indices, caller, &all, &failed)) {
    return failed;
  }
  return With(recorder(), Opcode::kDynamicUpdateSlice, all, NoAttributes{},
              caller);
}

Op ArrayOps::Gather(Op input, Op start_indices,
                    const GatherAttributes& attributes, Caller caller) {
  return With(recorder(), Opcode::kGather, {input, start_indices}, attributes,
              caller);
}

Op ArrayOps::TopK(Op operand, int64_t k, bool largest, Caller caller) {
  TopKAttributes attributes;
  attributes.k = k;
  attributes.largest = largest;
  return With(recorder(), Opcode::kTopK, {operand}, attributes, caller);
}

// --- Linear algebra ---------------------------------------------------------

Op ArrayOps::Fft(Op operand, FftType fft_type,
                 absl::Span<const int64_t> fft_length, Caller caller) {
  return With(recorder(), Opcode::kFft, {operand},
              FftAttributes{fft_type, Indices(fft_length)}, caller);
}

Op ArrayOps::Cholesky(Op a, bool lower, Caller caller) {
  return With(recorder(), Opcode::kCholesky, {a}, CholeskyAttributes{lower},
              caller);
}

Op ArrayOps::TriangularSolve(Op a, Op b, bool left_side, bool lower,
                             bool unit_diagonal,
                             TriangularSolveTranspose transpose_a,
                             Caller caller) {
  return With(
      recorder(), Opcode::kTriangularSolve, {a, b},
      TriangularSolveAttributes{left_side, lower, unit_diagonal, transpose_a},
      caller);
}

// --- Batch normalization ----------------------------------------------------

Op ArrayOps::BatchNormTraining(Op operand, Op scale, Op offset, float epsilon,
                               int64_t feature_index, Caller caller) {
  return With(recorder(), Opcode::kBatchNormTraining, {operand, scale, offset},
              BatchNormAttributes{epsilon, feature_index}, caller);
}

Op ArrayOps::BatchNormInference(Op operand, Op scale, Op offset, Op mean,
                                Op variance, float epsilon,
                                int64_t feature_index, Caller caller) {
  return With(recorder(), Opcode::kBatchNormInference,
              {operand, scale, offset, mean, variance},
              BatchNormAttributes{epsilon, feature_index}, caller);
}

Op ArrayOps::BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var,
                           Op grad_output, float epsilon, int64_t feature_index,
                           Caller caller) {
  return With(recorder(), Opcode::kBatchNormGrad,
              {operand, scale, batch_mean, batch_var, grad_output},
              BatchNormAttributes{epsilon, feature_index}, caller);
}

// --- Sizes at run time ------------------------------------------------------

Op ArrayOps::GetDimensionSize(Op operand, int64_t dimension, Caller caller) {
  return With(recorder(), Opcode::kGetDimensionSize, {operand},
              DimensionsAttributes{{dimension}}, caller);
}

Op ArrayOps::SetDimensionSize(Op operand, Op size, int64_t dimension,
                              Caller caller) {
  return With(recorder(), Opcode::kSetDimensionSize, {operand, size},
              DimensionsAttributes{{dimension}}, caller);
}

Op ArrayOps::RemoveDynamicDimension(Op operand, int64_t dimension,
                                    Caller caller) {
  const absl::Span<const Op> one = absl::MakeConstSpan(&operand, 1);
  const Shape* shape = recorder()->ShapeOf(operand);
  InferContext context;
  std::optional<Literal> size;
  if (shape != nullptr && shape->has_rank() && dimension >= -shape->rank() &&
      dimension < shape->rank()) {
    if (dimension < 0) dimension += shape->rank();
    const Dim dim = shape->dim(static_cast<int>(dimension));
    absl::StatusOr<Literal> value = absl::OutOfRangeError("");
    if (dim.has_upper()) {
      value = Literal::FromDoubles(ElementType::kS32,
                                   {static_cast<double>(dim.upper())}, {});
    }
    if (value.ok()) {
      size = *std::move(value);
    } else {
      context.Diagnose(Code::kPaddingSize, 0, static_cast<int>(dimension));
    }
  } else if (shape != nullptr && shape->is_array() && shape->is_unranked()) {
    context.Diagnose(Code::kRankNeeded, 0);
  } else if (shape != nullptr && shape->is_array()) {
    context.Diagnose(Code::kDimIndexRange, 0)
        .Arg(std::string("dimension"))
        .Arg(dimension)
        .Arg(int64_t{shape->rank()});
  } else if (shape != nullptr) {
    context.Diagnose(Code::kOperandNotArray, 0);
  }
  if (!size) {
    return recorder()->Reject(Opcode::kSetDimensionSize, one,
                              std::move(*context.mutable_diagnostics()),
                              caller);
  }
  Shape result = shape->WithoutLayout();
  const int at = static_cast<int>(dimension);
  result.set_dim(at, Dim::Static(result.dim(at).upper()));
  const Op constant = OwnConstant(recorder(), *size, caller);
  const Attributes attributes = DimensionsAttributes{{dimension}};
  return recorder()->Record(
      {Opcode::kSetDimensionSize, {operand, constant}, &attributes, &result},
      caller);
}

// --- Random numbers ---------------------------------------------------------

Op ArrayOps::RngUniform(Op a, Op b, const ShapeArg& shape, Caller caller) {
  return Random(recorder(), RandomDistribution::kUniform, {a, b}, shape,
                caller);
}

Op ArrayOps::RngNormal(Op mu, Op sigma, const ShapeArg& shape, Caller caller) {
  return Random(recorder(), RandomDistribution::kNormal, {mu, sigma}, shape,
                caller);
}

Op ArrayOps::RngBitGenerator(RandomAlgorithm algorithm, Op initial_state,
                             const ShapeArg& shape, Caller caller) {
  const absl::Span<const Op> operands = absl::MakeConstSpan(&initial_state, 1);
  if (!shape.shape().ok()) {
    return RejectText(recorder(), Opcode::kRngBitGenerator, operands, shape,
                      caller);
  }
  const Shape* state = recorder()->ShapeOf(initial_state);
  InferContext context;
  std::optional<Shape> result;
  if (state != nullptr) {
    result = InferRandomBits(&context, *state, *shape.shape());
  }
  if (!result) {
    return recorder()->Reject(Opcode::kRngBitGenerator, operands,
                              std::move(*context.mutable_diagnostics()),
                              caller);
  }
  const Attributes attributes = RngBitGeneratorAttributes{algorithm};
  return recorder()->Record(
      {Opcode::kRngBitGenerator, operands, &attributes, &*result}, caller);
}

Op ArrayOps::RngGetAndUpdateState(int64_t delta, Caller caller) {
  return With(recorder(), Opcode::kRngGetAndUpdateState, {},
              RngGetAndUpdateStateAttributes{delta}, caller);
}

}  // namespace indim
