// SPDX-License-Identifier: Apache-2.0
// PlanBroadcast by XLA's rule: its errors and what would have worked, its
// tables of sizes, its conditions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tests/shape/broadcast/broadcast_testing.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct XlaError {
  std::string lhs, rhs;
  std::optional<DimIndices> dimensions;
  Code error;
  std::optional<DimIndices> fix;
};

TEST(BroadcastXlaTest, XlaErrorsAndTheirFixes) {
  const std::optional<DimIndices> none;
  const XlaError kCases[] = {
      // No broadcast_dimensions: the last dims, else the only ones that fit.
      {"f32[8,10]", "f32[10]", none, Code::kRanksDiffer, DimIndices{1}},
      {"f32[3]", "f32[2,3]", none, Code::kRanksDiffer, DimIndices{1}},
      {"f32[2]", "f32[2,3]", DimIndices{}, Code::kRanksDiffer, DimIndices{0}},
      {"f32[3]", "f32[3,3]", none, Code::kRanksDiffer, DimIndices{1}},
      {"f32[5]", "f32[2,3]", none, Code::kRanksDiffer, none},
      {"f32[3]", "f32[3,3,2]", none, Code::kRanksDiffer, none},
      {"f32[4,6]", "f32[4,5,6]", none, Code::kRanksDiffer, DimIndices{0, 2}},
      {"f32[6,4]", "f32[4,5,6]", none, Code::kRanksDiffer, none},
      {"f32[3]", "f32[0,3]", none, Code::kRanksDiffer, DimIndices{1}},
      {"f32[0]", "f32[0,3]", none, Code::kRanksDiffer, DimIndices{0}},
      // `?` is no wildcard; and with one about, only the last dims will do.
      {"f32[?]", "f32[7,?]", none, Code::kRanksDiffer, DimIndices{1}},
      {"f32[2]", "f32[2,?]", none, Code::kRanksDiffer, none},
      {"f32[?]", "f32[?,7]", none, Code::kRanksDiffer, DimIndices{0}},
      {"f32[<=1]", "f32[<=1,3]", none, Code::kRanksDiffer, DimIndices{0}},
      // Wrong ones.
      {"f32[2,3]", "f32[3]", DimIndices{0}, Code::kDimsDiffer, DimIndices{1}},
      {"f32[2,3]", "f32[3]", DimIndices{1, 0}, Code::kBroadcastDimsCount,
       DimIndices{1}},
      {"f32[]", "f32[3]", DimIndices{0}, Code::kBroadcastDimsCount,
       DimIndices{}},
      {"f32[2,3]", "f32[3]", DimIndices{2}, Code::kBroadcastDimsRange,
       DimIndices{1}},
      {"f32[2,3]", "f32[3]", DimIndices{-1}, Code::kBroadcastDimsRange,
       DimIndices{1}},
      {"f32[2,3,4]", "f32[2,3]", DimIndices{1, 0},
       Code::kBroadcastDimsIncreasing, DimIndices{0, 1}},
      {"f32[2,3,4]", "f32[3,3]", DimIndices{1, 1},
       Code::kBroadcastDimsIncreasing, none},
      {"f32[2,3]", "f32[2,3]", DimIndices{1, 0},
       Code::kBroadcastDimsOnEqualRanks, DimIndices{0, 1}},
      {"f32[2,3]", "f32[2,4]", DimIndices{0}, Code::kBroadcastDimsOnEqualRanks,
       none},
      // Equal ranks.
      {"f32[2,3]", "f32[2,4]", none, Code::kDimsDiffer, none},
      {"f32[0]", "f32[3]", none, Code::kDimsDiffer, none},
      {"f32[2,5]", "f32[2,<=7]", none, Code::kXlaBoundedWithStatic, none},
      {"f32[<=5]", "f32[<=7]", none, Code::kXlaBoundedWithStatic, none},
      {"f32[<=1]", "f32[3]", none, Code::kXlaBoundedOneStretch, none},
      {"f32[0]", "f32[<=1]", none, Code::kXlaBoundedOneStretch, none},
      {"f32[2..3]", "f32[4..]", none, Code::kDimsDiffer, none},
      // Unequal ranks.
      {"f32[7]", "f32[?,7]", DimIndices{0}, Code::kXlaUnknownInDim,
       DimIndices{1}},
      {"f32[<=1]", "f32[3,3]", DimIndices{0}, Code::kXlaBoundedWithStatic,
       none},
      {"f32[<=1]", "f32[<=3,4]", DimIndices{0}, Code::kXlaBoundedOneStretch,
       none},
      {"f32[2]", "f32[2,?,<=0]", DimIndices{0}, Code::kXlaEndMismatch, none},
      {"f32[?,<=2147483648,2]", "f32[?,<=2147483648,1]", none,
       Code::kXlaBoundRange, none},
      {"f32[2..3]", "f32[4,5]", DimIndices{0}, Code::kDimsDiffer, none},
  };
  for (const XlaError& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.lhs, " ", c.rhs));
    const Outcome o = Xla(c.lhs, c.rhs, c.dimensions);
    ASSERT_FALSE(o.ok);
    ASSERT_EQ(o.diagnostics.size(), 1u);
    EXPECT_EQ(o.diagnostics[0].code, c.error) << o.text();
    EXPECT_TRUE(o.diagnostics[0].fix_broadcast_dimensions == c.fix);
    EXPECT_TRUE(o.plan.dims.empty());
    if (c.fix) {
      EXPECT_TRUE(Xla(c.lhs, c.rhs, c.fix).ok);
    }
    const std::string message = Message(o, o.diagnostics[0]);
    EXPECT_EQ(message.find('{'), std::string::npos) << message;
  }
}

