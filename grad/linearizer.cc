// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/linearizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/bounded_sizes.h"
#include "indim/grad/emit.h"
#include "indim/grad/expand.h"
#include "indim/grad/paths.h"
#include "indim/grad/rules.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/shardy/shardy_text.h"

namespace indim::internal {
namespace {

// Whether it gives something else each time or has a side effect, itself.
bool DiffersOrActs(const Instruction& node) {
  return node.opcode() == Opcode::kRng ||
         Info(node.opcode()).has(kSideEffect) ||
         (node.opcode() == Opcode::kCustomCall && !IsShardingNote(node) &&
          As<CustomCallAttributes>(node.attributes()).has_side_effect);
}

// The first and the last operand in which a rule is linear.
std::pair<int, int> LinearOperands(const GradientRule& rule, int count) {
  return {rule.first, rule.last < 0 ? count + rule.last : rule.last};
}

bool HasNumbersAsSizes(const GradientRule& rule, const Instruction& node) {
  const int count = node.operand_count();
  const bool is_linear = rule.kind == GradientKind::kLinear;
  const auto [first, last] = is_linear ? LinearOperands(rule, count)
                                       : std::pair<int, int>(0, count - 1);
  for (int i = first; i <= last; ++i) {
    if (!node.operand(i).shape().is_static()) return false;
  }
  return is_linear || node.shape().is_static();
}

bool HaveRanks(const Instruction& node) {
  for (const Instruction operand : node.operands()) {
    if (operand.shape().is_unranked()) return false;
  }
  return true;
}

// Whether the dims of all operands are static or bounded.
bool AllHaveBounds(const Instruction& node) {
  for (const Instruction operand : node.operands()) {
    if (!HasBounds(operand.shape())) return false;
  }
  return true;
}

// A tangent of a scalar operand as one of the result's dims: of clamp.
Op Spread(Tape* tape, Op tangent, const Shape& shape) {
  if (tape->ShapeOf(tangent).rank() == shape.rank()) return tangent;
  return tape->Record(Opcode::kBroadcast, {tangent}, DimensionsAttributes{},
                      shape.WithoutLayout());
}

void ApplyLinear(const GradientRule& rule, Primal* node) {
  const int count = node->node().operand_count();
  const auto [first, last] = LinearOperands(rule, count);
  std::vector<Op> operands;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const bool linear = first <= i && i <= last;
    if (linear && node->t(i)) any = true;
    operands.push_back(linear ? node->TangentOrZeros(i)
                              : node->tape().In(node->x(i)));
  }
  if (any) node->Set(node->RecordLike(operands));
}

void ApplyBilinear(Primal* node) {
  Tangent sum;
  for (int k = 0; k < 2; ++k) {
    if (!node->t(k)) continue;
    std::vector<Op> operands;
    for (int i = 0; i < node->node().operand_count(); ++i) {
      operands.push_back(i == k ? *node->t(i) : node->tape().In(node->x(i)));
    }
    sum = node->tape().Sum(sum, node->RecordLike(operands));
  }
  node->Set(sum);
}

}  // namespace

bool IsShardingNote(const Instruction& node) {
  if (node.opcode() != Opcode::kCustomCall) return false;
  const std::string& target =
      As<CustomCallAttributes>(node.attributes()).target;
  return target == "Sharding" || absl::StartsWith(target, kSdyPrefix);
}

bool HasAnnotations(const Instruction& node) {
  namespace of = field::HloInstructionProto;
  const FieldList fields = FieldsOf(node);
  return fields.has(of::kSharding) || fields.Number(of::kIsComposite) != 0 ||
         !fields.Text(of::kFrontendAttributes).empty() ||
         !fields.Text(of::kBackendConfig).empty();
}

GradientMark MarkOf(const Instruction& node) {
  return GradientMarkOf(AttributeBytesOf(node));
}

std::vector<bool> NeededByRoot(const Computation& computation) {
  std::vector<bool> needed(
      static_cast<size_t>(computation.instruction_count()));
  needed[static_cast<size_t>(computation.root().index())] = true;
  for (int i = computation.instruction_count(); i-- > 0;) {
    if (!needed[static_cast<size_t>(i)]) continue;
    for (const Instruction operand : computation.instruction(i).operands()) {
      needed[static_cast<size_t>(operand.index())] = true;
    }
  }
  return needed;
}

