// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/broadcast.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "indim/shape/broadcast/broadcast_internal.h"

namespace indim {
namespace {

using ::indim::broadcast_internal::DimDiagnostic;
using ::indim::broadcast_internal::PlanNumpy;
using ::indim::broadcast_internal::RankedDims;
using ::indim::broadcast_internal::RankedOperands;
using ::indim::broadcast_internal::SizeMeet;

Diagnostic OperandDiagnostic(Code code, int operand, int other = -1) {
  Diagnostic d;
  d.code = code;
  d.operand = operand;
  d.other_operand = other;
  return d;
}

// Places `count` dims one after the other, from result dim `first` on.
void PlaceFrom(int first, int count, BroadcastPlan::DimMap* map) {
  map->resize(count);
  std::iota(map->begin(), map->end(), first);
}

// kNone: ranks and sizes must be equal.
bool PlanNone(const RankedDims& a, const RankedDims& b, BroadcastPlan* plan,
              std::vector<Diagnostic>* diagnostics) {
  if (a.rank() != b.rank()) {
    diagnostics->push_back(
        OperandDiagnostic(Code::kRanksMustMatch, a.operand, b.operand));
    return false;
  }
  for (int d = 0; d < a.rank(); ++d) {
    const DimRef a_ref{a.operand, d}, b_ref{b.operand, d};
    SizeMeet meet;
    meet.Add(a_ref, a.dims[d], false);
    meet.Add(b_ref, b.dims[d], false);
    if (!meet.possible()) {
      diagnostics->push_back(DimDiagnostic(Code::kSizesDiffer, a_ref, b_ref));
      return false;
    }
    plan->dims.push_back(meet.result());
    meet.AddCondition(a_ref, a.dims[d], false, {-1, d}, &plan->conditions);
    meet.AddCondition(b_ref, b.dims[d], false, {-1, d}, &plan->conditions);
  }
  PlaceFrom(0, a.rank(), &plan->operands[a.operand]);
  PlaceFrom(0, b.rank(), &plan->operands[b.operand]);
  return true;
}

// Matches dim i of `small` with dim places[i] of `big`: the dim must be 1 or
// equal, since `big` isn't broadcast. Only a dim of size 1 may lie past the
// last dim; it is dropped. The result is `big`, narrowed to the sizes that fit.
bool PlanOneWay(const RankedDims& small, const RankedDims& big,
                const BroadcastPlan::DimMap& places, BroadcastPlan* plan,
                std::vector<Diagnostic>* diagnostics) {
  plan->dims.assign(big.dims.begin(), big.dims.end());
  PlaceFrom(0, big.rank(), &plan->operands[big.operand]);
  BroadcastPlan::DimMap& map = plan->operands[small.operand];
  map = places;
  for (int i = 0; i < small.rank(); ++i) {
    const int place = places[i];
    const Dim dim = small.dims[i];
    const DimRef ref{small.operand, i}, big_ref{big.operand, place};
    if (place >= big.rank()) {
      if (!dim.Contains(1)) {
        diagnostics->push_back(
            DimDiagnostic(Code::kDimPastEnd, ref, DimRef{big.operand, -1}));
        return false;
      }
      if (!dim.is(1)) {
        plan->conditions.push_back(
            {Condition::Kind::kEqual, ref, Dim::Static(1)});
      }
      map[i] = -1;
      continue;
    }
    SizeMeet meet;
    meet.Add(big_ref, big.dims[place], false);
    meet.Add(ref, dim, true);
    if (!meet.possible()) {
      diagnostics->push_back(DimDiagnostic(Code::kDimCannotGrow, ref, big_ref));
      return false;
    }
    plan->dims[place] = meet.result();
    const DimRef result{-1, place};
    meet.AddCondition(big_ref, big.dims[place], false, result,
                      &plan->conditions);
    meet.AddCondition(ref, dim, true, result, &plan->conditions);
  }
  return true;
}

// kPdpd: broadcasts B to A, from dim `axis` on.
bool PlanPdpd(const RankedDims& b, const RankedDims& a, int64_t axis,
              BroadcastPlan* plan, std::vector<Diagnostic>* diagnostics) {
  if (b.rank() > a.rank()) {
    diagnostics->push_back(
        OperandDiagnostic(Code::kRankTooHigh, b.operand, a.operand));
    return false;
  }
  if (axis < -1 || axis > a.rank()) {
    Diagnostic d = OperandDiagnostic(Code::kAxisRange, b.operand, a.operand);
    d.args = {axis, int64_t{a.rank()}};
    diagnostics->push_back(std::move(d));
    return false;
  }
  BroadcastPlan::DimMap places;
  PlaceFrom(axis == -1 ? a.rank() - b.rank() : static_cast<int>(axis), b.rank(),
            &places);
  return PlanOneWay(b, a, places, plan, diagnostics);
}

// The places that axes_mapping gives; nullopt, after a diagnostic, where it is
// wrong.
std::optional<BroadcastPlan::DimMap> PlacesOfMapping(
    const DimIndices& axes, const RankedDims& operand, const RankedDims& target,
    std::vector<Diagnostic>* diagnostics) {
  Diagnostic d = OperandDiagnostic(Code::kNone, 0, 1);
  BroadcastPlan::DimMap places;
  if (axes.size() != operand.dims.size()) {
    d.code = Code::kAxesMappingCount;
    d.args = {static_cast<int64_t>(axes.size()), int64_t{operand.rank()}};
  }
  for (size_t i = 0; i < axes.size() && d.code == Code::kNone; ++i) {
    if (axes[i] < 0 || axes[i] >= target.rank()) {
      d.code = Code::kAxesMappingRange;
      d.args = {static_cast<int64_t>(i), axes[i], int64_t{target.rank()}};
    } else if (i > 0 && axes[i] <= axes[i - 1]) {
      d.code = Code::kAxesMappingIncreasing;
      d.args = {static_cast<int64_t>(i), axes[i], axes[i - 1]};
    }
    places.push_back(static_cast<int32_t>(axes[i]));
  }
  if (d.code == Code::kNone) return places;
  diagnostics->push_back(std::move(d));
  return std::nullopt;
}

// Checks the number and the kind of the operands.
bool CheckOperands(BroadcastRule rule, absl::Span<const Shape* const> operands,
                   std::vector<Diagnostic>* diagnostics) {
  if (rule != BroadcastRule::kNumpy && operands.size() != 2) {
    Diagnostic d;
    d.code = Code::kOperandCount;
    d.args = {int64_t{2}, static_cast<int64_t>(operands.size())};
    diagnostics->push_back(std::move(d));
    return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->is_array()) continue;
    diagnostics->push_back(
        OperandDiagnostic(Code::kOperandNotArray, static_cast<int>(i)));
    return false;
  }
  return true;
}

constexpr absl::string_view kNames[] = {"xla", "none", "numpy", "pdpd",
                                        "bidirectional"};

// What the conditions say of operands' own dims, in a step each; kNone where
// they say nothing.
std::vector<BroadcastPlan::Steps> StepsAtRunTime(const BroadcastPlan& plan) {
  std::vector<BroadcastPlan::Steps> steps;
  for (const BroadcastPlan::DimMap& map : plan.operands) {
    steps.emplace_back(map.size(), BroadcastStep::kNone);
  }
  const auto set = [&](const ConditionSize& side, BroadcastStep step) {
    const DimRef place = side.place();
    if (place.operand < 0) return;  // a dim of the result, or a size
    BroadcastStep& at = steps[place.operand][place.dim];
    if (at != BroadcastStep::kMayStretch) at = step;
  };
  for (const Condition& c : plan.conditions) {
    switch (c.kind) {
      case Condition::Kind::kEitherOneOrEqual:
        set(c.b, BroadcastStep::kMayStretch);
        set(c.a, BroadcastStep::kMayStretch);
        break;
      case Condition::Kind::kOneOrEqual:
        set(c.a, BroadcastStep::kMayStretch);
        break;
      case Condition::Kind::kEqual: {
        const BroadcastStep step = c.b.size().is(1) ? BroadcastStep::kMustBeOne
                                                    : BroadcastStep::kMustFit;
        set(c.a, step);
        set(c.b, step);
        break;
      }
      default:
        break;
    }
  }
  return steps;
}

}  // namespace

