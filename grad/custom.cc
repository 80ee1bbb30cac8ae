// SPDX-License-Identifier: Apache-2.0
// Derivatives that a computation of the module gives: of a call that is marked
// "custom", and of a custom-call that is marked "vjp".

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/split.h"
#include "indim/grad/stacks.h"
#include "indim/grad/tape.h"

namespace indim::internal {
namespace {

std::vector<Shape> DifferentiableLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  for (const Shape& leaf : LeafShapes(shape)) {
    if (IsDifferentiable(leaf)) leaves.push_back(leaf.WithoutLayout());
  }
  return leaves;
}

// A computation that takes the cotangents of the result's floats, and then
// `others`, values of the primal builder; it gives the cotangents of the first
// floats of the operands.
struct CustomVjp {
  GradientContext* context;
  Computation vjp;
  std::vector<Op> others;
  std::vector<Shape> results;   // whose cotangents it takes
  std::vector<Shape> operands;  // whose cotangents it gives

  // Whether `primal` has them; else `why` not.
  bool Fits(const Primal& primal, std::string* why) {
    results = DifferentiableLeaves(primal.shape());
    std::vector<Shape> floats;
    for (int i = 0; i < primal.node().operand_count(); ++i) {
      for (Shape& leaf : DifferentiableLeaves(primal.shape(i))) {
        floats.push_back(std::move(leaf));
      }
    }
    operands = LeafShapes(vjp.root().shape());
    const std::vector<Shape> takes = vjp.signature().parameters;
    const auto fit = [&](const std::vector<Shape>& some,
                         const std::vector<Shape>& of, const char* what) {
      for (size_t i = 0; i < some.size(); ++i) {
        if (i < of.size() && SameStructure(some[i], of[i])) continue;
        *why = absl::StrCat("its derivative %", vjp.name(), " ", what, " ",
                            some[i].ToString(), ", and not ",
                            i < of.size() ? of[i].ToString() : "nothing");
        return false;
      }
      return true;
    };
    if (takes.size() != results.size() + others.size()) {
      *why =
          absl::StrCat("its derivative %", vjp.name(), " takes ", takes.size(),
                       " operands, and not ", results.size() + others.size());
      return false;
    }
    return fit(results, takes, "must take") && fit(operands, floats, "gives");
  }

  std::vector<Op> Operands(std::vector<Op> cotangents,
                           const std::function<Op(Op)>& value_of) const {
    for (const Op other : others) cotangents.push_back(value_of(other));
    return cotangents;
  }
  std::vector<Op> OrZeros(ComputationBuilder& b,
                          absl::Span<const Tangent> given,
                          const std::vector<Shape>& shapes) const {
    std::vector<Op> ops;
    for (size_t i = 0; i < shapes.size(); ++i) {
      ops.push_back(i < given.size() && given[i] ? *given[i]
                                                 : b.Splat(0, shapes[i]));
    }
    return ops;
  }

  std::vector<Tangent> Transposed(ComputationBuilder& b,
                                  const std::function<Op(Op)>& value_of,
                                  absl::Span<const Tangent> cotangents) const {
    std::vector<Op> gradients;
    AddLeaves(b,
              b.Call(context->copies.CalleeOf(vjp),
                     Operands(OrZeros(b, cotangents, results), value_of)),
              &gradients);
    return {gradients.begin(), gradients.end()};
  }