// --- XLA's tables -----------------------------------------------------------

constexpr absl::string_view kXlaDims[] = {"1",   "3",   "5",   "0",
                                          "<=1", "<=3", "<=5", "?"};

// Asked of XLA's builder: f32[row] + f32[column]. "-": refused.
constexpr absl::string_view kEqualRank[8][8] = {
    {"1", "3", "5", "0", "<=1", "<=3", "<=5", "?"},
    {"3", "3", "-", "-", "-", "<=3", "-", "3"},
    {"5", "-", "5", "-", "-", "-", "<=5", "5"},
    {"0", "-", "-", "0", "-", "-", "-", "0"},
    {"<=1", "-", "-", "-", "<=1", "-", "-", "?"},
    {"<=3", "<=3", "-", "-", "-", "<=3", "-", "<=3"},
    {"<=5", "-", "<=5", "-", "-", "-", "<=5", "<=5"},
    {"?", "3", "5", "0", "?", "<=3", "<=5", "?"}};

// f32[row] + f32[column,7] with broadcast_dimensions {0}.
constexpr absl::string_view kInDim[8][8] = {
    {"1", "3", "5", "0", "<=1", "<=3", "<=5", "?"},
    {"3", "3", "-", "-", "-", "<=3", "-", "-"},
    {"5", "-", "5", "-", "-", "-", "<=5", "-"},
    {"0", "-", "-", "0", "-", "-", "-", "-"},
    {"1", "-", "-", "-", "<=1", "-", "-", "?"},
    {"<=3", "<=3", "-", "-", "-", "<=3", "-", "-"},
    {"<=5", "-", "<=5", "-", "-", "-", "<=5", "-"},
    {"?", "-", "-", "-", "?", "-", "-", "?"}};

TEST(BroadcastXlaTest, XlaTables) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const std::string a = absl::StrCat("f32[", kXlaDims[i], "]");
      const Outcome equal = Xla(a, absl::StrCat("f32[", kXlaDims[j], "]"));
      EXPECT_EQ(equal.ok ? equal.text() : "-",
                kEqualRank[i][j] == "-"
                    ? "-"
                    : absl::StrCat("[", kEqualRank[i][j], "]"))
          << kXlaDims[i] << " " << kXlaDims[j];
      const Outcome in_dim =
          Xla(a, absl::StrCat("f32[", kXlaDims[j], ",7]"), DimIndices{0});
      EXPECT_EQ(
          in_dim.ok ? in_dim.text() : "-",
          kInDim[i][j] == "-" ? "-" : absl::StrCat("[", kInDim[i][j], ",7]"))
          << kXlaDims[i] << " " << kXlaDims[j];
    }
  }
}

