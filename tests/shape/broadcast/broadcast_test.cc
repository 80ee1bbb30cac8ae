// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/broadcast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/tests/sample.h"
#include "indim/tests/shape/broadcast/broadcast_testing.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr BroadcastRule kRules[] = {BroadcastRule::kXla, BroadcastRule::kNone,
                                    BroadcastRule::kNumpy, BroadcastRule::kPdpd,
                                    BroadcastRule::kBidirectional};

TEST(BroadcastTest, NamesOfRules) {
  for (const BroadcastRule rule : kRules) {
    EXPECT_EQ(BroadcastRuleFromName(Name(rule)), rule);
  }
  EXPECT_EQ(Name(BroadcastRule::kPdpd), "pdpd");
  EXPECT_EQ(BroadcastRuleFromName("NumPy"), std::nullopt);
  EXPECT_EQ(Name(static_cast<BroadcastRule>(77)), "");
}

// The example of broadcast.h.
TEST(BroadcastTest, InDimThenDegenerate) {
  const Outcome o = Xla("f32[4]", "f32[1,2]", DimIndices{0});
  EXPECT_EQ(o.text(), "[4,2]");
  EXPECT_THAT(o.plan.operands, ElementsAre(ElementsAre(0), ElementsAre(0, 1)));
  EXPECT_THAT(o.plan.conditions, IsEmpty());
}

TEST(BroadcastTest, ScalarsNeedNoDimensions) {
  const Outcome o = Xla("f32[?,<=3]", "f32[]");
  EXPECT_EQ(o.text(), "[?,<=3]");
  EXPECT_THAT(o.plan.operands, ElementsAre(ElementsAre(0, 1), IsEmpty()));
  EXPECT_EQ(Xla("f32[]", "f32[]", DimIndices{}).text(), "[]");
}

TEST(BroadcastTest, NumpyTakesAnyNumber) {
  EXPECT_EQ(Plan(BroadcastRule::kNumpy, {}).text(), "[]");
  EXPECT_EQ(Plan(BroadcastRule::kNumpy, {"f32[<=0,2..]"}).text(), "[<=0,2..]");
  const Outcome o =
      Plan(BroadcastRule::kNumpy, {"f32[5]", "f32[*]", "f32[2,1]", "f32[]"});
  EXPECT_EQ(o.text(), "[2,5]");
  EXPECT_THAT(o.plan.operands, ElementsAre(ElementsAre(1), IsEmpty(),
                                           ElementsAre(0, 1), IsEmpty()));
}

TEST(BroadcastTest, UnrankedOperands) {
  EXPECT_EQ(Plan(BroadcastRule::kNumpy, {"f32[*]", "f32[*]"}).text(), "[*]");
  for (const BroadcastRule rule : kRules) {
    if (rule == BroadcastRule::kNumpy) continue;
    EXPECT_EQ(Plan(rule, {"f32[2]", "f32[*]"}).text(), "[*]");
  }
}

TEST(BroadcastTest, PdpdDropsTrailingOnesPastTheEnd) {
  const Outcome o =
      Plan(BroadcastRule::kPdpd, {"f32[2,3]", "f32[3,1]"}, /*axis=*/1);
  EXPECT_EQ(o.text(), "[2,3]");
  EXPECT_THAT(o.plan.operands, ElementsAre(ElementsAre(0, 1),  //
                                           ElementsAre(1, -1)));
  EXPECT_THAT(
      Plan(BroadcastRule::kPdpd, {"f32[2,3]", "f32[?,?]"}, 1).conditions(),
      ElementsAre("operand 1 dim 0 is 1 or 3", "operand 1 dim 1 is 1"));
}

// --- Errors -----------------------------------------------------------------

