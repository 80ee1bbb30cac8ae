// SPDX-License-Identifier: Apache-2.0
// ControlOps: the operations of ComputationBuilder that call computations, and
// those of tuples and order. A loop, a branch or a call takes lambdas
// (lambda.h), Callees, or regions (region.h), the plain interface behind
// lambdas.

#ifndef INDIM_BUILDER_CONTROL_OPS_H_
#define INDIM_BUILDER_CONTROL_OPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/aggregate.h"
#include "indim/builder/arguments.h"
#include "indim/builder/builder_part.h"
#include "indim/builder/lambda.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/shape.h"

namespace indim {

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class ControlOps : public internal::BuilderPart<ControlOps> {
 public:
  // --- Loops and branches ----------------------------------------------------

  // The state that `body` gives from `init` on, while `condition` of it holds.
  // `condition` gives a pred[], `body` a State of as many Ops as `init`
  // (IND0628), of its shapes (IND0661).
  template <typename State, typename Condition, typename Body,
            typename = internal::IfState<State>,
            typename = internal::IfFunction<Condition>>
  State While(State init, Condition&& condition, Body&& body,
              Caller caller = Caller::Here()) {
    return internal::Filled(
        init, WhileOf(
                  internal::OpsIn(init),
                  [&](internal::Ops state) -> Op {
                    return internal::Apply(condition,
                                           internal::Filled(init, state));
                  },
                  [&](internal::Ops state) {
                    const State next =
                        internal::Apply(body, internal::Filled(init, state));
                    return internal::OpsIn(next);
                  },
                  caller));
  }

  // The state after body(i, state) for i = 0, 1, ... count - 1. `count` is an
  // integer, or an Op, an integer scalar (IND0638); i has its type, and is s32
  // for a number of up to 31 bits, else s64.
  template <typename State, typename Body, typename = internal::IfState<State>>
  State ForLoop(const Operand& count, State init, Body&& body,
                Caller caller = Caller::Here()) {
    return internal::Filled(init,
                            ForLoopOf(
                                count, internal::OpsIn(init),
                                [&](Op i, internal::Ops state) {
                                  return internal::OpsIn(CallWithIndex<State>(
                                      body, i, internal::Filled(init, state)));
                                },
                                caller));
  }

  // jax.lax.scan: body(carry, element) gives (next carry, output) for each
  // element of `inputs` along dim 0; the result is the last carry, and the
  // outputs stacked along a new dim 0. `inputs` is an aggregate of arrays whose
  // dims 0 are equal (IND0203), static or named, and whose other dims are
  // static (IND0639); outputs are static (IND0617). It is a while.
  template <
      typename Carry, typename Inputs, typename Body,
      typename = internal::IfState<Carry>, typename = internal::IfState<Inputs>,
      typename = std::enable_if_t<std::is_invocable_v<Body&, Carry, Inputs>>>
  auto Scan(Carry init, Inputs inputs, Body&& body,
            Caller caller = Caller::Here()) {
    using Result = decltype(body(init, inputs));
    using Output = std::tuple_element_t<1, Result>;
    static_assert(std::tuple_size_v<Result> == 2,
                  "body gives the next carry and an output");
    std::optional<Result> result;
    const ScanParts last = ScanOf(
        internal::OpsIn(init), internal::OpsIn(inputs),
        [&](internal::Ops carry, internal::Ops elements) {
          result.emplace(body(internal::Filled(init, carry),
                              internal::Filled(inputs, elements)));
          return ScanParts{internal::OpsIn(std::get<0>(*result)),
                           internal::OpsIn(std::get<1>(*result))};
        },
        caller);
    // Without the body's result there is no Output to fill.
    Output like = result ? std::get<1>(*std::move(result)) : Output();
    return std::pair(internal::Filled(init, last.carry),
                     internal::Filled(std::move(like), last.outputs));
  }

  // What on_true() or on_false() gives, two aggregates of one type. `predicate`
  // is pred[] (IND0405). Both give equally many Ops (IND0628) of equal shapes
  // (IND0403).
  template <typename OnTrue, typename OnFalse,
            typename = internal::IfBranch<OnTrue>,
            typename = internal::IfBranch<OnFalse>>
  auto Conditional(Op predicate, OnTrue&& on_true, OnFalse&& on_false,
                   Caller caller = Caller::Here()) {
    using State = std::decay_t<decltype(on_true())>;
    std::vector<Region> branches;
    State like = Branch<State>("on_true", on_true, &branches, caller);
    Branch<State>("on_false", on_false, &branches, caller);
    return internal::Filled(std::move(like),
                            Conditional(predicate, std::move(branches[0]),
                                        std::move(branches[1]), caller));
  }
  // What branches[branch_index]() gives; the last one where the index, an s32[]
  // (IND0405), is out of range. There is at least one branch (IND0406).
  template <typename State, typename = internal::IfState<State>>
  State Conditional(Op branch_index,
                    const std::vector<std::function<State()>>& branches,
                    Caller caller = Caller::Here()) {
    std::vector<Region> regions;
    State like = State();
    for (const std::function<State()>& branch : branches) {
      like = Branch<State>("branch", branch, &regions, caller);
    }
    return internal::Filled(
        std::move(like), Conditional(branch_index, std::move(regions), caller));
  }

  // body(arguments) as a computation of its own that is called, named `name`.
  template <typename Body, typename State, typename = internal::IfState<State>>
  auto Call(absl::string_view name, State arguments, Body&& body,
            Caller caller = Caller::Here()) {
    using Result = std::decay_t<decltype(internal::Apply(body, arguments))>;
    std::optional<Result> result;
    const std::vector<Op> returned = CallOf(
        name, internal::OpsIn(arguments),
        [&](internal::Ops given) {
          result.emplace(
              internal::Apply(body, internal::Filled(arguments, given)));
          return internal::OpsIn(*result);
        },
        caller);
    return internal::Filled(result ? *std::move(result) : Result(), returned);
  }

  // --- With Callees ----------------------------------------------------------

  // Starts with `init`, and replaces the value by `body` of it while
  // `condition` of it holds. Both computations have one parameter; `condition`
  // gives pred[], `body` the parameter's shape. Errors: IND0401..IND0404.
  // Source: XLA, InferWhileShape.
  Op While(const Callee& condition, const Callee& body, Op init,
           Caller caller = Caller::Here());
  // Runs one of two computations, each with its own operand. predicate is
  // pred[] (IND0405). Errors also: IND0401..IND0403. Source: XLA,
  // InferConditionalShape, XlaBuilder::Conditional.
  Op Conditional(Op predicate, Op true_operand, const Callee& true_computation,
                 Op false_operand, const Callee& false_computation,
                 Caller caller = Caller::Here());
  // Runs one of n computations. branch_index is s32[] (IND0405); an index out
  // of range takes the last one. There is at least one branch, and one operand
  // for each (IND0406).
  Op Conditional(Op branch_index, absl::Span<const Callee> branches,
                 absl::Span<const Op> branch_operands,
                 Caller caller = Caller::Here());
  // Applies `computation` to the slices of the inputs along scan_dimension, one
  // index after the other, and to the carries, which start as `inits`; it
  // returns outputs, then new carries. The result is the tuple of the outputs,
  // stacked along the dim, and the last carries. Errors: IND0111,
  // IND0380..IND0385, IND0401. Source: XLA, XlaBuilder::Scan.
  Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits,
          const Callee& computation, int64_t scan_dimension,
          bool is_reverse = false, std::optional<bool> is_associative = {},
          Caller caller = Caller::Here());
  // Operands match the computation's parameters; the result is the
  // computation's. Errors: IND0401, IND0402. Source: XLA, InferCallShape.
  Op Call(const Callee& computation, absl::Span<const Op> operands,
          Caller caller = Caller::Here());
  // Records a graph here: the entry of a module that was built or read, with
  // `arguments` for its parameters; the result is its root. Each instruction
  // keeps its name (b.Build() makes names unique), attributes, sharding, layout
  // and metadata; one without metadata gets the line of this call. Computations
  // that it calls are copied once, however often the module is inlined. What
  // belongs to the module as a whole (aliases, layouts of the entry, frontend
  // attributes, ...) stays behind, with what its parameters have beside their
  // shapes. Shapes are inferred again where an argument's shape differs from
  // its parameter's. The names of sizes mean the same in both graphs. Errors:
  // IND0401, another number of arguments; IND0402, another shape; IND0605, a
  // module without computations, or with parameters that aren't numbered
  // 0..n-1; IND0700 and IND0701, an opcode or attributes that Indim doesn't
  // know; IND0703, a constant in another file that wasn't opened; and the
  // errors of each instruction.
  Op Inline(const Module& module, absl::Span<const Op> arguments,
            Caller caller = Caller::Here());
  // A call that stands for one operation `name` of another dialect, which
  // `computation` decomposes. `attributes` is a text in that dialect. Source:
  // XLA, XlaBuilder::CompositeCall.
  Op CompositeCall(const Callee& computation, absl::Span<const Op> operands,
                   absl::string_view name, absl::string_view attributes = "{}",
                   int64_t version = 0, Caller caller = Caller::Here());
  // A call of `computation` that a compiler has fused; `kind` is "kLoop",
  // "kInput", "kOutput" or "kCustom". Errors: IND0401, IND0402. Source: XLA,
  // XlaBuilderFriend::BuildFusion.
  Op Fusion(absl::Span<const Op> operands, absl::string_view kind,
            const Callee& computation,
            std::vector<OutputOperandAliasing> output_operand_aliasing = {},
            Caller caller = Caller::Here());

