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
// These four, IND0100..IND0113 about operands in general, a shape whose layout
// is none (IND0604) and attributes that no file can hold, such as text that
// isn't UTF-8 (IND0640), are not repeated below.
//
// What is recorded is what was written: an Add keeps its broadcast_dimensions,
// a Select its scalar. ExpandBroadcasts (passes/) makes them explicit for XLA.
//
// The order of calls is that of the instructions, and C++ leaves it to the
// compiler in which order it evaluates the arguments of a call: of
//   b.Add(b.Exp(x), b.Log(x))
// g++ records the logarithm first and clang the exponential, so that numbers
// and default names differ (and so does XlaBuilder's output). Whoever compares
// bytes across compilers builds with BuildOptions::Order::kPostOrder, or gives
// each call a line of its own. (Of a call that is broken before its "." the two
// record different lines.)
//
// Its operations by group: here parameters, constants, control flow, tuples and
// order; in elementwise_ops.h the elementwise ones; in array_ops.h those that
// make other arrays of arrays; in device_ops.h what goes on between devices.
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
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/builder/build_options.h"
#include "indim/builder/call_diagnostic.h"
#include "indim/builder/device_ops.h"
#include "indim/builder/op.h"
#include "indim/codec/literal.h"
#include "indim/ir/module.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {

class ComputationBuilder : public DeviceOps {
 public:
  // `name` is the computation's and the module's; "computation" where it is
  // empty or no UTF-8.
  explicit ComputationBuilder(absl::string_view name);
  ~ComputationBuilder();
  // A moved-to builder keeps its Ops; the moved-from one is as if destroyed:
  // its calls do nothing and return default Ops, its Build() is an error.
  ComputationBuilder(ComputationBuilder&&) noexcept;
  ComputationBuilder& operator=(ComputationBuilder&&) noexcept;

  // A builder for a computation that this one will call:
  //
  //   ComputationBuilder add = b.SubBuilder("add");
  //   Op lhs = add.Parameter(0, "f32[]"), rhs = add.Parameter(1, "f32[]");
  //   Op total = b.Reduce(x, b.ConstantR0(ElementType::kF32, 0),
  //                       add.BuildCallee(add.Add(lhs, rhs)), {0, 1});
  //
  // Its ops are its own: what it needs of this one it takes as parameters. They
  // share their pools and finished computations, so calling what BuildCallee()
  // makes copies nothing. It belongs to this builder's thread, and may outlive
  // this builder.
  ComputationBuilder SubBuilder(absl::string_view name);

  // --- Results ---------------------------------------------------------------

  // The module whose entry is this computation with `root` as its root, and
  // whatever it calls. After a success the builder can't be used any more.
  // Errors (InvalidArgument, rendered, the first 10, with the count of the
  // rest): any error of an earlier call, parameters that aren't numbered 0..n-1
  // (IND0607), nothing recorded (IND0608), a root that isn't this builder's, an
  // earlier Build() that succeeded (IND0603). After an error the builder goes
  // on: record what is missing and build again; errors of Build() itself then
  // count no more. Names that are used twice get a number appended. What was
  // odd, but no error, comes with the result: see BuildResult::warnings();
  // set_strict_types() makes errors of some of it.
  BuildResult Build(Op root, Caller caller = Caller::Here());
  BuildResult Build(Op root, const BuildOptions& options,
                    Caller caller = Caller::Here());
  // The same; the root is the last op recorded.
  BuildResult Build(Caller caller = Caller::Here());

  // For a computation that only others will call: checks what Build() checks,
  // but makes no module. Within one family of sub-builders this is the way that
  // never copies: a computation is shared, however often and however deep it is
  // called. Errors are the callee's, and so of the op that calls it.
  Callee BuildCallee(Op root, Caller caller = Caller::Here());
  Callee BuildCallee(Caller caller = Caller::Here());

  // OK, or the first error so far (InvalidArgument), rendered, with the count
  // of the rest.
  absl::Status status() const;
  // All errors and warnings so far, rendered like a compiler's output. Past 100
  // diagnostics errors are only counted.
  std::string DiagnosticsText() const;
  // The same, one by one. Also after Build(), whether it succeeded or not.
  std::vector<CallDiagnostic> diagnostics() const;

  // The inferred shape. InvalidArgument: the op is poisoned (the message is the
  // error that did it), not this builder's, or the computation was built.
  absl::StatusOr<Shape> shape(Op op) const;

  // Whether operands of several element types, where XLA's builder takes them
  // and goes on in one that it chooses (a bf16 graph that meets one f32 scalar
  // is f32 from there on), are an error of the call from now on: what are
  // warnings else (IND0901, IND0902, IND0906). Off. Sub-builders that are made
  // later have it too. Composites convert what they compute with on their own;
  // of them only what the caller mixes counts.
  void set_strict_types(bool on);

  // Empty for a moved-from builder.
  absl::string_view name() const;