namespace broadcast_internal {

bool PlanNumpy(absl::Span<const RankedDims> operands, BroadcastPlan* plan,
               std::vector<Diagnostic>* diagnostics) {
  // Highest rank first: the operands that have a given result dim then come
  // first, so the total work is the sum of the ranks.
  RankedOperands by_rank(operands.begin(), operands.end());
  std::sort(by_rank.begin(), by_rank.end(),
            [](const RankedDims& a, const RankedDims& b) {
              return a.rank() != b.rank() ? a.rank() > b.rank()
                                          : a.operand < b.operand;
            });
  const int rank = by_rank.empty() ? 0 : by_rank[0].rank();
  for (const RankedDims& x : operands) {
    PlaceFrom(rank - x.rank(), x.rank(), &plan->operands[x.operand]);
  }
  plan->dims.resize(rank);
  size_t present = 0;
  for (int d = 0; d < rank; ++d) {
    while (present < by_rank.size() && by_rank[present].rank() >= rank - d) {
      ++present;
    }
    const auto each = [&](const auto& visit) {
      for (size_t i = 0; i < present; ++i) {
        const RankedDims& x = by_rank[i];
        const int dim = d - (rank - x.rank());
        visit(DimRef{x.operand, dim}, x.dims[dim]);
      }
    };
    SizeMeet meet;
    each([&](DimRef ref, Dim dim) { meet.Add(ref, dim, true); });
    if (!meet.possible()) {
      const auto [a, b] = meet.conflict();
      diagnostics->push_back(DimDiagnostic(Code::kDimsDiffer, a, b));
      return false;
    }
    plan->dims[d] = meet.result();
    each([&](DimRef ref, Dim dim) {
      meet.AddCondition(ref, dim, true, DimRef{-1, d}, &plan->conditions);
    });
  }
  return true;
}

}  // namespace broadcast_internal