bool GradientContext::CantRunTwice(const Instruction& node) {
  if (DiffersOrActs(node)) return true;
  for (int k = 0; k < node.callee_count(); ++k) {
    if (CantRunTwice(node.callee(k))) return true;
  }
  return false;
}

bool GradientContext::CantRunTwice(const Computation& computation) {
  if (cant_run_twice.empty()) {
    cant_run_twice.resize(static_cast<size_t>(module.computation_count()));
    // Callees come first.
    for (const Computation each : module.computations()) {
      for (const Instruction node : each.instructions()) {
        if (!CantRunTwice(node)) continue;
        cant_run_twice[static_cast<size_t>(each.index())] = true;
        break;
      }
    }
  }
  return cant_run_twice[static_cast<size_t>(computation.index())];
}

Op CopyComputation(ComputationBuilder* builder, const Computation& computation,
                   absl::Span<const Op> arguments, InstructionCopier* copies) {
  std::vector<Op> values;
  for (const Instruction node : computation.instructions()) {
    std::vector<Op> operands;
    for (const Instruction operand : node.operands()) {
      operands.push_back(values[static_cast<size_t>(operand.index())]);
    }
    values.push_back(
        node.opcode() == Opcode::kParameter
            ? arguments[static_cast<size_t>(
                  As<ParameterAttributes>(node.attributes()).number)]
        : node.opcode() == Opcode::kGetTupleElement && !HasAnnotations(node)
            ? ElementOf(*builder, operands[0],
                        As<GetTupleElementAttributes>(node.attributes()).index)
            : CopyInstruction(builder, node, operands, copies));
  }
  return values[static_cast<size_t>(computation.root().index())];
}

Op CopyInstruction(ComputationBuilder* builder, const Instruction& node,
                   absl::Span<const Op> operands, InstructionCopier* copies) {
  if (node.opcode() == Opcode::kBroadcast) {
    const DimIndices& dims =
        As<DimensionsAttributes>(node.attributes()).dimensions;
    if (!absl::c_is_sorted(dims)) {
      return SpreadTo(*builder, operands[0], dims, node.shape());
    }
    // One that changes nothing, as JAX lowers sizes of 1 that stay.
    if (node.shape().WithoutLayout() == ShapeIn(*builder, operands[0]) &&
        !HasAnnotations(node)) {
      return operands[0];
    }
  }
  return copies->CopyVerified(RecorderOf(*builder), node, operands, Caller());
}

Origin Linearizer::OriginOf(const Instruction& node) {
  const MetadataId own = context_.copies.MetadataOf(node);
  if (!own) return context_.origin;
  return {own,
          context_.copies.Derived(own, tape_.is_forward() ? "/jvp" : "/vjp")};
}

const Traced& Linearizer::Value(const Instruction& node,
                                std::vector<Traced>* values) {
  Traced& traced = (*values)[static_cast<size_t>(node.index())];
  if (traced.value == Op()) {
    std::vector<Op> operands;
    for (const Instruction operand : node.operands()) {
      operands.push_back(Value(operand, values).value);
    }
    ComputationBuilder* const b = &tape_.primal();
    traced.value =
        IsWrittenOut(node)
            ? CopyComputation(b, node.callee(0), operands, &context_.copies)
            : CopyInstruction(b, node, operands, &context_.copies);
  }
  return traced;
}

void ApplyPartials(PartialRule partial, Primal* node) {
  Tape& tape = node->tape();
  Tangent sum;
  for (int i = 0; i < node->node().operand_count(); ++i) {
    if (!node->t(i)) continue;
    const PartialFactor factor = partial(*node, i);
    Op t = Spread(&tape, *node->t(i), node->shape());
    t = tape.ConvertTo(node->shape().element_type(), t);
    if (factor.use == PartialFactor::Use::kTimes) t = tape.Times(t, factor.op);
    if (factor.use == PartialFactor::Use::kOver) t = tape.Over(t, factor.op);
    if (factor.use == PartialFactor::Use::kWhere) t = tape.Where(factor.op, t);
    sum = tape.Sum(sum, t);
  }
  node->Set(sum);
}

absl::Status Linearizer::CheckNesting(const Computation& computation) {
  constexpr int64_t kMaxVisited = int64_t{1} << 18;
  if (site_ == nullptr) return absl::OkStatus();
  context_.visited += computation.instruction_count();
  if (site_->depth <= kMostNestedCalls &&
      context_.visited <=
          kMaxVisited + 8 * context_.module.instruction_count()) {
    return absl::OkStatus();
  }
  return ErrorWithCode(
      absl::StatusCode::kInvalidArgument, Code::kNoDerivative,
      absl::StrCat("computation %", computation.name(),
                   " has no derivative here: computations that run others "
                   "are too many or nest too deeply; to fix: inline the "
                   "small ones first"));
}