  // --- What is added to ops --------------------------------------------------

  // Whether callers' files and lines of ops recorded from now on are written
  // out as OpMetadata. On. Messages name the line of a wrong call either way.
  void set_record_locations(bool on);
  // op_name in the OpMetadata of ops recorded from now on; "" for none. Not
  // UTF-8: IND0609.
  void set_op_name(absl::string_view op_name, Caller caller = Caller::Here());
  // Sharding (bytes of an OpSharding; others: IND0640) of ops recorded from now
  // on; nullopt: none. sharding.h makes such bytes, and has a scope for them.
  // What no shape makes right is told here, what doesn't fit the shape of an op
  // where that is recorded: IND0785..IND0789, as the checks of modules.
  void set_sharding(std::optional<std::string> op_sharding,
                    Caller caller = Caller::Here());
  // Adds a frontend attribute to an op; an earlier value of the key goes. Not
  // UTF-8: IND0609.
  void SetFrontendAttribute(Op op, absl::string_view key,
                            absl::string_view value,
                            Caller caller = Caller::Here());
  // Names an op; the default, and "", is "add.17", made when it is written. Not
  // UTF-8: IND0609.
  void SetName(Op op, absl::string_view name, Caller caller = Caller::Here());

  // What the backend is told about an op; not interpreted.
  void SetBackendConfig(Op op, absl::string_view config,
                        Caller caller = Caller::Here());
  // How exact the result of an op like Exp must be.
  void SetResultAccuracy(Op op, const ResultAccuracy& accuracy,
                         Caller caller = Caller::Here());
  // `to` runs after `from`, which was recorded before it (IND0633).
  void AddControlDependency(Op from, Op to, Caller caller = Caller::Here());

  // --- Parameters and constants ----------------------------------------------

  // Parameter `number` (0 first, each once, in any order). An empty name: "p0",
  // ... Any shape; a layout is kept. Errors: IND0604, a number below 0
  // (IND0120), or used before (IND0606).
  Op Parameter(int64_t number, const ShapeArg& shape,
               absl::string_view name = "", Caller caller = Caller::Here());
  // The same; `replicated_at_leaf_buffers` says of each array in it, depth
  // first, whether all replicas are given the same.
  Op Parameter(int64_t number, const ShapeArg& shape, absl::string_view name,
               const std::vector<bool>& replicated_at_leaf_buffers,
               Caller caller = Caller::Here());

  // Any literal; a default one is an error (IND0104).
  Op ConstantLiteral(const Literal& literal, Caller caller = Caller::Here());
  // A scalar of any element type; the value as in Literal::Scalar, which takes
  // nothing away from an integer, and whose errors are IND0610 (an integer that
  // doesn't fit).
  Op ConstantR0(ElementType type, Number value, Caller caller = Caller::Here());
  // A scalar, a vector, a matrix of the C++ type that matches the element type
  // (see Literal::Scalar): ConstantR0(uint8_t{7}), ConstantR0<double>(1),
  // ConstantR1<int64_t>({1, 2}), ConstantR1<bool>(span). Rows of unequal
  // length: IND0610. For others see Literal::FromDoubles and ConstantLiteral.
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
  // `value` everywhere: a scalar constant and, unless the shape is a scalar, a
  // broadcast, whose sizes may have names. Errors: IND0604, IND0610, IND0207 (a
  // size isn't known), and those of a broadcast's shape.
  Op Splat(Number value, const ShapeArg& shape, Caller caller = Caller::Here());
  // 0, 1, 2, ... along one dim of an array whose sizes are static or have names
  // (else IND0228), the same for all other dims. A dim that isn't the shape's
  // is a warning here (IND0230), as XLA's builder takes it, and an error of the
  // verifier. Also IND0604. Source: XLA, Iota.
  Op Iota(const ShapeArg& shape, int64_t iota_dimension,
          Caller caller = Caller::Here());
  Op Iota(ElementType type, int64_t size, Caller caller = Caller::Here());

  // --- Calls, control flow, tuples -------------------------------------------

