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
// every misuse an error: a default Op, an Op of another builder or of one that
// is gone, a second Build().
//
// A builder belongs to one thread at a time; different builders are independent.

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
#include "indim/ir/report.h"
#include "indim/shape/attributes.h"
#include "indim/shape/broadcast.h"
#include "indim/shape/shape.h"

namespace indim {

// A shape, as a text or as a Shape. A text that is no shape makes the call that
// got it an error.
class ShapeArg {
 public:
  ShapeArg(const char* text);                 // NOLINT
  ShapeArg(const std::string& text);          // NOLINT
  ShapeArg(Shape shape);                      // NOLINT
  const absl::StatusOr<Shape>& shape() const { return shape_; }

 private:
  absl::StatusOr<Shape> shape_;
};

// How operands of a binary op are matched: broadcast_dimensions as a list, or a
// whole BroadcastSpec with another rule. Nothing: XLA's rule without dimensions.
class BroadcastArg {
 public:
  BroadcastArg() = default;
  BroadcastArg(std::initializer_list<int64_t> dimensions);   // NOLINT
  BroadcastArg(absl::Span<const int64_t> dimensions);        // NOLINT
  BroadcastArg(BroadcastRule rule);                          // NOLINT
  BroadcastArg(BroadcastSpec spec) : spec_(std::move(spec)) {}  // NOLINT
  const BroadcastSpec& spec() const { return spec_; }

 private:
  BroadcastSpec spec_;
};

class ComputationBuilder {
 public:
  explicit ComputationBuilder(absl::string_view name);
  ~ComputationBuilder();
  // A moved-to builder keeps its Ops; the moved-from one is as if destroyed.
  ComputationBuilder(ComputationBuilder&&) noexcept;
  ComputationBuilder& operator=(ComputationBuilder&&) noexcept;

  // A builder for a computation that this one will call. It shares this one's
  // pools, so calling what it makes copies nothing. It must not outlive this
  // builder's thread; it may outlive this builder.
  ComputationBuilder SubBuilder(absl::string_view name);

  // --- Results ---------------------------------------------------------------

  // The module whose entry is this computation with `root` as its root. Errors
  // (InvalidArgument, the first one rendered, with the count of the rest): any
  // recorded diagnostic, a root that isn't this builder's, parameters that
  // aren't numbered 0..n-1, a builder that was built before. The builder can't
  // be used afterwards.
  absl::StatusOr<Module> Build(Op root, Caller caller = Caller::Here());
  // The root is the last op recorded.
  absl::StatusOr<Module> Build(Caller caller = Caller::Here());

  // OK, or the first error so far, rendered.
  absl::Status status() const;
  // Everything so far, rendered like a compiler's output.
  std::string Errors() const;

  // The inferred shape; an error when the op is poisoned or not this builder's.
  absl::StatusOr<Shape> shape(Op op) const;

  absl::string_view name() const;

  // --- What is added to ops --------------------------------------------------

  // Whether callers' files and lines are written out as OpMetadata. On.
  void set_record_locations(bool on);
  // op_name in the OpMetadata of ops recorded from now on; "" for none.
  void set_op_name(absl::string_view op_name);
  // Sharding (bytes of an OpSharding) of ops recorded from now on; see
  // sharding.h for making one. nullopt: none.
  void set_sharding(std::optional<std::string> op_sharding);
  // A frontend attribute of one op recorded before.
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value);
  // Names an op; the default is "add.17", made when it is written.
  void SetName(Op op, absl::string_view name);

  // --- Parameters and constants ----------------------------------------------

  // Parameter `number` (0 first, each once). An empty name: "p0", ...
  Op Parameter(int64_t number, const ShapeArg& shape,
               absl::string_view name = "", Caller caller = Caller::Here());

  Op ConstantLiteral(const Literal& literal, Caller caller = Caller::Here());
  // A scalar of any element type; the value as in Literal::FromDoubles.
  Op ConstantR0(ElementType type, double value,
                Caller caller = Caller::Here());
  // Vectors and matrices of f32 and s32 from lists; for the rest see
  // Literal::Array with ConstantLiteral.
  Op ConstantR1(std::initializer_list<float> values,
                Caller caller = Caller::Here());
  Op ConstantR1(std::initializer_list<int32_t> values,
                Caller caller = Caller::Here());
  Op ConstantR2(std::initializer_list<std::initializer_list<float>> values,
                Caller caller = Caller::Here());
  // `value` everywhere: a scalar constant and a broadcast.
  Op Splat(double value, const ShapeArg& shape,
           Caller caller = Caller::Here());
  Op Iota(const ShapeArg& shape, int64_t iota_dimension,
          Caller caller = Caller::Here());