// Side effects would happen twice. XLA refuses notes of shardings that nobody
// needs; nobody needs the entry's result.
bool Linearizer::WaitsForUse(const Instruction& node, const Progress& run) {
  if (IsShardingNote(node)) return true;
  if (site_ != nullptr) return false;
  if (node.index() == run.root) return node.opcode() == Opcode::kTuple;
  return !run.needed[static_cast<size_t>(node.index())] &&
         !context_.CantRunTwice(node);
}

absl::Status Linearizer::WithPath(const absl::Status& status,
                                  const Instruction& node,
                                  const Progress& run) {
  // The path where it is, not those of its callers too.
  if (context_.is_inner || context_.tells_path) return status;
  context_.tells_path = true;
  const auto is_wanted = [&](const Instruction& at) {
    return absl::c_linear_search(run.wanted[static_cast<size_t>(at.index())],
                                 true);
  };
  const auto is_active = [&](const Instruction& at) {
    return AnyTangent(run.values[static_cast<size_t>(at.index())].tangents);
  };
  return ErrorWithCode(
      status.code(), CodeOf(status),
      absl::StrCat(status.message(), "; from the result to a parameter: ",
                   PathThrough(node, is_wanted, is_active)));
}

absl::Status Linearizer::RunInstruction(const Instruction& node,
                                        Progress* run) {
  const auto i = static_cast<size_t>(node.index());
  Traced& traced = run->values[i];
  bool active = false, renewed = false;
  for (const Instruction operand : node.operands()) {
    const auto k = static_cast<size_t>(operand.index());
    active = active || AnyTangent(run->values[k].tangents);
    renewed = renewed || run->renewed[k];
  }
  const bool independent = AnyTangent(traced.tangents);
  renewed =
      renewed && run->needed[i] && !independent && !context_.CantRunTwice(node);
  if (renewed) traced.value = Op();
  traced.tangents.resize(LeafCount(node.shape()));
  const bool visited = active && !independent &&
                       absl::c_linear_search(run->wanted[i], true) &&
                       HasTangents(node.shape());
  if ((recorded_.empty() || renewed) && !WaitsForUse(node, *run) &&
      (!visited ||
       GradientRuleOf(node.opcode()).kind != GradientKind::kCalls)) {
    Value(node, &run->values);
  }
  absl::Status status;
  if (visited) {
    const Op before = traced.value;
    const MetadataId outer = tape_.set_origin(OriginOf(node).derivative);
    status = Visit(node, run->wanted[i], !recorded_.empty(), &run->values);
    tape_.set_origin(outer);
    renewed = renewed ||
              (context_.renews && before != Op() && traced.value != before);
  }
  run->renewed[i] = renewed;
  return status.ok() ? status : WithPath(status, node, *run);
}

absl::StatusOr<Traced> Linearizer::Run(const Computation& computation,
                                       absl::Span<const Traced> arguments,
                                       absl::Span<const Traced> recorded,
                                       const ActiveLeaves* wanted_of_root) {
  if (absl::Status s = CheckNesting(computation); !s.ok()) return s;
  recorded_ = recorded;
  const OriginScope values_origin(tape_.primal(), context_.origin.value);
  const auto count = static_cast<size_t>(computation.instruction_count());
  Progress run{
      computation.root().index(),
      WantedForRoot(computation, wanted_of_root, recorded, &context_.wanted),
      NeededByRoot(computation), std::vector<bool>(count),
      std::vector<Traced>(count)};
  for (const Instruction node : computation.instructions()) {
    const auto i = static_cast<size_t>(node.index());
    if (!recorded.empty()) run.values[i] = recorded[i];
    if (node.opcode() == Opcode::kParameter && recorded.empty()) {
      run.values[i] = arguments[static_cast<size_t>(
          As<ParameterAttributes>(node.attributes()).number)];
      continue;
    }
    if (absl::Status s = RunInstruction(node, &run); !s.ok()) return s;
  }
  if (absl::Status s = tape_.primal().status(); !s.ok()) return s;
  if (!tape_.status().ok()) return tape_.status();
  return site_ == nullptr
             ? run.values[static_cast<size_t>(computation.root().index())]
             : Value(computation.root(), &run.values);
}

