// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/passes/cost/call_sites.h"
#include "indim/passes/cost/device_shares.h"
#include "indim/passes/cost/op_costs.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/sharding/annotation_calls.h"

namespace indim {
namespace {

using internal::OpCostRow;

Costs CostsOfCustomCall() { return {Amount(-1), Amount(0), Amount(-1)}; }

// The greater of two; of those that are no numbers the one that is greater when
// names stand for large numbers.
Amount Greater(const Amount& a, const Amount& b) {
  return b.Estimate() > a.Estimate() ? b : a;
}

// What a computation that is applied to elements adds.
void AddApplied(const Amount& times, const Costs& callee, Costs* costs) {
  costs->flops += times * callee.flops;
  costs->transcendentals += times * callee.transcendentals;
}

// XLA's sum of a gather or scatter that stands for a whole fusion.
std::optional<Instruction> StandsForFusion(const Instruction& fusion) {
  if (As<FusionAttributes>(fusion.attributes()).kind != "kCustom") {
    return std::nullopt;
  }
  for (const Instruction node : fusion.callee(0).instructions()) {
    if (node.opcode() == Opcode::kGather || node.opcode() == Opcode::kScatter) {
      return node;
    }
  }
  return std::nullopt;
}

// What is known of some instructions, by their positions in order.
template <typename T>
using Noted = std::vector<std::pair<uint32_t, T>>;
// Of an instruction that isn't there `otherwise`.
template <typename T>
T At(const Noted<T>& noted, const Instruction& node, T otherwise) {
  const auto at = std::lower_bound(
      noted.begin(), noted.end(), node.position(),
      [](const auto& known, uint32_t place) { return known.first < place; });
  return at != noted.end() && at->first == node.position() ? at->second
                                                           : otherwise;
}

class CostOf {
 public:
  CostOf(const Module& module, const CostOptions& options)
      : module_(module), options_(options), sites_(module), shares_(module) {}

  absl::StatusOr<CostReport> Run();

 private:
  // A computation's own part of the work.
  struct Part {
    Costs sum;      // with what it calls, of one execution
    Costs xla_sum;  // likewise, by XLA's rules
    Amount runs;
    Amount fused_runs;  // as the body of a fusion, whose bytes don't count
    bool is_run = false;
  };

  Part& PartOf(const Computation& c) {
    return parts_[static_cast<size_t>(c.index())];
  }
  void AddComputation(const Computation& computation);
  Costs OwnCosts(const Instruction& node, bool is_xla);
  Costs XlaCosts(const Instruction& node, const Costs& own);
  // How often one execution of the instruction runs this callee; 0 of one that
  // it applies.
  Amount Runs(const Instruction& node, int callee);
  Amount StepsOf(const Instruction& loop) const {
    return At(steps_, loop, Amount(1));
  }
  void AddRuns(const Instruction& node, const Part& caller);
  void AddRows();
  absl::Status CheckWeights() const;

