// SPDX-License-Identifier: Apache-2.0
// ComputationBuilder: records a computation, op by op.
//
//   indim::ComputationBuilder b("affine");
//   indim::Op x = b.Parameter(0, "f32[8,784]", "x");
//   indim::Op w = b.Parameter(1, "f32[784,10]", "w");
//   indim::Op bias = b.Parameter(2, "f32[10]", "bias");
//   indim::Op y = b.Add(b.Dot(x, w), bias, {1});      // broadcast_dimensions
//   indim::BuildResult module = b.Build(y);    // or an error; with warnings
//
// Calls have the names and the argument order of XLA's builder; dims below 0,
// which that refuses, count from the end: -1 is the last one. Every call infers
// its result's shape at once, and remembers the file and line of its caller (by
// a default argument, without a macro), for messages and for OpMetadata.
//
// Calls never throw or abort. A wrong call records a diagnostic and returns a
// poisoned Op; ops that use a poisoned Op stay silent and are poisoned too;
// Build() reports the first error of every chain. Misuse is an error too: a
// default Op (IND0600), an Op of a destroyed builder (IND0601) or of another
// builder (IND0602), a call after Build() (IND0603). These four,
// IND0100..IND0113 about operands in general, a shape with an invalid layout
// (IND0604) and attributes that no file can hold, such as text that isn't UTF-8
// (IND0640), aren't repeated below.
//
// A call is recorded as it is written: an Add keeps its broadcast_dimensions, a
// Select its scalar. ExpandBroadcasts (passes/) makes them explicit for XLA.
//
// Instructions have the order of the calls, and in C++ the compiler chooses the
// order in which it evaluates the arguments of a call: for
//   b.Add(b.Exp(x), b.Log(x))
// g++ records the logarithm first and clang the exponential, so that numbers
// and default names differ (and so does XlaBuilder's output). To get the same
// bytes from all compilers, build with BuildOptions::Order::kPostOrder, or
// write each call as a statement of its own. (For a call that is broken before
// its "." the two compilers record different lines.)
//
// Below are the elementwise operations of two operands, parameters, constants,
// results and properties of ops. The other calls are in a header by family:
//   elementwise_ops.h  Exp and others of one operand, Select, Clamp, Map
//   array_ops.h        types, shapes, slices, products, convolutions, linear
//                      algebra, random numbers
//   fold_ops.h         Reduce, ReduceWindow, Scatter, Sort
//   control_ops.h      While, ForLoop, Scan, Conditional, Call; tuples, tokens
//   device_ops.h       AllReduce and other collectives, Infeed, Send
//
// Composites (builder/composites/) are functions over Ops, such as Softmax(x).
// A composite records its steps in its operands' builder, with the line of the
// composite's caller, and errors name the composite ("Relu: operand 0 is
// pred[2], but ..."). A poisoned operand gives a poisoned result, without a
// further message. A sharding in scope is set on the result only, since
// intermediate ops may have other dims.
//
// A builder belongs to one thread at a time, together with its sub-builders.
// Other builders are independent.

#ifndef INDIM_BUILDER_COMPUTATION_BUILDER_H_
#define INDIM_BUILDER_COMPUTATION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/array_ops.h"
#include "indim/builder/build_options.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/control_ops.h"
#include "indim/builder/device_ops.h"
#include "indim/builder/elementwise_ops.h"
#include "indim/builder/fold_ops.h"
#include "indim/builder/nested_numbers.h"
#include "indim/builder/op.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {

namespace internal {
// Recorder::None() is nobody's, and stays.
struct RecorderDeleter {
  void operator()(Recorder* recorder) const;
};
using RecorderHandle = std::unique_ptr<Recorder, RecorderDeleter>;
}  // namespace internal

