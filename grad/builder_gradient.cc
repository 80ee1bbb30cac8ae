// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/builder_gradient.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/composites/composite.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op_access.h"
#include "indim/builder/recorder.h"
#include "indim/builder/regions.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/grad/carry.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/paths.h"
#include "indim/grad/tape.h"
#include "indim/grad/transposer.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/shape/types/shape_parts.h"

namespace indim {
namespace {

using internal::Composite;
using internal::IsDifferentiable;
using internal::OpAccess;
using internal::Recorder;
using internal::Traced;

// The computation that is recorded, with `y` for its root, as a module; and of
// its instructions with explicit broadcasts, the op that each one is.
struct Recorded {
  Module module;
  // By index in the entry; default values: what a broadcast adds.
  std::vector<Traced> values;
};

absl::StatusOr<Recorded> RecordedUpTo(Recorder* recorder, Op y) {
  const internal::OpenComputations& open = recorder->open();
  ModuleData data = recorder->snapshots().DataAt(open.depth());
  data.entry = static_cast<uint32_t>(data.computations.size() - 1);
  data.recorded = true;
  ComputationRecord& own = data.computations.back();
  own.root = OpAccess::Node(y);
  const int64_t first_id = int64_t{own.first} + 1;
  const Module whole =
      internal::ModuleOf(std::make_shared<const ModuleData>(std::move(data)));
  ExpandResult expanded = ExpandBroadcasts(whole);
  if (!expanded.ok()) {
    // Perhaps of an instruction that y doesn't need.
    Editor editor(whole);
    RemoveDeadCode(&editor);
    EditResult edited = editor.Finish();
    if (!edited.ok()) return absl::InvalidArgumentError(edited.text());
    expanded = ExpandBroadcasts(std::move(edited.module));
  }
  if (!expanded.ok()) return ToStatus(expanded.module, expanded.report);
  Recorded recorded = {std::move(expanded.module), {}};
  const Computation entry = recorded.module.entry();
  const auto count = static_cast<int64_t>(open.current().instructions.size());
  for (const Instruction node : entry.instructions()) {
    Traced& value = recorded.values.emplace_back();
    const int64_t number = node.id() - first_id;
    if (0 <= number && number < count) {
      value.value = open.OpOf(static_cast<uint32_t>(number));
    }
  }
  return recorded;
}

// Warnings about the program's own ops, which aren't steps of a composite: they
// are given when that has ended, so this is made before it.
struct LateWarnings {
  ~LateWarnings() {
    for (auto& [node, warning] : all) {
      recorder->AddDiagnostic(node, std::move(warning), caller);
    }
  }
  Recorder* recorder = nullptr;
  Caller caller;
  std::vector<std::pair<uint32_t, Diagnostic>> all = {};
};

// Derivatives of y, an operand of the composite `c`, by others.
class OpDerivative {
 public:
  // Operand 0 of `c` is y, the next `wrt_count` are those of wrt.
  OpDerivative(Composite* c, size_t wrt_count, LateWarnings* warnings)
      : c_(*c),
        wrt_count_(wrt_count),
        warnings_(*warnings),
        lines_(RecorderOf(c->b())) {
    warnings_.recorder = RecorderOf(c->b());
  }

