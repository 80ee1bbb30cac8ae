// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/gradient.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/recorder.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/grad/carry.h"
#include "indim/grad/emit.h"
#include "indim/grad/kept.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/paths.h"
#include "indim/grad/stacks.h"
#include "indim/grad/tape.h"
#include "indim/grad/transposer.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/ir/report.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim {
namespace {

using internal::IsDifferentiable;
using internal::LeafShapes;
using internal::Linearizer;
using internal::RecorderOf;
using internal::ShapeIn;
using internal::ShardingOfLeaf;
using internal::Tangent;
using internal::Tape;
using internal::Traced;

absl::Status NotDifferentiable(absl::string_view why) {
  return ErrorWithCode(absl::StatusCode::kInvalidArgument,
                       Code::kNotDifferentiable,
                       absl::StrCat("nothing can be differentiated: ", why));
}

// The module, verified, with explicit broadcasts. Whether it was recorded
// stays.
absl::StatusOr<Module> Verified(const Module& module) {
  ExpandResult expanded =
      VerifyAndExpand(module, /*verify=*/true, [](Module*, Report*) {});
  if (!expanded.ok()) return ToStatus(expanded.module, expanded.report);
  if (expanded.module.computation_count() == 0) {
    return NotDifferentiable("the module has no computations");
  }
  return std::move(expanded.module);
}

class Derivative {
 public:
  Derivative(const Module& module, const GradientOptions& options)
      : module_(module),
        options_(options),
        results_(LeafShapes(module.entry().root().shape())),
        b_(module.name()) {
    // They would be lines of this library.
    b_.set_record_locations(false);
    context_.emplace(module, RecorderOf(b_)->family());
    context_->options = options;
    *context_->last_channel = internal::ChannelBeforeFreeOnes(module);
  }

  absl::StatusOr<Module> Gradients(absl::Span<const int64_t> wrt) {
    absl::StatusOr<std::vector<Op>> made = Reverse(wrt);
    if (!made.ok()) return made.status();
    return Finish(*made);
  }

  absl::StatusOr<Module> Tangents(absl::Span<const int64_t> wrt) {
    absl::StatusOr<std::vector<Op>> made = Forward(wrt);
    if (!made.ok()) return made.status();
    return Finish(*made);
  }

