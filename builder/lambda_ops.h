// LambdaOps: the operations of ComputationBuilder whose computations are C++
// lambdas.
//
//   Op total = b.Reduce(x, 0, [](Op a, Op b) { return a + b; }, {1});
//   auto [i, y] = b.While(std::tuple(zero, x),
//                         [&](Op i, Op) { return b.Lt(i, 10); },
//                         [&](Op i, Op y) { return std::tuple(i + 1, y * y);
//                         });
//
// A lambda is called once, inside the call that it is passed to. Every op that
// it records, with whatever builder's name, is recorded in its own computation.
// It can use the enclosing Ops, which it captures (region.h): what is captured
// becomes a part of a while's state, an operand of a conditional, a call or a
// map. The computations of a reduce, sort or scatter take no further values
// (IND0625); constants are copied.
//
// State is any aggregate of Ops (aggregate.h): an Op, a tuple, a vector, a
// struct that lists its members. A lambda takes the aggregate, or the members
// of a tuple, pair or array one by one.
//
// Ops of a lambda don't live longer than the call (IND0601). An exception may
// pass through: the computation is dropped, and the builder has an error
// (IND0626). Each lambda form has the errors of the call that takes a Callee.

#ifndef INDIM_BUILDER_LAMBDA_OPS_H_
#define INDIM_BUILDER_LAMBDA_OPS_H_

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
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/builder/region_ops.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class LambdaOps : public RegionOps {
  template <typename State>
  using IfState = std::enable_if_t<internal::IsAggregate<State>::value>;
  template <typename Function>
  using IfFunction =
      std::enable_if_t<!std::is_same_v<std::decay_t<Function>, Region> &&
                       !std::is_same_v<std::decay_t<Function>, Callee>>;
  template <typename Function>
  using IfBranch = std::enable_if_t<std::is_invocable_v<Function&>>;
  // A function of scalars: of two, or of any number as a span.
  template <typename Function>
  using IfOfScalars =
      std::enable_if_t<std::is_invocable_v<Function&, Op, Op> ||
                       std::is_invocable_v<Function&, absl::Span<const Op>>>;

 public:
  using RegionOps::AllReduce;
  using RegionOps::Call;
  using RegionOps::Conditional;
  using RegionOps::Map;
  using RegionOps::Reduce;
  using RegionOps::ReduceScatter;
  using RegionOps::ReduceWindow;
  using RegionOps::Scan;
  using RegionOps::Scatter;
  using RegionOps::Sort;
  using RegionOps::While;

  // --- Loops and branches ----------------------------------------------------

  // The state that `body` gives from `init` on, while `condition` of it holds.
  // `condition` gives a pred[], `body` a State of as many Ops as `init`
  // (IND0628), of its shapes (IND0404).
  template <typename State, typename Condition, typename Body,
            typename = IfState<State>, typename = IfFunction<Condition>>
  State While(State init, Condition&& condition, Body&& body,
              Caller caller = Caller::Here()) {
    return internal::Filled(
        init, WhileOf(
                  internal::OpsIn(init),
                  [&](Ops state) -> Op {
                    return internal::Apply(condition,
                                           internal::Filled(init, state));
                  },
                  [&](Ops state) {
                    const State next =
                        internal::Apply(body, internal::Filled(init, state));
                    return internal::OpsIn(next);
                  },
                  caller));
  }

  // The state after body(i, state) for i = 0, 1, ... count - 1. `count` is an
  // integer, or an Op, an integer scalar (IND0638); i has its type, and is s32
  // for a number of up to 31 bits, else s64.
  template <typename State, typename Body, typename = IfState<State>>
  State ForLoop(const Operand& count, State init, Body&& body,
                Caller caller = Caller::Here()) {
    return internal::Filled(init,
                            ForLoopOf(
                                count, internal::OpsIn(init),
                                [&](Op i, Ops state) {
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
      typename Carry, typename Inputs, typename Body, typename = IfState<Carry>,
      typename = IfState<Inputs>,
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
        [&](Ops carry, Ops elements) {
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
  template <typename OnTrue, typename OnFalse, typename = IfBranch<OnTrue>,
            typename = IfBranch<OnFalse>>
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
  template <typename State, typename = IfState<State>>
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
  template <typename Body, typename State, typename = IfState<State>>
  auto Call(absl::string_view name, State arguments, Body&& body,
            Caller caller = Caller::Here()) {
    using Result = std::decay_t<decltype(internal::Apply(body, arguments))>;
    std::optional<Result> result;
    const std::vector<Op> returned = CallOf(
        name, internal::OpsIn(arguments),
        [&](Ops given) {
          result.emplace(
              internal::Apply(body, internal::Filled(arguments, given)));
          return internal::OpsIn(*result);
        },
        caller);
    return internal::Filled(result ? *std::move(result) : Result(), returned);
  }

  // --- Computations of scalars -----------------------------------------------

  // function(elements...) at each position of the operands, arrays of equal
  // dims: of one, two or three scalars, or of a span of them. It can use
  // scalars of the enclosing computation (else IND0625).
  template <typename Function,
            typename = std::enable_if_t<
                std::is_invocable_v<Function&, Op> ||
                std::is_invocable_v<Function&, Op, Op> ||
                std::is_invocable_v<Function&, Op, Op, Op> ||
                std::is_invocable_v<Function&, absl::Span<const Op>>>>
  Op Map(absl::Span<const Op> operands, Function&& function,
         Caller caller = Caller::Here()) {
    return MapOf(operands, ScalarsOf(function), caller);
  }
  template <typename Function,
            typename = std::enable_if_t<std::is_invocable_v<Function&, Op>>>
  Op Map(Op operand, Function&& function, Caller caller = Caller::Here()) {
    return Map(absl::MakeConstSpan(&operand, 1), function, caller);
  }

  // Folds the elements along the dims (none: all) by a kind of fold, from its
  // identity on, in the operand's element type (composites/reductions.h has
  // sums that are more exact). IND0643: the type doesn't have the fold.
  Op Reduce(Op operand, ReduceKind kind, const DimsArg& dimensions = {},
            Caller caller = Caller::Here()) {
    return ReduceBy(kind, operand, dimensions.dims(), caller);
  }
  // Folds by fold(a, b) of two scalars, from `init` on.
  template <typename Fold, typename = IfOfScalars<Fold>>
  Op Reduce(Op operand, const Operand& init, Fold&& fold,
            absl::Span<const int64_t> dimensions,
            Caller caller = Caller::Here()) {
    return ReduceOf(operand, init, ScalarsOf(fold), dimensions, caller);
  }
  // Folds several arrays together: fold(scalars) gets all left scalars, then
  // all right ones, and gives an aggregate of one for each array.
  template <typename Fold, typename = std::enable_if_t<std::is_invocable_v<
                               Fold&, absl::Span<const Op>>>>
  std::vector<Op> Reduce(const std::vector<Op>& operands,
                         const std::vector<Op>& inits, Fold&& fold,
                         absl::Span<const int64_t> dimensions,
                         Caller caller = Caller::Here()) {
    return ReduceOf(
        operands, inits,
        [&](Ops scalars) { return internal::OpsIn(fold(scalars)); }, dimensions,
        caller);
  }
  template <typename Fold, typename = IfOfScalars<Fold>>
  Op ReduceWindow(Op operand, const Operand& init, Fold&& fold,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here()) {
    return ReduceWindowOf(operand, init, ScalarsOf(fold), window, caller);
  }
  // fold(element, update) of two scalars.
  template <typename Fold, typename = IfOfScalars<Fold>>
  Op Scatter(Op input, Op scatter_indices, Op updates, Fold&& fold,
             const ScatterAttributes& attributes,
             Caller caller = Caller::Here()) {
    return ScatterOf(input, scatter_indices, updates, ScalarsOf(fold),
                     attributes, caller);
  }
  // less(a, b) of two elements; of several operands, less(scalars) of a pair
  // for each operand.
  template <typename Less, typename = IfOfScalars<Less>>
  Op Sort(absl::Span<const Op> operands, Less&& less, int64_t dimension = -1,
          bool is_stable = false, Caller caller = Caller::Here()) {
    return SortOf(operands, ScalarsOf(less), dimension, is_stable, caller);
  }
  template <typename Less, typename = IfOfScalars<Less>>
  Op Sort(Op operand, Less&& less, int64_t dimension = -1,
          bool is_stable = false, Caller caller = Caller::Here()) {
    return Sort(absl::MakeConstSpan(&operand, 1), less, dimension, is_stable,
                caller);
  }
  template <typename Fold, typename = IfOfScalars<Fold>>
  Op AllReduce(Op operand, Fold&& fold, CollectiveAttributes attributes = {},
               Caller caller = Caller::Here()) {
    return AllReduceOf(operand, ScalarsOf(fold), std::move(attributes), caller);
  }
  template <typename Fold, typename = IfOfScalars<Fold>>
  Op ReduceScatter(Op operand, Fold&& fold, int64_t scatter_dimension,
                   int64_t shard_count, CollectiveAttributes attributes = {},
                   Caller caller = Caller::Here()) {
    return ReduceScatterOf(operand, ScalarsOf(fold), scatter_dimension,
                           shard_count, std::move(attributes), caller);
  }

 protected:
  using RegionOps::RegionOps;
  ~LambdaOps() = default;
  LambdaOps(LambdaOps&&) noexcept = default;
  LambdaOps& operator=(LambdaOps&&) noexcept = default;

 private:
  using Ops = absl::Span<const Op>;
  // Records a computation with these arguments, and gives its results.
  using Recording = absl::FunctionRef<std::vector<Op>(Ops arguments)>;
  using OneResult = absl::FunctionRef<Op(Ops arguments)>;
  using LoopBody = absl::FunctionRef<std::vector<Op>(Op i, Ops state)>;
  struct ScanParts {
    std::vector<Op> carry, outputs;
  };
  using ScanBody = absl::FunctionRef<ScanParts(Ops carry, Ops elements)>;

  // The calls above, with aggregates as their Ops. After an error fewer Ops may
  // come back: the last one stands for all that are missing.
  // The first `own` values of the state are the call's own.
  std::vector<Op> WhileOf(Ops init, OneResult condition, Recording body,
                          Caller caller, size_t own = 0);
  std::vector<Op> ForLoopOf(const Operand& count, std::vector<Op> init,
                            LoopBody body, Caller caller);
  ScanParts ScanOf(Ops init, Ops inputs, ScanBody body, Caller caller);
  std::vector<Op> CallOf(absl::string_view name, Ops arguments, Recording body,
                         Caller caller);
  Op MapOf(Ops operands, OneResult function, Caller caller);
  Op ReduceOf(Op operand, const Operand& init, OneResult fold,
              absl::Span<const int64_t> dimensions, Caller caller);
  std::vector<Op> ReduceOf(Ops operands, Ops inits, Recording fold,
                           absl::Span<const int64_t> dimensions, Caller caller);
  Op ReduceWindowOf(Op operand, const Operand& init, OneResult fold,
                    absl::Span<const WindowDim> window, Caller caller);
  Op ScatterOf(Op input, Op scatter_indices, Op updates, OneResult fold,
               const ScatterAttributes& attributes, Caller caller);
  Op SortOf(Ops operands, OneResult less, int64_t dimension, bool is_stable,
            Caller caller);
  Op AllReduceOf(Op operand, OneResult fold, CollectiveAttributes attributes,
                 Caller caller);
  Op ReduceScatterOf(Op operand, OneResult fold, int64_t scatter_dimension,
                     int64_t shard_count, CollectiveAttributes attributes,
                     Caller caller);
  // The computation of two scalars for each operand; nullopt: *failed is the
  // result of the call.
  std::optional<Callee> ComputationOf(Opcode opcode, absl::string_view name,
                                      Ops operands, OneResult function,
                                      Op* failed, Caller caller);

  // body(i, state), or body(i, members...) of a state that is a tuple.
  template <typename State, typename Body>
  static State CallWithIndex(Body& body, Op i, State state) {
    if constexpr (std::is_invocable_v<Body&, Op, State>) {
      return body(i, std::move(state));
    } else {
      return std::apply(body, std::tuple_cat(std::tuple(i), std::move(state)));
    }
  }

  // `function` as one of a span; it lives as long as `function`.
  template <typename Function>
  static auto ScalarsOf(Function& function) {
    return [&function](Ops s) -> Op {
      if constexpr (std::is_invocable_v<Function&, Ops>) {
        return function(s);
      } else if constexpr (std::is_invocable_v<Function&, Op>) {
        return s.size() == 1 ? function(s[0]) : Op();
      } else if constexpr (std::is_invocable_v<Function&, Op, Op>) {
        return s.size() == 2 ? function(s[0], s[1]) : Op();
      } else {
        return s.size() == 3 ? function(s[0], s[1], s[2]) : Op();
      }
    };
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

#endif  // INDIM_BUILDER_LAMBDA_OPS_H_
