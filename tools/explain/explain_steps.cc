// The two steps of broadcasting, operand by operand.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

// What conditions say of a dim of an operand.
struct AtRunTime {
  bool may_stretch = false;  // it is 1 or the result's size
  bool is_given = false;     // it is what another operand, or a number, says
  bool is_one = false;       // it is 1
};

// By operand and dim, as the plan's conditions say.
using RunTimeTable = std::vector<std::vector<AtRunTime>>;

RunTimeTable RunTimeOf(const BroadcastPlan& plan) {
  RunTimeTable table;
  for (const BroadcastPlan::DimMap& map : plan.operands) {
    table.emplace_back(map.size());
  }
  AtRunTime other;  // of a dim of the result
  const auto at = [&](DimRef ref) -> AtRunTime& {
    const size_t k = static_cast<size_t>(ref.operand);
    const size_t d = static_cast<size_t>(ref.dim);
    return ref.operand >= 0 && k < table.size() && ref.dim >= 0 &&
                   d < table[k].size()
               ? table[k][d]
               : other;
  };
  for (const SizeCondition& condition : plan.conditions) {
    switch (condition.kind) {
      case SizeCondition::Kind::kEitherOneOrEqual:
        at(condition.b).may_stretch = true;
        at(condition.a).may_stretch = true;
        break;
      case SizeCondition::Kind::kOneOrEqual:
      case SizeCondition::Kind::kOneOrIs:
        at(condition.a).may_stretch = true;
        break;
      case SizeCondition::Kind::kIs:
        at(condition.a).is_given = true;
        at(condition.a).is_one = condition.value == 1;
        break;
      case SizeCondition::Kind::kEqual:
        at(condition.a).is_given = true;
        at(condition.b).is_given = true;
        break;
      default:
        break;
    }
  }
  return table;
}

// Result dims that are 1 at run time though the result's size says more: XLA's
// [?] with [1] gives [?], and takes 1 alone.
std::vector<bool> OneAtRunTime(const BroadcastPlan& plan,
                               const RunTimeTable& table) {
  std::vector<bool> one(plan.dims.size(), false);
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    const BroadcastPlan::DimMap& map = plan.operands[k];
    for (size_t d = 0; d < map.size(); ++d) {
      if (map[d] >= 0 && table[k][d].is_one) {
        one[static_cast<size_t>(map[d])] = true;
      }
    }
  }
  return one;
}

}  // namespace

absl::string_view PlacingName(const BroadcastSpec& spec) {
  switch (spec.rule) {
    case BroadcastRule::kXla:
      return "InDim";
    case BroadcastRule::kPdpd:
      return "placed from the axis";
    default:
      return "aligned at the last dim";
  }
}

namespace {

class Stepper {
 public:
  Stepper(const BroadcastQuestion& question, const BroadcastPlan& plan,
          const RunTimeTable& run_time, const std::vector<bool>& one, size_t k)
      : question_(question),
        plan_(plan),
        operand_(question.operands[k]),
        map_(plan.operands[k]),
        run_time_(run_time[k]),
        one_(one) {}

  OperandSteps Run() {
    if (operand_.is_unranked()) {
      steps_.lines = {"its rank isn't known: it limits no dim"};
      return std::move(steps_);
    }
    Place();
    Stretch();
    if (steps_.lines.empty()) steps_.lines.push_back("as it is");
    return std::move(steps_);
  }

 private:
  void Place();
  void Stretch();
  std::string Text(const Shape& shape) const {
    return ShapeText(question_, shape);
  }

