// SPDX-License-Identifier: Apache-2.0
// The two steps of broadcasting, operand by operand.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/text_table.h"

namespace indim {

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

absl::string_view StepName(BroadcastStep step, const BroadcastSpec& spec) {
  switch (step) {
    case BroadcastStep::kPlaced:
      return PlacingName(spec);
    case BroadcastStep::kStretched:
    case BroadcastStep::kMayStretch:
      return "degenerate";
    case BroadcastStep::kNone:
    case BroadcastStep::kMustFit:
    case BroadcastStep::kMustBeOne:
      break;
  }
  return "";
}

namespace {

class Stepper {
 public:
  Stepper(const BroadcastQuestion& question, const BroadcastPlan& plan,
          size_t k, const BroadcastPlan::Steps& sized_by)
      : question_(question),
        plan_(plan),
        k_(static_cast<int>(k)),
        operand_(question.operands[k]),
        map_(plan.operands[k]),
        sized_by_(sized_by) {}

  OperandSteps Run() {
    if (operand_.is_unranked()) {
      steps_.lines = {"its rank isn't known: it limits no dim"};
      return std::move(steps_);
    }
    steps_.sized_by.assign(sized_by_.begin(), sized_by_.end());
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
  const int k_;
  const Shape& operand_;
  const BroadcastPlan::DimMap& map_;
  const BroadcastPlan::Steps& sized_by_;  // by dim of the result
  OperandSteps steps_;
};

void Stepper::Place() {
  const ElementType type = operand_.element_type();
  const size_t rank = plan_.dims.size();
  Shape own = Shape::Array(type, DimVector(rank, Dim::Static(1)));
  Shape placed = Shape::Array(type, plan_.Placed(k_, operand_.dims()));
  std::vector<std::string> places;
  bool moved = false;
  for (size_t d = 0; d < map_.size(); ++d) {
    const int r = map_[d];
    if (r < 0) {
      steps_.lines.push_back(
          absl::StrCat("dim ", d, ", a trailing 1, is ignored"));
      continue;
    }
    own.set_dim(r, operand_.dim(static_cast<int>(d)));
    places.push_back(absl::StrCat("dim ", d, " is result dim ", r));
    moved = moved || r != static_cast<int>(d);
  }
  moved = moved || places.size() < rank;
  for (int r = 0; r < own.rank(); ++r) {
    if (sized_by_[static_cast<size_t>(r)] != BroadcastStep::kPlaced) continue;
    places.push_back(absl::StrCat("result dim ", r, " gets size ",
                                  placed.dim(r).ToString()));
  }
  if (map_.empty() && rank > 0) {
    steps_.lines.push_back(
        absl::StrCat("a scalar goes with anything: ", Text(placed)));
  } else if (moved) {
    steps_.lines.push_back(absl::StrCat(PlacingName(question_.spec), ": ",
                                        absl::StrJoin(places, ", "), ": ",
                                        Text(placed)));
  }
  steps_.own = std::move(own);
  steps_.placed = std::move(placed);
}

void Stepper::Stretch() {
  const Shape& placed = *steps_.placed;
  Shape stretched = placed;
  std::vector<std::string> what;
  for (int r = 0; r < placed.rank(); ++r) {
    const BroadcastStep step = sized_by_[static_cast<size_t>(r)];
    const Dim from = placed.dim(r), to = plan_.dims[static_cast<size_t>(r)];
    switch (step) {
      case BroadcastStep::kMayStretch:
        what.push_back(absl::StrCat("dim ", r, ", ", from.ToString(),
                                    ", stretches to ", to.ToString(),
                                    " if it is 1 at run time"));
        stretched.set_dim(r, to);
        break;
      case BroadcastStep::kMustFit:
      case BroadcastStep::kMustBeOne:
        steps_.lines.push_back(
            absl::StrCat("dim ", r, ", ", from.ToString(), ", must be ",
                         step == BroadcastStep::kMustBeOne ? "1"
                         : to.is_static()                  ? to.ToString()
                                                           : "as the others",
                         " at run time: it doesn't stretch"));
        break;
      case BroadcastStep::kStretched:
        what.push_back(
            absl::StrCat("dim ", r, " stretches from 1 to ", to.ToString()));
        stretched.set_dim(r, to);
        break;
      case BroadcastStep::kNone:
      case BroadcastStep::kPlaced:
        break;
    }
  }
  if (!what.empty()) {
    steps_.lines.push_back(
        absl::StrCat(StepName(BroadcastStep::kStretched, question_.spec), ": ",
                     absl::StrJoin(what, ", "), ": ", Text(stretched)));
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
  OperandShapes shapes;
  for (const Shape& shape : question.operands) shapes.push_back(&shape);
  const std::vector<BroadcastPlan::Steps> sized_by = plan.StepsOf(shapes);
  for (size_t k = 0; k < question.operands.size(); ++k) {
    steps.push_back(Stepper(question, plan, k, sized_by[k]).Run());
  }
  return steps;
}

}  // namespace indim
