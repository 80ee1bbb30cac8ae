// SPDX-License-Identifier: Apache-2.0
// Marks: what a program says of derivatives. They are frontend attributes
// "indim.gradient" of instructions, so they survive files.
//
//   Op target = StopGradient(value);
//   Op y = Checkpoint(b, "layer", std::tuple(x, w), Layer);
//   Op z = CustomGradient(b, "clipped", x, [](Op x) {
//     return std::pair(x, [](Op ct) { return Clamp(-1, ct, 1); });
//   });
//   Op r = CustomTangent(b, "root", x, [](Op x) {
//     Op r = Sqrt(x);
//     return std::pair(r, [=](Op t) { return 0.5 * t / r; });
//   });
//
// docs/gradients.md says how files have them.

#ifndef INDIM_GRAD_MARKS_H_
#define INDIM_GRAD_MARKS_H_

#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/builder/aggregate.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

namespace internal {

// Marks an op ("stop"), or the call that gave it. False: it has no such mark.
bool SetGradientMark(Recorder* recorder, Op op, absl::string_view mark);
// Mark the call that gave `results`, of which the first is enough.
void MarkCheckpoint(const ComputationBuilder& b,
                    const std::vector<Op>& results);
void MarkCustom(const ComputationBuilder& b, const std::vector<Op>& results);
// Records a call of linear(tangents), or of cotangents, which is marked: `of`
// with the floats and complex numbers replaced.
void RecordRule(
    ComputationBuilder& b, absl::string_view name, bool is_jvp,
    const std::vector<Op>& of,
    const std::function<std::vector<Op>(const std::vector<Op>&)>& linear,
    Caller caller);

// A call of body(arguments), which gives the result and its derivative: a
// function of the tangents of the arguments, or (no jvp) of the cotangents of
// the result.
template <bool is_jvp, typename State, typename Body>
auto RecordCustom(ComputationBuilder& b, absl::string_view name,
                  State arguments, Body&& body, Caller caller) {
  auto result = b.Call(
      name, std::move(arguments),
      [&](State given) {
        // No structured binding: C++17's can't be captured.
        auto both = Apply(body, given);
        auto& value = std::get<0>(both);
        auto& rule = std::get<1>(both);
        const auto record = [&](const auto& of) {
          RecordRule(
              b, name, is_jvp, OpsIn(of),
              [&](const std::vector<Op>& tangents) {
                return OpsIn(Apply(rule, Filled(of, tangents)));
              },
              caller);
        };
        if constexpr (is_jvp) {
          record(given);
        } else {
          record(value);
        }
        return value;
      },
      caller);
  MarkCustom(b, OpsIn(result));
  return result;
}

}  // namespace internal

// x, an array, whose derivative is zero: as jax.lax.stop_gradient.
Op StopGradient(Op x, Caller caller = Caller::Here());

// body(arguments), as b.Call(name, arguments, body) records it: a call of which
// reverse mode keeps the operands only. Its transpose computes the rest again,
// as jax.checkpoint. A body that draws random numbers, moves data or has side
// effects has no gradient then (IND1400).
template <typename State, typename Body>
auto Checkpoint(ComputationBuilder& b, absl::string_view name, State arguments,
                Body&& body, Caller caller = Caller::Here()) {
  auto result = b.Call(name, std::move(arguments), body, caller);
  internal::MarkCheckpoint(b, internal::OpsIn(result));
  return result;
}

// A function with a derivative of its own. body(arguments) gives the result and
// a function that takes the cotangents of the result (the value itself in the
// place of what has none, such as integers), and gives an aggregate of a
// cotangent for each Op of floats or complex numbers in `arguments`: as
// jax.custom_gradient. Both may use values of the body.
// Derivatives by values that the body takes from outside are zero. What it
// gives has to be linear in the cotangents; forward mode transposes it. Errors:
// of b.Call; a cotangent of another shape is IND1400 when a derivative is
// taken.
template <typename State, typename Body>
auto CustomGradient(ComputationBuilder& b, absl::string_view name,
                    State arguments, Body&& body,
                    Caller caller = Caller::Here()) {
  return internal::RecordCustom<false>(b, name, std::move(arguments), body,
                                       caller);
}

// The same with a function of tangents, as jax.custom_jvp: it takes those of
// `arguments` (the value itself in the place of what has none), and gives an
// aggregate of a tangent for each Op of floats or complex numbers in the
// result. Reverse mode transposes it.
template <typename State, typename Body>
auto CustomTangent(ComputationBuilder& b, absl::string_view name,
                   State arguments, Body&& body,
                   Caller caller = Caller::Here()) {
  return internal::RecordCustom<true>(b, name, std::move(arguments), body,
                                      caller);
}

}  // namespace indim

#endif  // INDIM_GRAD_MARKS_H_