  const BroadcastQuestion& question_;
  const BroadcastPlan& plan_;
  const Shape& operand_;
  const BroadcastPlan::DimMap& map_;
  const std::vector<AtRunTime>& run_time_;  // by dim of the operand
  const std::vector<bool>& one_;            // by dim of the result
  std::vector<AtRunTime> placed_run_time_;
  OperandSteps steps_;
};

void Stepper::Place() {
  Shape placed = Shape::Scalar(operand_.element_type());
  for (size_t r = 0; r < plan_.dims.size(); ++r) placed.add_dim(Dim::Static(1));
  placed_run_time_.assign(plan_.dims.size(), {});
  std::vector<std::string> places;
  bool moved = false;
  for (size_t d = 0; d < map_.size(); ++d) {
    const int r = map_[d];
    if (r < 0) {
      steps_.lines.push_back(
          absl::StrCat("dim ", d, ", a trailing 1, is ignored"));
      continue;
    }
    placed.set_dim(r, operand_.dim(static_cast<int>(d)));
    placed_run_time_[static_cast<size_t>(r)] = run_time_[d];
    places.push_back(absl::StrCat("dim ", d, " is result dim ", r));
    moved = moved || r != static_cast<int>(d);
  }
  if (map_.empty() && !plan_.dims.empty()) {
    steps_.lines.push_back(
        absl::StrCat("a scalar goes with anything: ", Text(placed)));
  } else if (moved || places.size() < plan_.dims.size()) {
    steps_.lines.push_back(absl::StrCat(PlacingName(question_.spec), ": ",
                                        absl::StrJoin(places, ", "), ": ",
                                        Text(placed)));
  }
  steps_.placed = std::move(placed);
}

void Stepper::Stretch() {
  const Shape& placed = *steps_.placed;
  Shape stretched = placed;
  std::vector<std::string> what;
  for (int r = 0; r < placed.rank(); ++r) {
    const size_t at = static_cast<size_t>(r);
    const Dim from = placed.dim(r), to = plan_.dims[at];
    steps_.may_stretch.push_back(placed_run_time_[at].may_stretch);
    if (placed_run_time_[at].may_stretch) {
      what.push_back(absl::StrCat("dim ", r, ", ", from.ToString(),
                                  ", stretches to ", to.ToString(),
                                  " if it is 1 at run time"));
      stretched.set_dim(r, to);
    } else if (placed_run_time_[at].is_given) {
      steps_.lines.push_back(absl::StrCat("dim ", r, ", ", from.ToString(),
                                          ", must be ",
                                          placed_run_time_[at].is_one ? "1"
                                          : to.is_static() ? to.ToString()
                                                           : "as the others",
                                          " at run time: it doesn't stretch"));
    } else if (from.is(1) && !to.is(1) && !one_[at]) {
      what.push_back(
          absl::StrCat("dim ", r, " stretches from 1 to ", to.ToString()));
      stretched.set_dim(r, to);
    }
  }
  if (!what.empty()) {
    steps_.lines.push_back(absl::StrCat(
        "degenerate: ", absl::StrJoin(what, ", "), ": ", Text(stretched)));
  }
  steps_.stretched = std::move(stretched);
}

}  // namespace

std::string DimsDrawing(const BroadcastQuestion& question,
                        const BroadcastPlan& plan) {
  if (plan.dims.empty()) return "";
  std::vector<std::vector<std::string>> rows(1, {""});
  for (size_t r = 0; r < plan.dims.size(); ++r) {
    rows[0].push_back(absl::StrCat("dim ", r));
  }
  for (size_t k = 0; k < question.operands.size(); ++k) {
    std::vector<std::string> row(plan.dims.size() + 1, ".");
    row[0] = absl::StrCat("operand ", k);
    for (size_t d = 0; d < plan.operands[k].size(); ++d) {
      const int r = plan.operands[k][d];
      if (r < 0) continue;
      row[static_cast<size_t>(r) + 1] =
          question.operands[k].dim(static_cast<int>(d)).ToString();
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::string> row = {"result"};
  for (const Dim dim : plan.dims) row.push_back(dim.ToString());
  rows.push_back(std::move(row));
  return TextTable(rows) + "\n";
}

std::vector<OperandSteps> StepsOf(const BroadcastQuestion& question,
                                  const BroadcastPlan& plan) {
  std::vector<OperandSteps> steps;
  if (plan.unranked) return steps;
  const RunTimeTable run_time = RunTimeOf(plan);
  const std::vector<bool> one = OneAtRunTime(plan, run_time);
  for (size_t k = 0; k < question.operands.size(); ++k) {
    steps.push_back(Stepper(question, plan, run_time, one, k).Run());
  }
  return steps;
}

}  // namespace indim
