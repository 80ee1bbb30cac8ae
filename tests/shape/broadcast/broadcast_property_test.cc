// SPDX-License-Identifier: Apache-2.0
// The rules against brute force: operands of all small dims, every assignment
// of run-time sizes, and each rule as its document states it for known sizes.
//
// For kNone, kNumpy, kPdpd, kBidirectional and PlanBroadcastTo the plan must be
// exact: an error where no sizes fit; else per dim the least and greatest size
// that comes out; and conditions that hold for exactly the sizes that fit. For
// kXla, which is XLA's word and not arithmetic, it must be sound: sizes that
// meet the conditions fit, and give a size that the result's dim contains.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/tests/proof/plan_conditions.h"

namespace indim {
namespace {

using Sizes = std::vector<int64_t>;
// The result's sizes; nullopt where the rule refuses.
using Model =
    std::function<std::optional<Sizes>(const std::vector<Sizes>& operands)>;

// Finite ends of the dims go to 3, so 4 and 5 stand for all that is larger.
constexpr int64_t kCap = 5;

std::vector<Dim> SmallDims(bool intervals) {
  std::vector<Dim> dims;
  for (absl::string_view text :
       {"0", "1", "2", "3", "<=0", "<=1", "<=2", "<=3", "?"}) {
    dims.push_back(Dim::Parse(text).value());
  }
  if (!intervals) return dims;
  for (absl::string_view text : {"1..2", "1..3", "2..3", "1..", "2..", "3.."}) {
    dims.push_back(Dim::Parse(text).value());
  }
  return dims;
}

// --- The documents' rules for known sizes -----------------------------------

std::optional<int64_t> NumpySize(int64_t a, int64_t b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  return std::nullopt;
}

std::optional<Sizes> NumpyModel(const std::vector<Sizes>& operands) {
  Sizes result;
  for (const Sizes& operand : operands) {
    while (result.size() < operand.size()) result.insert(result.begin(), 1);
    for (size_t i = 0; i < operand.size(); ++i) {
      int64_t& size = result[result.size() - operand.size() + i];
      const std::optional<int64_t> both = NumpySize(size, operand[i]);
      if (!both) return std::nullopt;
      size = *both;
    }
  }
  return result;
}

std::optional<Sizes> NoneModel(const std::vector<Sizes>& operands) {
  if (operands[0] != operands[1]) return std::nullopt;
  return operands[0];
}

// B is operand b, A operand 1 - b.
std::optional<Sizes> PdpdModel(const std::vector<Sizes>& operands, int b_index,
                               int64_t axis) {
  const Sizes& a = operands[1 - b_index];
  Sizes b = operands[b_index];
  if (b.size() > a.size()) return std::nullopt;
  if (axis == -1) axis = static_cast<int64_t>(a.size() - b.size());
  if (axis < 0 || axis > static_cast<int64_t>(a.size())) return std::nullopt;
  while (!b.empty() && b.back() == 1) b.pop_back();
  for (size_t i = 0; i < b.size(); ++i) {
    if (axis + i >= a.size()) return std::nullopt;
    if (b[i] != 1 && b[i] != a[axis + i]) return std::nullopt;
  }
  return a;
}

// Dim i of operand 0 onto dim places[i] of operand 1.
std::optional<Sizes> OntoModel(const std::vector<Sizes>& operands,
                               const DimIndices& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t size = operands[0][i];
    if (size != 1 && size != operands[1][places[i]]) return std::nullopt;
  }
  return operands[1];
}

// --- A plan against a model --------------------------------------------------

bool AllHold(const BroadcastPlan& plan, const std::vector<Sizes>& sizes) {
  std::vector<const Sizes*> assignment;
  for (const Sizes& operand : sizes) assignment.push_back(&operand);
  return proof::FirstBroken(plan, assignment) == nullptr;
}

std::string ShapesText(const std::vector<Shape>& shapes) {
  return absl::StrJoin(shapes, " ", [](std::string* out, const Shape& s) {
    out->append(s.ToString());
  });
}

// Calls `visit` with every assignment of sizes, up to kCap, to the dims.
void ForEachAssignment(
    const std::vector<Shape>& shapes,
    const std::function<void(const std::vector<Sizes>&)>& visit) {
  std::vector<Sizes> sizes;
  std::vector<std::pair<size_t, int>> places;
  for (size_t i = 0; i < shapes.size(); ++i) {
    sizes.emplace_back();
    for (int d = 0; d < shapes[i].rank(); ++d) {
      sizes[i].push_back(shapes[i].dim(d).lower());
      places.push_back({i, d});
    }
  }
  while (true) {
    visit(sizes);
    size_t p = 0;
    for (; p < places.size(); ++p) {
      const auto [i, d] = places[p];
      if (sizes[i][d] < std::min(kCap, shapes[i].dim(d).upper())) {
        ++sizes[i][d];
        break;
      }
      sizes[i][d] = shapes[i].dim(d).lower();
    }
    if (p == places.size()) return;
  }
}

// Least and greatest of what comes out.
struct Range {
  int64_t lower = kCap + 1;
  int64_t upper = -1;
};

void CheckExact(bool ok, const BroadcastPlan& plan,
                const std::vector<Shape>& shapes, const Model& model) {
  bool any = false;
  int wrong_conditions = 0;
  std::vector<Range> ranges;
  ForEachAssignment(shapes, [&](const std::vector<Sizes>& sizes) {
    const std::optional<Sizes> result = model(sizes);
    if (ok && AllHold(plan, sizes) != result.has_value()) ++wrong_conditions;
    if (!result) return;
    any = true;
    ranges.resize(result->size());
    for (size_t d = 0; d < result->size(); ++d) {
      ranges[d].lower = std::min(ranges[d].lower, (*result)[d]);
      ranges[d].upper = std::max(ranges[d].upper, (*result)[d]);
    }
  });
  ASSERT_EQ(ok, any) << ShapesText(shapes);
  EXPECT_EQ(wrong_conditions, 0) << ShapesText(shapes);
  if (!ok) return;
  ASSERT_EQ(plan.dims.size(), ranges.size()) << ShapesText(shapes);
  for (size_t d = 0; d < ranges.size(); ++d) {
    EXPECT_EQ(plan.dims[d].lower(), ranges[d].lower) << ShapesText(shapes);
    EXPECT_EQ(std::min(plan.dims[d].upper(), kCap), ranges[d].upper)
        << ShapesText(shapes);
  }
}

bool PlanOf(const BroadcastSpec& spec, const std::vector<Shape>& shapes,
            BroadcastPlan* plan) {
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  std::vector<Diagnostic> diagnostics;
  return PlanBroadcast(spec, operands, plan, &diagnostics);
}

void CheckRule(BroadcastRule rule, int64_t axis,
               const std::vector<Shape>& shapes) {
  BroadcastSpec spec;
  spec.rule = rule;
  spec.axis = axis;
  BroadcastPlan plan;
  const bool ok = PlanOf(spec, shapes, &plan);
  SCOPED_TRACE(absl::StrCat(Name(rule), " axis ", axis));
  CheckExact(ok, plan, shapes, [&](const std::vector<Sizes>& sizes) {
    if (rule == BroadcastRule::kNone) return NoneModel(sizes);
    if (rule == BroadcastRule::kPdpd) return PdpdModel(sizes, 1, axis);
    return NumpyModel(sizes);
  });
}

void CheckTo(BroadcastRule rule, const std::vector<Shape>& shapes,
             const std::optional<DimIndices>& mapping, int64_t axis,
             const Model& model) {
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  const bool ok = PlanBroadcastTo(rule, shapes[0], shapes[1].dims(), mapping,
                                  axis, &plan, &diagnostics);
  SCOPED_TRACE(absl::StrCat("to a target, ", Name(rule), " axis ", axis));
  CheckExact(ok, plan, shapes, model);
}

Shape Vector(Dim dim) { return Shape::Array(ElementType::kF32, {dim}); }

class Random {
 public:
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % n); }
  Shape Array(int rank, const std::vector<Dim>& dims) {
    DimVector chosen;
    for (int i = 0; i < rank; ++i) chosen.push_back(dims[Below(dims.size())]);
    return Shape::Array(ElementType::kF32, chosen);
  }

 private:
  std::mt19937 engine_{20260101};
};