// What the two steps do: XLA's InferInDimBroadcastShape gives the operand of
// lower rank the other's sizes at dims that aren't named.
TEST(BroadcastXlaTest, TheStepsOfEachOperand) {
  struct Row {
    const char* lhs;
    const char* rhs;
    std::optional<DimIndices> dimensions;
    const char* placed[2];
    const char* steps[2];  // a letter for each dim of the result
  };
  const std::optional<DimIndices> none;
  for (const Row& row : {
           Row{"f32[4]",
               "f32[1,2]",
               DimIndices{0},
               {"f32[4,2]", "f32[1,2]"},
               {".P", "S."}},
           Row{"f32[1,2]",
               "f32[4,3,1]",
               DimIndices{1, 2},
               {"f32[4,1,2]", "f32[4,3,1]"},
               {"PS.", "..S"}},
           Row{"f32[2,3]",
               "f32[3]",
               DimIndices{1},
               {"f32[2,3]", "f32[2,3]"},
               {"..", "P."}},
           Row{"f32[]",
               "f32[2,1]",
               none,
               {"f32[2,1]", "f32[2,1]"},
               {"PP", ".."}},
           Row{"f32[2,1]",
               "f32[1,3]",
               none,
               {"f32[2,1]", "f32[1,3]"},
               {".S", "S."}},
           Row{"f32[1]",
               "f32[?,<=3]",
               DimIndices{1},
               {"f32[?,1]", "f32[?,<=3]"},
               {"PS", ".."}},
           Row{"f32[?]", "f32[4]", none, {"f32[?]", "f32[4]"}, {"F", "."}},
           Row{"f32[?]", "f32[1]", none, {"f32[?]", "f32[1]"}, {"1", "."}},
           Row{"f32[n]", "f32[m]", none, {"f32[n]", "f32[m]"}, {"?", "?"}},
       }) {
    const Outcome o = Xla(row.lhs, row.rhs, row.dimensions);
    ASSERT_TRUE(o.ok) << row.lhs << " " << row.rhs;
    const std::vector<BroadcastPlan::Steps> steps =
        o.plan.StepsOf(o.pointers());
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(
          Shape::Array(ElementType::kF32, o.plan.Placed(k, o.shapes[k].dims()))
              .ToString(),
          row.placed[k])
          << row.lhs << " " << row.rhs;
      std::string letters;
      for (const BroadcastStep step : steps[k]) {
        letters += ".PS?F1"[static_cast<size_t>(step)];
      }
      EXPECT_EQ(letters, row.steps[k]) << row.lhs << " " << row.rhs;
    }
  }
}

TEST(BroadcastXlaTest, XlaConditions) {
  const struct {
    std::string lhs, rhs;
    std::vector<std::string> conditions;
  } kCases[] = {
      {"f32[2,1]", "f32[2,5]", {}},
      // Sizes agree, so XLA stretches nothing: equal, not 1.
      {"f32[3]", "f32[?]", {"operand 1 dim 0 is 3"}},
      {"f32[?]", "f32[1]", {"operand 0 dim 0 is 1"}},
      {"f32[?]", "f32[?]", {"operand 0 dim 0 equals operand 1 dim 0"}},
      {"f32[?]", "f32[<=4]", {"operand 1 dim 0 equals operand 0 dim 0"}},
      // Some dim must be stretched: then all may be, at run time.
      {"f32[3,1]", "f32[?,2]", {"operand 1 dim 0 is 1 or 3"}},
      {"f32[1,1]", "f32[?,2]", {}},
      {"f32[?,1]",
       "f32[?,2]",
       {"operand 0 dim 0 equals operand 1 dim 0, or one of them is 1"}},
      {"f32[<=4,1]",
       "f32[?,2]",
       {"operand 1 dim 0 is 1 or equals operand 0 dim 0"}},
      {"f32[<=1,?]", "f32[3,1]", {"operand 0 dim 0 is 1 or 3"}},
      // No `?`: bounded dims stretch at run time, but not to a static size.
      {"f32[<=4]",
       "f32[<=4]",
       {"operand 0 dim 0 equals operand 1 dim 0, or one of them is 1"}},
      {"f32[<=4]", "f32[4]", {"operand 0 dim 0 is 4"}},
      {"f32[4]", "f32[<=4]", {"operand 1 dim 0 is 4"}},
      {"f32[1]", "f32[<=4]", {}},
      {"f32[1]", "f32[<=1]", {}},
      {"f32[<=0]", "f32[0]", {}},
      // `<=1` with 1: where another dim is stretched, the right one wins.
      {"f32[<=1,2]", "f32[1,1]", {"operand 0 dim 0 is 1"}},
      {"f32[1,2]", "f32[<=1,1]", {}},
      // Intervals.
      {"f32[2..5]", "f32[4]", {"operand 0 dim 0 is 4"}},
      {"f32[2..5]",
       "f32[?]",
       {"operand 1 dim 0 is 1 or equals operand 0 dim 0"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Xla(c.lhs, c.rhs).conditions(), c.conditions)
        << c.lhs << " " << c.rhs;
  }
}

TEST(BroadcastXlaTest, XlaWarnsWhereItsBuilderPlacesElsewhere) {
  const Outcome o = Xla("f32[?]", "f32[?,7]", DimIndices{0});
  ASSERT_TRUE(o.ok);
  EXPECT_EQ(o.text(), "[?,7]");
  EXPECT_THAT(o.plan.operands[0], ElementsAre(0));
  ASSERT_EQ(o.diagnostics.size(), 1u);
  EXPECT_EQ(o.diagnostics[0].code, Code::kXlaPlacesAtEnd);
  EXPECT_EQ(o.diagnostics[0].severity(), Severity::kWarning);
  EXPECT_THAT(Xla("f32[?]", "f32[7,?]", DimIndices{1}).diagnostics, IsEmpty());
}

}  // namespace
}  // namespace indim
