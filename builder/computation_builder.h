// ComputationBuilder: records a computation, op by op.
//
//   indim::ComputationBuilder b("affine");
//   indim::Op x = b.Parameter(0, "f32[8,784]", "x");
//   indim::Op w = b.Parameter(1, "f32[784,10]", "w");
//   indim::Op bias = b.Parameter(2, "f32[10]", "bias");
//   indim::Op y = b.Add(b.Dot(x, w), bias, {1});      // broadcast_dimensions
//   absl::StatusOr<indim::Module> module = b.Build(y);
//
// Names and order of arguments are those of XLA's builder. Every call infers
// its result's shape at once, and remembers the file and line of its caller (no
// macro: a default argument); they appear in messages and as OpMetadata.
//
// Nothing throws, nothing aborts. A call that can't be right records a
// diagnostic and returns a poisoned Op; ops that use a poisoned Op stay silent
// and are poisoned too; Build() reports the first error of every chain. So is
// every misuse an error: a default Op (IND0600), an Op of a builder that is
// gone (IND0601) or of another one (IND0602), a call after Build() (IND0603).
// These four, and IND0100..IND0113 about operands in general, are not repeated
// below.
//
// What is recorded is what was written: an Add keeps its broadcast_dimensions,
// a Select its scalar. ExpandBroadcasts (passes/) makes them explicit for XLA.
//
// A builder belongs to one thread at a time, together with its sub-builders;
// other builders are independent of it.

#ifndef INDIM_BUILDER_COMPUTATION_BUILDER_H_
#define INDIM_BUILDER_COMPUTATION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/ir/literal.h"
#include "indim/ir/module.h"
#include "indim/shape/attributes.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/shape.h"

namespace indim {

// A shape, as a text ("f32[8,784]", see ParseShape) or as a Shape. A text that
// is no shape makes the call that got it an error (IND0604).
class ShapeArg {
 public:
  ShapeArg(const char* text);         // NOLINT
  ShapeArg(const std::string& text);  // NOLINT
  ShapeArg(absl::string_view text);   // NOLINT
  ShapeArg(Shape shape);              // NOLINT
  const absl::StatusOr<Shape>& shape() const { return shape_; }

 private:
  absl::StatusOr<Shape> shape_;
};

// How operands of a binary op are matched: broadcast_dimensions as a list, or a
// BroadcastRule, or a whole BroadcastSpec. Nothing: XLA's rule without
// dimensions.
class BroadcastArg {
 public:
  BroadcastArg() = default;
  BroadcastArg(std::initializer_list<int64_t> dimensions);      // NOLINT
  BroadcastArg(absl::Span<const int64_t> dimensions);           // NOLINT
  BroadcastArg(const std::vector<int64_t>& dimensions);         // NOLINT
  BroadcastArg(const DimIndices& dimensions);                   // NOLINT
  BroadcastArg(BroadcastRule rule);                             // NOLINT
  BroadcastArg(BroadcastSpec spec) : spec_(std::move(spec)) {}  // NOLINT
  const BroadcastSpec& spec() const { return spec_; }

 private:
  BroadcastSpec spec_;
};

class ComputationBuilder {
 public:
  // `name` is the computation's and the module's; "computation" where it is
  // empty or no UTF-8.
  explicit ComputationBuilder(absl::string_view name);
  ~ComputationBuilder();
  // A moved-to builder keeps its Ops; the moved-from one is as if destroyed:
  // its calls do nothing and return default Ops, its Build() is an error.
  ComputationBuilder(ComputationBuilder&&) noexcept;
  ComputationBuilder& operator=(ComputationBuilder&&) noexcept;

  // A builder for a computation that this one will call. They share their pools
  // and finished computations, so calling what BuildCallee() makes copies
  // nothing. It belongs to this builder's thread, and may outlive this builder.
  ComputationBuilder SubBuilder(absl::string_view name);

  // --- Results ---------------------------------------------------------------

  // The module whose entry is this computation with `root` as its root, and
  // whatever it calls. The builder can't be used afterwards, whether this
  // succeeds or not. Errors (InvalidArgument, rendered, the first 10, with the
  // count of the rest): any recorded diagnostic, parameters that aren't
  // numbered 0..n-1 (IND0607), nothing recorded (IND0608), a root that isn't
  // this builder's, an earlier Build() (IND0603). Names that are used twice get
  // a number appended.
  absl::StatusOr<Module> Build(Op root, Caller caller = Caller::Here());
  // The same; the root is the last op recorded.
  absl::StatusOr<Module> Build(Caller caller = Caller::Here());