  // --- Tuples ----------------------------------------------------------------

  // Elements of any shapes. Errors: IND0409, tuples that nest too deeply.
  Op Tuple(absl::Span<const Op> elements, Caller caller = Caller::Here());
  // The Ops of a state (aggregate.h), in order: they aren't nested.
  template <
      typename State,
      typename = std::enable_if_t<
          internal::IsAggregate<State>::value && !std::is_same_v<State, Op> &&
          !std::is_convertible_v<const State&, absl::Span<const Op>>>>
  Op Tuple(const State& state, Caller caller = Caller::Here()) {
    return Tuple(absl::MakeConstSpan(internal::OpsIn(state)), caller);
  }
  // Errors: IND0407, IND0408.
  Op GetTupleElement(Op tuple, int64_t index, Caller caller = Caller::Here());

  // --- Custom calls ----------------------------------------------------------

  // Calls code of the user's runtime, with any operands and a result of
  // `shape`. Errors: IND0604; IND0631, a target that begins with "$". It uses
  // the original API version, unless attributes give one.
  Op CustomCall(absl::string_view call_target_name,
                absl::Span<const Op> operands, const ShapeArg& shape,
                bool has_side_effect = false, Caller caller = Caller::Here());

  // A CustomCall with all attributes: the opaque text, the API version, a
  // schedule, aliasing, the window or convolution that it stands for ... The
  // first argument sets attributes.target. Source: XLA, XlaBuilder::CustomCall.
  Op CustomCall(absl::string_view call_target_name,
                absl::Span<const Op> operands, const ShapeArg& shape,
                CustomCallAttributes attributes,
                const Literal* literal = nullptr,
                Caller caller = Caller::Here());
  // A CustomCall that may call computations.
  Op CustomCallWithComputation(absl::string_view call_target_name,
                               absl::Span<const Op> operands,
                               absl::Span<const Callee> computations,
                               const ShapeArg& shape,
                               CustomCallAttributes attributes = {},
                               const Literal* literal = nullptr,
                               Caller caller = Caller::Here());
  // A CustomCall that requires layouts of its operands, a shape for each
  // (IND0632), and of its result. A shape without a layout gets the row-major
  // one.
  Op CustomCallWithLayout(absl::string_view call_target_name,
                          absl::Span<const Op> operands, const ShapeArg& shape,
                          absl::Span<const Shape> operand_shapes_with_layout,
                          CustomCallAttributes attributes = {},
                          const Literal* literal = nullptr,
                          Caller caller = Caller::Here());

