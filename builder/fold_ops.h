// SPDX-License-Identifier: Apache-2.0
// FoldOps: the operations of ComputationBuilder that apply a computation of
// scalars: reductions, windows, scatters, sorts. The computation is a kind of
// fold, a lambda (lambda.h) or a Callee.

#ifndef INDIM_BUILDER_FOLD_OPS_H_
#define INDIM_BUILDER_FOLD_OPS_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/aggregate.h"
#include "indim/builder/arguments.h"
#include "indim/builder/builder_part.h"
#include "indim/builder/lambda.h"
#include "indim/builder/op.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

// How a reduction folds two elements. kAnd, kOr and kXor work bit by bit; for
// pred, kAdd and kMax are "or", kMul and kMin "and".
enum class ReduceKind : uint8_t { kAdd, kMul, kMin, kMax, kAnd, kOr, kXor };

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class FoldOps : public internal::BuilderPart<FoldOps> {
 public:
  // --- Reductions ------------------------------------------------------------

  // Folds the elements along the dims (none: all) by a kind of fold, from its
  // identity on, in the operand's element type (composites/reductions.h has
  // sums that are more exact). IND0643: the type doesn't have the fold.
  Op Reduce(Op operand, ReduceKind kind, const DimsArg& dimensions = {},
            Caller caller = Caller::Here()) {
    return ReduceBy(kind, operand, dimensions.dims(), caller);
  }
  // Folds by fold(a, b) of two scalars, from `init` on.
  template <typename Fold, typename = internal::IfOfScalars<Fold>>
  Op Reduce(Op operand, const Operand& init, Fold&& fold,
            absl::Span<const int64_t> dimensions,
            Caller caller = Caller::Here()) {
    return ReduceOf(operand, init, internal::ScalarsOf(fold), dimensions,
                    caller);
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
        [&](internal::Ops scalars) { return internal::OpsIn(fold(scalars)); },
        dimensions, caller);
  }
  // Folds the elements along dimensions_to_reduce by `computation`, which takes
  // two scalars and gives one, starting with init_value. The remaining dims
  // keep their order. Errors about dims: IND0111, IND0112; about the
  // computation, its operands and init_value: IND0321..IND0327. Source: XLA,
  // InferReduceShape.
  Op Reduce(Op operand, Op init_value, const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Reduces several arrays of equal dims (IND0203, IND0204) together, each with
  // an initial value (IND0320). `computation` takes all left, then all right
  // scalars and gives a tuple. The result is a tuple; for a span of one
  // operand, an array.
  Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
            const Callee& computation,
            absl::Span<const int64_t> dimensions_to_reduce,
            Caller caller = Caller::Here());
  // Reduces all dims. The operand's rank must be known (IND0612).
  Op ReduceAll(Op operand, Op init_value, const Callee& computation,
               Caller caller = Caller::Here());

  // --- Windows ---------------------------------------------------------------

  // Folds the elements under each position of `window` by `computation`.
  // `window` has an entry per dim (IND0350); its numbers are at least 1
  // (IND0351), and its padding leaves a size of at least 0 (IND0227). Errors
  // about the computation: IND0321..IND0327. Source: XLA,
  // InferReduceWindowShape.
  Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here());
  // Reduces several arrays of equal dims (IND0203, IND0204) together, each with
  // an initial value (IND0320), to a tuple (for one operand, an array).
  Op ReduceWindow(absl::Span<const Op> operands,
                  absl::Span<const Op> init_values, const Callee& computation,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here());
  // The window as lists with an entry per dim (IND0632); an empty list: all 1.
  // Padding::kSame needs a static size in each dim whose window isn't trivial
  // (IND0634; XLA's builder makes a custom call for bounded dims).
  Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                  absl::Span<const int64_t> window_dimensions,
                  absl::Span<const int64_t> window_strides, Padding padding,
                  Caller caller = Caller::Here());
  Op ReduceWindow(absl::Span<const Op> operands,
                  absl::Span<const Op> init_values, const Callee& computation,
                  absl::Span<const int64_t> window_dimensions,
                  absl::Span<const int64_t> window_strides, Padding padding,
                  Caller caller = Caller::Here());
  // `padding` has (low, high) of each dim.
  Op ReduceWindowWithGeneralPadding(
      absl::Span<const Op> operands, absl::Span<const Op> init_values,
      const Callee& computation, absl::Span<const int64_t> window_dimensions,
      absl::Span<const int64_t> window_strides,
      absl::Span<const int64_t> base_dilations,
      absl::Span<const int64_t> window_dilations,
      absl::Span<const std::pair<int64_t, int64_t>> padding,
      Caller caller = Caller::Here());
  // Folds each element of `source`, which has one for each window position
  // (IND0354), into the element that `select` chooses there (IND0352, IND0353),
  // by `scatter` (IND0321..IND0327). The window is as in ReduceWindow. Source:
  // XLA, InferSelectAndScatterShape.
  Op SelectAndScatter(Op operand, const Callee& select,
                      absl::Span<const WindowDim> window, Op source,
                      Op init_value, const Callee& scatter,
                      Caller caller = Caller::Here());
  // The window as lists, as in ReduceWindow.
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
  template <typename Fold, typename = internal::IfOfScalars<Fold>>
  Op ReduceWindow(Op operand, const Operand& init, Fold&& fold,
                  absl::Span<const WindowDim> window,
                  Caller caller = Caller::Here()) {
    return ReduceWindowOf(operand, init, internal::ScalarsOf(fold), window,
                          caller);
  }

  // --- Scatters, sorts -------------------------------------------------------

  // `input`, with `updates` folded in by `computation` at the index vectors;
  // `updates` has the shape of a gather's result. Errors: IND0243,
  // IND0250..IND0257, IND0321..IND0327. Source: XLA, InferScatterShape.
  Op Scatter(Op input, Op scatter_indices, Op updates,
             const Callee& computation, const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // Scatters into several arrays together, with as many updates (IND0258); the
  // result is a tuple (for one input, an array).
  Op Scatter(absl::Span<const Op> inputs, Op scatter_indices,
             absl::Span<const Op> updates, const Callee& computation,
             const ScatterAttributes& attributes,
             Caller caller = Caller::Here());
  // fold(element, update) of two scalars.
  template <typename Fold, typename = internal::IfOfScalars<Fold>>
  Op Scatter(Op input, Op scatter_indices, Op updates, Fold&& fold,
             const ScatterAttributes& attributes,
             Caller caller = Caller::Here()) {
    return ScatterOf(input, scatter_indices, updates, internal::ScalarsOf(fold),
                     attributes, caller);
  }
  // Sorts operands of equal dims (IND0203, IND0204) together along `dimension`
  // (-1: the last; the rank must be known, IND0612). `comparator` takes two
  // scalars of each operand and gives pred[]. The result is a tuple; for one
  // operand, an array. A wrong dimension or comparator is a warning here
  // (IND0260, IND0261), because XLA's builder accepts it, and an error of the
  // verifier. Source: XLA, InferVariadicOpShape, XlaBuilder::Sort.
  Op Sort(absl::Span<const Op> operands, const Callee& comparator,
          int64_t dimension = -1, bool is_stable = false,
          Caller caller = Caller::Here());
  // less(a, b) of two elements; of several operands, less(scalars) of a pair
  // for each operand.
  template <typename Less, typename = internal::IfOfScalars<Less>>
  Op Sort(absl::Span<const Op> operands, Less&& less, int64_t dimension = -1,
          bool is_stable = false, Caller caller = Caller::Here()) {
    return SortOf(operands, internal::ScalarsOf(less), dimension, is_stable,
                  caller);
  }
  template <typename Less, typename = internal::IfOfScalars<Less>>
  Op Sort(Op operand, Less&& less, int64_t dimension = -1,
          bool is_stable = false, Caller caller = Caller::Here()) {
    return Sort(absl::MakeConstSpan(&operand, 1), less, dimension, is_stable,
                caller);
  }

 private:
  friend class ComputationBuilder;
  FoldOps() = default;

  // The calls above, with lambdas as functions of a span.
  Op ReduceBy(ReduceKind kind, Op operand,
              const std::optional<absl::Span<const int64_t>>& dimensions,
              Caller caller);
  Op ReduceOf(Op operand, const Operand& init, internal::OneResult fold,
              absl::Span<const int64_t> dimensions, Caller caller);
  std::vector<Op> ReduceOf(internal::Ops operands, internal::Ops inits,
                           internal::Recording fold,
                           absl::Span<const int64_t> dimensions, Caller caller);
  Op ReduceWindowOf(Op operand, const Operand& init, internal::OneResult fold,
                    absl::Span<const WindowDim> window, Caller caller);
  Op ScatterOf(Op input, Op scatter_indices, Op updates,
               internal::OneResult fold, const ScatterAttributes& attributes,
               Caller caller);
  Op SortOf(internal::Ops operands, internal::OneResult less, int64_t dimension,
            bool is_stable, Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_FOLD_OPS_H_