  // Operands go with the computation's parameters; the result is its result.
  // Errors: IND0401, IND0402. Source: XLA, InferCallShape.
  Op Call(const Callee& computation, absl::Span<const Op> operands,
          Caller caller = Caller::Here());
  // The same, as one operation of another dialect that the computation takes
  // apart; `attributes` is a text of it. Source: XLA,
  // XlaBuilder::CompositeCall.
  Op CompositeCall(const Callee& computation, absl::Span<const Op> operands,
                   absl::string_view name, absl::string_view attributes = "{}",
                   int64_t version = 0, Caller caller = Caller::Here());
  // The computation's result, as code that a compiler has put together; `kind`
  // is "kLoop", "kInput", "kOutput" or "kCustom". Errors: IND0401, IND0402.
  // Source: XLA, XlaBuilderFriend::BuildFusion.
  Op Fusion(absl::Span<const Op> operands, absl::string_view kind,
            const Callee& computation,
            std::vector<OutputOperandAliasing> output_operand_aliasing = {},
            Caller caller = Caller::Here());
  // While `condition` (of one parameter, to pred[]) holds, `body` (of one
  // parameter, to the same shape) of what there is, `init` at first. Errors:
  // IND0401..IND0404. Source: XLA, InferWhileShape.
  Op While(const Callee& condition, const Callee& body, Op init,
           Caller caller = Caller::Here());
  // One of two computations, each with its own operand. predicate is pred[]
  // (IND0405). Errors also: IND0401..IND0403. Source: XLA,
  // InferConditionalShape, XlaBuilder::Conditional.
  Op Conditional(Op predicate, Op true_operand, const Callee& true_computation,
                 Op false_operand, const Callee& false_computation,
                 Caller caller = Caller::Here());
  // One of n; branch_index is s32[] (IND0405), out of range: the last one. As
  // many operands as branches, at least one (IND0406).
  Op Conditional(Op branch_index, absl::Span<const Callee> branches,
                 absl::Span<const Op> branch_operands,
                 Caller caller = Caller::Here());
  // Any shapes; too deep nesting is IND0409.
  Op Tuple(absl::Span<const Op> elements, Caller caller = Caller::Here());
  // Errors: IND0407, IND0408.
  Op GetTupleElement(Op tuple, int64_t index, Caller caller = Caller::Here());
  // Code of the user's runtime. Anything in, `shape` out. IND0604; IND0631: a
  // target that begins with "$". The interface is the original one, unless
  // attributes name a version.
  Op CustomCall(absl::string_view call_target_name,
                absl::Span<const Op> operands, const ShapeArg& shape,
                bool has_side_effect = false, Caller caller = Caller::Here());

  // The same with all that may be said of it: its words (opaque), the version
  // of its interface, a schedule, aliasing, the window or convolution that it
  // stands for ...; attributes.target is set from the first argument. Source:
  // XLA, XlaBuilder::CustomCall.
  Op CustomCall(absl::string_view call_target_name,
                absl::Span<const Op> operands, const ShapeArg& shape,
                CustomCallAttributes attributes,
                const Literal* literal = nullptr,
                Caller caller = Caller::Here());
  // The same; it may call computations.
  Op CustomCallWithComputation(absl::string_view call_target_name,
                               absl::Span<const Op> operands,
                               absl::Span<const Callee> computations,
                               const ShapeArg& shape,
                               CustomCallAttributes attributes = {},
                               const Literal* literal = nullptr,
                               Caller caller = Caller::Here());
  // The same; layouts of operands, a shape for each (IND0632), and of the
  // result are demanded. What has none gets the row-major one.
  Op CustomCallWithLayout(absl::string_view call_target_name,
                          absl::Span<const Op> operands, const ShapeArg& shape,
                          absl::Span<const Shape> operand_shapes_with_layout,
                          CustomCallAttributes attributes = {},
                          const Literal* literal = nullptr,
                          Caller caller = Caller::Here());

  // --- Order -----------------------------------------------------------------

  // A token of nothing, and one that follows all of `tokens` (IND0110).
  Op CreateToken(Caller caller = Caller::Here());
  Op AfterAll(absl::Span<const Op> tokens, Caller caller = Caller::Here());
  // The operand, after the token (IND0110). Source: XLA,
  // XlaBuilderFriend::BuildAddDependency.
  Op AddDependency(Op operand, Op token, Caller caller = Caller::Here());
  // The operand, where one sharding (bytes of an OpSharding) ends and another
  // one begins. Source: XLA, XlaBuilderFriend::BuildDomain.
  Op Domain(Op operand, absl::string_view entry_sharding,
            absl::string_view exit_sharding, Caller caller = Caller::Here());
  // The operand, which the compiler moves nothing across.
  Op OptimizationBarrier(Op operand, Caller caller = Caller::Here());

  // --- Anything --------------------------------------------------------------

  // Any op of the table. `attributes`: the struct that its row names. `result`
  // where the shape isn't inferred from operands (Info(opcode).result; else
  // IND0104); where it is inferred, a result that doesn't go with it is an
  // error (IND0105). Of dot, convert and their like only its element type
  // counts. `callees`: as many as the row says. An opcode outside the table:
  // IND0700. Constants: ConstantLiteral instead.
  Op AddInstruction(Opcode opcode, absl::Span<const Op> operands,
                    const Attributes& attributes,
                    const std::optional<Shape>& result = {},
                    absl::Span<const Callee> callees = {},
                    Caller caller = Caller::Here());

 private:
  friend class ScopedSharding;
  friend class internal::Composite;
  explicit ComputationBuilder(std::unique_ptr<internal::Recorder> recorder);
  // The constant, or IND0610.
  Op ConstantOrReject(const absl::StatusOr<Literal>& literal, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_COMPUTATION_BUILDER_H_