absl::string_view Name(BroadcastRule rule) {
  const size_t i = static_cast<size_t>(rule);
  return i < std::size(kNames) ? kNames[i] : absl::string_view();
}

std::optional<BroadcastRule> BroadcastRuleFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<BroadcastRule>(i);
  }
  return std::nullopt;
}

DimVector BroadcastPlan::Placed(int operand, absl::Span<const Dim> own) const {
  DimVector placed = dims;
  if (rule != BroadcastRule::kXla) placed.assign(dims.size(), Dim::Static(1));
  const DimMap& map = operands[operand];
  for (size_t d = 0; d < std::min(own.size(), map.size()); ++d) {
    if (map[d] >= 0) placed[map[d]] = own[d];
  }
  return placed;
}

std::vector<BroadcastPlan::Steps> BroadcastPlan::StepsOf(
    absl::Span<const Shape* const> shapes) const {
  std::vector<Steps> all(operands.size());
  if (unranked) return all;
  const std::vector<Steps> own = StepsAtRunTime(*this);
  // Result dims that are 1 at run time though the result's size says more:
  // XLA's [?] with [1] gives [?], and takes 1 alone.
  std::vector<bool> is_one(dims.size(), false);
  for (size_t k = 0; k < operands.size(); ++k) {
    for (size_t d = 0; d < operands[k].size(); ++d) {
      if (operands[k][d] >= 0 && own[k][d] == BroadcastStep::kMustBeOne) {
        is_one[operands[k][d]] = true;
      }
    }
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    if (shapes[k]->is_unranked()) continue;
    // A dim that it lacks InDim gives it; aligning gives a 1, which stretches.
    const bool is_given = rule == BroadcastRule::kXla;
    for (size_t r = 0; r < dims.size(); ++r) {
      all[k].push_back(is_given        ? BroadcastStep::kPlaced
                       : dims[r].is(1) ? BroadcastStep::kNone
                                       : BroadcastStep::kStretched);
    }
    for (size_t d = 0; d < operands[k].size(); ++d) {
      const int32_t r = operands[k][d];
      if (r < 0) continue;
      const bool stretches = own[k][d] == BroadcastStep::kNone &&
                             shapes[k]->dim(static_cast<int>(d)).is(1) &&
                             !dims[r].is(1) && !is_one[r];
      all[k][r] = stretches ? BroadcastStep::kStretched : own[k][d];
    }
  }
  return all;
}