 private:
  absl::StatusOr<std::vector<Op>> Reverse(absl::Span<const int64_t> wrt) {
    Tape tape(&b_, Tape::Mode::kReverse);
    if (absl::Status s = Begin(wrt, &tape); !s.ok()) return s;
    absl::StatusOr<Traced> result = Run(&tape);
    if (!result.ok()) return result.status();
    first_of_reverse_ =
        static_cast<int>(RecorderOf(b_)->open().current().instructions.size());
    internal::Transposer transposer(tape, &b_, [](Op value) { return value; });
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!IsDifferentiable(results_[i])) continue;
      b_.set_sharding(
          ShardingOfLeaf(module_.entry().root(), i, results_.size()));
      const Op cotangent =
          b_.Parameter(results_[i].WithoutLayout(), absl::StrCat("ct", i));
      b_.set_sharding(std::nullopt);
      if (result->tangents[i]) {
        transposer.Give(*result->tangents[i], AtBoundary(cotangent));
      }
    }
    if (absl::Status s = transposer.Run(); !s.ok()) return s;
    std::vector<Op> gradients;
    std::set<int64_t> nonzero;
    for (const WrtArray& array : wrt_) {
      const Tangent g = transposer.Take(array.tangent);
      if (g) nonzero.insert(array.parameter);
      gradients.push_back(
          LikeParameter(array, g ? AtBoundary(*g) : Zeros(array)));
    }
    for (const int64_t number : Numbers()) {
      if (nonzero.count(number) == 0) Warn(number);
    }
    if (absl::Status s = context_->FirstError(); !s.ok()) return s;
    return gradients;
  }

  absl::StatusOr<std::vector<Op>> Forward(absl::Span<const int64_t> wrt) {
    Tape tape(&b_, Tape::Mode::kForward);
    if (absl::Status s = Begin(wrt, &tape); !s.ok()) return s;
    absl::StatusOr<Traced> result = Run(&tape);
    if (!result.ok()) return result.status();
    std::vector<Op> tangents;
    bool any = false;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!IsDifferentiable(results_[i])) continue;
      const Tangent& t = result->tangents[i];
      any = any || t.has_value();
      tangents.push_back(t ? *t : b_.Splat(0, results_[i].WithoutLayout()));
    }
    for (const int64_t number : Numbers()) {
      if (!any) Warn(number);
    }
    return tangents;
  }

  // An array that is differentiated by: a parameter, or a part of one that is a
  // tuple.
  struct WrtArray {
    int64_t parameter;
    size_t leaf;
    Shape shape;
    Op tangent;
  };

  static bool HasDifferentiable(const Shape& shape) {
    return absl::c_any_of(LeafShapes(shape), IsDifferentiable);
  }

  // The parameters that are differentiated by, in the order of `wrt`.
  std::vector<int64_t> Numbers() const {
    std::vector<int64_t> numbers;
    for (const WrtArray& array : wrt_) {
      if (numbers.empty() || numbers.back() != array.parameter) {
        numbers.push_back(array.parameter);
      }
    }
    return numbers;
  }

  // Makes the parameters, and checks `wrt`.
  absl::Status Begin(absl::Span<const int64_t> wrt, Tape* tape) {
    const Signature signature = module_.entry().signature();
    const std::vector<Shape>& shapes = signature.parameters;
    parameters_.resize(shapes.size(), Instruction::Nothing());
    for (const Instruction node : module_.entry().instructions()) {
      if (node.opcode() != Opcode::kParameter) continue;
      parameters_[static_cast<size_t>(
          As<ParameterAttributes>(node.attributes()).number)] = node;
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Instruction& node = parameters_[i];
      Traced argument;
      argument.value =
          b_.Parameter(static_cast<int64_t>(i), shapes[i].WithoutLayout(),
                       node.has_given_name() ? node.name() : "");
      context_->copies.Describe(RecorderOf(b_), argument.value, node);
      argument.tangents.resize(LeafShapes(shapes[i]).size());
      arguments_.push_back(std::move(argument));
    }
    std::vector<int64_t> numbers(wrt.begin(), wrt.end());
    for (size_t i = 0; wrt.empty() && i < shapes.size(); ++i) {
      if (HasDifferentiable(shapes[i])) {
        numbers.push_back(static_cast<int64_t>(i));
      }
    }
    if (absl::Status s = CheckWrt(numbers, shapes); !s.ok()) return s;
    if (numbers.empty()) {
      return NotDifferentiable("no parameter is of floats or complex numbers");
    }
    for (const int64_t number : numbers) AddArrays(number, tape);
    if (!absl::c_any_of(results_, IsDifferentiable)) {
      return NotDifferentiable(absl::StrCat(
          "the result is ", module_.entry().root().shape().ToString(),
          "; it has no part of floats or complex numbers to differentiate"));
    }
    return absl::OkStatus();
  }

  // A tangent for each array of a parameter that has one.
  void AddArrays(int64_t number, Tape* tape) {
    const auto i = static_cast<size_t>(number);
    const Shape& shape = parameters_[i].shape();
    const std::vector<Shape> leaves = LeafShapes(shape);
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (!IsDifferentiable(leaves[k])) continue;
      const Shape array = leaves[k].WithoutLayout();
      b_.set_sharding(ShardingOfLeaf(parameters_[i], k, leaves.size()));
      const std::string name = shape.is_tuple()
                                   ? absl::StrCat("t", number, "_", k)
                                   : absl::StrCat("t", number);
      const Op t = tape->is_forward() ? b_.Parameter(array, name)
                                      : tape->Argument(leaves[k]);
      b_.set_sharding(std::nullopt);
      arguments_[i].tangents[k] = t;
      wrt_.push_back({number, k, array, t});
    }
  }

  static absl::Status CheckWrt(const std::vector<int64_t>& wrt,
                               const std::vector<Shape>& shapes) {
    std::vector<int64_t> good;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (HasDifferentiable(shapes[i])) good.push_back(static_cast<int64_t>(i));
    }
    constexpr size_t kMostListed = 8;
    const size_t more = good.size() - std::min(good.size(), kMostListed);
    good.resize(good.size() - more);
    const std::string way_out = absl::StrCat(
        "parameters that can be differentiated: ", absl::StrJoin(good, ", "),
        more == 0 ? "" : absl::StrCat(" and ", more, " more"));
    std::set<int64_t> seen;
    for (const int64_t number : wrt) {
      if (number < 0 || number >= static_cast<int64_t>(shapes.size())) {
        return NotDifferentiable(
            absl::StrCat("there is no parameter ", number, "; ", way_out));
      }
      if (!seen.insert(number).second) {
        return NotDifferentiable(
            absl::StrCat("parameter ", number, " is listed twice"));
      }
      const Shape& shape = shapes[static_cast<size_t>(number)];
      if (!HasDifferentiable(shape)) {
        return NotDifferentiable(absl::StrCat(
            "parameter ", number, " is ", shape.WithoutLayout().ToString(),
            ", which has no derivative; ", way_out));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Traced> Run(Tape* tape) {
    Linearizer linearizer(&*context_, tape, /*site=*/nullptr);
    return linearizer.Run(module_.entry(), arguments_);
  }

  // Zeros like an array, whose sizes may be known at run time only.
  Op Zeros(const WrtArray& array) {
    if (array.shape.is_static()) return b_.Splat(0, array.shape);
    const Op whole = arguments_[static_cast<size_t>(array.parameter)].value;
    std::vector<Op> leaves;
    internal::AddLeaves(b_, whole, &leaves);
    const Op x = leaves[array.leaf];
    return b_.ConvertElementType(b_.And(b_.Eq(x, x), b_.Ne(x, x)),
                                 array.shape.element_type());
  }

  // A cotangent that comes in, or a gradient that goes out.
  Op AtBoundary(Op op) {
    return options_.conjugate ? internal::ConjugateOf(b_, op) : op;
  }
  // Tells why the derivative by a parameter is zero.
  void Warn(int64_t number) const {
    if (options_.warnings == nullptr) return;
    const auto zero =
        internal::WhyZero(parameters_[static_cast<size_t>(number)]);
    if (!zero) return;
    ModuleDiagnostic warning;
    warning.diagnostic = zero->Warning(absl::StrCat("parameter ", number));
    warning.computation = warning.instruction = kNowhere;
    if (zero->inside) {
      warning.computation =
          static_cast<uint32_t>(zero->inside->computation().index());
      warning.instruction = static_cast<uint32_t>(zero->inside->index());
    }
    // Without positions, which are of a copy of the caller's module.
    RenderedDiagnostic rendered = Rendered(module_, warning);
    rendered.computation = rendered.instruction = -1;
    options_.warnings->push_back(std::move(rendered));
  }

  // The gradient, with the parameter's sharding. XLA doesn't take a result with
  // a sharding of its own into a program that Shardy cuts.
  Op LikeParameter(const WrtArray& array, Op gradient) {
    const Instruction& parameter =
        parameters_[static_cast<size_t>(array.parameter)];
    const size_t count = LeafShapes(parameter.shape()).size();
    const std::optional<std::string> sharding =
        ShardingOfLeaf(parameter, array.leaf, count);
    const std::optional<std::string> shardy =
        internal::NoteOf(parameter, kSdySharding);
    std::vector<std::string> parts;
    if (shardy) parts = ShardyShardings(*shardy);
    if (parts.size() == count) {
      CustomCallAttributes call;
      call.target = "xla.sdy.FuncResultSharding";
      call.has_side_effect = true;
      gradient = b_.AddInstruction(Opcode::kCustomCall, {gradient}, call,
                                   ShapeIn(b_, gradient));
      b_.SetFrontendAttribute(gradient, kSdySharding,
                              ShardyPerValue({parts[array.leaf]}));
      return gradient;
    }
    if (!sharding) return gradient;
    b_.set_sharding(sharding);
    gradient = b_.Copy(gradient);
    b_.set_sharding(std::nullopt);
    return gradient;
  }

  absl::StatusOr<Module> Finish(const std::vector<Op>& results) {
    const Op root = results.size() == 1 ? results[0] : b_.Tuple(results);
    // A builder without others of its family gives its pools away.
    context_.reset();
    BuildResult built = b_.Build(root);
    if (!built.ok()) return built.status();
    Module module = *std::move(built);
    const Computation entry = module.entry();
    const int64_t reverse = entry.instruction(first_of_reverse_).id();
    const int64_t last = entry.instruction(entry.instruction_count() - 1).id();
    if (!module_.is_recorded()) {
      ExpandResult expanded = ExpandBroadcasts(std::move(module));
      if (!expanded.ok()) return ToStatus(expanded.module, expanded.report);
      module = std::move(expanded.module);
    }
    Editor editor(std::move(module));
    RemoveDeadCode(&editor);
    MergeCommonSubexpressions(&editor);
    EditResult edited = editor.Finish();
    if (!edited.ok()) return absl::InternalError(edited.text());
    if (options_.kept != nullptr && first_of_reverse_ > 0) {
      *options_.kept = internal::KeptValues(edited.module, reverse, last);
    }
    return internal::WithPropertiesOf(module_, std::move(edited.module));
  }

  const Module& module_;
  const GradientOptions& options_;
  const std::vector<Shape> results_;  // the arrays in it
  ComputationBuilder b_;
  std::optional<internal::GradientContext> context_;
  int first_of_reverse_ = 0;             // of b_'s instructions; 0: none
  std::vector<Instruction> parameters_;  // of module_, by number
  std::vector<Traced> arguments_;
  std::vector<WrtArray> wrt_;
};

// The derivative of `module`. Rules that take any sizes may find that they need
// numbers where they write zeros, which is the builder's error, or a rank or no
// lower bound, which are those of making broadcasts explicit; and windows may
// become larger than numbers are.
absl::StatusOr<Module> WithSizesToldOf(const Module& module,
                                       absl::StatusOr<Module> made) {
  if (made.ok()) return made;
  const Code code = CodeOf(made.status());
  if (code == Code::kSizeOverflow) {
    return ErrorWithCode(
        absl::StatusCode::kInvalidArgument, Code::kNoDerivative,
        absl::StrCat("the derivative has sizes of more than 63 bits; what "
                     "failed: ",
                     made.status().message()));
  }
  const bool unranked = code == Code::kExpandUnranked;
  if (!unranked && code != Code::kResultSizeUnknown &&
      code != Code::kExpandInterval) {
    return made;
  }
  for (const Instruction node : module.entry().instructions()) {
    if (unranked ? !node.shape().is_unranked() : node.shape().is_static()) {
      continue;
    }
    return ErrorWithCode(
        absl::StatusCode::kInvalidArgument, Code::kNoDerivative,
        absl::StrCat(
            "%", node.text_name(),
            unranked ? " has no known rank, and the derivative needs it; to "
                       "fix: declare its sizes"
                     : absl::StrCat(" has sizes that aren't numbers, and the "
                                    "derivative needs them; to fix: give them "
                                    "values first (",
                                    SettingText(Setting::kSizeValues), ")"),
            "; what failed: ", made.status().message()));
  }
  return made;
}

}  // namespace

absl::StatusOr<Module> Gradient(const Module& module,
                                absl::Span<const int64_t> wrt,
                                const GradientOptions& options) {
  const absl::StatusOr<Module> good = Verified(module);
  if (!good.ok()) return good.status();
  return WithSizesToldOf(*good, Derivative(*good, options).Gradients(wrt));
}

absl::StatusOr<Module> Tangents(const Module& module,
                                absl::Span<const int64_t> wrt,
                                const GradientOptions& options) {
  const absl::StatusOr<Module> good = Verified(module);
  if (!good.ok()) return good.status();
  return WithSizesToldOf(*good, Derivative(*good, options).Tangents(wrt));
}

}  // namespace indim