  // Checks y and wrt. False: an error is recorded.
  bool Begin() {
    if (!c_.ok()) return false;
    for (size_t i = 0; i <= wrt_count_; ++i) {
      const std::string of = i == 0 ? "y" : absl::StrCat("wrt[", i - 1, "]");
      const Op op = c_.operand(i);
      if (!IsDifferentiable(c_.shape(i))) {
        return Fail(absl::StrCat(of, " is ", c_.shape(i).ToString(),
                                 ", which is no array of floats or complex "
                                 "numbers"));
      }
      Recorder* const recorder = RecorderOf(c_.b());
      const bool is_outer =
          recorder->open().StateOf(op) == internal::OpState::kOuter;
      if (i == 0) {
        if (!is_outer) continue;
        return Fail(
            "y is of an enclosing computation; to fix: take its derivative "
            "there");
      }
      uint32_t node = OpAccess::Node(op);
      Diagnostic refusal;
      if (is_outer && !internal::Regions(recorder).Local(op, c_.caller(), &node,
                                                         &refusal)) {
        return c_.Fail(std::move(refusal));
      }
      by_.push_back(node);
      const auto [first, is_new] = wrt_.emplace(node, i - 1);
      if (!is_new) {
        return Fail(absl::StrCat(of, " is wrt[", first->second, "] again"));
      }
    }
    // An earlier error of the program would be taken for one of ours.
    return c_.b().status().ok();
  }
  // The result of a call with an error, its own or an earlier one.
  Op failed() const {
    return c_.ok() ? RecorderOf(c_.b())->open().NoOp() : c_.failed();
  }
  bool Fail(std::string why) {
    return c_.Fail(Code::kNotDifferentiable, {std::move(why)});
  }
  // Whether operand i, a seed or a tangent, is like `shape`.
  bool IsLike(size_t i, const Shape& shape) {
    if (SameStructure(c_.shape(i), shape)) return true;
    return Fail(absl::StrCat("operand ", i, " is ", c_.shape(i).ToString(),
                             ", but must be ", shape.ToString()));
  }

  // Linearizes y. `tangents`: of wrt. `renews`: as in GradientContext. nullopt:
  // an error is recorded.
  std::optional<Traced> Linearize(internal::Tape* tape,
                                  absl::Span<const Op> tangents, bool renews) {
    Recorder* const recorder = RecorderOf(c_.b());
    absl::StatusOr<Recorded> all = RecordedUpTo(recorder, c_.operand(0));
    if (!Check(all.status())) return std::nullopt;
    recorded_ = *std::move(all);
    Recorded* const recorded = &*recorded_;
    context_ = std::make_unique<internal::GradientContext>(recorded->module,
                                                           recorder->family());
    context_->renews = renews;
    int64_t& channel = *context_->last_channel;
    channel = internal::ChannelBeforeFreeOnes(recorded->module);
    for (size_t depth = 0; depth < recorder->open().depth(); ++depth) {
      channel = std::max(
          channel, internal::ChannelBeforeFreeOnes(
                       internal::ModuleOf(std::make_shared<const ModuleData>(
                           recorder->snapshots().DataAt(depth)))));
    }
    for (Traced& value : recorded->values) {
      if (value.value == Op()) continue;
      const auto found = wrt_.find(OpAccess::Node(value.value));
      if (found != wrt_.end())
        value.tangents.assign(1, tangents[found->second]);
    }
    absl::StatusOr<Traced> result =
        internal::Linearizer(context_.get(), tape, /*site=*/nullptr)
            .Run(recorded->module.entry(), {}, recorded->values);
    if (!Check(result.status())) return std::nullopt;
    return *std::move(result);
  }
  // Of the tape of `linear`, what its transpose reports.
  bool Check(const absl::Status& status) {
    if (status.ok()) return true;
    Diagnostic diagnostic;
    diagnostic.code = Code::kNoDerivative;
    diagnostic.args.emplace_back(std::string(status.message()));
    return c_.Fail(std::move(diagnostic));
  }
  // Warns that the derivative by wrt[i] is known to be zero. IND1402, IND1403.
  void WarnOfZero(size_t i) {
    const uint32_t by = by_[i];
    for (const Instruction node : recorded_->module.entry().instructions()) {
      const Op op = recorded_->values[static_cast<size_t>(node.index())].value;
      if (op == Op() || OpAccess::Node(op) != by) continue;
      const auto zero = internal::WhyZero(node);
      if (!zero) return;
      const Op cut =
          zero->cut
              ? recorded_->values[static_cast<size_t>(zero->cut->index())].value
              : Op();
      warnings_.all.emplace_back(cut == Op() ? by : OpAccess::Node(cut),
                                 zero->Warning(absl::StrCat("wrt[", i, "]")));
      return;
    }
  }
  absl::Status ContextError() const { return context_->FirstError(); }

  Op ZerosLike(Op op) {
    return c_.b().Splat(0, c_.ShapeOf(op).WithoutLayout());
  }

 private:
  // What is recorded has the lines of the program's own ops.
  class NoLines {
   public:
    explicit NoLines(Recorder* recorder)
        : settings_(recorder->settings()),
          before_(settings_.record_locations()) {
      settings_.set_record_locations(false);
    }
    ~NoLines() { settings_.set_record_locations(before_); }