TEST(BroadcastTest, Errors) {
  const BroadcastRule kNone = BroadcastRule::kNone;
  const BroadcastRule kNumpy = BroadcastRule::kNumpy;
  const BroadcastRule kPdpd = BroadcastRule::kPdpd;
  const struct {
    BroadcastRule rule;
    std::vector<std::string> operands;
    int64_t axis;
    Code error;
    int operand, dim, other, other_dim;
  } kCases[] = {
      {kNone, {"f32[2]"}, -1, Code::kOperandCount, -1, -1, -1, -1},
      {kPdpd,
       {"f32[]", "f32[]", "f32[]"},
       -1,
       Code::kOperandCount,
       -1,
       -1,
       -1,
       -1},
      {kNumpy, {"f32[]", "token[]"}, -1, Code::kOperandNotArray, 1, -1, -1, -1},
      {kNone, {"(f32[])", "f32[]"}, -1, Code::kOperandNotArray, 0, -1, -1, -1},
      {kNone, {"f32[2]", "f32[2,1]"}, -1, Code::kRanksMustMatch, 0, -1, 1, -1},
      {kNone, {"f32[2,1]", "f32[2,3]"}, -1, Code::kSizesDiffer, 0, 1, 1, 1},
      {kNumpy, {"f32[4,2]", "f32[3]"}, -1, Code::kDimsDiffer, 0, 1, 1, 0},
      {kNumpy,
       {"f32[?]", "f32[4..5]", "f32[5..7]", "f32[1,4]"},
       -1,
       Code::kDimsDiffer,
       2,
       0,
       3,
       1},
      {kNumpy, {"f32[0]", "f32[3]"}, -1, Code::kDimsDiffer, 0, 0, 1, 0},
      {kPdpd, {"f32[2]", "f32[2,1]"}, 0, Code::kRankTooHigh, 1, -1, 0, -1},
      {kPdpd, {"f32[2]", "f32[]"}, 2, Code::kAxisRange, 1, -1, 0, -1},
      {kPdpd, {"f32[2]", "f32[]"}, -2, Code::kAxisRange, 1, -1, 0, -1},
      {kPdpd, {"f32[2,1]", "f32[5]"}, -1, Code::kDimCannotGrow, 1, 0, 0, 1},
      {kPdpd, {"f32[2,3]", "f32[3,2]"}, 1, Code::kDimPastEnd, 1, 1, 0, -1},
  };
  for (const auto& c : kCases) {
    const Outcome o = Plan(c.rule, c.operands, c.axis);
    SCOPED_TRACE(absl::StrJoin(c.operands, " "));
    ASSERT_FALSE(o.ok);
    ASSERT_EQ(o.diagnostics.size(), 1u);
    const Diagnostic& d = o.diagnostics[0];
    EXPECT_EQ(d.code, c.error) << CodeText(d.code);
    EXPECT_EQ(d.operand, c.operand);
    EXPECT_EQ(d.dim, c.dim);
    EXPECT_EQ(d.other_operand, c.other);
    EXPECT_EQ(d.other_dim, c.other_dim);
    EXPECT_FALSE(d.fix_broadcast_dimensions);
    const std::string message = Message(o, d);
    EXPECT_THAT(message, HasSubstr("add"));
    EXPECT_EQ(message.find('{'), std::string::npos) << message;
    if (c.error == Code::kDimCannotGrow) {
      EXPECT_THAT(message, HasSubstr(" but must be 1, the size of dim 1 of "));
    }
  }
}

TEST(BroadcastTest, MessagesNameOperandDimAndSizes) {
  Outcome o = Xla("f32[8,10]", "f32[10]");
  EXPECT_THAT(Message(o, o.diagnostics[0]),
              HasSubstr("add can't match f32[8,10] with f32[10]: ranks differ, "
                        "no broadcast_dimensions given"));
  o = Xla("f32[2,3]", "f32[3]", DimIndices{0});
  EXPECT_THAT(Message(o, o.diagnostics[0]),
              HasSubstr("can't match f32[3] with f32[2,3]: dim 0 is 3, but "
                        "dim 0 of f32[2,3] is 2"));
}

// --- PlanBroadcastTo --------------------------------------------------------