class ComputationBuilder : public ElementwiseOps,
                           public ArrayOps,
                           public FoldOps,
                           public ControlOps,
                           public DeviceOps {
 public:
  // `name` names the computation and the module; it becomes "computation" where
  // it is empty or not UTF-8.
  explicit ComputationBuilder(absl::string_view name);
  ~ComputationBuilder();
  // The builder that is moved to keeps its Ops. The moved-from one acts as if
  // destroyed: its calls do nothing and return default Ops, its Build() is an
  // error.
  ComputationBuilder(ComputationBuilder&&) noexcept;
  ComputationBuilder& operator=(ComputationBuilder&&) noexcept;

  // A builder for a computation that this one will call:
  //
  //   ComputationBuilder add = b.SubBuilder("add");
  //   Op lhs = add.Parameter(0, "f32[]"), rhs = add.Parameter(1, "f32[]");
  //   Op total = b.Reduce(x, b.ConstantR0(ElementType::kF32, 0),
  //                       add.BuildCallee(add.Add(lhs, rhs)), {0, 1});
  //
  // It can't use this builder's ops: pass such values as parameters. The two
  // share pools and finished computations, so a call of the result of
  // BuildCallee() copies nothing. It belongs to this builder's thread, and may
  // outlive this builder.
  ComputationBuilder SubBuilder(absl::string_view name);

  // --- Elementwise, two operands ---------------------------------------------
  // Both operands are arrays of one element type, or of two float types; the
  // result then has the more general one. The ranks are equal, or one operand
  // is a scalar, or the call has broadcast_dimensions: broadcast_dimensions[i]
  // is the dim of the higher-rank operand that matches dim i of the other one.
  // Then dims of size 1 stretch. shape/broadcast/broadcast.h has the rules,
  // XLA's and others. Errors: IND0001..IND0032 about broadcasting, IND0102 and
  // IND0103 about types. An operand may be a number (op.h): IND0636, IND0637.
  // Source: XLA, InferBinaryOpShape.

  // Any element type. For pred, Add and Max are "or", Min is "and".
  Op Add(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAdd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Max(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMaximum, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Min(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMinimum, lhs, rhs, broadcast_dimensions, caller);
  }
  // Any element type. For pred it is "and".
  Op Mul(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kMultiply, lhs, rhs, broadcast_dimensions, caller);
  }
  // Integers: the high half of the product.
  Op Mulhi(const Operand& lhs, const Operand& rhs,
           const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kMulhi, lhs, rhs, broadcast_dimensions, caller);
  }
  // Any element type except pred.
  Op Sub(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kSubtract, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Div(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kDivide, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Rem(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kRemainder, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Pow(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kPower, lhs, rhs, broadcast_dimensions, caller);
  }
  // Floats and complex.
  Op Atan2(const Operand& lhs, const Operand& rhs,
           const BroadcastArg& broadcast_dimensions = {},
           Caller caller = Caller::Here()) {
    return Binary(Opcode::kAtan2, lhs, rhs, broadcast_dimensions, caller);
  }
  // pred and integers.
  Op And(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kAnd, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Or(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Binary(Opcode::kOr, lhs, rhs, broadcast_dimensions, caller);
  }
  Op Xor(const Operand& lhs, const Operand& rhs,
         const BroadcastArg& broadcast_dimensions = {},
         Caller caller = Caller::Here()) {
    return Binary(Opcode::kXor, lhs, rhs, broadcast_dimensions, caller);
  }
  // Integers; XLA takes any element type except pred.
  Op ShiftLeft(const Operand& lhs, const Operand& rhs,
               const BroadcastArg& broadcast_dimensions = {},
               Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftLeft, lhs, rhs, broadcast_dimensions, caller);
  }
  Op ShiftRightArithmetic(const Operand& lhs, const Operand& rhs,
                          const BroadcastArg& broadcast_dimensions = {},
                          Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightArithmetic, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  Op ShiftRightLogical(const Operand& lhs, const Operand& rhs,
                       const BroadcastArg& broadcast_dimensions = {},
                       Caller caller = Caller::Here()) {
    return Binary(Opcode::kShiftRightLogical, lhs, rhs, broadcast_dimensions,
                  caller);
  }
  // A complex number of real part lhs and imaginary part rhs, both f32 or both
  // f64.
  Op Complex(const Operand& lhs, const Operand& rhs,
             const BroadcastArg& broadcast_dimensions = {},
             Caller caller = Caller::Here()) {
    return Binary(Opcode::kComplex, lhs, rhs, broadcast_dimensions, caller);
  }
  // Comparisons; the result is pred. The type of lhs gives the ComparisonType.
  Op Eq(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kEq, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ne(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kNe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Ge(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Gt(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kGt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Le(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLe, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  Op Lt(const Operand& lhs, const Operand& rhs,
        const BroadcastArg& broadcast_dimensions = {},
        Caller caller = Caller::Here()) {
    return Compare(lhs, rhs, ComparisonDirection::kLt, broadcast_dimensions,
                   ComparisonType::kDefault, caller);
  }
  // Any direction and type. kDefault depends on lhs: float (also for complex),
  // signed, or unsigned (also for pred). A type that doesn't fit the elements:
  // IND0114.
  Op Compare(const Operand& lhs, const Operand& rhs,
             ComparisonDirection direction,
             const BroadcastArg& broadcast_dimensions = {},
             ComparisonType type = ComparisonType::kDefault,
             Caller caller = Caller::Here());

  // --- Results ---------------------------------------------------------------

  // The module whose entry is this computation with `root` as its root, and
  // everything that it calls. After a success the builder can't be used any
  // more. Errors (InvalidArgument; the text shows the first 10 and counts the
  // rest): any error of an earlier call, parameters that aren't numbered 0..n-1
  // (IND0607), nothing recorded (IND0608), a root that isn't this builder's, an
  // earlier Build() that succeeded (IND0603). After an error you can record
  // more and build again; the next Build() drops the errors that Build() itself
  // found. Names that are used twice get a number appended. The result has the
  // warnings too (BuildResult::warnings()). An absl::StatusOr<Module> that
  // takes it drops them, and diagnostics() still has them. set_strict_types()
  // makes some of them errors.
  BuildResult Build(Op root, Caller caller = Caller::Here());
  BuildResult Build(Op root, const BuildOptions& options,
                    Caller caller = Caller::Here());
  // The root is the last op recorded.
  BuildResult Build(Caller caller = Caller::Here());

  // For a computation that only others will call: checks the same as Build(),
  // but makes no module. Within a family of sub-builders only this never
  // copies: all callers share the computation, however often and deeply it is
  // called. An error stays in the Callee; the op that calls it reports it.
  Callee BuildCallee(Op root, Caller caller = Caller::Here());
  Callee BuildCallee(Caller caller = Caller::Here());

  // OK, or the first error so far (InvalidArgument), as text, with the number
  // of further errors.
  absl::Status status() const;
  // All errors and warnings so far, as a compiler prints them. After 100
  // diagnostics it only counts errors.
  std::string DiagnosticsText() const;
  // The diagnostics of DiagnosticsText() as structs; also after Build(),
  // whether it succeeded or not.
  std::vector<CallDiagnostic> diagnostics() const;

  // The inferred shape. InvalidArgument: the op is poisoned (the message has
  // the error that poisoned it) or not this builder's, or the computation was
  // built.
  absl::StatusOr<Shape> shape(Op op) const;

  // Its opcode, its operands (without computations), its attributes in the
  // struct that its opcode's row names, and the value of a constant. Errors: as
  // of shape(); also InvalidArgument: literal() of an op that isn't a constant.
  absl::StatusOr<Opcode> opcode(Op op) const;
  absl::StatusOr<std::vector<Op>> operands(Op op) const;
  absl::StatusOr<Attributes> attributes(Op op) const;
  absl::StatusOr<Literal> literal(Op op) const;
  // The op, if its shape is `expected`; else a poisoned op (IND0654). Sizes may
  // have names: ExpectShape(x, "f32[n,128]") wants the size n itself. Layouts
  // count only where `expected` has them. It records nothing. Errors also:
  // IND0604, an invalid text.
  Op ExpectShape(Op op, const ShapeArg& expected,
                 Caller caller = Caller::Here());

  // Whether mixed element types that XLA's builder accepts are errors of the
  // call from now on, instead of warnings (IND0901, IND0902, IND0906). XLA's
  // builder goes on in a type that it chooses: a bf16 graph that meets one f32
  // scalar is f32 from there on. Default: off. Sub-builders that are made later
  // inherit it. Composites convert their intermediate values themselves; only
  // types that the caller mixes count.
  void set_strict_types(bool on);

  // Empty for a moved-from builder.
  absl::string_view name() const;

  // --- Properties of ops -----------------------------------------------------

  // Whether ops recorded from now on have their caller's file and line in
  // OpMetadata. Default: on. Sub-builders that are made later inherit it.
  // Messages name the line of a wrong call either way.
  void set_record_locations(bool on);
  // Sets op_name in the OpMetadata of ops recorded from now on; "": none. Not
  // UTF-8: IND0609. See also ScopedOpName (op_names.h).
  void set_op_name(absl::string_view op_name, Caller caller = Caller::Here());
  // Sets op_type there: the type of the framework's op, such as "MatMul".
  void set_op_type(absl::string_view op_type, Caller caller = Caller::Here());
  // Sets the sharding (bytes of an OpSharding; else IND0640) of the results of
  // calls from now on; nullopt: none. sharding.h makes such bytes, and has a
  // scope that sets them, which says what gets them. This call reports a
  // sharding that is wrong for any shape; the call that records an op reports
  // one that doesn't fit the op's shape. Errors: IND0785..IND0789, as from the
  // module verifier.
  void set_sharding(std::optional<std::string> op_sharding,
                    Caller caller = Caller::Here());
  // Sets a frontend attribute of an op; it replaces an earlier value of the
  // key. Not UTF-8: IND0609.
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value,
                            Caller caller = Caller::Here());
  // Names an op. Without a name, or with "", it is called "add.17" when the
  // module is written. Not UTF-8: IND0609.
  void SetName(Op op, absl::string_view name, Caller caller = Caller::Here());

  // Sets an op's text for the backend, which Indim doesn't interpret.
  void SetBackendConfig(Op op, absl::string_view config,
                        Caller caller = Caller::Here());
  // Sets how accurate the result of an op like Exp must be.
  void SetResultAccuracy(Op op, const ResultAccuracy& accuracy,
                         Caller caller = Caller::Here());
  // `to` will run after `from`, which must have been recorded before `to`
  // (IND0633).
  void AddControlDependency(Op from, Op to, Caller caller = Caller::Here());

  // --- Parameters and constants ----------------------------------------------

  // Parameter `number` (from 0, each once, in any order), of any shape; it
  // keeps a layout. An empty name becomes "p0", "p1", ... Errors: IND0604, a
  // negative number (IND0120), or one that was used before (IND0606).
  Op Parameter(int64_t number, const ShapeArg& shape,
               absl::string_view name = "", Caller caller = Caller::Here());
  // The parameter with the lowest number that is free: b.Parameter("f32[8]",
  // "x") is the first one, the next such call the second.
  Op Parameter(const ShapeArg& shape, absl::string_view name = "",
               Caller caller = Caller::Here());
  // `replicated_at_leaf_buffers` has an entry for each array in the shape,
  // depth first: whether all replicas get the same value.
  Op Parameter(int64_t number, const ShapeArg& shape, absl::string_view name,
               const std::vector<bool>& replicated_at_leaf_buffers,
               Caller caller = Caller::Here());

  // Any literal; a default Literal is an error (IND0104).
  Op ConstantLiteral(const Literal& literal, Caller caller = Caller::Here());
  // A scalar of any element type. The value is converted as in Literal::Scalar,
  // which keeps every integer exact; IND0610: an integer that doesn't fit the
  // type.
  Op ConstantR0(ElementType type, Number value, Caller caller = Caller::Here());
  // A scalar, vector or matrix. The C++ type gives the element type (see
  // Literal::Scalar): ConstantR0(uint8_t{7}), ConstantR0<double>(1),
  // ConstantR1<int64_t>({1, 2}), ConstantR1<bool>(span). Rows of unequal
  // length: IND0610. For other arrays see Literal::FromDoubles and
  // ConstantLiteral.
  template <typename T, typename N = internal::NativeOf<T>,
            typename = std::enable_if_t<!std::is_void_v<N>>>
  Op ConstantR0(T value, Caller caller = Caller::Here()) {
    return ConstantLiteral(Literal::Scalar(value), caller);
  }
  template <typename T, typename = std::enable_if_t<
                            std::is_same_v<T, internal::NativeOf<T>>>>
  Op ConstantR1(absl::Span<const T> values, Caller caller = Caller::Here()) {
    return ConstantOrReject(
        Literal::Array(values, {static_cast<int64_t>(values.size())}), caller);
  }
  Op ConstantR1(std::initializer_list<float> values,
                Caller caller = Caller::Here());
  Op ConstantR1(std::initializer_list<int32_t> values,
                Caller caller = Caller::Here());
  template <
      typename T,  // overloads would be ambiguous to clang
      typename = std::enable_if_t<std::is_same_v<T, internal::NativeOf<T>>>>
  Op ConstantR2(std::initializer_list<std::initializer_list<T>> values,
                Caller caller = Caller::Here());
  // An array of any rank, from nested lists, or a scalar: Constant(kF32, 1),
  // Constant(kS8, {{1, 2}, {3, 4}}). IND0610: the lists make no array, or the
  // type doesn't have a number.
  Op Constant(ElementType type, const NestedNumbers& values,
              Caller caller = Caller::Here()) {
    return ConstantOrReject(values.ToLiteral(type), caller);
  }
  // An array of these sizes, whose elements are `values`, in row-major order.
  // IND0610: their number isn't the product of the sizes.
  template <typename T, typename = std::enable_if_t<
                            std::is_same_v<T, internal::NativeOf<T>>>>
  Op Constant(absl::Span<const T> values, absl::Span<const int64_t> sizes,
              Caller caller = Caller::Here()) {
    return ConstantOrReject(Literal::Array(values, sizes), caller);
  }
  template <typename T, typename = std::enable_if_t<
                            std::is_same_v<T, internal::NativeOf<T>>>>
  Op Constant(const std::vector<T>& values, absl::Span<const int64_t> sizes,
              Caller caller = Caller::Here()) {
    return Constant(absl::MakeConstSpan(values), sizes, caller);
  }
  // An array filled with `value`: a scalar constant and, unless the shape is a
  // scalar, a broadcast, whose sizes may have names. Errors: IND0604, IND0610,
  // IND0207 (an unknown size), and errors of a broadcast's shape.
  Op Splat(Number value, const ShapeArg& shape, Caller caller = Caller::Here());
  // 0, 1, 2, ... along iota_dimension, repeated along the other dims. Sizes are
  // static or have names (else IND0228). A dim outside the shape is a warning
  // here (IND0230), because XLA's builder accepts it, and an error of the
  // verifier. Also IND0604. Source: XLA, Iota.
  Op Iota(const ShapeArg& shape, int64_t iota_dimension,
          Caller caller = Caller::Here());
  Op Iota(ElementType type, SizeArg size, Caller caller = Caller::Here());

  // --- Any op ----------------------------------------------------------------

  // Any opcode of the table (others: IND0700). `attributes` is the struct that
  // its row names. `result` gives the shape of an op whose shape operands don't
  // determine (Info(opcode).result; else IND0104); for other ops it must agree
  // with the inferred shape (IND0105). For dot, convert and similar ops only
  // its element type counts. `callees` has as many entries as the row says. For
  // constants use ConstantLiteral.
  Op AddInstruction(Opcode opcode, absl::Span<const Op> operands,
                    const Attributes& attributes,
                    const std::optional<Shape>& result = {},
                    absl::Span<const Callee> callees = {},
                    Caller caller = Caller::Here());

 private:
  friend class internal::Composite;
  friend internal::Recorder* internal::RecorderOf(
      const ComputationBuilder& builder);
  explicit ComputationBuilder(internal::RecorderHandle recorder);
  Op Binary(Opcode opcode, const Operand& lhs, const Operand& rhs,
            const BroadcastArg& broadcast, Caller caller);
  // Records the constant, or IND0610.
  Op ConstantOrReject(const absl::StatusOr<Literal>& literal, Caller caller);

  // Recorder::None() after the builder was moved away.
  internal::RecorderHandle recorder_;
};

namespace internal {
inline Recorder* RecorderOf(const ComputationBuilder& builder) {
  return builder.recorder_.get();
}
}  // namespace internal

}  // namespace indim

#endif  // INDIM_BUILDER_COMPUTATION_BUILDER_H_
