// The operations of ComputationBuilder that make other arrays of arrays: types
// and shapes, contraction and reduction, slices by value, sorting, windows,
// linear algebra, random numbers.

#ifndef INDIM_BUILDER_ARRAY_OPS_H_
#define INDIM_BUILDER_ARRAY_OPS_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/elementwise_ops.h"
#include "indim/builder/op.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// A part of ComputationBuilder (computation_builder.h), whose comment tells
// what holds for every call.
class ArrayOps : public ElementwiseOps {
  // Sizes as Dims: a Span, a DimVector, a vector of them.
  template <typename Dims>
  using IfDims = std::enable_if_t<
      std::is_convertible_v<const Dims&, absl::Span<const Dim>>>;

 public:
  // --- Types and shapes ------------------------------------------------------

  // The same values as another type. Complex to real takes the real part first,
  // as XLA's builder does.
  Op ConvertElementType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  // The same bits as another type: f32[4] is u8[4,4] and back. Errors: IND0116,
  // IND0117, IND0118. Source: XLA, InferBitcastConvertShape.
  Op BitcastConvertType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  // Floats, rounded up or down by chance: `random` has unsigned integers of the
  // same width and dims. Errors: IND0115, IND0119.
  Op StochasticConvertType(Op operand, Op random, ElementType new_type,
                           Caller caller = Caller::Here());
  // New dims in front: f32[3] with {2} is f32[2,3]. Errors: a negative size
  // (IND0200), an unknown dim (IND0214). Source: XLA, Broadcast.
  Op Broadcast(Op operand, absl::Span<const int64_t> broadcast_sizes,
               Caller caller = Caller::Here());
  // The same with sizes that may have names: {n, Dim::Static(2)}, where n is
  // that of an array, b.shape(x)->dim(0), or *Dim::Parse("n"). One that is
  // neither static nor named: IND0207.
  Op Broadcast(Op operand, std::initializer_list<Dim> broadcast_sizes,
               Caller caller = Caller::Here()) {
    return BroadcastToDims(operand, broadcast_sizes, caller);
  }
  template <typename Dims, typename = IfDims<Dims>>
  Op Broadcast(Op operand, const Dims& broadcast_sizes,
               Caller caller = Caller::Here()) {
    return BroadcastToDims(operand, broadcast_sizes, caller);
  }
  // Operand dim i becomes result dim broadcast_dimensions[i] (strictly
  // increasing); a dim of size 1 stretches, which takes a broadcast, a reshape
  // and a broadcast, as in XLA's builder. Errors: IND0200, IND0215..IND0220.
  Op BroadcastInDim(Op operand, absl::Span<const int64_t> out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here());
  // The same with sizes that may have names; else IND0207.
  Op BroadcastInDim(Op operand, std::initializer_list<Dim> out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here()) {
    return BroadcastInDims(operand, out_dim_sizes, broadcast_dimensions,
                           caller);
  }
  template <typename Dims, typename = IfDims<Dims>>
  Op BroadcastInDim(Op operand, const Dims& out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here()) {
    return BroadcastInDims(operand, out_dim_sizes, broadcast_dimensions,
                           caller);
  }
  // The same elements, row-major, as other dims. A bounded dim that is split
  // leaves the most-major of its parts bounded that isn't 1. Errors: IND0200,
  // IND0206, IND0208..IND0211.
  // Source: XLA, InferReshapeShape.
  Op Reshape(Op operand, absl::Span<const int64_t> new_sizes,
             Caller caller = Caller::Here());
  // The same with sizes that may have names. Where the operand's or these have,
  // one may be Dim::Unknown(): what the others leave. Else IND0207.
  Op Reshape(Op operand, std::initializer_list<Dim> new_sizes,
             Caller caller = Caller::Here()) {
    return ReshapeToDims(operand, new_sizes, caller);
  }
  template <typename Dims, typename = IfDims<Dims>>
  Op Reshape(Op operand, const Dims& new_sizes,
             Caller caller = Caller::Here()) {
    return ReshapeToDims(operand, new_sizes, caller);
  }
  // The same elements as dims of at most new_size_bounds, whose sizes, where
  // dims_are_dynamic, are the values dim_sizes, a scalar s32 per dim. Errors:
  // IND0200, IND0206, IND0212, IND0213, IND0232. Source: XLA,
  // InferDynamicReshapeShape.
  Op DynamicReshape(Op operand, absl::Span<const Op> dim_sizes,
                    absl::Span<const int64_t> new_size_bounds,
                    const std::vector<bool>& dims_are_dynamic,
                    Caller caller = Caller::Here());
  // The same bytes as another shape: what a compiler has proved. IND0604.
  // Source: XLA, XlaBuilderFriend::BuildBitcast.
  Op Bitcast(Op operand, const ShapeArg& shape, Caller caller = Caller::Here());
  // Result dim i is operand dim permutation[i], which names each of the
  // operand's dims once (IND0205). Source: XLA, InferTransposeShape.
  Op Transpose(Op operand, absl::Span<const int64_t> permutation,
               Caller caller = Caller::Here());
  // Back to front along `dimensions`, each a dim (IND0111), none twice
  // (IND0112). Source: XLA, InferReverseShape.
  Op Rev(Op operand, absl::Span<const int64_t> dimensions,
         Caller caller = Caller::Here());
  // From start to limit (exclusive) by stride, one of each per dim; no strides:
  // all 1. 0 <= start <= limit <= size, stride >= 1. A limit of kToEnd is the
  // dim's size, or its bound; of a dim that is neither static nor bounded it is
  // recorded as that, for refinement to write the number. Errors:
  // IND0222..IND0224. Source: XLA, InferSliceShape.
  static constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();
  Op Slice(Op operand, absl::Span<const int64_t> start_indices,
           absl::Span<const int64_t> limit_indices,
           absl::Span<const int64_t> strides, Caller caller = Caller::Here());
  // One dim, the others whole, whatever their sizes turn out to be; the rank is
  // known (IND0612). Errors as Slice, and IND0111.
  Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index,
                int64_t stride, int64_t dimno, Caller caller = Caller::Here());
  // One after the other along `dimension`, a dim of each (IND0111); the other
  // dims are equal (IND0203, IND0204). Source: XLA, InferConcatOpShape.
  Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
                 Caller caller = Caller::Here());
  // padding_value (a scalar) around and between the elements; low and high may
  // be negative, as long as they leave a size of 0 or more. One entry per dim.
  // Errors: IND0225..IND0227. Source: XLA, InferPadShape.
  Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDim> padding,
         Caller caller = Caller::Here());

  // --- Contraction and reduction ---------------------------------------------

  // Matrix and vector products: lhs's dim 1 (dim 0 of a vector) with rhs's dim
  // 0, of equal size (IND0203). Element types may differ; the result has the
  // more general one, or preferred_element_type. Source: XLA, Dot.
  Op Dot(Op lhs, Op rhs, std::optional<ElementType> preferred_element_type = {},
         Caller caller = Caller::Here());
  Op Dot(Op lhs, Op rhs, const PrecisionConfig& precision_config,
         std::optional<ElementType> preferred_element_type = {},
         Caller caller = Caller::Here());
  // Any batch and contracting dims; the result's dims are the batch dims, lhs's
  // free ones, rhs's free ones. The precision is in dimension_numbers too. Dims
  // that are paired are of equal size (IND0203), as many of lhs as of rhs
  // (IND0300). Errors also: IND0111, IND0112. Source: XLA, InferDotOpShape.
  Op DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                std::optional<ElementType> preferred_element_type = {},
                Caller caller = Caller::Here());
  // The same of numbers in blocks: a block of lhs is multiplied with an element
  // of lhs_scale, which has lhs's rank (IND0204) and divides its dims. Errors:
  // those of DotGeneral, IND0305..IND0307. Source: XLA, XlaBuilder::ScaledDot.
  Op ScaledDot(Op lhs, Op rhs, Op lhs_scale, Op rhs_scale,
               const DotAttributes& dimension_numbers,
               std::optional<ElementType> preferred_element_type = {},
               Caller caller = Caller::Here());
  // The same in groups, whose sizes along lhs's ragged dim are values. Errors:
  // those of DotGeneral, IND0301..IND0304. Source: XLA, InferRaggedDotOpShape.
  Op RaggedDot(Op lhs, Op rhs, Op group_sizes,
               const DotAttributes& dimension_numbers,
               std::optional<ElementType> preferred_element_type = {},
               Caller caller = Caller::Here());
  // `computation` folds two scalars into one; init_value is its start. The dims
  // that are left keep their order. Errors about dims: IND0111, IND0112; about
  // the computation and what goes into it: IND0321..IND0327. Source: XLA,
  // InferReduceShape.
  Op Reduce(Op operand, Op init_value, const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Several arrays of equal dims (IND0203, IND0204) at once, each with an
  // initial value (IND0320); `computation` takes all left, then all right
  // scalars and gives a tuple. The result is a tuple; of one operand, given as
  // a span, an array.
  Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
            const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Over all dims. The operand's rank must be known (IND0612).
  Op ReduceAll(Op operand, Op init_value, const Callee& computation,
               Caller caller = Caller::Here());

  // `computation` of slices of the inputs along a dim, one index after the
  // other, and of the carries, which are `inits` at first: it returns outputs,
  // then new carries. The result is the tuple of the outputs, stacked along the
  // dim, and the last carries. Errors: IND0111, IND0380..IND0385, IND0401.
  // Source: XLA, XlaBuilder::Scan.
  Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits,
          const Callee& computation, int64_t scan_dimension,
          bool is_reverse = false, std::optional<bool> is_associative = {},
          Caller caller = Caller::Here());

  // --- Slices by value, sorting, windows, linear algebra ---------------------
  // Arguments are XLA's, with the lists of one op in its struct of
  // attributes.h.

  // `slice_sizes` elements from a start that is a value: one integral scalar
  // per dim, or one vector of them. Errors: IND0240..IND0242. Source: XLA,
  // InferDynamicSliceShape.
  Op DynamicSlice(Op operand, absl::Span<const Op> start_indices,
                  absl::Span<const int64_t> slice_sizes,
                  Caller caller = Caller::Here());
  // The operand with `update` at such a start. The update is of its type and
  // rank and not larger. Errors: IND0204, IND0240, IND0243. Source: XLA,
  // InferDynamicUpdateSliceShape.
  Op DynamicUpdateSlice(Op operand, Op update,
                        absl::Span<const Op> start_indices,
                        Caller caller = Caller::Here());
  // Slices of `input`, looked up by index vectors. Errors: IND0241, IND0242,
  // IND0250..IND0259. Source: XLA, InferGatherShape.
  Op Gather(Op input, Op start_indices, const GatherAttributes& attributes,
            Caller caller = Caller::Here());
  // `input` with `updates`, which are shaped like a gather's result, folded in
  // by `computation`. Errors: IND0243, IND0250..IND0257, IND0321..IND0327.
  // Source: XLA, InferScatterShape.
  Op Scatter(Op input, Op scatter_indices, Op updates,
             const Callee& computation, const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // Several arrays at once, as many updates (IND0258); the result is a tuple
  // (of one input, an array).
  Op Scatter(absl::Span<const Op> inputs, Op scatter_indices,
             absl::Span<const Op> updates, const Callee& computation,
             const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // Operands of equal dims (IND0203, IND0204), moved alike along `dimension`
  // (-1: the last, whose number must be known, IND0612). `comparator` takes two
  // scalars of each and gives pred[]. The result is a tuple; of one operand, an
  // array. A dimension or comparator that can't be is a warning here (IND0260,
  // IND0261), as XLA's builder takes them, and an error of the verifier.
  // Source: XLA, InferVariadicOpShape, XlaBuilder::Sort.
  Op Sort(absl::Span<const Op> operands, const Callee& comparator,
          int64_t dimension = -1, bool is_stable = false,
          Caller caller = Caller::Here());
  // The k largest (or smallest) of each last row, and their s32 places, as a
  // tuple. Errors: IND0262, IND0263. Source: XLA, InferTopKShape.
  Op TopK(Op operand, int64_t k, bool largest = true,
          Caller caller = Caller::Here());
  // `computation` folds the elements under each place of `window`, which has an
  // entry per dim (IND0350) whose numbers are at least 1 (IND0351) and whose
  // padding leaves something (IND0227). Errors about the computation:
  // IND0321..IND0327. Source: XLA, InferReduceWindowShape.
  Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here());
  // Several arrays of equal dims (IND0203, IND0204) at once, each with an
  // initial value (IND0320), to a tuple (of one, an array).
  Op ReduceWindow(absl::Span<const Op> operands,
                  absl::Span<const Op> init_values, const Callee& computation,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here());
  // The same with the window in lists, an entry per dim (IND0632); none: 1.
  // Padding::kSame needs static dims where the window isn't trivial (IND0634;
  // XLA's builder makes a custom call of those that are bounded).
  Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                  absl::Span<const int64_t> window_dimensions,
                  absl::Span<const int64_t> window_strides, Padding padding,
                  Caller caller = Caller::Here());
  Op ReduceWindow(absl::Span<const Op> operands,
                  absl::Span<const Op> init_values, const Callee& computation,
                  absl::Span<const int64_t> window_dimensions,
                  absl::Span<const int64_t> window_strides, Padding padding,
                  Caller caller = Caller::Here());
  // `padding`: (low, high) of each dim.
  Op ReduceWindowWithGeneralPadding(
      absl::Span<const Op> operands, absl::Span<const Op> init_values,
      const Callee& computation, absl::Span<const int64_t> window_dimensions,
      absl::Span<const int64_t> window_strides,
      absl::Span<const int64_t> base_dilations,
      absl::Span<const int64_t> window_dilations,
      absl::Span<const std::pair<int64_t, int64_t>> padding,
      Caller caller = Caller::Here());
  // Each element of `source`, one for each place of the window (IND0354), goes
  // to the element that `select` chooses there (IND0352, IND0353); `scatter`
  // folds those that meet (IND0321..IND0327). The window as in ReduceWindow.
  // Source: XLA, InferSelectAndScatterShape.
  Op SelectAndScatter(Op operand, const Callee& select,
                      absl::Span<const WindowDim> window, Op source,
                      Op init_value, const Callee& scatter,
                      Caller caller = Caller::Here());
  // The same with the window in lists, as ReduceWindow.
  Op SelectAndScatter(Op operand, const Callee& select,
                      absl::Span<const int64_t> window_dimensions,
                      absl::Span<const int64_t> window_strides, Padding padding,
                      Op source, Op init_value, const Callee& scatter,
                      Caller caller = Caller::Here());
  Op SelectAndScatterWithGeneralPadding(
      Op operand, const Callee& select,
      absl::Span<const int64_t> window_dimensions,
      absl::Span<const int64_t> window_strides,
      absl::Span<const std::pair<int64_t, int64_t>> padding, Op source,
      Op init_value, const Callee& scatter, Caller caller = Caller::Here());

  // Any convolution; the attributes hold window, dims and group counts. The
  // result has the more general type, or preferred_element_type. Errors:
  // IND0351, IND0355..IND0361, IND0649 where the dims are empty. Source: XLA,
  // InferConvolveShape.
  Op ConvGeneral(Op lhs, Op rhs, const ConvolutionAttributes& attributes,
                 std::optional<ElementType> preferred_element_type = {},
                 Caller caller = Caller::Here());
  // The same with the window in lists, an entry per spatial dim (IND0632); an
  // empty list stands for ones. Its sizes are the kernel's, which must be known
  // (IND0612, IND0634). Without `dimension_numbers`: batch, feature, then the
  // spatial dims, and output feature, input feature, then the spatial dims of
  // the kernel. Dilation of lhs and rhs is that of base and window.
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
      const ConvolutionDims& dimension_numbers, int64_t feature_group_count = 1,
      int64_t batch_group_count = 1,
      const PrecisionConfig& precision_config = {},
      std::optional<ElementType> preferred_element_type = {},
      Caller caller = Caller::Here());
  Op ConvGeneral(Op lhs, Op rhs, absl::Span<const int64_t> window_strides,
                 absl::Span<const std::pair<int64_t, int64_t>> padding,
                 const ConvolutionDims& dimension_numbers,
                 int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                 const PrecisionConfig& precision_config = {},
                 std::optional<ElementType> preferred_element_type = {},
                 Caller caller = Caller::Here());
  Op ConvGeneralDilated(Op lhs, Op rhs,
                        absl::Span<const int64_t> window_strides,
                        absl::Span<const std::pair<int64_t, int64_t>> padding,
                        absl::Span<const int64_t> lhs_dilation,
                        absl::Span<const int64_t> rhs_dilation,
                        const ConvolutionDims& dimension_numbers,
                        int64_t feature_group_count = 1,
                        int64_t batch_group_count = 1,
                        const PrecisionConfig& precision_config = {},
                        std::optional<ElementType> preferred_element_type = {},
                        absl::Span<const bool> window_reversal = {},
                        Caller caller = Caller::Here());
  // Over the last dims, one to three (IND0373): `fft_length` are their sizes
  // (IND0120, IND0374). Complex in and out; kRfft from, kIrfft to real. Source:
  // XLA, InferFftShape.
  Op Fft(Op operand, FftType fft_type, absl::Span<const int64_t> fft_length,
         Caller caller = Caller::Here());
  // Of the square matrices in the last two dims (IND0370, IND0371), of floats
  // or complex. Source: XLA, InferCholeskyShape.
  Op Cholesky(Op a, bool lower, Caller caller = Caller::Here());
  // x of a x = b (left_side) or x a = b, floats or complex of one type, in the
  // last two dims (IND0370); a is square (IND0371), b as long on that side and
  // equal in the dims before (IND0203, IND0204). Also IND0372. Source: XLA,
  // InferTriangularSolveShape.
  Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal,
                     TriangularSolveTranspose transpose_a,
                     Caller caller = Caller::Here());
  // Floats; feature_index is a dim of the operand (IND0111), the vectors have
  // an element for each index of it (IND0375). Training: the tuple (normalized,
  // mean, variance). Source: XLA, InferBatchNormTrainingShape and its like.
  Op BatchNormTraining(Op operand, Op scale, Op offset, float epsilon,
                       int64_t feature_index, Caller caller = Caller::Here());
  Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance,
                        float epsilon, int64_t feature_index,
                        Caller caller = Caller::Here());
  // The tuple of the gradients of operand, scale and offset; grad_output has
  // the operand's dims (IND0203, IND0204).
  Op BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var,
                   Op grad_output, float epsilon, int64_t feature_index,
                   Caller caller = Caller::Here());
  // s32[]: the size of a dim (IND0111), which 32 bits hold (IND0244), at run
  // time. Recorded also where the size is static; XLA's builder makes a
  // constant of that.
  Op GetDimensionSize(Op operand, int64_t dimension,
                      Caller caller = Caller::Here());
  // The operand with `size` (s32[], IND0213) as that size; a static dim becomes
  // bounded. Errors also: IND0111, IND0244.
  Op SetDimensionSize(Op operand, Op size, int64_t dimension,
                      Caller caller = Caller::Here());
  // The operand with its bound as the size of a dim, which is static then; the
  // dim has an upper end (IND0634). Source: XLA,
  // XlaBuilder::RemoveDynamicDimension.
  Op RemoveDynamicDimension(Op operand, int64_t dimension,
                            Caller caller = Caller::Here());

  // --- Random numbers --------------------------------------------------------

  // An array of `shape`, evenly from a to b (exclusive), or normal with mean mu
  // and deviation sigma; these are scalars of its type. Errors: IND0411,
  // IND0604. XLA's builder looks at no types here; its verifier does (IND0390).
  Op RngUniform(Op a, Op b, const ShapeArg& shape,
                Caller caller = Caller::Here());
  Op RngNormal(Op mu, Op sigma, const ShapeArg& shape,
               Caller caller = Caller::Here());
  // The tuple (new state, bits): unsigned integers with the dims and the width
  // of `shape`. Errors: IND0411, IND0519, IND0604. Source: XLA,
  // XlaBuilder::RngBitGenerator.
  Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state,
                     const ShapeArg& shape, Caller caller = Caller::Here());
  // u64[2]: the state that all random numbers of the program share, before it
  // is raised by `delta`. Source: XLA, XlaBuilderFriend.
  Op RngGetAndUpdateState(int64_t delta, Caller caller = Caller::Here());

 protected:
  using ElementwiseOps::ElementwiseOps;
  ~ArrayOps() = default;
  ArrayOps(ArrayOps&&) noexcept = default;
  ArrayOps& operator=(ArrayOps&&) noexcept = default;

 private:
  Op BroadcastToDims(Op operand, absl::Span<const Dim> broadcast_sizes,
                     Caller caller);
  Op BroadcastInDims(Op operand, absl::Span<const Dim> out_dim_sizes,
                     absl::Span<const int64_t> broadcast_dimensions,
                     Caller caller);
  Op ReshapeToDims(Op operand, absl::Span<const Dim> new_sizes, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_ARRAY_OPS_H_
