// SPDX-License-Identifier: Apache-2.0
// Aggregates of Ops: how a C++ value holds the Ops that a loop carries or a
// branch returns. One Op is an aggregate, and so is a std::tuple, std::pair,
// std::array or std::vector of aggregates, and a struct that lists its members:
//
//   struct Layer {
//     Op weights, bias;
//     auto Members() { return std::tie(weights, bias); }
//   };

#ifndef INDIM_BUILDER_AGGREGATE_H_
#define INDIM_BUILDER_AGGREGATE_H_

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/op.h"

namespace indim::internal {

// Whether T is an aggregate.
template <typename T, typename = void>
struct IsAggregate : std::is_same<T, Op> {};
template <typename T>
struct IsAggregate<T, std::void_t<decltype(std::declval<T&>().Members())>>
    : std::true_type {};
template <typename T>
struct IsAggregate<std::vector<T>> : IsAggregate<T> {};
template <typename T, size_t n>
struct IsAggregate<std::array<T, n>> : IsAggregate<T> {};
template <typename A, typename B>
struct IsAggregate<std::pair<A, B>>
    : std::conjunction<IsAggregate<A>, IsAggregate<B>> {};
template <typename... T>
struct IsAggregate<std::tuple<T...>> : std::conjunction<IsAggregate<T>...> {};

// Whether std::apply takes T.
template <typename T, typename = void>
struct IsTupleLike : std::false_type {};
template <typename T>
struct IsTupleLike<T, std::void_t<decltype(std::tuple_size<T>::value)>>
    : std::true_type {};

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};

// Calls visit(Op&) for each Op in *value, in order.
template <typename T, typename Visit>
void VisitOps(T* value, const Visit& visit) {
  if constexpr (std::is_same_v<T, Op>) {
    visit(*value);
  } else if constexpr (IsTupleLike<T>::value) {
    std::apply([&](auto&... member) { (VisitOps(&member, visit), ...); },
               *value);
  } else if constexpr (IsVector<T>::value) {
    for (auto& element : *value) VisitOps(&element, visit);
  } else {
    std::apply([&](auto&... member) { (VisitOps(&member, visit), ...); },
               value->Members());
  }
}

// The Ops in `value`, in order.
template <typename T>
std::vector<Op> OpsIn(T value) {
  std::vector<Op> ops;
  VisitOps(&value, [&](Op& op) { ops.push_back(op); });
  return ops;
}

// `like` with its Ops replaced by `ops`; the last one stands for all that are
// missing, a default Op where there are none.
template <typename T>
T Filled(T like, absl::Span<const Op> ops) {
  size_t next = 0;
  VisitOps(&like, [&](Op& op) {
    op = ops.empty() ? Op() : ops[next < ops.size() ? next : ops.size() - 1];
    ++next;
  });
  return like;
}

// function(state...) of a tuple's members if it takes those, else
// function(state).
template <typename Function, typename State>
auto Apply(Function& function, State state) {
  if constexpr (std::is_invocable_v<Function&, State>) {
    return function(std::move(state));
  } else {
    static_assert(IsTupleLike<State>::value,
                  "the lambda takes the state, or the members of its tuple");
    return std::apply(function, std::move(state));
  }
}

}  // namespace indim::internal

#endif  // INDIM_BUILDER_AGGREGATE_H_
