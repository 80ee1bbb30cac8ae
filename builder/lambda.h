// SPDX-License-Identifier: Apache-2.0
// C++ lambdas as the computations of ComputationBuilder's operations.
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

#ifndef INDIM_BUILDER_LAMBDA_H_
#define INDIM_BUILDER_LAMBDA_H_

#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "indim/builder/aggregate.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"

namespace indim {

namespace internal {

// What the calls for lambdas pass on, with aggregates as their Ops.
using Ops = absl::Span<const Op>;
// Records a computation with these arguments, and gives its results.
using Recording = absl::FunctionRef<std::vector<Op>(Ops arguments)>;
using OneResult = absl::FunctionRef<Op(Ops arguments)>;

template <typename State>
using IfState = std::enable_if_t<IsAggregate<State>::value>;
template <typename Function>
using IfFunction =
    std::enable_if_t<!std::is_same_v<std::decay_t<Function>, Region> &&
                     !std::is_same_v<std::decay_t<Function>, Callee>>;
template <typename Function>
using IfBranch = std::enable_if_t<std::is_invocable_v<Function&>>;
// A function of scalars: of two, or of any number as a span.
template <typename Function>
using IfOfScalars = std::enable_if_t<std::is_invocable_v<Function&, Op, Op> ||
                                     std::is_invocable_v<Function&, Ops>>;
// Of one, two or three, or of any number as a span.
template <typename Function>
using IfMapped = std::enable_if_t<std::is_invocable_v<Function&, Op> ||
                                  std::is_invocable_v<Function&, Op, Op> ||
                                  std::is_invocable_v<Function&, Op, Op, Op> ||
                                  std::is_invocable_v<Function&, Ops>>;

// `function` as one of a span; it lives as long as `function`.
template <typename Function>
auto ScalarsOf(Function& function) {
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

}  // namespace internal

}  // namespace indim

#endif  // INDIM_BUILDER_LAMBDA_H_