  // For a computation that only others will call: checks what Build() checks,
  // but makes no module. Within one family of sub-builders this is the way that
  // never copies: a computation is shared, however often and however deep it is
  // called. Errors are the callee's, and so of the op that calls it.
  Callee BuildCallee(Op root, Caller caller = Caller::Here());
  Callee BuildCallee(Caller caller = Caller::Here());

  // OK, or the first error so far (InvalidArgument), rendered, with the count
  // of the rest.
  absl::Status status() const;
  // Everything so far, warnings too, rendered like a compiler's output.
  std::string Errors() const;

  // The inferred shape. InvalidArgument: the op is poisoned (the message is the
  // error that did it), not this builder's, or the computation was built.
  absl::StatusOr<Shape> shape(Op op) const;

  // Empty for a moved-from builder.
  absl::string_view name() const;

  // --- What is added to ops --------------------------------------------------

  // Whether callers' files and lines of ops recorded from now on are written
  // out as OpMetadata. On. Messages name the line of a wrong call either way.
  void set_record_locations(bool on);
  // op_name in the OpMetadata of ops recorded from now on; "" for none. Not
  // UTF-8: IND0609.
  void set_op_name(absl::string_view op_name, Caller caller = Caller::Here());
  // Sharding (bytes of an OpSharding) of ops recorded from now on; nullopt:
  // none. sharding.h makes such bytes, and has a scope for them.
  void set_sharding(std::optional<std::string> op_sharding);
  // Adds a frontend attribute to an op; an earlier value of the key goes. Not
  // UTF-8: IND0609.
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value,
                            Caller caller = Caller::Here());
  // Names an op; the default, and "", is "add.17", made when it is written. Not
  // UTF-8: IND0609.
  void SetName(Op op, absl::string_view name, Caller caller = Caller::Here());

  // --- Parameters and constants ----------------------------------------------

  // Parameter `number` (0 first, each once, in any order). An empty name: "p0",
  // ... Any shape; a layout is kept. Errors: IND0604, a number below 0
  // (IND0120), or used before (IND0606).
  Op Parameter(int64_t number, const ShapeArg& shape,
               absl::string_view name = "", Caller caller = Caller::Here());

  // Any literal; a default one is an error (IND0104).
  Op ConstantLiteral(const Literal& literal, Caller caller = Caller::Here());
  // A scalar of any element type; the value as in Literal::FromDoubles, whose
  // errors are IND0610 (an integer that doesn't fit).
  Op ConstantR0(ElementType type, double value, Caller caller = Caller::Here());
  // Vectors and matrices of f32 and s32 from lists; for the rest see
  // Literal::Array with ConstantLiteral. Rows of unequal length: IND0610.
  Op ConstantR1(std::initializer_list<float> values,
                Caller caller = Caller::Here());
  Op ConstantR1(std::initializer_list<int32_t> values,
                Caller caller = Caller::Here());
  Op ConstantR2(std::initializer_list<std::initializer_list<float>> values,
                Caller caller = Caller::Here());
  Op ConstantR2(std::initializer_list<std::initializer_list<int32_t>> values,
                Caller caller = Caller::Here());
  // `value` everywhere: a scalar constant and, unless the shape is a scalar, a
  // broadcast. Errors: IND0604, IND0610, and those of a broadcast's shape.
  Op Splat(double value, const ShapeArg& shape, Caller caller = Caller::Here());
  // 0, 1, 2, ... along one dim of a static array (else IND0228), the same for
  // all other dims. A dim that isn't the shape's is a warning here (IND0230),
  // as XLA's builder takes it, and an error of the verifier. Also IND0604.
  // Source: XLA, Iota.
  Op Iota(const ShapeArg& shape, int64_t iota_dimension,
          Caller caller = Caller::Here());

  // --- Elementwise, two operands ---------------------------------------------
  // Both arrays of one element type, or of two float types: then the result has
  // the more general one. Ranks must be equal, or one operand a scalar, or
  // broadcast_dimensions given: broadcast_dimensions[i] is the dim of the
  // operand of higher rank that dim i of the other one is matched with. Then
  // dims of size 1 stretch. The rules, and others than XLA's, are in
  // shape/broadcast.h. Errors: IND0001..IND0032 about broadcasting, IND0102 and
  // IND0103 about types. Source: XLA, InferBinaryOpShape.