TEST(BroadcastTest, ToATarget) {
  const std::optional<DimIndices> none;
  const struct {
    BroadcastRule rule;
    std::string operand;
    std::string target;
    std::optional<DimIndices> mapping;
    int64_t axis;
    std::string result;
    std::string map;
  } kCases[] = {
      {BroadcastRule::kBidirectional, "f32[3,1]", "f32[2,1,6]", none, -1,
       "[2,3,6]", "1,2"},
      {BroadcastRule::kBidirectional, "f32[2,3]", "f32[3]", none, -1, "[2,3]",
       "0,1"},
      {BroadcastRule::kBidirectional, "f32[*]", "f32[3]", none, -1, "[*]", ""},
      {BroadcastRule::kNumpy, "f32[1,3]", "f32[5,2,3]", none, -1, "[5,2,3]",
       "1,2"},
      {BroadcastRule::kNumpy, "f32[3]", "f32[1]", none, -1, "IND0003", ""},
      {BroadcastRule::kNumpy, "f32[1,3]", "f32[3]", none, -1, "IND0006", ""},
      {BroadcastRule::kNumpy, "f32[2..5]", "f32[3..9]", none, -1, "[3..5]",
       "0"},
      {BroadcastRule::kNumpy, "f32[*]", "f32[3,?]", none, -1, "[3,?]", ""},
      {BroadcastRule::kNone, "f32[2,3]", "f32[2,3]", none, -1, "[2,3]", "0,1"},
      {BroadcastRule::kNone, "f32[2,1]", "f32[2,3]", none, -1, "IND0002", ""},
      {BroadcastRule::kNone, "f32[2,1]", "f32[2,9,3]", DimIndices{0, 2}, -1,
       "[2,9,3]", "0,2"},
      {BroadcastRule::kXla, "f32[]", "f32[2]", DimIndices{}, -1, "[2]", ""},
      {BroadcastRule::kNone, "f32[2]", "f32[2]", DimIndices{}, -1, "IND0020",
       ""},
      {BroadcastRule::kNone, "f32[2]", "f32[2]", DimIndices{1}, -1, "IND0021",
       ""},
      {BroadcastRule::kNone, "f32[2]", "f32[2]", DimIndices{-1}, -1, "IND0021",
       ""},
      {BroadcastRule::kNone, "f32[2,2]", "f32[2,2]", DimIndices{1, 1}, -1,
       "IND0022", ""},
      {BroadcastRule::kPdpd, "f32[3,1]", "f32[2,3]", none, 1, "[2,3]", "1,-1"},
      {BroadcastRule::kPdpd, "f32[3]", "f32[2,3]", none, 0, "IND0003", ""},
      {BroadcastRule::kPdpd, "token[]", "f32[2,3]", none, 0, "IND0101", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(Name(c.rule), " ", c.operand, " ", c.target));
    Outcome o;
    o.shapes = Parse({c.operand, c.target});
    o.ok = PlanBroadcastTo(c.rule, o.shapes[0], o.shapes[1].dims(), c.mapping,
                           c.axis, &o.plan, &o.diagnostics);
    EXPECT_EQ(o.text(), c.result);
    if (!o.ok) continue;
    EXPECT_EQ(absl::StrJoin(o.plan.operands[0], ","), c.map);
  }
}

// --- Large operands ---------------------------------------------------------

TEST(BroadcastTest, AMillionDims) {
  const size_t rank = 1000000 / SampleStep(4);
  DimVector dims(rank, Dim::Unknown());
  const Shape wide = Shape::Array(ElementType::kF32, dims);
  dims.pop_back();
  const Shape less = Shape::Array(ElementType::kF32, dims);
  for (const BroadcastRule rule : kRules) {
    EXPECT_EQ(Plan(Spec(rule), {wide, less}).ok,
              rule != BroadcastRule::kXla && rule != BroadcastRule::kNone);
  }
  // The search for a fix, at its longest.
  const Shape fives =
      Shape::Array(ElementType::kF32, DimVector(rank, Dim::Static(5)));
  DimVector sixes(rank / 2, Dim::Static(5));
  sixes.front() = Dim::Static(6);
  EXPECT_FALSE(Plan(Spec(BroadcastRule::kXla),
                    {fives, Shape::Array(ElementType::kF32, sixes)})
                   .ok);
}

TEST(BroadcastTest, ManyOperands) {
  constexpr int kCount = 100000;
  std::vector<Shape> shapes(kCount, ParseShape("f32[?]").value());
  shapes.push_back(
      Shape::Array(ElementType::kF32, DimVector(kCount, Dim::Static(1))));
  const Outcome o = Plan(Spec(BroadcastRule::kNumpy), std::move(shapes));
  ASSERT_TRUE(o.ok);
  EXPECT_EQ(o.plan.conditions.size(), static_cast<size_t>(kCount));
  EXPECT_EQ(ToString(o.plan.conditions[7]),
            "operand 7 dim 0 is 1 or equals result dim 99999");
  EXPECT_TRUE(o.plan.dims[kCount - 1].is_unknown());
}

}  // namespace
}  // namespace indim