  const Module& module_;
  const CostOptions& options_;
  CostReport report_;
  std::vector<Part> parts_;  // by computation
  std::vector<Costs> own_;   // by the instructions' positions
  internal::CallSites sites_;
  internal::DeviceShares shares_;
  Noted<Amount> steps_;                 // of loops
  Noted<std::vector<Amount>> weights_;  // of conditionals
};

Costs CostOf::OwnCosts(const Instruction& node, bool is_xla) {
  const OpCostRow& row = internal::OpCostOf(node.opcode());
  Costs costs = {row.flops(node), row.transcendentals(node), row.bytes(node)};
  for (int i = 0; i < node.callee_count(); ++i) {
    const Amount times = row.applied(node, i);
    if (times == Amount(0)) continue;
    const Part& part = PartOf(node.callee(i));
    AddApplied(times, is_xla ? part.xla_sum : part.sum, &costs);
  }
  return costs;
}

Amount CostOf::Runs(const Instruction& node, int callee) {
  switch (Info(node.opcode()).callee_form) {
    case CalleeForm::kCalled:
    case CalleeForm::kFused:
    case CalleeForm::kStarted:
      return Amount(1);
    case CalleeForm::kBodyAndCondition:
      return callee == 0 ? StepsOf(node) : StepsOf(node) + Amount(1);
    case CalleeForm::kBranches: {
      const std::vector<Amount> weights = At(weights_, node, {});
      const auto i = static_cast<size_t>(callee);
      return i < weights.size() ? weights[i] : Amount(0);
    }
    default:
      return Amount(0);
  }
}

Costs CostOf::XlaCosts(const Instruction& node, const Costs& own) {
  if (node.callee_count() == 0 && node.opcode() != Opcode::kCustomCall) {
    return own;
  }
  Costs costs = own;
  switch (node.opcode()) {
    case Opcode::kCustomCall:
      return CostsOfCustomCall();
    case Opcode::kConditional:
      for (int i = 0; i < node.callee_count(); ++i) {
        const Costs& branch = PartOf(node.callee(i)).xla_sum;
        if (i == 0) {
          costs = branch;
          continue;
        }
        costs.flops = Greater(costs.flops, branch.flops);
        costs.transcendentals =
            Greater(costs.transcendentals, branch.transcendentals);
        costs.bytes = Greater(costs.bytes, branch.bytes);
      }
      return costs;
    case Opcode::kFusion:
      if (const auto whole = StandsForFusion(node)) {
        return OwnCosts(*whole, /*is_xla=*/true);
      }
      costs.flops = PartOf(node.callee(0)).xla_sum.flops;
      costs.transcendentals = PartOf(node.callee(0)).xla_sum.transcendentals;
      return costs;
    case Opcode::kCall:
    case Opcode::kWhile:
    case Opcode::kAsyncStart:
      for (int i = 0; i < node.callee_count(); ++i) {
        costs += PartOf(node.callee(i)).xla_sum;
      }
      return costs;
    default:
      return OwnCosts(node, /*is_xla=*/true);
  }
}

// The branch that costs most, or what the options say.
std::vector<Amount> BranchWeights(const CostOptions& options,
                                  const Instruction& conditional,
                                  absl::Span<const Costs> branches) {
  std::vector<Amount> weights(branches.size());
  if (!options.branch_weights.empty()) {
    const auto given = options.branch_weights.find(conditional.name());
    if (given != options.branch_weights.end()) {
      std::copy(given->second.begin(), given->second.end(), weights.begin());
      return weights;
    }
  }
  const auto work = [](const Costs& c) {
    return std::make_pair((c.flops + c.transcendentals).Estimate(),
                          c.bytes.Estimate());
  };
  size_t most = 0;
  for (size_t i = 1; i < branches.size(); ++i) {
    if (work(branches[i]) > work(branches[most])) most = i;
  }
  if (!branches.empty()) weights[most] = Amount(1);
  return weights;
}

void CostOf::AddComputation(const Computation& computation) {
  Part& part = PartOf(computation);
  for (const Instruction node : computation.instructions()) {
    Costs own = OwnCosts(node, /*is_xla=*/false);
    part.xla_sum += XlaCosts(node, own);
    if (node.opcode() == Opcode::kWhile) {
      const std::optional<int64_t> steps =
          node.callee_count() == 2
              ? internal::TripCount(node, sites_.Of(computation))
              : std::nullopt;
      steps_.emplace_back(
          node.position(),
          steps ? Amount(static_cast<double>(*steps))
                : Amount::Named(absl::StrCat("steps(", node.name(), ")")));
    } else if (node.opcode() == Opcode::kConditional) {
      std::vector<Costs> branches;
      for (int i = 0; i < node.callee_count(); ++i) {
        branches.push_back(PartOf(node.callee(i)).sum);
      }
      weights_.emplace_back(node.position(),
                            BranchWeights(options_, node, branches));
    }
    part.sum += own;
    const bool is_fused = node.opcode() == Opcode::kFusion;
    for (int i = 0; i < node.callee_count(); ++i) {
      const Amount runs = Runs(node, i);
      if (runs == Amount(0)) continue;
      Costs callee = runs * PartOf(node.callee(i)).sum;
      if (is_fused) callee.bytes = Amount(0);
      part.sum += callee;
    }
    own_[node.position()] = std::move(own);
  }
}

void CostOf::AddRuns(const Instruction& node, const Part& caller) {
  const bool is_fused = node.opcode() == Opcode::kFusion;
  for (int i = 0; i < node.callee_count(); ++i) {
    const Amount runs = Runs(node, i);
    if (runs == Amount(0)) continue;
    Part& callee = PartOf(node.callee(i));
    callee.is_run = true;
    if (!is_fused) callee.runs += caller.runs * runs;
    callee.fused_runs +=
        (is_fused ? caller.runs + caller.fused_runs : caller.fused_runs) * runs;
  }
}

void CostOf::AddRows() {
  report_.instructions.reserve(own_.size());
  for (const Computation computation : module_.computations()) {
    const Part& part = PartOf(computation);
    if (!part.is_run) continue;
    const Amount times = part.runs + part.fused_runs;
    for (const Instruction node : computation.instructions()) {
      const Costs& own = own_[node.position()];
      report_.instructions.push_back(
          {node,
           times,
           {times * own.flops, times * own.transcendentals,
            part.runs * own.bytes},
           shares_.Work(node),
           shares_.Moved(node)});
      if (report_.is_cut) {
        report_.on_device += report_.instructions.back().on_device();
      }
      if (node.opcode() == Opcode::kCustomCall &&
          !IsShardingCall(As<CustomCallAttributes>(node.attributes()).target)) {
        report_.unknown.push_back({node, UnknownCost::Why::kCustomCall, times});
      } else if (node.opcode() == Opcode::kWhile) {
        const Amount steps = StepsOf(node);
        report_.loops.push_back({node, steps});
        if (!steps.is_number()) {
          report_.unknown.push_back({node, UnknownCost::Why::kSteps, times});
        }
      }
    }
  }
}

absl::Status CostOf::CheckWeights() const {
  if (options_.branch_weights.empty()) return absl::OkStatus();
  std::map<std::string, int> branches;
  for (const Computation computation : module_.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (node.opcode() == Opcode::kConditional) {
        branches[node.name()] = node.callee_count();
      }
    }
  }
  for (const auto& [name, weights] : options_.branch_weights) {
    const auto found = branches.find(name);
    if (found == branches.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' is no conditional of the module"));
    }
    if (static_cast<int>(weights.size()) != found->second) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' has ", found->second, " branches, not ",
                       weights.size()));
    }
    for (const double weight : weights) {
      if (!(weight >= 0) || std::isinf(weight)) {
        return absl::InvalidArgumentError(
            absl::StrCat("a weight of '", name, "' is no number from 0 up"));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CostReport> CostOf::Run() {
  if (module_.computation_count() == 0) {
    return absl::InvalidArgumentError("the module has no entry computation");
  }
  for (const Computation computation : module_.computations()) {
    for (const Instruction node : computation.instructions()) {
      if (!node.shape().is_none()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "'", node.text_name(), "' has no shape; inference fills it in"));
    }
  }
  if (absl::Status status = CheckWeights(); !status.ok()) return status;
  parts_.resize(static_cast<size_t>(module_.computation_count()));
  own_.resize(static_cast<size_t>(module_.instruction_count()));
  for (const Computation c : module_.computations()) AddComputation(c);
  Part& entry = PartOf(module_.entry());
  entry.runs = Amount(1);
  entry.is_run = true;
  for (int c = module_.computation_count() - 1; c >= 0; --c) {
    const Computation computation = module_.computation(c);
    const Part& part = PartOf(computation);
    if (!part.is_run) continue;
    for (const Instruction node : computation.instructions()) {
      if (node.callee_count() > 0) AddRuns(node, part);
    }
  }
  report_.module = module_;
  report_.total = entry.sum;
  report_.xla = entry.xla_sum;
  report_.devices = shares_.devices();
  report_.is_cut = shares_.any_cut();
  AddRows();
  if (!report_.is_cut) report_.on_device = report_.total;
  return std::move(report_);
}

}  // namespace

Costs& Costs::operator+=(const Costs& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}

Costs operator*(const Amount& times, const Costs& costs) {
  return {times * costs.flops, times * costs.transcendentals,
          times * costs.bytes};
}

Costs InstructionCost::on_device() const {
  return {Amount(device_work) * total.flops,
          Amount(device_work) * total.transcendentals,
          Amount(device_bytes) * total.bytes};
}

absl::StatusOr<CostReport> Cost(const Module& module,
                                const CostOptions& options) {
  return CostOf(module, options).Run();
}

}  // namespace indim
