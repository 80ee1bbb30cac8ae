// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/split.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/builder/inline.h"
#include "indim/builder/recorder.h"
#include "indim/grad/emit.h"
#include "indim/grad/rules.h"
#include "indim/grad/stacks.h"
#include "indim/grad/transposer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim::internal {
namespace {

Callee NotRecorded() {
  return absl::StatusOr<Module>(absl::UnknownError("not recorded"));
}

}  // namespace

// XLA takes calls of what has Shardy's prefix for manual regions.
std::string PartName(const Computation& computation, absl::string_view part) {
  return absl::StrCat(absl::StripPrefix(computation.name(), kSdyPrefix), part);
}

bool IsWrittenOut(const Instruction& call) {
  constexpr int kFew = 3, kMostInstructions = 32;
  if (call.opcode() != Opcode::kCall || IsManualBody(call) ||
      HasAnnotations(call)) {
    return false;
  }
  const Computation callee = call.callee(0);
  if (callee.instruction_count() > kMostInstructions) return false;
  bool calls = false;
  for (const Instruction node : callee.instructions()) {
    calls = calls || node.callee_count() > 0;
  }
  if (calls) return false;
  if (callee.instruction_count() - call.operand_count() <= kFew) return true;
  const auto is_free = [](const Instruction& node) {
    return GradientRuleOf(node.opcode()).has(kFree);
  };
  std::vector<bool> is_on_way(static_cast<size_t>(callee.instruction_count()));
  Instruction node = callee.root();
  while (node.opcode() != Opcode::kParameter) {
    if (!is_free(node) || node.operand_count() == 0) return false;
    is_on_way[static_cast<size_t>(node.index())] = true;
    node = node.operand(0);
  }
  for (const Instruction other : callee.instructions()) {
    if (!is_on_way[static_cast<size_t>(other.index())] &&
        other.opcode() != Opcode::kParameter &&
        (!other.shape().is_scalar() ||
         !(is_free(other) || Info(other.opcode()).has(kElementwise)))) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<Traced> TangentsIn(ComputationBuilder* b,
                                  GradientContext* context,
                                  const Computation& computation,
                                  const CallChain* site,
                                  const ActiveLeaves& active,
                                  const ActiveLeaves& wanted) {
  std::vector<Traced> arguments;
  for (const Shape& shape : computation.signature().parameters) {
    arguments.push_back({b->Parameter(shape.WithoutLayout()), {}});
  }
  size_t leaf = 0;
  for (Traced& argument : arguments) {
    for (const Shape& part : LeafShapes(ShapeIn(*b, argument.value))) {
      argument.tangents.push_back(active[leaf++] ? Tangent(b->Parameter(part))
                                                 : std::nullopt);
    }
  }
  Tape tape(b, Tape::Mode::kForward);
  return Linearizer(context, &tape, site)
      .Run(computation, arguments, {}, &wanted);
}

SplitComputation::SplitComputation(ComputationBuilder* family,
                                   const Computation& computation,
                                   const std::vector<int64_t>* known)
    : computation_(computation),
      known_(known),
      forward_(family->SubBuilder(PartName(computation, "_forward"))),
      backward_(family->SubBuilder(PartName(computation, "_backward"))),
      forward_callee_(NotRecorded()),
      backward_callee_(NotRecorded()) {}

absl::Status SplitComputation::Record(GradientContext* context,
                                      const CallChain* site,
                                      const ActiveLeaves& active,
                                      const ActiveLeaves& wanted) {
  context_ = context;
  Tape tape(&forward_, Tape::Mode::kReverse);
  std::vector<Traced> arguments;
  size_t leaf = 0;
  for (const Shape& shape : computation_.signature().parameters) {
    parameters_.push_back(forward_.Parameter(shape.WithoutLayout()));
    Traced argument{parameters_.back(), {}};
    for (const Shape& part : LeafShapes(shape)) {
      argument.tangents.push_back(active[leaf++] ? Tangent(tape.Argument(part))
                                                 : std::nullopt);
    }
    arguments.push_back(std::move(argument));
  }
  absl::StatusOr<Traced> result =
      Linearizer(context, &tape, site)
          .Run(computation_, arguments, {}, &wanted);
  if (!result.ok()) return result.status();
  absl::Status transposed = Transpose(tape, *result, arguments, wanted);
  if (!transposed.ok()) return transposed;
  constexpr size_t kMostUnpacked = 4;
  if (known_ == nullptr && kept_.size() > kMostUnpacked) Pack();
  std::vector<Op> results = {result->value};
  results.insert(results.end(), kept_.begin(), kept_.end());
  forward_callee_ = kept_.empty()
                        ? context->copies.CalleeOf(computation_)
                        : forward_.BuildCallee(forward_.Tuple(results));
  return absl::OkStatus();
}

absl::Status SplitComputation::Transpose(const Tape& tape, const Traced& result,
                                         absl::Span<const Traced> arguments,
                                         const ActiveLeaves& wanted) {
  Transposer transposer(tape, &backward_,
                        [this](Op value) { return InBackward(value); });
  transposer.MultiplyFactors([this](Op value) {
    return !in_backward_.contains(value) && !IsFree(value);
  });
  const std::vector<Shape> shapes = LeafShapes(computation_.root().shape());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tangent& t = result.tangents[i];
    if (!wanted[i] || (known_ == nullptr && !t)) continue;
    results_.push_back(i);
    const Op cotangent = backward_.Parameter(shapes[i].WithoutLayout());
    if (t) transposer.Give(*t, cotangent);
  }
  if (absl::Status s = transposer.Run(); !s.ok()) return s;
  std::vector<Op> gradients;
  size_t leaf = 0;
  for (const Traced& argument : arguments) {
    for (const Tangent& t : argument.tangents) {
      const size_t here = leaf++;
      if (!t) continue;
      const Tangent g = transposer.Take(*t);
      if (!g && known_ == nullptr) continue;
      arguments_.push_back(here);
      gradients.push_back(g ? *g : backward_.Splat(0, tape.ShapeOf(*t)));
    }
  }
  backward_callee_ = backward_.BuildCallee(
      IsOne() ? gradients[0] : backward_.Tuple(gradients));
  return absl::OkStatus();
}

// What is kept becomes one tuple, of which a computation around backward takes
// the elements: which they are is known when backward is recorded.
void SplitComputation::Pack() {
  ComputationBuilder b =
      forward_.SubBuilder(PartName(computation_, "_backward"));
  const std::vector<Shape> leaves = LeafShapes(computation_.root().shape());
  std::vector<Op> operands;
  for (const size_t leaf : results_) {
    operands.push_back(b.Parameter(leaves[leaf].WithoutLayout()));
  }
  std::vector<Source> sources;
  std::vector<Op> given;
  for (const Source& source : sources_) {
    if (source.is_kept) continue;
    sources.push_back(source);
    given.push_back(b.Parameter(
        ShapeIn(forward_, parameters_[static_cast<size_t>(source.index)])));
  }
  const Op kept = b.Parameter(Shape::Tuple(kept_shapes_));
  size_t next = 0;
  for (const Source& source : sources_) {
    operands.push_back(source.is_kept ? b.GetTupleElement(kept, source.index)
                                      : given[next++]);
  }
  const std::vector<Op> gradients = InlineCallee(
      RecorderOf(b), backward_callee_, operands, arguments_.size());
  backward_callee_ = b.BuildCallee(IsOne() ? gradients[0] : b.Tuple(gradients));
  sources.push_back({true, 0});
  sources_ = std::move(sources);
  kept_ = {forward_.Tuple(kept_)};
  kept_shapes_ = {ShapeIn(forward_, kept_[0])};
}

Op SplitComputation::RunForward(ComputationBuilder& b,
                                absl::Span<const Op> arguments, Runs runs,
                                std::vector<Op>* kept) const {
  if (kept_.empty() && known_ != nullptr) {
    return CopyComputation(&b, computation_, arguments, &context_->copies);
  }
  if (kept_.empty()) return b.Call(forward_callee_, arguments);
  const std::vector<Op> made =
      ResultsOf(b, forward_callee_, arguments, kept_.size() + 1, runs);
  kept->insert(kept->end(), made.begin() + 1, made.end());
  return made[0];
}

std::vector<Op> SplitComputation::RunBackward(
    ComputationBuilder& b, absl::Span<const Op> cotangents,
    absl::Span<const Op> kept, const std::function<Op(int64_t)>& given,
    Runs runs) const {
  std::vector<Op> operands(cotangents.begin(), cotangents.end());
  for (const Source& source : sources_) {
    operands.push_back(source.is_kept ? kept[static_cast<size_t>(source.index)]
                                      : given(source.index));
  }
  if (runs == Runs::kCalled && IsOne()) {
    return {b.Call(backward_callee_, operands)};
  }
  return ResultsOf(b, backward_callee_, operands, arguments_.size(), runs);
}

// The elements of what a computation gives.
std::vector<Op> SplitComputation::ResultsOf(ComputationBuilder& b,
                                            const Callee& callee,
                                            absl::Span<const Op> operands,
                                            size_t count, Runs runs) {
  if (runs == Runs::kWrittenOut) {
    return InlineCallee(RecorderOf(b), callee, operands, count);
  }
  return ElementsFrom(b, b.Call(callee, operands), 0);
}

// The barrier keeps XLA from taking the values of the call instead.
Callee SplitComputation::BuildAgain(ComputationBuilder* family) const {
  ComputationBuilder b =
      family->SubBuilder(PartName(computation_, "_checkpoint"));
  const std::vector<Shape> leaves = LeafShapes(computation_.root().shape());
  std::vector<Op> all;
  for (const size_t leaf : results_) {
    all.push_back(b.Parameter(leaves[leaf].WithoutLayout()));
  }
  for (const Shape& shape : computation_.signature().parameters) {
    all.push_back(b.Parameter(shape.WithoutLayout()));
  }
  std::vector<Op> kept;
  if (!kept_shapes_.empty()) {
    all = ElementsFrom(b, b.OptimizationBarrier(b.Tuple(all)), 0);
  }
  const auto cotangents = absl::MakeConstSpan(all).first(results_.size());
  const auto operands = absl::MakeConstSpan(all).subspan(cotangents.size());
  if (!kept_shapes_.empty()) {
    RunForward(b, operands, Runs::kWrittenOut, &kept);
  }
  const auto given = [&](int64_t i) {
    return operands[static_cast<size_t>(i)];
  };
  return b.BuildCallee(
      b.Tuple(RunBackward(b, cotangents, kept, given, Runs::kWrittenOut)));
}

// A value of forward in backward: made again where that costs nothing, else
// kept.
Op SplitComputation::InBackward(Op value) {
  const auto found = in_backward_.find(value);
  if (found != in_backward_.end()) return found->second;
  const Op op = MadeAgain(value);
  in_backward_.emplace(value, op);
  return op;
}

Op SplitComputation::MadeAgain(Op value) {
  Source source;
  if (IsGiven(value, &source.index)) {
    sources_.push_back(source);
    return backward_.Parameter(ShapeIn(forward_, value));
  }
  const Opcode opcode = *forward_.opcode(value);
  if (opcode == Opcode::kConstant) {
    return backward_.ConstantLiteral(*forward_.literal(value));
  }
  if (opcode != Opcode::kTuple && !IsFree(value)) return Kept(value);
  std::vector<Op> here = *forward_.operands(value);
  for (Op& operand : here) operand = InBackward(operand);
  return backward_.AddInstruction(opcode, here, *forward_.attributes(value),
                                  ShapeIn(forward_, value));
}

bool SplitComputation::IsGiven(Op value, int64_t* index) const {
  const Opcode opcode = *forward_.opcode(value);
  if (known_ == nullptr) {
    if (opcode != Opcode::kParameter) return false;
    *index = As<ParameterAttributes>(*forward_.attributes(value)).number;
    return true;
  }
  if (opcode != Opcode::kGetTupleElement ||
      (*forward_.operands(value))[0] != parameters_[0]) {
    return false;
  }
  *index = As<GetTupleElementAttributes>(*forward_.attributes(value)).index;
  return absl::c_linear_search(*known_, *index);
}

// Whether a value needs no place where it is kept.
bool SplitComputation::IsFree(Op value) const {
  int budget = 32;
  return IsFree(value, &budget);
}

bool SplitComputation::IsFree(Op value, int* budget) const {
  int64_t index;
  if (--*budget < 0) return false;
  if (IsGiven(value, &index)) return true;
  const Opcode opcode = *forward_.opcode(value);
  const std::vector<Op> operands = *forward_.operands(value);
  if (GradientRuleOf(opcode).has(kFree)) {
    return operands.empty() || IsFree(operands[0], budget);
  }
  const Shape& shape = ShapeIn(forward_, value);
  return shape.is_scalar() && !IsDifferentiable(shape) &&
         Info(opcode).has(kElementwise) &&
         absl::c_all_of(operands,
                        [&](Op operand) { return IsFree(operand, budget); });
}

Op SplitComputation::Kept(Op value) {
  const Shape shape = ShapeIn(forward_, value);
  // Loops keep arrays; and tuples of what calls keep don't nest without end.
  constexpr int kMostNested = 8;
  if (shape.is_tuple() && (known_ != nullptr || shape.depth() > kMostNested)) {
    std::vector<Op> parts;
    for (int64_t i = 0; i < shape.tuple_size(); ++i) {
      parts.push_back(InBackward(forward_.GetTupleElement(value, i)));
    }
    return backward_.Tuple(parts);
  }
  sources_.push_back({true, static_cast<int64_t>(kept_.size())});
  kept_.push_back(value);
  kept_shapes_.push_back(shape);
  return backward_.Parameter(shape);
}

}  // namespace indim::internal
