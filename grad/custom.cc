// SPDX-License-Identifier: Apache-2.0
// Derivatives that a computation of the module gives: of a call that is marked
// "custom", and of a custom-call that is marked "vjp" or "jvp".

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/grad/carry.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/split.h"
#include "indim/grad/stacks.h"
#include "indim/grad/tape.h"
#include "indim/ir/gradient_mark.h"

namespace indim::internal {
namespace {

std::vector<Shape> DifferentiableLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  for (const Shape& leaf : LeafShapes(shape)) {
    if (IsDifferentiable(leaf)) leaves.push_back(leaf.WithoutLayout());
  }
  return leaves;
}

std::vector<Op> OrZeros(ComputationBuilder& b, absl::Span<const Tangent> given,
                        const std::vector<Shape>& shapes) {
  std::vector<Op> ops;
  for (size_t i = 0; i < shapes.size(); ++i) {
    ops.push_back(i < given.size() && given[i] ? *given[i]
                                               : b.Splat(0, shapes[i]));
  }
  return ops;
}

// A computation that takes the cotangents of the result's floats, and then
// `others`, values of the primal builder; it gives the cotangents of the first
// floats of the operands. Or (is_jvp) it takes the tangents of the operands'
// first floats, and then `others`; it gives the tangents of the result's first
// floats.
struct CustomRule {
  CustomRule(const Primal& primal, const Instruction& marked, int callee,
             const CallChain* site_of_it)
      : context(&primal.context()),
        site(site_of_it),
        computation(marked.callee(callee)),
        is_jvp(MarkOf(marked) == GradientMark::kJvp),
        results(DifferentiableLeaves(primal.shape())) {
    for (const Instruction operand : primal.node().operands()) {
      for (Shape& leaf : DifferentiableLeaves(operand.shape())) {
        operands.push_back(std::move(leaf));
      }
    }
    takes = results;
    if (!is_jvp) return;
    // A file may say any number.
    tangents = TangentsOfMark(NoteOf(marked, kGradientMark).value_or(""))
                   .value_or(operands.size());
    takes = operands;
    takes.resize(std::min(tangents, operands.size()));
  }

  GradientContext* context;
  const CallChain* site;  // of the computation
  Computation computation;
  bool is_jvp;
  size_t tangents = 0;  // that it takes, of a jvp
  std::vector<Op> others;
  std::vector<Shape> results, operands, takes, gives;

  // Whether the computation fits; else `why` not.
  bool Fits(std::string* why) {
    gives = LeafShapes(computation.root().shape());
    const std::vector<Shape> given = computation.signature().parameters;
    const auto fit = [&](const std::vector<Shape>& some,
                         const std::vector<Shape>& of, const char* what) {
      for (size_t i = 0; i < some.size(); ++i) {
        if (i < of.size() && SameStructure(some[i], of[i])) continue;
        *why = absl::StrCat("its derivative %", computation.name(), " ", what,
                            " ", some[i].ToString(), ", and not ",
                            i < of.size() ? of[i].ToString() : "nothing");
        return false;
      }
      return true;
    };
    if (tangents > operands.size()) {
      *why = absl::StrCat("its derivative takes ", tangents,
                          " tangents, and its operands have ", operands.size());
      return false;
    }
    if (given.size() != takes.size() + others.size()) {
      *why = absl::StrCat("its derivative %", computation.name(), " takes ",
                          given.size(), " operands, and not ",
                          takes.size() + others.size());
      return false;
    }
    return fit(takes, given, "must take") &&
           fit(gives, is_jvp ? results : operands, "gives");
  }

  std::vector<Op> Operands(std::vector<Op> linear,
                           const std::function<Op(Op)>& value_of) const {
    for (const Op other : others) linear.push_back(value_of(other));
    return linear;
  }

  // What the computation gives.
  std::vector<Tangent> Given(ComputationBuilder& b,
                             const std::function<Op(Op)>& value_of,
                             absl::Span<const Tangent> taken) const {
    std::vector<Op> leaves;
    AddLeaves(b,
              b.Call(context->copies.CalleeOf(computation),
                     Operands(OrZeros(b, taken, takes), value_of)),
              &leaves);
    return {leaves.begin(), leaves.end()};
  }