  // --- Elementwise, two operands (XLA: same names) ---------------------------
  // Ranks must be equal, or one operand a scalar, or broadcast_dimensions given;
  // see shape/broadcast.h. Errors: IND0001..IND0019, IND0102, IND0103.
  Op Add(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Sub(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Mul(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Div(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Rem(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Max(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Min(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Mulhi(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Pow(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Atan2(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op And(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Or(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Xor(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op ShiftLeft(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op ShiftRightArithmetic(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op ShiftRightLogical(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
  Op Complex(Op lhs, Op rhs, const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here());
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
  Op Compare(Op lhs, Op rhs, ComparisonDirection direction,
             const BroadcastArg& broadcast_dimensions = {},
             ComparisonType type = ComparisonType::kDefault,
             Caller caller = Caller::Here());

  // --- Elementwise, one operand ----------------------------------------------
  Op Abs(Op operand, Caller caller = Caller::Here());
  Op Acos(Op operand, Caller caller = Caller::Here());
  Op Acosh(Op operand, Caller caller = Caller::Here());
  Op Asin(Op operand, Caller caller = Caller::Here());
  Op Asinh(Op operand, Caller caller = Caller::Here());
  Op Atanh(Op operand, Caller caller = Caller::Here());
  Op Cbrt(Op operand, Caller caller = Caller::Here());
  Op Ceil(Op operand, Caller caller = Caller::Here());
  Op Copy(Op operand, Caller caller = Caller::Here());
  Op Cos(Op operand, Caller caller = Caller::Here());
  Op Cosh(Op operand, Caller caller = Caller::Here());
  Op Clz(Op operand, Caller caller = Caller::Here());
  Op Erf(Op operand, Caller caller = Caller::Here());
  Op Exp(Op operand, Caller caller = Caller::Here());
  Op Expm1(Op operand, Caller caller = Caller::Here());
  Op Floor(Op operand, Caller caller = Caller::Here());
  Op Imag(Op operand, Caller caller = Caller::Here());
  Op IsFinite(Op operand, Caller caller = Caller::Here());
  Op Log(Op operand, Caller caller = Caller::Here());
  Op Log1p(Op operand, Caller caller = Caller::Here());
  Op Logistic(Op operand, Caller caller = Caller::Here());
  Op Neg(Op operand, Caller caller = Caller::Here());
  Op Not(Op operand, Caller caller = Caller::Here());
  Op PopulationCount(Op operand, Caller caller = Caller::Here());
  Op Real(Op operand, Caller caller = Caller::Here());
  Op Round(Op operand, Caller caller = Caller::Here());
  Op RoundNearestEven(Op operand, Caller caller = Caller::Here());
  Op Rsqrt(Op operand, Caller caller = Caller::Here());
  Op Sign(Op operand, Caller caller = Caller::Here());
  Op Sin(Op operand, Caller caller = Caller::Here());
  Op Sinh(Op operand, Caller caller = Caller::Here());
  Op Sqrt(Op operand, Caller caller = Caller::Here());
  Op Tan(Op operand, Caller caller = Caller::Here());
  Op Tanh(Op operand, Caller caller = Caller::Here());

  // --- Elementwise, three and more -------------------------------------------
  // pred[] or pred of the operands' shape; scalars go with anything.
  Op Select(Op pred, Op on_true, Op on_false, Caller caller = Caller::Here());
  Op Clamp(Op min, Op operand, Op max, Caller caller = Caller::Here());
  Op Map(absl::Span<const Op> operands, const Callee& computation,
         absl::Span<const int64_t> dimensions,
         Caller caller = Caller::Here());

  // --- Types and shapes --------------------------------------------------------
  Op ConvertElementType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  Op BitcastConvertType(Op operand, ElementType new_type,
                        Caller caller = Caller::Here());
  // New dims in front: f32[3] with {2} is f32[2,3].
  Op Broadcast(Op operand, absl::Span<const int64_t> broadcast_sizes,
               Caller caller = Caller::Here());
  // Operand dim i becomes result dim broadcast_dimensions[i]; a dim of size 1
  // stretches.
  Op BroadcastInDim(Op operand, absl::Span<const int64_t> out_dim_sizes,
                    absl::Span<const int64_t> broadcast_dimensions,
                    Caller caller = Caller::Here());
  Op Reshape(Op operand, absl::Span<const int64_t> new_sizes,
             Caller caller = Caller::Here());
  Op Transpose(Op operand, absl::Span<const int64_t> permutation,
               Caller caller = Caller::Here());
  Op Rev(Op operand, absl::Span<const int64_t> dimensions,
         Caller caller = Caller::Here());
  Op Slice(Op operand, absl::Span<const int64_t> start_indices,
           absl::Span<const int64_t> limit_indices,
           absl::Span<const int64_t> strides,
           Caller caller = Caller::Here());
  // One dim, the others whole.
  Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index,
                int64_t stride, int64_t dimno, Caller caller = Caller::Here());
  Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
                 Caller caller = Caller::Here());
  Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDim> padding,
         Caller caller = Caller::Here());

  // --- Contraction and reduction ----------------------------------------------
  // Matrix and vector products: lhs's last dim with rhs's first (ranks 1, 2).
  Op Dot(Op lhs, Op rhs, Caller caller = Caller::Here());
  Op DotGeneral(Op lhs, Op rhs, const DotAttributes& dimension_numbers,
                std::optional<ElementType> preferred_element_type = {},
                Caller caller = Caller::Here());
  Op Reduce(Op operand, Op init_value, const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // A tuple of results, one per operand.
  Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
            const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  Op ReduceAll(Op operand, Op init_value, const Callee& computation,
               Caller caller = Caller::Here());

  // --- Calls and tuples -------------------------------------------------------
  Op Call(const Callee& computation, absl::Span<const Op> operands,
          Caller caller = Caller::Here());
  Op Tuple(absl::Span<const Op> elements, Caller caller = Caller::Here());
  Op GetTupleElement(Op tuple, int64_t index, Caller caller = Caller::Here());

  // --- Anything ---------------------------------------------------------------
  // Any op of the table: `result` where its shape isn't inferred from operands
  // (see Info(opcode).result), `callees` as many as the op's row says.
  Op AddInstruction(Opcode opcode, absl::Span<const Op> operands,
                    const Attributes& attributes,
                    const std::optional<Shape>& result = {},
                    absl::Span<const Callee> callees = {},
                    Caller caller = Caller::Here());

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace indim

#endif  // INDIM_BUILDER_COMPUTATION_BUILDER_H_