   private:
    internal::Settings& settings_;
    const bool before_;
  };

  Composite& c_;
  const size_t wrt_count_;
  LateWarnings& warnings_;
  const NoLines lines_;
  // The nodes of wrt: of an Op of an enclosing computation the value that is
  // captured here. Their numbers in wrt.
  std::vector<uint32_t> by_;
  absl::flat_hash_map<uint32_t, size_t> wrt_;
  std::optional<Recorded> recorded_;
  std::unique_ptr<internal::GradientContext> context_;
};

std::vector<Op> Operands(Op y, absl::Span<const Op> wrt,
                         absl::Span<const Op> others) {
  std::vector<Op> operands = {y};
  operands.insert(operands.end(), wrt.begin(), wrt.end());
  operands.insert(operands.end(), others.begin(), others.end());
  return operands;
}

// Records the gradients, as `transpose` says: from a function that gives them
// for a seed.
template <typename Transpose>
std::optional<Op> Reverse(Composite* c, OpDerivative* derivative,
                          size_t wrt_count, bool renews, Transpose transpose) {
  ComputationBuilder& b = c->b();
  internal::Tape tape(&b, internal::Tape::Mode::kReverse);
  std::vector<Op> arguments;
  for (size_t i = 0; i < wrt_count; ++i) {
    arguments.push_back(tape.Argument(c->shape(i + 1)));
  }
  const std::optional<Traced> y =
      derivative->Linearize(&tape, arguments, renews);
  if (!y) return std::nullopt;
  const auto gradients_of = [&](Op seed) {
    internal::Transposer transposer(tape, &b, [](Op value) { return value; });
    if (y->tangents[0]) transposer.Give(*y->tangents[0], seed);
    absl::Status status = transposer.Run();
    if (status.ok()) status = derivative->ContextError();
    std::vector<Op> gradients;
    if (!derivative->Check(status)) return gradients;
    for (size_t i = 0; i < wrt_count; ++i) {
      const internal::Tangent g = transposer.Take(arguments[i]);
      if (!g) derivative->WarnOfZero(i);
      gradients.push_back(g ? *g : derivative->ZerosLike(c->operand(i + 1)));
    }
    return gradients;
  };
  transpose(gradients_of);
  return y->value;
}

ValueAndGradients GradientsNamed(const char* name, Op y,
                                 absl::Span<const Op> wrt,
                                 std::optional<Op> seed, bool renews,
                                 Caller caller) {
  std::vector<Op> seeds;
  if (seed) seeds.push_back(*seed);
  LateWarnings warnings{nullptr, caller};
  Composite c(name, Operands(y, wrt, seeds), caller);
  OpDerivative derivative(&c, wrt.size(), &warnings);
  const auto failed = [&] {
    return ValueAndGradients{derivative.failed(),
                             std::vector<Op>(wrt.size(), derivative.failed())};
  };
  if (!derivative.Begin()) return failed();
  const Shape& shape = c.shape(0);
  if (seed && !derivative.IsLike(wrt.size() + 1, shape)) return failed();
  if (!seed && !shape.is_scalar()) {
    derivative.Fail(absl::StrCat("y is ", shape.ToString(),
                                 ", and there is no seed; to fix: its sum, "
                                 "or a seed of its type and dims"));
    return failed();
  }
  std::vector<Op> gradients;
  const std::optional<Op> value =
      Reverse(&c, &derivative, wrt.size(), renews, [&](auto gradients_of) {
        gradients =
            gradients_of(seed ? *seed : c.b().Splat(1, shape.WithoutLayout()));
      });
  if (!value || gradients.size() != wrt.size()) return failed();
  return {*value, std::move(gradients)};
}

}  // namespace

std::vector<Op> Gradient(Op y, absl::Span<const Op> wrt, std::optional<Op> seed,
                         Caller caller) {
  return GradientsNamed("Gradient", y, wrt, seed, /*renews=*/false, caller)
      .gradients;
}

ValueAndGradients ValueAndGradient(Op y, absl::Span<const Op> wrt,
                                   std::optional<Op> seed, Caller caller) {
  return GradientsNamed("ValueAndGradient", y, wrt, seed, /*renews=*/true,
                        caller);
}

Op Tangent(Op y, absl::Span<const Op> wrt, absl::Span<const Op> tangents,
           Caller caller) {
  LateWarnings warnings{nullptr, caller};
  Composite c("Tangent", Operands(y, wrt, tangents), caller);
  OpDerivative derivative(&c, wrt.size(), &warnings);
  if (!derivative.Begin()) return derivative.failed();
  if (tangents.size() != wrt.size()) {
    derivative.Fail(absl::StrCat("there are ", tangents.size(), " tangents of ",
                                 wrt.size(), " Ops"));
    return derivative.failed();
  }
  for (size_t i = 0; i < wrt.size(); ++i) {
    if (!derivative.IsLike(wrt.size() + 1 + i, c.shape(i + 1))) {
      return derivative.failed();
    }
  }
  internal::Tape tape(&c.b(), internal::Tape::Mode::kForward);
  const std::optional<Traced> result =
      derivative.Linearize(&tape, tangents, /*renews=*/false);
  if (!result) return derivative.failed();
  if (!derivative.Check(derivative.ContextError())) return derivative.failed();
  const internal::Tangent& t = result->tangents[0];
  for (size_t i = 0; !t && i < wrt.size(); ++i) derivative.WarnOfZero(i);
  return t ? *t : derivative.ZerosLike(y);
}

Op Jacobian(Op y, Op x, Caller caller) {
  LateWarnings warnings{nullptr, caller};
  Composite c("Jacobian", {y, x}, caller);
  OpDerivative derivative(&c, 1, &warnings);
  if (!derivative.Begin()) return derivative.failed();
  ComputationBuilder& b = c.b();
  const Shape& of = c.shape(0);
  const Shape& by = c.shape(1);
  if (IsComplex(of.element_type()) && !IsComplex(by.element_type())) {
    derivative.Fail(absl::StrCat("y is ", of.ToString(), " and x is ",
                                 by.ToString(),
                                 "; to fix: the Jacobians of its real and of "
                                 "its imaginary part"));
    return derivative.failed();
  }
  const std::optional<int64_t> rows = of.ElementCount();
  const std::optional<int64_t> columns = by.ElementCount();
  if (!rows || !columns) {
    derivative.Fail("a Jacobian's sizes must be numbers");
    return derivative.failed();
  }
  const ElementType type = by.element_type();
  std::vector<int64_t> dims;
  for (const Shape* shape : {&of, &by}) {
    for (const Dim& dim : shape->dims()) dims.push_back(dim.size());
  }
  if (*rows == 0 || *columns == 0) return b.Splat(0, Shape::Of(type, dims));
  Op result = b.Splat(0, Shape::Of(type, {*rows, *columns}));
  const auto write_rows = [&](auto gradients_of) {
    result = b.ForLoop(*rows, result, [&](Op i, Op jacobian) {
      const Shape numbers = Shape::Of(c.ShapeOf(i).element_type(), {*rows});
      const Op seed =
          b.ConvertElementType(b.Eq(b.Iota(numbers, 0), i), of.element_type());
      const std::vector<Op> g = gradients_of(internal::ReshapeTo(b, seed, of));
      if (g.empty()) return jacobian;
      return b.DynamicUpdateSlice(
          jacobian,
          internal::ReshapeTo(b, g[0], Shape::Of(type, {1, *columns})),
          {i, b.ConstantR0(numbers.element_type(), 0)});
    });
  };
  const std::optional<Op> value =
      Reverse(&c, &derivative, 1, /*renews=*/false, write_rows);
  if (!value || !c.IsGood(result)) return derivative.failed();
  return internal::ReshapeTo(b, result, Shape::Of(type, dims));
}

Op Hessian(Op y, Op x, Caller caller) {
  Composite c("Hessian", {y, x}, caller);
  if (!c.ok()) return c.failed();
  return Jacobian(Gradient(y, {x}, std::nullopt, caller)[0], x, caller);
}

Op HessianVectorProduct(Op y, Op x, Op v, Caller caller) {
  Composite c("HessianVectorProduct", {y, x, v}, caller);
  if (!c.ok()) return c.failed();
  return Tangent(Gradient(y, {x}, std::nullopt, caller)[0], {x}, {v}, caller);
}

}  // namespace indim
