// SPDX-License-Identifier: Apache-2.0
// ArrayOps: the operations of ComputationBuilder that rearrange or combine
// arrays: types and shapes, products, slices by value, convolutions, linear
// algebra, random numbers.

#ifndef INDIM_BUILDER_ARRAY_OPS_H_
#define INDIM_BUILDER_ARRAY_OPS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/builder_part.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
//
// Sizes are numbers, or Dims that may have names: {8, n, 2} (SizesArg).
class ArrayOps : public internal::BuilderPart<ArrayOps> {
 public:
  // --- Types and shapes ------------------------------------------------------

  // Converts the values to another type. Complex to real takes the real part
  // first, as XLA's builder does.
  Op ConvertElementType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  // Reinterprets the bits as another type: f32[4] becomes u8[4,4], and back.
  // Errors: IND0116, IND0117, IND0118. Source: XLA, InferBitcastConvertShape.
  Op BitcastConvertType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  // Converts floats, rounding up or down at random: `random` has unsigned
  // integers of the operand's width and dims. Errors: IND0115, IND0119.
  Op StochasticConvertType(Op operand, Op random, ElementType new_type,
                           Caller caller = Caller::Here());
  // Adds dims in front: f32[3] with {2} becomes f32[2,3]. Errors: a negative
  // size (IND0200), a size that is neither static nor named (IND0207), an
  // unknown dim of the operand (IND0214). Source: XLA, Broadcast.
  Op Broadcast(Op operand, const SizesArg& broadcast_sizes,
               Caller caller = Caller::Here());
  // Operand dim i becomes result dim broadcast_dimensions[i] (strictly
  // increasing). A dim of size 1 stretches; this records a broadcast, a reshape
  // and a broadcast, as XLA's builder does. Errors: IND0200, IND0207,
  // IND0215..IND0220.
  Op BroadcastInDim(Op operand, const SizesArg& out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here());
  // The same elements, in row-major order, with other dims. One size may be -1
  // (or Dim::Unknown()): it becomes what the others leave of the operand's
  // elements, and is bounded if a dim of the operand is (IND0207, the operand
  // has dims that are neither static, bounded nor named; IND0237, a size is 0;
  // IND0238, the others don't divide the elements; IND0239, two are -1).
  // Without a -1, where a bounded dim is split, its most-major part that isn't
  // 1 stays bounded. Errors: IND0200, IND0206, IND0208..IND0211. Source: XLA,
  // InferReshapeShape; NumPy, reshape.
  Op Reshape(Op operand, const SizesArg& new_sizes,
             Caller caller = Caller::Here());
  // The same elements with dims of at most new_size_bounds. Where
  // dims_are_dynamic, dim_sizes gives the size at run time, a scalar s32 per
  // dim. Errors: IND0200, IND0206, IND0212, IND0213, IND0232. Source: XLA,
  // InferDynamicReshapeShape.
  Op DynamicReshape(Op operand, absl::Span<const Op> dim_sizes,
                    absl::Span<const int64_t> new_size_bounds,
                    const std::vector<bool>& dims_are_dynamic,
                    Caller caller = Caller::Here());
  // The same bytes as another shape; a compiler guarantees that they fit.
  // IND0604. Source: XLA, XlaBuilderFriend::BuildBitcast.
  Op Bitcast(Op operand, const ShapeArg& shape, Caller caller = Caller::Here());
  // Result dim i is operand dim permutation[i]. `permutation` names each dim of
  // the operand once (IND0205). None, or {}: all dims, the last one first (the
  // rank must be known, IND0612). Source: XLA, InferTransposeShape; NumPy,
  // transpose.
  Op Transpose(Op operand, const DimsArg& permutation = {},
               Caller caller = Caller::Here());
  // Reverses the elements along `dimensions`. Errors: IND0111, not a dim;
  // IND0112, a dim twice. Source: XLA, InferReverseShape.
  Op Rev(Op operand, absl::Span<const int64_t> dimensions,
         Caller caller = Caller::Here());
  // Rotates the elements of each of `dimensions` by its shift: element i of the
  // result is element i + shift of the operand, round the end. Errors: IND0111,
  // not a dim; IND0112, a dim twice; IND0120, no dim; IND0632, another number
  // of shifts. Source: XLA 0.12, InferShuffleShape; older XLA doesn't know it.
  Op Shuffle(Op operand, absl::Span<const int64_t> dimensions,
             absl::Span<const int64_t> shifts, Caller caller = Caller::Here());
  // The elements from start to limit (exclusive) by stride, one of each per
  // dim; empty strides: all 1. 0 <= start <= limit <= size, stride >= 1. The
  // limit kWhole is the dim's size or bound; for a dim that is neither static
  // nor bounded it is recorded as kWhole, and refinement replaces it by the
  // size. Errors: IND0222..IND0224. Source: XLA, InferSliceShape.
  Op Slice(Op operand, absl::Span<const int64_t> start_indices,
           absl::Span<const int64_t> limit_indices,
           absl::Span<const int64_t> strides = {},
           Caller caller = Caller::Here());
  // NumPy's basic indexing, dim by dim; dims after the last index stay whole.
  // Of f32[8,10,3] it makes
  //   b.Index(x, {0})                      // f32[10,3]
  //   b.Index(x, {0, kAll, Range(1, -1)})  // f32[10,1]
  //   b.Index(x, {-1, Range({}, {}, -2)})  // f32[5,3], the last row, backwards
  //   b.Index(x, {kEllipsis, kNewAxis, 0})  // f32[8,10,1]
  //   b.Index(x, {i, Range(0, 4)})         // f32[4,3] of row i, an s32[]
  // and records a slice, a reverse, a dynamic-slice and a reshape, each if it
  // is needed. An Op counts from the start; one beyond an end means the element
  // at that end, as in DynamicSlice. A number below 0, a Range that counts from
  // the end and a stride below 0 need a static dim (IND0651). Errors: IND0619,
  // no such element; IND0651; IND0652, more indices than dims; IND0660, more
  // than one kEllipsis; IND0612, an unknown rank; IND0223, a stride of 0;
  // IND0207, a dim comes or goes beside one whose size is unknown; of a dim
  // whose size isn't known, those of Slice; and with an Op those of
  // DynamicSlice. Source: NumPy, basic indexing.
  Op Index(Op operand, absl::Span<const IndexArg> indices,
           Caller caller = Caller::Here());
  // Slices dim dimno and keeps the other dims whole, whatever their sizes; the
  // rank must be known (IND0612). Errors as in Slice, and IND0111.
  Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index,
                int64_t stride, int64_t dimno, Caller caller = Caller::Here());
  // Concatenates the operands along `dimension`, a dim of each (IND0111); the
  // other dims are equal (IND0203, IND0204). Source: XLA, InferConcatOpShape.
  Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
                 Caller caller = Caller::Here());
  // Adds padding_value (a scalar) around and between the elements; low and high
  // may be negative if the size stays at least 0. One entry per dim. Errors:
  // IND0225..IND0227. Source: XLA, InferPadShape.
  Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDim> padding,
         Caller caller = Caller::Here());

  // --- Products --------------------------------------------------------------

  // Matrix and vector products: contracts lhs's dim 1 (dim 0 of a vector) with
  // rhs's dim 0, of equal size (IND0203). Element types may differ; the result
  // has the more general one, or preferred_element_type. Source: XLA, Dot.
  Op Dot(Op lhs, Op rhs, std::optional<ElementType> preferred_element_type = {},
         Caller caller = Caller::Here());
  Op Dot(Op lhs, Op rhs, const PrecisionConfig& precision_config,
         std::optional<ElementType> preferred_element_type = {},
         Caller caller = Caller::Here());
  // Any batch and contracting dims; the result has the batch dims, lhs's free
  // dims, then rhs's. dimension_numbers also has the precision. Paired dims
  // have equal sizes (IND0203); lhs and rhs have equally many (IND0300). Errors
  // also: IND0111, IND0112. Source: XLA, InferDotOpShape.
  Op DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                std::optional<ElementType> preferred_element_type = {},
                Caller caller = Caller::Here());
  // A DotGeneral of block-scaled numbers: each block of lhs is multiplied by an
  // element of lhs_scale, which has lhs's rank (IND0204) and divides its dims.
  // Errors: those of DotGeneral, IND0305..IND0307. Source: XLA,
  // XlaBuilder::ScaledDot.
  Op ScaledDot(Op lhs, Op rhs, Op lhs_scale, Op rhs_scale,
               const DotAttributes& dimension_numbers,
               std::optional<ElementType> preferred_element_type = {},
               Caller caller = Caller::Here());
  // A DotGeneral in groups; group_sizes gives their sizes along lhs's ragged
  // dim at run time. Errors: those of DotGeneral, IND0301..IND0304. Source:
  // XLA, InferRaggedDotOpShape.
  Op RaggedDot(Op lhs, Op rhs, Op group_sizes,
               const DotAttributes& dimension_numbers,
               std::optional<ElementType> preferred_element_type = {},
               Caller caller = Caller::Here());
  // --- Slices by value, convolutions, linear algebra -------------------------
  // Calls have XLA's arguments; a struct of attributes.h holds the lists of an
  // op.

  // slice_sizes elements from a start that is known at run time: one integer
  // scalar per dim, or one vector of them. A start may be a number, of the type
  // of the first start that is an Op, or s32 (IND0636). The size kWhole is the
  // dim's size or bound. HLO has numbers here: a dim that is kept whole is
  // static or bounded (IND0646), and so is a Dim (IND0207). Errors also:
  // IND0240..IND0242. Source: XLA, InferDynamicSliceShape.
  Op DynamicSlice(Op operand, const StartsArg& start_indices,
                  const SizesArg& slice_sizes, Caller caller = Caller::Here());
  // The operand, with `update` written at a start as in DynamicSlice. `update`
  // has the operand's type and rank and is not larger. Errors: IND0204,
  // IND0240, IND0243. Source: XLA, InferDynamicUpdateSliceShape.
  Op DynamicUpdateSlice(Op operand, Op update, const StartsArg& start_indices,
                        Caller caller = Caller::Here());
  // Collects slices of `input` at the index vectors in start_indices. Errors:
  // IND0241, IND0242, IND0250..IND0259. Source: XLA, InferGatherShape.
  Op Gather(Op input, Op start_indices, const GatherAttributes& attributes,
            Caller caller = Caller::Here());
  // The tuple of the k largest (or smallest) elements along the last dim, and
  // their s32 indices. Errors: IND0262, IND0263. Source: XLA, InferTopKShape.
  Op TopK(Op operand, int64_t k, bool largest = true,
          Caller caller = Caller::Here());
  // Any convolution; `attributes` holds the window, dims and group counts. The
  // result has the more general type, or preferred_element_type. Errors:
  // IND0351, IND0355..IND0361; IND0649 where the dims are empty. Source: XLA,
  // InferConvolveShape.
  Op ConvGeneral(Op lhs, Op rhs, const ConvolutionAttributes& attributes,
                 std::optional<ElementType> preferred_element_type = {},
                 Caller caller = Caller::Here());
  // The window as lists with an entry per spatial dim (IND0632); an empty list:
  // all 1. The kernel's sizes are the window's; they must be known (IND0612,
  // IND0634). Without dimension_numbers lhs has batch, feature, then the
  // spatial dims, and rhs output feature, input feature, then the spatial dims.
  // lhs_dilation is the base dilation, rhs_dilation the window dilation.
  // Padding::kSame needs static spatial dims (IND0634). Source: XLA,
  // XlaBuilder::ConvGeneralDilated.
  Op Conv(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
          Padding padding, int64_t feature_group_count = 1,
          int64_t batch_group_count = 1,
          const PrecisionConfig& precision_config = {},
          std::optional<ElementType> preferred_element_type = {},
          Caller caller = Caller::Here());
  Op ConvWithGeneralPadding(
      Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
      absl::Span<const std::pair<int64_t, int64_t>> padding,
      int64_t feature_group_count = 1, int64_t batch_group_count = 1,
      const PrecisionConfig& precision_config = {},
      std::optional<ElementType> preferred_element_type = {},
      Caller caller = Caller::Here());
  Op ConvWithGeneralDimensions(
      Op lhs, Op rhs, absl::Span<const int64_t> window_strides, Padding padding,
      const ConvolutionDimsArg& dimension_numbers,
      int64_t feature_group_count = 1, int64_t batch_group_count = 1,
      const PrecisionConfig& precision_config = {},
      std::optional<ElementType> preferred_element_type = {},
      Caller caller = Caller::Here());
  Op ConvGeneral(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                 absl::Span<const std::pair<int64_t, int64_t>> padding,
                 const ConvolutionDimsArg& dimension_numbers,
                 int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                 const PrecisionConfig& precision_config = {},
                 std::optional<ElementType> preferred_element_type = {},
                 Caller caller = Caller::Here());
  Op ConvGeneralDilated(Op lhs, Op rhs,
                        absl::Span<const int64_t> window_strides,
                        absl::Span<const std::pair<int64_t, int64_t>> padding,
                        absl::Span<const int64_t> lhs_dilation,
                        absl::Span<const int64_t> rhs_dilation,
                        const ConvolutionDimsArg& dimension_numbers,
                        int64_t feature_group_count = 1,
                        int64_t batch_group_count = 1,
                        const PrecisionConfig& precision_config = {},
                        std::optional<ElementType> preferred_element_type = {},
                        absl::Span<const bool> window_reversal = {},
                        Caller caller = Caller::Here());
  // A Fourier transform of the last dims, one to three (IND0373), whose sizes
  // are fft_length (IND0120, IND0374). Operand and result are complex; kRfft
  // takes and kIrfft gives a real array. Source: XLA, InferFftShape.
  Op Fft(Op operand, FftType fft_type, absl::Span<const int64_t> fft_length,
         Caller caller = Caller::Here());
  // Decomposes the square matrices in the last two dims (IND0370, IND0371), of
  // floats or complex. Source: XLA, InferCholeskyShape.
  Op Cholesky(Op a, bool lower, Caller caller = Caller::Here());
  // x with a x = b (left_side) or x a = b, for matrices in the last two dims
  // (IND0370), floats or complex of one type. a is square (IND0371); b has its
  // size on that side, and equal dims before (IND0203, IND0204). Also IND0372.
  // Source: XLA, InferTriangularSolveShape.
  Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal,
                     TriangularSolveTranspose transpose_a,
                     Caller caller = Caller::Here());
  // Batch normalization of floats. feature_index is a dim of the operand
  // (IND0111); the vectors have an element for each index of it (IND0375).
  // Training gives the tuple (normalized, mean, variance). Source: XLA,
  // InferBatchNormTrainingShape, InferBatchNormInferenceShape,
  // InferBatchNormGradShape.
  Op BatchNormTraining(Op operand, Op scale, Op offset, float epsilon,
                       int64_t feature_index, Caller caller = Caller::Here());
  Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance,
                        float epsilon, int64_t feature_index,
                        Caller caller = Caller::Here());
  // The tuple of the gradients of operand, scale and offset. grad_output has
  // the operand's dims (IND0203, IND0204).
  Op BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var,
                   Op grad_output, float epsilon, int64_t feature_index,
                   Caller caller = Caller::Here());
  // s32[]: the size of a dim (IND0111) at run time, which must fit 32 bits
  // (IND0244). A static size is recorded so too; XLA's builder makes it a
  // constant.
  Op GetDimensionSize(Op operand, int64_t dimension,
                      Caller caller = Caller::Here());
  // The operand, with `size` (s32[], IND0213) as the size of a dim; a static
  // dim becomes bounded. Errors also: IND0111, IND0244.
  Op SetDimensionSize(Op operand, Op size, int64_t dimension,
                      Caller caller = Caller::Here());
  // The operand, with a dim's bound as its static size; the dim must have an
  // upper end (IND0634). Source: XLA, XlaBuilder::RemoveDynamicDimension.
  Op RemoveDynamicDimension(Op operand, int64_t dimension,
                            Caller caller = Caller::Here());

  // --- Random numbers --------------------------------------------------------

  // An array of `shape` with numbers uniform in [a, b), or normal with mean mu
  // and deviation sigma; both are scalars of its type. Errors: IND0411,
  // IND0604. XLA's builder doesn't check the types here; its verifier does
  // (IND0390).
  Op RngUniform(Op a, Op b, const ShapeArg& shape,
                Caller caller = Caller::Here());
  Op RngNormal(Op mu, Op sigma, const ShapeArg& shape,
               Caller caller = Caller::Here());
  // The tuple (new state, bits): the bits are unsigned integers with the dims
  // and the width of `shape`. Errors: IND0411, IND0519, IND0604. Source: XLA,
  // XlaBuilder::RngBitGenerator.
  Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state,
                     const ShapeArg& shape, Caller caller = Caller::Here());
  // u64[2]: the state that all random numbers of the program share, before this
  // op adds `delta` to it. Source: XLA, XlaBuilderFriend.
  Op RngGetAndUpdateState(int64_t delta, Caller caller = Caller::Here());

 private:
  friend class ComputationBuilder;
  ArrayOps() = default;
};

}  // namespace indim

#endif  // INDIM_BUILDER_ARRAY_OPS_H_