bool PlanBroadcast(const BroadcastSpec& spec,
                   absl::Span<const Shape* const> operands, BroadcastPlan* plan,
                   std::vector<Diagnostic>* diagnostics) {
  *plan = BroadcastPlan();
  plan->rule = spec.rule;
  if (!CheckOperands(spec.rule, operands, diagnostics)) return false;
  plan->operands.resize(operands.size());
  RankedOperands ranked;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->is_unranked()) continue;
    ranked.push_back({static_cast<int32_t>(i), operands[i]->dims()});
  }
  if (spec.rule == BroadcastRule::kNumpy) {
    plan->unranked = ranked.empty() && !operands.empty();
    return PlanNumpy(ranked, plan, diagnostics);
  }
  if (ranked.size() != 2) {
    plan->unranked = true;
    return true;
  }
  switch (spec.rule) {
    case BroadcastRule::kXla:
      return broadcast_internal::PlanXla(spec.dimensions, *operands[0],
                                         *operands[1], plan, diagnostics);
    case BroadcastRule::kNone:
      return PlanNone(ranked[0], ranked[1], plan, diagnostics);
    case BroadcastRule::kPdpd:
      return PlanPdpd(ranked[1], ranked[0], spec.axis, plan, diagnostics);
    case BroadcastRule::kNumpy:
    case BroadcastRule::kBidirectional:
      break;
  }
  return PlanNumpy(ranked, plan, diagnostics);
}

bool PlanBroadcastTo(BroadcastRule rule, const Shape& operand,
                     absl::Span<const Dim> target,
                     const std::optional<DimIndices>& axes_mapping,
                     int64_t axis, BroadcastPlan* plan,
                     std::vector<Diagnostic>* diagnostics) {
  *plan = BroadcastPlan();
  // kXla is taken as kNone.
  plan->rule = rule == BroadcastRule::kXla ? BroadcastRule::kNone : rule;
  const Shape* const operands[] = {&operand};
  if (!CheckOperands(BroadcastRule::kNumpy, operands, diagnostics)) {
    return false;
  }
  plan->operands.resize(2);
  const RankedDims x{0, operand.dims()}, y{1, target};
  if (operand.is_unranked()) {
    plan->unranked = rule == BroadcastRule::kBidirectional;
    if (plan->unranked) return true;
    plan->dims.assign(target.begin(), target.end());
    PlaceFrom(0, y.rank(), &plan->operands[1]);
    return true;
  }
  if (rule == BroadcastRule::kBidirectional) {
    return PlanNumpy({x, y}, plan, diagnostics);
  }
  if (rule == BroadcastRule::kPdpd) {
    return PlanPdpd(x, y, axis, plan, diagnostics);
  }
  std::optional<BroadcastPlan::DimMap> places;
  if (rule == BroadcastRule::kNumpy) {
    if (x.rank() > y.rank()) {
      diagnostics->push_back(OperandDiagnostic(Code::kRankTooHigh, 0, 1));
      return false;
    }
    PlaceFrom(y.rank() - x.rank(), x.rank(), &places.emplace());
  } else if (!axes_mapping) {
    return PlanNone(x, y, plan, diagnostics);
  } else {
    places = PlacesOfMapping(*axes_mapping, x, y, diagnostics);
    if (!places) return false;
  }
  return PlanOneWay(x, y, *places, plan, diagnostics);
}

}  // namespace indim