TEST(BroadcastPropertyTest, EveryPairOfDims) {
  for (const Dim a : SmallDims(true)) {
    for (const Dim b : SmallDims(true)) {
      const std::vector<Shape> shapes = {Vector(a), Vector(b)};
      CheckRule(BroadcastRule::kNone, -1, shapes);
      CheckRule(BroadcastRule::kNumpy, -1, shapes);
      CheckRule(BroadcastRule::kPdpd, -1, shapes);
      CheckRule(BroadcastRule::kBidirectional, -1, shapes);
      CheckTo(BroadcastRule::kBidirectional, shapes, std::nullopt, -1,
              NumpyModel);
      CheckTo(BroadcastRule::kNone, shapes, std::nullopt, -1, NoneModel);
      const auto onto = [](const std::vector<Sizes>& sizes) {
        return OntoModel(sizes, {0});
      };
      CheckTo(BroadcastRule::kNone, shapes, DimIndices{0}, -1, onto);
      CheckTo(BroadcastRule::kNumpy, shapes, std::nullopt, -1, onto);
    }
  }
}

TEST(BroadcastPropertyTest, NumpyOfOneAndOfEveryThreeDims) {
  for (const Dim a : SmallDims(true)) {
    CheckRule(BroadcastRule::kNumpy, -1, {Vector(a)});
    for (const Dim b : SmallDims(true)) {
      for (const Dim c : SmallDims(true)) {
        CheckRule(BroadcastRule::kNumpy, -1, {Vector(a), Vector(b), Vector(c)});
      }
    }
  }
}

