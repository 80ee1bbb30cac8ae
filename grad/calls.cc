// SPDX-License-Identifier: Apache-2.0
// The derivative of call. A computation is differentiated once for each pattern
// of operands that have tangents and of results whose tangents someone wants;
// all calls of that pattern call what was made for the first.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/split.h"
#include "indim/grad/stacks.h"
#include "indim/grad/tape.h"
#include "indim/ir/module_access.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {

// What stands for a computation of one pattern.
struct CallRule {
  // Operands whose constants decided how often loops inside run.
  std::vector<std::pair<int, std::optional<int64_t>>> constants;
  // Reverse mode.
  std::unique_ptr<SplitComputation> split;
  // Of a checkpoint, where something is kept: takes the cotangents, then the
  // operands.
  std::optional<Callee> again;
  // Forward mode: takes the operands and their tangents, gives the result and
  // the tangents of the leaves `results`.
  Callee tangents = absl::StatusOr<Module>(absl::UnknownError("not recorded"));
  std::vector<size_t> results;

  bool IsRightFor(const Instruction& call, const CallChain* outer) const {
    for (const auto& [operand, constant] : constants) {
      if (ConstantOf(call.operand(operand), outer) != constant) return false;
    }
    return true;
  }
};

// By computation, mode, active leaves of the operands, wanted leaves of the
// result.
struct CallRules {
  enum class Mode : uint8_t { kForward, kReverse, kCheckpoint };
  using Key = std::tuple<int, Mode, ActiveLeaves, ActiveLeaves>;
  std::map<Key, std::vector<std::shared_ptr<const CallRule>>> by_pattern;
};

namespace {

absl::Status RecordTangents(const Primal& node, const CallChain* site,
                            const ActiveLeaves& active, CallRule* rule) {
  const Computation callee = node.node().callee(0);
  ComputationBuilder b = node.b().SubBuilder(PartName(callee, "_jvp"));
  const absl::StatusOr<Traced> result =
      TangentsIn(&b, &node.context(), callee, site, active, node.wanted());
  if (!result.ok()) return result.status();
  std::vector<Op> results = {result->value};
  for (size_t i = 0; i < result->tangents.size(); ++i) {
    if (!result->tangents[i] || !node.wanted()[i]) continue;
    rule->results.push_back(i);
    results.push_back(*result->tangents[i]);
  }
  rule->tangents = b.BuildCallee(b.Tuple(results));
  return b.status();
}

// The rule of a call: an earlier one's, or made now.
absl::StatusOr<std::shared_ptr<const CallRule>> RuleOf(const Primal& node) {
  ActiveLeaves active;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    for (const Tangent& t : node.tangents(i)) {
      active.push_back(t.has_value());
    }
  }
  // A module whose calls double at each level would keep too much.
  constexpr int64_t kMostKept = int64_t{1} << 13;
  GradientContext& context = node.context();
  if (context.calls == nullptr) context.calls = std::make_shared<CallRules>();
  const Computation callee = node.node().callee(0);
  const bool is_checkpoint = MarkOf(node.node()) == GradientMark::kCheckpoint;
  const CallRules::Mode mode = node.tape().is_forward()
                                   ? CallRules::Mode::kForward
                               : is_checkpoint ? CallRules::Mode::kCheckpoint
                                               : CallRules::Mode::kReverse;
  const CallRules::Key key(callee.index(), mode, active, node.wanted());
  const CallChain* const outer = node.linearizer().site();
  for (const auto& rule : context.calls->by_pattern[key]) {
    if (rule->IsRightFor(node.node(), outer)) return rule;
  }
  auto rule = std::make_shared<CallRule>();
  const CallChain* const site = node.SiteOf(0);
  absl::Status status;
  if (node.tape().is_forward()) {
    status = RecordTangents(node, site, active, rule.get());
  } else {
    rule->split = std::make_unique<SplitComputation>(&node.b(), callee,
                                                     /*known=*/nullptr);
    status = rule->split->Record(&context, site, active, node.wanted());
    if (is_checkpoint && !rule->split->kept_shapes().empty()) {
      rule->again = rule->split->BuildAgain(&node.b());
    }
    int64_t leaves = 0;
    for (const Shape& kept : rule->split->kept_shapes()) {
      leaves += static_cast<int64_t>(LeafCount(kept));
    }
    if (leaves > kMostKept + 8 * context.module.instruction_count()) {
      return node.Refuse(
          absl::StrCat("its transpose would need ", leaves, " values of it"),
          "mark calls as checkpoints (docs/gradients.md)");
    }
  }
  if (!status.ok()) return status;
  // Of a tuple it isn't known which of its elements someone looked at.
  bool can_share = true;
  for (const int operand : site->looked_at) {
    rule->constants.emplace_back(
        operand, ConstantOf(node.node().operand(operand), outer));
    can_share = can_share && !node.shape(operand).is_tuple();
  }
  if (can_share) context.calls->by_pattern[key].push_back(rule);
  return rule;
}