  // Forward mode: the transpose of what is linear in the cotangents.
  absl::Status Apply(ComputationBuilder& b, absl::Span<const Tangent> tangents,
                     std::vector<Tangent>* made) const {
    SplitComputation split(&b, vjp, /*handed_on=*/nullptr);
    ActiveLeaves active;
    for (const Shape& shape : vjp.signature().parameters) {
      active.resize(active.size() + LeafShapes(shape).size(),
                    active.size() < results.size());
    }
    const ActiveLeaves wanted(operands.size(), true);
    if (absl::Status s = split.Record(context, nullptr, active, wanted);
        !s.ok()) {
      return s;
    }
    const std::vector<Op> arguments =
        Operands(OrZeros(b, {}, results), [](Op op) { return op; });
    std::vector<Op> kept, given;
    split.CallForward(b, arguments, &kept);
    const std::vector<Op> all = OrZeros(b, tangents, operands);
    for (const size_t leaf : split.results()) given.push_back(all[leaf]);
    const std::vector<Op> out = split.CallBackward(
        b, given, kept,
        [&](int64_t i) { return arguments[static_cast<size_t>(i)]; });
    made->resize(results.size());
    for (size_t i = 0; i < out.size(); ++i) {
      (*made)[split.arguments()[i]] = out[i];
    }
    return absl::OkStatus();
  }
};

absl::Status SetByVjp(Primal& primal, CustomVjp rule) {
  std::string why;
  if (!rule.Fits(primal, &why)) return primal.Refuse(why);
  std::vector<Tangent> given;
  for (int i = 0; i < primal.node().operand_count(); ++i) {
    const std::vector<Shape> leaves = LeafShapes(primal.shape(i));
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (IsDifferentiable(leaves[k])) {
        given.push_back(primal.tangents(i)[k]);
      }
    }
  }
  given.resize(rule.operands.size());
  if (!absl::c_any_of(given, [](const Tangent& t) { return t.has_value(); })) {
    return absl::OkStatus();
  }
  absl::Status status;
  LinearFunction function;
  function.apply = [&](absl::Span<const Tangent> tangents) {
    std::vector<Tangent> made(rule.results.size());
    status = rule.Apply(primal.b(), tangents, &made);
    return made;
  };
  function.transpose = [rule](ComputationBuilder* builder,
                              const std::function<Op(Op)>& value_of,
                              absl::Span<const Tangent> cotangents) {
    return rule.Transposed(*builder, value_of, cotangents);
  };
  const std::vector<Tangent> made =
      primal.tape().Apply(std::move(function), given, rule.results);
  if (!status.ok()) return status;
  size_t next = 0;
  const std::vector<Shape> leaves = LeafShapes(primal.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (IsDifferentiable(leaves[i])) primal.tangents()[i] = made[next++];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TangentCustomCallByVjp(Primal& primal) {
  const Instruction& node = primal.node();
  if (node.callee_count() == 0) {
    return primal.Refuse("it is marked vjp and calls no computation");
  }
  CustomVjp rule{
      &primal.context(), node.callee(node.callee_count() - 1), {}, {}, {}};
  for (int i = 0; i < node.operand_count(); ++i) {
    rule.others.push_back(primal.x(i));
  }
  rule.others.push_back(primal.r());
  return SetByVjp(primal, std::move(rule));
}

// Its computation is written where it is called, but for the derivative.
absl::Status TangentCustomGradient(Primal& primal) {
  const Computation computation = primal.node().callee(0);
  const auto all = computation.instructions();
  std::vector<Traced> values(
      static_cast<size_t>(computation.instruction_count()));
  std::optional<Instruction> call;
  for (const Instruction node : all) {
    if (node.opcode() == Opcode::kParameter) {
      values[static_cast<size_t>(node.index())].value = primal.x(
          static_cast<int>(As<ParameterAttributes>(node.attributes()).number));
    }
    if (MarkOf(node) == GradientMark::kVjp && node.opcode() == Opcode::kCall) {
      call = node;
    }
  }
  if (!call) {
    return primal.Refuse(
        "it is marked custom, and its computation has no call marked vjp");
  }
  if (primal.r() == Op()) {
    primal.Set({primal.linearizer().Value(computation.root(), &values).value,
                primal.tangents()});
  }
  CustomVjp rule{&primal.context(), call->callee(0), {}, {}, {}};
  // The first operands stand for cotangents.
  const size_t first = DifferentiableLeaves(primal.shape()).size();
  for (int i = static_cast<int>(first); i < call->operand_count(); ++i) {
    rule.others.push_back(
        primal.linearizer().Value(call->operand(i), &values).value);
  }
  return SetByVjp(primal, std::move(rule));
}

}  // namespace indim::internal