  // --- Order -----------------------------------------------------------------

  // A new token, and a token that follows all of `tokens` (IND0110).
  Op CreateToken(Caller caller = Caller::Here());
  Op AfterAll(absl::Span<const Op> tokens, Caller caller = Caller::Here());
  // The operand, available after the token (IND0110). Source: XLA,
  // XlaBuilderFriend::BuildAddDependency.
  Op AddDependency(Op operand, Op token, Caller caller = Caller::Here());
  // The operand, at the border between two shardings (bytes of an OpSharding).
  // Source: XLA, XlaBuilderFriend::BuildDomain.
  Op Domain(Op operand, absl::string_view entry_sharding,
            absl::string_view exit_sharding, Caller caller = Caller::Here());
  // The operand; the compiler moves no operation across this op.
  Op OptimizationBarrier(Op operand, Caller caller = Caller::Here());

  // --- Regions ---------------------------------------------------------------

  // Begins a region whose arguments have these shapes; from now on this builder
  // records in it. `name` names the computation; "" or no UTF-8: "region".
  // Errors: IND0604, a shape that no file can hold.
  Region BeginRegion(absl::string_view name, absl::Span<const Shape> arguments,
                     CaptureForm form, Caller caller = Caller::Here());
  // Gives an open region of form kTuple one more argument. The region must be
  // the innermost one that is open (IND0627).
  Op AddArgument(Region* region, const Shape& shape,
                 Caller caller = Caller::Here());
  // Ends a region; its results are Ops of the region, or Ops that it captures.
  // Then this builder records in the enclosing computation again, and Ops of
  // the region are gone (IND0601). A region inside it that is still open is
  // dropped (IND0629). After an error inside the region the op that calls it is
  // poisoned, without a further message.
  void EndRegion(Region* region, absl::Span<const Op> results,
                 Caller caller = Caller::Here());