absl::Status Linearizer::Visit(const Instruction& node,
                               const ActiveLeaves& wanted, bool is_recorded,
                               std::vector<Traced>* values) {
  const GradientRule& rule = GradientRuleOf(node.opcode());
  const OriginScope origin(tape_.primal(), tape_.origin());
  Traced& result = (*values)[static_cast<size_t>(node.index())];
  Primal primal(this, node, &wanted, values, &result);
  const bool lacks_numbers =
      rule.has(kNumbers) && !HasNumbersAsSizes(rule, node);
  if (lacks_numbers && !(rule.has(kAtBounds) && AllHaveBounds(node))) {
    return primal.RefuseSizes();
  }
  if (rule.has(kRanked) && !HaveRanks(node)) {
    return primal.Refuse("an operand has no known rank", "declare its sizes");
  }
  if (rule.has(kRealAlone) && IsComplex(node.shape().element_type())) {
    return primal.Refuse("its numbers are complex");
  }
  if (MarkOf(node) == GradientMark::kUnknown) {
    return primal.Refuse("nobody knows its mark indim.gradient",
                         "stop, checkpoint, custom, vjp or jvp");
  }
  // The rule may record what it calls again.
  if (is_recorded && rule.kind != GradientKind::kZero &&
      node.callee_count() > 0 && context_.CantRunTwice(node)) {
    return primal.Refuse(
        "what it calls would run again, and it draws random numbers, moves "
        "data or has side effects",
        "do that outside, and pass the values");
  }
  if (lacks_numbers) {
    return primal.SetByExpansion(ExpandAtBounds(context_.module, node));
  }
  switch (rule.kind) {
    case GradientKind::kZero:
      return absl::OkStatus();
    case GradientKind::kPartials:
      if (IsDifferentiable(node.shape())) ApplyPartials(rule.partial, &primal);
      return absl::OkStatus();
    case GradientKind::kLinear:
      if (IsDifferentiable(node.shape())) ApplyLinear(rule, &primal);
      return absl::OkStatus();
    case GradientKind::kBilinear:
      if (IsDifferentiable(node.shape())) ApplyBilinear(&primal);
      return absl::OkStatus();
    case GradientKind::kOwn:
    case GradientKind::kCalls:
      return rule.tangent(primal);
    case GradientKind::kExpanded:
      return primal.SetByExpansion(rule.expand(node));
    case GradientKind::kRefused:
      return primal.Refuse(rule.why);
  }
  return absl::OkStatus();
}

Op Primal::RecordLike(absl::Span<const Op> operands) const {
  const std::vector<Callee> callees = context().copies.CalleesOf(node_);
  // Of a value that isn't recorded, as an implicit broadcast.
  if (r() == Op()) {
    return tape().Record(node_.opcode(), operands, node_.attributes(),
                         shape().WithoutLayout(), callees);
  }
  return tape().RecordAs(ShapeIn(b(), r()), node_.opcode(), operands,
                         node_.attributes(), callees);
}

absl::Status Primal::SetByExpansion(absl::StatusOr<Module> module) {
  if (!module.ok()) return Refuse(module.status().message());
  std::vector<Traced> arguments;
  for (int i = 0; i < node_.operand_count(); ++i) {
    arguments.push_back(traced(i));
  }
  GradientContext& inner =
      context().AddInner(*std::move(module), linearizer_.OriginOf(node_));
  absl::StatusOr<Traced> result =
      Linearizer(&inner, &tape(), SiteOf(0))
          .Run(inner.module.entry(), arguments, {}, &wanted_);
  if (!result.ok()) return result.status();
  Set(*std::move(result));
  return absl::OkStatus();
}

absl::Status Primal::RefuseSizes() const {
  return Refuse("it has sizes that aren't numbers",
                absl::StrCat("give them values first (",
                             SettingText(Setting::kSizeValues), ")"));
}

absl::Status Primal::Refuse(absl::string_view why,
                            absl::string_view way_out) const {
  const SourceLocation place = node_.location();
  std::string message =
      absl::StrCat(node_.opcode_name(), " %", node_.text_name());
  if (!place.file.empty()) {
    absl::StrAppend(&message, " (", place.file, ":", place.line, ")");
  }
  absl::StrAppend(&message, " has no derivative here: ", why);
  if (!way_out.empty()) absl::StrAppend(&message, "; to fix: ", way_out);
  return ErrorWithCode(absl::StatusCode::kInvalidArgument, Code::kNoDerivative,
                       message);
}

}  // namespace indim::internal