TEST(BroadcastPropertyTest, RandomRanks) {
  Random random;
  const std::vector<Dim> dims = SmallDims(true);
  for (int i = 0; i < 600; ++i) {
    const int a_rank = static_cast<int>(random.Below(3));
    const int b_rank = static_cast<int>(random.Below(3));
    const std::vector<Shape> shapes = {random.Array(a_rank, dims),
                                       random.Array(b_rank, dims)};
    const int64_t axis = random.Below(a_rank + 3) - 1;
    CheckRule(BroadcastRule::kNone, -1, shapes);
    CheckRule(BroadcastRule::kPdpd, axis, shapes);
    CheckTo(BroadcastRule::kPdpd, {shapes[1], shapes[0]}, std::nullopt, axis,
            [&](const std::vector<Sizes>& sizes) {
              return PdpdModel(sizes, 0, axis);
            });
    CheckRule(BroadcastRule::kNumpy, -1,
              {shapes[0], shapes[1],
               random.Array(static_cast<int>(random.Below(2)), dims)});
  }
}

TEST(BroadcastPropertyTest, ExplicitMapping) {
  Random random;
  const std::vector<Dim> dims = SmallDims(true);
  for (const DimIndices& mapping :
       {DimIndices{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}) {
    for (int i = 0; i < 60; ++i) {
      CheckTo(BroadcastRule::kNone,
              {random.Array(static_cast<int>(mapping.size()), dims),
               random.Array(3, dims)},
              mapping, -1, [&](const std::vector<Sizes>& sizes) {
                return OntoModel(sizes, mapping);
              });
    }
  }
}

// What the operands give once the plan has placed them.
std::optional<Sizes> PlacedModel(const BroadcastPlan& plan,
                                 const std::vector<Sizes>& sizes) {
  std::vector<Sizes> placed;
  for (size_t i = 0; i < sizes.size(); ++i) {
    placed.emplace_back(plan.dims.size(), 1);
    for (size_t d = 0; d < sizes[i].size(); ++d) {
      placed[i][plan.operands[i][d]] = sizes[i][d];
    }
  }
  return NumpyModel(placed);
}

TEST(BroadcastPropertyTest, XlaIsSound) {
  Random random;
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::vector<Dim> dims = SmallDims(random.Below(8) == 0);
    const int rank = 1 + static_cast<int>(random.Below(2));
    Shape lhs = random.Array(rank, dims);
    Shape rhs = random.Array(rank, dims);
    BroadcastSpec spec;
    if (random.Below(2) == 0) {
      rhs = random.Array(rank - 1, dims);
      if (rank == 2) spec.dimensions = DimIndices{random.Below(2)};
      // Equal sizes are rare otherwise.
      if (rank == 2 && random.Below(2) == 0) {
        rhs.set_dim(0, lhs.dim(static_cast<int>((*spec.dimensions)[0])));
      }
    }
    if (random.Below(2) == 0) std::swap(lhs, rhs);
    const std::vector<Shape> shapes = {lhs, rhs};
    BroadcastPlan plan;
    if (!PlanOf(spec, shapes, &plan)) continue;
    ++accepted;
    ForEachAssignment(shapes, [&](const std::vector<Sizes>& sizes) {
      if (!AllHold(plan, sizes)) return;
      const std::optional<Sizes> result = PlacedModel(plan, sizes);
      ASSERT_TRUE(result) << ShapesText(shapes);
      for (size_t d = 0; d < result->size(); ++d) {
        ASSERT_TRUE(plan.dims[d].Contains((*result)[d])) << ShapesText(shapes);
      }
    });
  }
  EXPECT_GT(accepted, 2000);
}

}  // namespace
}  // namespace indim