  // The calls of ended regions that were begun in the computation that is
  // recorded now, in the form that a comment names (else IND0627). They take
  // the region over. Each returns an Op for each result.

  // Two regions of form kTuple with `init` as arguments: `condition` gives one
  // pred[], and `body` the next values, one for each of `init` (IND0628). The
  // state is one tuple: the values, then what the regions capture. Errors also:
  // IND0402, IND0403, IND0661.
  std::vector<Op> While(absl::Span<const Op> init, Region condition,
                        Region body, Caller caller = Caller::Here());
  // Regions of form kTuple without arguments and with equally many results
  // (IND0628): two, for a pred[] (true first), or n, for an s32[] (IND0405).
  std::vector<Op> Conditional(Op predicate, Region on_true, Region on_false,
                              Caller caller = Caller::Here());
  std::vector<Op> Conditional(Op branch_index, std::vector<Region> branches,
                              Caller caller = Caller::Here());
  // A region of form kParameters.
  std::vector<Op> Call(Region body, absl::Span<const Op> operands,
                       Caller caller = Caller::Here());
  // A region of form kNone, as the computation of a reduce, sort, scatter ...
  Callee CalleeOf(Region region, Caller caller = Caller::Here());

 private:
  friend class ComputationBuilder;
  ControlOps() = default;

  using LoopBody =
      absl::FunctionRef<std::vector<Op>(Op i, internal::Ops state)>;
  struct ScanParts {
    std::vector<Op> carry, outputs;
  };
  using ScanBody =
      absl::FunctionRef<ScanParts(internal::Ops carry, internal::Ops elements)>;

  // The calls above, with aggregates as their Ops. After an error fewer Ops may
  // come back: the last one stands for all that are missing.
  // The first `own` values of the state are the call's own.
  std::vector<Op> WhileOf(internal::Ops init, internal::OneResult condition,
                          internal::Recording body, Caller caller,
                          size_t own = 0);
  std::vector<Op> ForLoopOf(const Operand& count, std::vector<Op> init,
                            LoopBody body, Caller caller);
  ScanParts ScanOf(internal::Ops init, internal::Ops inputs, ScanBody body,
                   Caller caller);
  std::vector<Op> CallOf(absl::string_view name, internal::Ops arguments,
                         internal::Recording body, Caller caller);

  // body(i, state), or body(i, members...) of a state that is a tuple.
  template <typename State, typename Body>
  static State CallWithIndex(Body& body, Op i, State state) {
    if constexpr (std::is_invocable_v<Body&, Op, State>) {
      return body(i, std::move(state));
    } else {
      return std::apply(body, std::tuple_cat(std::tuple(i), std::move(state)));
    }
  }

  // Records a branch, and returns what it gave.
  template <typename State, typename Function>
  State Branch(absl::string_view name, Function& function,
               std::vector<Region>* branches, Caller caller) {
    Region region = BeginRegion(name, {}, CaptureForm::kTuple, caller);
    State result = function();
    EndRegion(&region, internal::OpsIn(result), caller);
    branches->push_back(std::move(region));
    return result;
  }
};

}  // namespace indim

#endif  // INDIM_BUILDER_CONTROL_OPS_H_