void SetForward(Primal& node, const CallRule& rule, std::vector<Op> operands) {
  ComputationBuilder& b = node.b();
  for (int i = 0; i < node.node().operand_count(); ++i) {
    for (const Tangent& t : node.tangents(i)) {
      if (t) operands.push_back(*t);
    }
  }
  const Op made = b.Call(rule.tangents, operands);
  if (MarkOf(node.node()) == GradientMark::kCheckpoint) {
    b.SetFrontendAttribute(made, kGradientMark, kCheckpointMark);
  }
  Traced traced{b.GetTupleElement(made, 0),
                TangentLeaves(LeafCount(node.shape()))};
  for (size_t k = 0; k < rule.results.size(); ++k) {
    traced.tangents[rule.results[k]] =
        b.GetTupleElement(made, static_cast<int64_t>(k) + 1);
  }
  node.Set(std::move(traced));
}

// The tangents of a result, of a call whose transpose calls `backward`.
void SetReverse(Primal& node, std::shared_ptr<const CallRule> rule,
                std::vector<Op> operands, std::vector<Op> kept) {
  const SplitComputation& split = *rule->split;
  std::vector<Tangent> all, given;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    const TangentLeaves& leaves = node.tangents(i);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  for (const size_t leaf : split.arguments()) given.push_back(all[leaf]);
  const std::vector<Shape> leaves = LeafShapes(node.shape());
  std::vector<Shape> results;
  for (const size_t leaf : split.results()) {
    results.push_back(leaves[leaf].WithoutLayout());
  }
  LinearFunction function;
  function.transpose =
      [rule, results, operands = std::move(operands), kept = std::move(kept)](
          ComputationBuilder* builder, const std::function<Op(Op)>& value_of,
          absl::Span<const Tangent> cotangents) {
        std::vector<Op> whole, values;
        for (size_t i = 0; i < results.size(); ++i) {
          whole.push_back(cotangents[i] ? *cotangents[i]
                                        : builder->Splat(0, results[i]));
        }
        if (rule->again) {
          for (const Op value : operands) whole.push_back(value_of(value));
          const std::vector<Op> all =
              ElementsFrom(*builder, builder->Call(*rule->again, whole), 0);
          return std::vector<Tangent>(all.begin(), all.end());
        }
        for (const Op value : kept) values.push_back(value_of(value));
        const auto of = [&](int64_t i) {
          return value_of(operands[static_cast<size_t>(i)]);
        };
        const std::vector<Op> gradients = rule->split->RunBackward(
            *builder, whole, values, of, SplitComputation::Runs::kCalled);
        return std::vector<Tangent>(gradients.begin(), gradients.end());
      };
  const std::vector<Tangent> tangents =
      node.tape().Apply(std::move(function), given, results);
  for (size_t i = 0; i < results.size(); ++i) {
    node.tangents()[split.results()[i]] = tangents[i];
  }
}

}  // namespace

// It has a computation of its own, which is written here.
absl::Status TangentFusion(Primal& node) {
  std::vector<Traced> arguments;
  for (int i = 0; i < ArgumentCount(node.node()); ++i) {
    arguments.push_back(node.traced(i));
  }
  absl::StatusOr<Traced> result =
      Linearizer(&node.context(), &node.tape(), node.SiteOf(0))
          .Run(node.node().callee(0), arguments, {}, &node.wanted());
  if (!result.ok()) return result.status();
  node.Set(*std::move(result));
  return absl::OkStatus();
}

absl::Status TangentCall(Primal& node) {
  if (IsManualBody(node.node())) return TangentManualBody(node);
  if (IsWrittenOut(node.node())) {
    const Op recorded = node.r();
    const absl::Status status = TangentFusion(node);
    if (recorded != Op()) node.Set({recorded, node.tangents()});
    return status;
  }
  const GradientMark mark = MarkOf(node.node());
  if (mark == GradientMark::kCustom) return TangentCustomGradient(node);
  if (mark == GradientMark::kCheckpoint && !node.tape().is_forward() &&
      node.context().CantRunTwice(node.node().callee(0))) {
    return node.Refuse(
        "it is a checkpoint, which would run again, and it draws random "
        "numbers, moves data or has side effects",
        "do that outside");
  }
  const absl::StatusOr<std::shared_ptr<const CallRule>> found = RuleOf(node);
  if (!found.ok()) return found.status();
  const CallRule& rule = **found;
  std::vector<Op> operands, kept;
  for (int i = 0; i < node.node().operand_count(); ++i) {
    operands.push_back(node.x(i));
  }
  const OriginScope origin(node.b(),
                           node.linearizer().OriginOf(node.node()).value);
  if (rule.split == nullptr && !rule.results.empty()) {
    SetForward(node, rule, std::move(operands));
    return absl::OkStatus();
  }
  Traced traced{node.r(), TangentLeaves(LeafCount(node.shape()))};
  if (rule.split != nullptr && !rule.again &&
      !rule.split->kept_shapes().empty()) {
    traced.value = rule.split->RunForward(
        node.b(), operands, SplitComputation::Runs::kCalled, &kept);
  } else if (traced.value == Op()) {
    traced.value = CopyInstruction(&node.b(), node.node(), operands,
                                   &node.context().copies);
  }
  node.Set(std::move(traced));
  if (rule.split != nullptr && !rule.split->arguments().empty()) {
    SetReverse(node, *found, std::move(operands), std::move(kept));
  }
  return absl::OkStatus();
}

}  // namespace indim::internal