  // Any element type; of pred: or, or, and.
  Op Add(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Max(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Min(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Any element type; of pred: and.
  Op Mul(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // The high half of the product of integers.
  Op Mulhi(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here());
  // Anything but pred.
  Op Sub(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Div(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Rem(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Pow(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Floats and complex.
  Op Atan2(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here());
  // Pred and integers.
  Op And(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Or(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Xor(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  // Integers; XLA takes anything but pred.
  Op ShiftLeft(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
               Caller caller = Caller::Here());
  Op ShiftRightArithmetic(Op lhs, Op rhs,
                          const BroadcastArg& broadcast_dimensions = {},
                          Caller caller = Caller::Here());
  Op ShiftRightLogical(Op lhs, Op rhs,
                       const BroadcastArg& broadcast_dimensions = {},
                       Caller caller = Caller::Here());
  // Real and imaginary part, both f32 or both f64.
  Op Complex(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
             Caller caller = Caller::Here());
  // Comparisons: the result is pred. Compare with the type of lhs.
  Op Eq(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Ne(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Ge(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Gt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Le(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  Op Lt(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here());
  // Any direction and type; kDefault is chosen by lhs: float (also complex),
  // signed or unsigned (also pred). A type that doesn't go with the elements:
  // IND0114.
  Op Compare(Op lhs, Op rhs, ComparisonDirection direction,
             const BroadcastArg& broadcast_dimensions = {},
             ComparisonType type = ComparisonType::kDefault,
             Caller caller = Caller::Here());

  // --- Elementwise, one operand ----------------------------------------------
  // An array of the class said (IND0102), of any dims, which the result has
  // too. Source: XLA, InferUnaryOpShape.

  // Signed integers, floats, complex; Abs of complex is real.
  Op Abs(Op operand, Caller caller = Caller::Here());
  Op Sign(Op operand, Caller caller = Caller::Here());
  // Integers, floats, complex.
  Op Neg(Op operand, Caller caller = Caller::Here());
  // Floats and complex.
  Op Acos(Op operand, Caller caller = Caller::Here());
  Op Acosh(Op operand, Caller caller = Caller::Here());
  Op Asin(Op operand, Caller caller = Caller::Here());
  Op Asinh(Op operand, Caller caller = Caller::Here());
  Op Atanh(Op operand, Caller caller = Caller::Here());
  Op Cos(Op operand, Caller caller = Caller::Here());
  Op Cosh(Op operand, Caller caller = Caller::Here());
  Op Exp(Op operand, Caller caller = Caller::Here());
  Op Expm1(Op operand, Caller caller = Caller::Here());
  Op Log(Op operand, Caller caller = Caller::Here());
  Op Log1p(Op operand, Caller caller = Caller::Here());
  Op Logistic(Op operand, Caller caller = Caller::Here());
  Op Rsqrt(Op operand, Caller caller = Caller::Here());
  Op Sin(Op operand, Caller caller = Caller::Here());
  Op Sinh(Op operand, Caller caller = Caller::Here());
  Op Sqrt(Op operand, Caller caller = Caller::Here());
  Op Tan(Op operand, Caller caller = Caller::Here());
  Op Tanh(Op operand, Caller caller = Caller::Here());
  // Floats and complex; the component, of a float the float.
  Op Real(Op operand, Caller caller = Caller::Here());
  Op Imag(Op operand, Caller caller = Caller::Here());
  // Floats. Round: halves away from zero.
  Op Cbrt(Op operand, Caller caller = Caller::Here());
  Op Ceil(Op operand, Caller caller = Caller::Here());
  Op Erf(Op operand, Caller caller = Caller::Here());
  Op Floor(Op operand, Caller caller = Caller::Here());
  Op Round(Op operand, Caller caller = Caller::Here());
  Op RoundNearestEven(Op operand, Caller caller = Caller::Here());
  // Floats; the result is pred.
  Op IsFinite(Op operand, Caller caller = Caller::Here());
  // Pred and integers, bit by bit.
  Op Not(Op operand, Caller caller = Caller::Here());
  // Integers.
  Op Clz(Op operand, Caller caller = Caller::Here());
  Op PopulationCount(Op operand, Caller caller = Caller::Here());
  // Anything, tuples and tokens too.
  Op Copy(Op operand, Caller caller = Caller::Here());
  // Floats, rounded to these many bits and back. IND0120: exponent_bits < 1 or
  // mantissa_bits < 0.
  Op ReducePrecision(Op operand, int exponent_bits, int mantissa_bits,
                     Caller caller = Caller::Here());

  // --- Elementwise, three and more -------------------------------------------

  // pred of the dims of the others, or pred[]; on_true and on_false of equal
  // dims and types (floats may mix). A scalar goes with anything. Errors:
  // IND0103, IND0115, IND0119. Source: XLA, InferSelectShape, TernaryOp.
  Op Select(Op pred, Op on_true, Op on_false, Caller caller = Caller::Here());
  // The result is the operand's shape; min and max have it too, or are scalars.
  // Errors: IND0103, IND0115. Source: XLA, InferClampShape, TernaryOp.
  Op Clamp(Op min, Op operand, Op max, Caller caller = Caller::Here());
  // `computation`, of scalars, on each position of the operands, which have
  // equal dims; `dimensions` are all of them, 0..rank-1. Errors: IND0115,
  // IND0121, IND0401..IND0403. Source: XLA, InferMapShape.
  Op Map(absl::Span<const Op> operands, const Callee& computation,
         absl::Span<const int64_t> dimensions, Caller caller = Caller::Here());

  // --- Types and shapes
  // --------------------------------------------------------

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
  // Operand dim i becomes result dim broadcast_dimensions[i] (strictly
  // increasing); a dim of size 1 stretches, which takes a broadcast, a reshape
  // and a broadcast, as in XLA's builder. Errors: IND0200, IND0215..IND0220.
  Op BroadcastInDim(Op operand, absl::Span<const int64_t> out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here());
  // The same elements, row-major, as other dims. Bounded dims find their place
  // where there is only one. Errors: IND0200, IND0206, IND0208..IND0211.
  // Source: XLA, InferReshapeShape.
  Op Reshape(Op operand, absl::Span<const int64_t> new_sizes,
             Caller caller = Caller::Here());
  // Result dim i is operand dim permutation[i]. Errors: no permutation of the
  // operand's dims. Source: XLA, InferTransposeShape.
  Op Transpose(Op operand, absl::Span<const int64_t> permutation,
               Caller caller = Caller::Here());
  // Back to front along `dimensions`. Errors: IND0111, IND0112.
  Op Rev(Op operand, absl::Span<const int64_t> dimensions,
         Caller caller = Caller::Here());
  // From start to limit (exclusive) by stride, one of each per dim; no strides:
  // all 1. 0 <= start <= limit <= size, stride >= 1. Source: XLA,
  // InferSliceShape.
  Op Slice(Op operand, absl::Span<const int64_t> start_indices,
           absl::Span<const int64_t> limit_indices,
           absl::Span<const int64_t> strides, Caller caller = Caller::Here());
  // One dim, the others whole: their sizes must have an upper end (IND0611),
  // and the rank be known (IND0612). Errors as Slice, and IND0111.
  Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index,
                int64_t stride, int64_t dimno, Caller caller = Caller::Here());
  // One after the other along `dimension`; the other dims are equal. Source:
  // XLA, InferConcatOpShape.
  Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
                 Caller caller = Caller::Here());
  // padding_value (a scalar) around and between the elements; low and high may
  // be negative. One entry per dim. Source: XLA, InferPadShape.
  Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDim> padding,
         Caller caller = Caller::Here());

  // --- Contraction and reduction
  // ----------------------------------------------

  // Matrix and vector products: lhs's dim 1 (dim 0 of a vector) with rhs's dim
  // 0, of equal size. Element types may differ; the result has the more general
  // one, or preferred_element_type. Source: XLA, Dot.
  Op Dot(Op lhs, Op rhs, std::optional<ElementType> preferred_element_type = {},
         Caller caller = Caller::Here());
  // Any batch and contracting dims; the result's dims are the batch dims, lhs's
  // free ones, rhs's free ones. Source: XLA, InferDotOpShape.
  Op DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                std::optional<ElementType> preferred_element_type = {},
                Caller caller = Caller::Here());
  // `computation` folds two scalars into one; init_value is its start. The dims
  // that are left keep their order. Errors about dims: IND0111, IND0112.
  // Source: XLA, InferReduceShape.
  Op Reduce(Op operand, Op init_value, const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Several arrays of equal dims at once; `computation` takes all left, then
  // all right scalars and gives a tuple. The result is a tuple; of one operand,
  // given as a span, an array.
  Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
            const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Over all dims. The operand's rank must be known (IND0612).
  Op ReduceAll(Op operand, Op init_value, const Callee& computation,
               Caller caller = Caller::Here());

  // --- Slices by value, sorting, windows, linear algebra
  // ----------------------- Implemented in structured.cc. Arguments are XLA's,
  // with the lists of one op in its struct of attributes.h.

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
  // by `computation`. Source: XLA, InferScatterShape.
  Op Scatter(Op input, Op scatter_indices, Op updates,
             const Callee& computation, const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // Several arrays at once, as many updates; the result is a tuple (of one
  // input, an array).
  Op Scatter(absl::Span<const Op> inputs, Op scatter_indices,
             absl::Span<const Op> updates, const Callee& computation,
             const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // Operands of equal dims, moved alike along `dimension` (-1: the last, whose
  // number must be known, IND0612). `comparator` takes two scalars of each and
  // gives pred[]. The result is a tuple; of one operand, an array. Source: XLA,
  // InferVariadicOpShape, XlaBuilder::Sort.
  Op Sort(absl::Span<const Op> operands, const Callee& comparator,
          int64_t dimension = -1, bool is_stable = false,
          Caller caller = Caller::Here());
  // The k largest (or smallest) of each last row, and their s32 places, as a
  // tuple. Errors: IND0263. Source: XLA, InferTopKShape.
  Op TopK(Op operand, int64_t k, bool largest = true,
          Caller caller = Caller::Here());
  // `computation` folds the elements under each place of `window`, which has an
  // entry per dim (IND0350). Source: XLA, InferReduceWindowShape.
  Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here());
  // Each element of `source` goes to the element that `select` chooses in its
  // window; `scatter` folds those that meet. Source: XLA,
  // InferSelectAndScatterShape.
  Op SelectAndScatter(Op operand, const Callee& select,
                      absl::Span<const WindowDim> window, Op source,
                      Op init_value, const Callee& scatter,
                      Caller caller = Caller::Here());
  // Any convolution; the attributes hold window, dims and group counts. The
  // result has the more general type, or preferred_element_type. Source: XLA,
  // InferConvolveShape.
  Op ConvGeneral(Op lhs, Op rhs, const ConvolutionAttributes& attributes,
                 std::optional<ElementType> preferred_element_type = {},
                 Caller caller = Caller::Here());
  // Over the last dims, one to three: `fft_length` are their sizes. Complex in
  // and out; kRfft from, kIrfft to real. Source: XLA, InferFftShape.
  Op Fft(Op operand, FftType fft_type, absl::Span<const int64_t> fft_length,
         Caller caller = Caller::Here());
  // Of the square matrices in the last two dims. Source: XLA,
  // InferCholeskyShape.
  Op Cholesky(Op a, bool lower, Caller caller = Caller::Here());
  // x of a x = b (left_side) or x a = b. Source: XLA,
  // InferTriangularSolveShape.
  Op TriangularSolve(Op a, Op b, bool left_side, bool lower, bool unit_diagonal,
                     TriangularSolveTranspose transpose_a,
                     Caller caller = Caller::Here());
  // Floats; feature_index is a dim of the operand (IND0111), the vectors have
  // an element for each index of it. Training: the tuple (normalized, mean,
  // variance). Source: XLA, InferBatchNormTrainingShape and its like.
  Op BatchNormTraining(Op operand, Op scale, Op offset, float epsilon,
                       int64_t feature_index, Caller caller = Caller::Here());
  Op BatchNormInference(Op operand, Op scale, Op offset, Op mean, Op variance,
                        float epsilon, int64_t feature_index,
                        Caller caller = Caller::Here());
  // The tuple of the gradients of operand, scale and offset.
  Op BatchNormGrad(Op operand, Op scale, Op batch_mean, Op batch_var,
                   Op grad_output, float epsilon, int64_t feature_index,
                   Caller caller = Caller::Here());
  // s32[]: the size of a dim (IND0111) at run time. Recorded also where the
  // size is static; XLA's builder makes a constant of that.
  Op GetDimensionSize(Op operand, int64_t dimension,
                      Caller caller = Caller::Here());
  // The operand with `size` (s32[]) as that size; a static dim becomes bounded.
  Op SetDimensionSize(Op operand, Op size, int64_t dimension,
                      Caller caller = Caller::Here());

  // --- Random numbers, collectives
  // ---------------------------------------------

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
  // The operand, folded over the devices of each group by `computation`.
  // `attributes` say who takes part. Source: XLA, InferAllReduceShape.
  Op AllReduce(Op operand, const Callee& computation,
               const CollectiveAttributes& attributes = {},
               Caller caller = Caller::Here());
  // The shard_count operands of a group, one after the other along a dim
  // (IND0111). 0: as many as attributes.replica_groups say, else IND0104.
  // Source: XLA, InferAllGatherShape.
  Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
               CollectiveAttributes attributes = {},
               Caller caller = Caller::Here());
  // The folded operand, of which each device keeps one of shard_count parts; a
  // dim that they don't divide is IND0510. Source: XLA,
  // InferReduceScatterShape.
  Op ReduceScatter(Op operand, const Callee& computation,
                   int64_t scatter_dimension, int64_t shard_count,
                   CollectiveAttributes attributes = {},
                   Caller caller = Caller::Here());
  // Each target gets its source's operand, others zeros. Source: XLA,
  // InferCollectivePermuteShape.
  Op CollectivePermute(Op operand,
                       const CollectivePermuteAttributes& attributes,
                       Caller caller = Caller::Here());

  // --- Calls, control flow, tuples
  // --------------------------------------------

  // Operands go with the computation's parameters; the result is its result.
  // Errors: IND0401, IND0402. Source: XLA, InferCallShape.
  Op Call(const Callee& computation, absl::Span<const Op> operands,
          Caller caller = Caller::Here());
  // While `condition` (of one parameter, to pred[]) holds, `body` (of one
  // parameter, to the same shape) of what there is, `init` at first. Errors:
  // IND0401..IND0404. Source: XLA, InferWhileShape.
  Op While(const Callee& condition, const Callee& body, Op init,
           Caller caller = Caller::Here());
  // One of two computations, each with its own operand. predicate is pred[].
  // Errors: IND0402..IND0406. Source: XLA, InferConditionalShape.
  Op Conditional(Op predicate, Op true_operand, const Callee& true_computation,
                 Op false_operand, const Callee& false_computation,
                 Caller caller = Caller::Here());
  // One of n; branch_index is s32[], out of range: the last one.
  Op Conditional(Op branch_index, absl::Span<const Callee> branches,
                 absl::Span<const Op> branch_operands,
                 Caller caller = Caller::Here());
  // Any shapes; too deep nesting is IND0409.
  Op Tuple(absl::Span<const Op> elements, Caller caller = Caller::Here());
  // Errors: IND0407, IND0408.
  Op GetTupleElement(Op tuple, int64_t index, Caller caller = Caller::Here());
  // Code of the user's runtime. Anything in, `shape` out.
  Op CustomCall(absl::string_view call_target_name,
                absl::Span<const Op> operands, const ShapeArg& shape,
                bool has_side_effect = false, Caller caller = Caller::Here());

  // --- Order
  // ------------------------------------------------------------------

  // A token of nothing, and one that follows all of `tokens` (IND0110).
  Op CreateToken(Caller caller = Caller::Here());
  Op AfterAll(absl::Span<const Op> tokens, Caller caller = Caller::Here());
  // The operand, which the compiler moves nothing across.
  Op OptimizationBarrier(Op operand, Caller caller = Caller::Here());
  // u32[]: which device this is.
  Op ReplicaId(Caller caller = Caller::Here());
  Op PartitionId(Caller caller = Caller::Here());

  // --- Anything --------------------------------------------------------------

  // Any op of the table. `attributes`: the struct that its row names. `result`
  // where the shape isn't inferred from operands (Info(opcode).result; else
  // IND0104); where it is inferred, a result
  // that doesn't go with it is an error (IND0105). Of dot, convert and their
  // like only its element type counts. `callees`: as many as the row says. An
  // opcode outside the table: IND0700. Constants: ConstantLiteral instead.
  Op AddInstruction(Opcode opcode, absl::Span<const Op> operands,
                    const Attributes& attributes,
                    const std::optional<Shape>& result = {},
                    absl::Span<const Callee> callees = {},
                    Caller caller = Caller::Here());

 private:
  friend class ScopedSharding;
  explicit ComputationBuilder(std::unique_ptr<internal::Recorder> recorder);

  std::unique_ptr<internal::Recorder> recorder_;  // null: moved away
};

}  // namespace indim

#endif  // INDIM_BUILDER_COMPUTATION_BUILDER_H_