  // The transpose of what is linear in what it takes. Errors are the context's.
  std::vector<Tangent> Transposed(ComputationBuilder& b,
                                  const std::function<Op(Op)>& value_of,
                                  absl::Span<const Tangent> given) const {
    std::vector<Tangent> made(takes.size());
    SplitComputation split(&b, computation, /*known=*/nullptr);
    ActiveLeaves active;
    for (const Shape& shape : computation.signature().parameters) {
      active.resize(active.size() + LeafShapes(shape).size(),
                    active.size() < takes.size());
    }
    const ActiveLeaves wanted(gives.size(), true);
    if (absl::Status s = split.Record(context, site, active, wanted); !s.ok()) {
      context->status.Update(s);
      return made;
    }
    const std::vector<Op> arguments = Operands(OrZeros(b, {}, takes), value_of);
    std::vector<Op> kept, some;
    constexpr auto kCalled = SplitComputation::Runs::kCalled;
    if (!split.kept_shapes().empty()) {
      split.RunForward(b, arguments, kCalled, &kept);
    }
    const std::vector<Op> all = OrZeros(b, given, gives);
    for (const size_t leaf : split.results()) some.push_back(all[leaf]);
    const auto given_here = [&](int64_t i) {
      return arguments[static_cast<size_t>(i)];
    };
    const std::vector<Op> out =
        split.RunBackward(b, some, kept, given_here, kCalled);
    for (size_t i = 0; i < out.size(); ++i) {
      made[split.arguments()[i]] = out[i];
    }
    return made;
  }
};

absl::Status SetByRule(Primal& primal, CustomRule rule) {
  std::string why;
  if (!rule.Fits(&why)) return primal.Refuse(why);
  std::vector<Tangent> given;
  for (int i = 0; i < primal.node().operand_count(); ++i) {
    const std::vector<Shape> leaves = LeafShapes(primal.shape(i));
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (IsDifferentiable(leaves[k])) {
        given.push_back(primal.tangents(i)[k]);
      }
    }
  }
  given.resize(rule.is_jvp ? rule.takes.size() : rule.gives.size());
  if (!absl::c_any_of(given, [](const Tangent& t) { return t.has_value(); })) {
    return absl::OkStatus();
  }
  LinearFunction function;
  function.apply = [&](absl::Span<const Tangent> tangents) {
    const auto value_of = [](Op op) { return op; };
    return rule.is_jvp ? rule.Given(primal.b(), value_of, tangents)
                       : rule.Transposed(primal.b(), value_of, tangents);
  };
  function.transpose = [rule](ComputationBuilder* builder,
                              const std::function<Op(Op)>& value_of,
                              absl::Span<const Tangent> cotangents) {
    return rule.is_jvp ? rule.Transposed(*builder, value_of, cotangents)
                       : rule.Given(*builder, value_of, cotangents);
  };
  std::vector<Tangent> made =
      primal.tape().Apply(std::move(function), given, rule.results);
  size_t next = 0;
  const std::vector<Shape> leaves = LeafShapes(primal.shape());
  for (size_t i = 0; i < leaves.size() && next < made.size(); ++i) {
    if (IsDifferentiable(leaves[i])) primal.tangents()[i] = made[next++];
  }
  return rule.context->status;
}

}  // namespace

absl::Status TangentCustomCallByRule(Primal& primal) {
  const Instruction& node = primal.node();
  const bool is_jvp = MarkOf(node) == GradientMark::kJvp;
  if (node.callee_count() == 0) {
    return primal.Refuse(absl::StrCat("it is marked ",
                                      is_jvp ? kJvpMark : kVjpMark,
                                      " and calls no computation"));
  }
  const int callee = node.callee_count() - 1;
  CustomRule rule(primal, node, callee, primal.SiteOf(callee));
  for (int i = 0; i < node.operand_count(); ++i) {
    rule.others.push_back(primal.x(i));
  }
  rule.others.push_back(primal.r());
  return SetByRule(primal, std::move(rule));
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
    if (IsDerivative(MarkOf(node)) && node.opcode() == Opcode::kCall) {
      call = node;
    }
  }
  if (!call) {
    return primal.Refuse(
        "it is marked custom, and its computation has no call marked vjp or "
        "jvp");
  }
  if (primal.r() == Op()) {
    primal.Set({primal.linearizer().Value(computation.root(), &values).value,
                primal.tangents()});
  }
  CustomRule rule(primal, *call, 0,
                  primal.context().AddSite(*call, 0, primal.SiteOf(0)));
  // The first operands stand for tangents.
  for (auto i = static_cast<int>(rule.takes.size()); i < call->operand_count();
       ++i) {
    rule.others.push_back(
        primal.linearizer().Value(call->operand(i), &values).value);
  }
  return SetByRule(primal, std::move(rule));
}

}  // namespace indim::internal
