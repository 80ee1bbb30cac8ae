#include "indim/tools/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string Explain(absl::string_view question,
                    BroadcastRule rule = BroadcastRule::kXla,
                    int64_t axis = -1) {
  const auto explanation = ExplainBroadcast(question, rule, axis);
  EXPECT_TRUE(explanation.ok()) << question << explanation.status();
  return explanation.ok() ? explanation->text : "";
}

TEST(Explain, DrawsTheComposedExample) {
  EXPECT_EQ(Explain("f32[4] + f32[1,2] {0}"),
            "add(f32[4], f32[1,2]), broadcast_dimensions {0}, rule xla\n"
            "\n"
            "              dim 0   dim 1\n"
            "  operand 0       4       .\n"
            "  operand 1       1       2\n"
            "  result          4       2\n"
            "\n"
            "  operand 0 (f32[4]): repeated along result dim 1\n"
            "  operand 1 (f32[1,2]): dim 0 stretches from 1 to 4\n"
            "  nothing is left to run time\n"
            "\n"
            "result f32[4,2]\n");
}

TEST(Explain, SaysWhatWouldWork) {
  const std::string text = Explain("f32[2,3] + f32[3]");
  EXPECT_THAT(text, HasSubstr("[IND0007]"));
  EXPECT_THAT(text, HasSubstr("broadcast_dimensions {1} would match"));
}

TEST(Explain, ListsRunTimeConditions) {
  EXPECT_THAT(Explain("f32[?] * f32[4]", BroadcastRule::kNumpy),
              HasSubstr("at run time: operand 0 dim 0 is 1 or"));
}

TEST(Explain, TakesManyOperandsUnderNumpy) {
  EXPECT_THAT(Explain("f32[3] + f32[2,1] + f32[4,1,1]", BroadcastRule::kNumpy),
              HasSubstr("result          4       2       3"));
}

TEST(Explain, PdpdAndNames) {
  EXPECT_THAT(Explain("f32[2,3,4] maximum f32[3,1]", BroadcastRule::kPdpd, 1),
              HasSubstr("result f32[2,3,4]"));
  EXPECT_THAT(Explain("f32[2] compare f32[2]"), HasSubstr("result pred[2]"));
}

TEST(Explain, TypesCountToo) {
  EXPECT_THAT(Explain("f32[2] + s32[2]"), HasSubstr("[IND0103]"));
}

TEST(Explain, RefusesWhatIsNoQuestion) {
  for (const char* question :
       {"", "f32[4]", "f32[4] +", "f32[4] + f32[", "f32[4] ? f32[4]",
        "f32[4] + f32[4] {x}", "f32[4] + f32[4] {0", "f32[4] dot f32[4]",
        "f32[4] + f32[4] * f32[4]", "f99[4] + f32[4]"}) {
    EXPECT_FALSE(ExplainBroadcast(question, BroadcastRule::kXla, -1).ok())
        << question;
  }
}

TEST(Explain, Rules) {
  EXPECT_THAT(ExplainRule(Rule::kRanksDiffer),
              HasSubstr("IND0007 ranks-differ (error)"));
  for (const char* part : {"\n  why    ", "\n  right  {", "\n  wrong  {"}) {
    EXPECT_THAT(ExplainRule(Rule::kRanksDiffer), HasSubstr(part));
  }
}

TEST(Explain, Operations) {
  EXPECT_EQ(
      ExplainOp(Opcode::kAddDependency),
      "add-dependency  The first operand, not before the second is there.\n"
      "  operand 1 is a token  [IND0110]\n"
      "  result: as operand 0\n");
  EXPECT_THAT(ExplainOp(Opcode::kDot),
              HasSubstr("result: its shape function says"));
  EXPECT_EQ(OpJson(Opcode::kAfterAll).find("{\"op\":\"after-all\""), 0u);
  EXPECT_THAT(OpJson(Opcode::kSelect),
              HasSubstr("\"types\":[\"pred\"],\"constraints\":[{\"text\":"));
  EXPECT_THAT(OpJson(Opcode::kSelect),
              HasSubstr("\"kind\":\"element-type\",\"operands\":[0,0],"
                        "\"type\":\"pred\"}"));
  EXPECT_THAT(OpJson(Opcode::kSqrt),
              HasSubstr("\"kind\":\"elements\",\"operands\":[0,0],"
                        "\"types\":["));
  EXPECT_THAT(OpJson(Opcode::kTranspose),
              HasSubstr("\"kind\":\"permutation\",\"other\":0,"
                        "\"attributes\":[\"dimensions\"]}"));
  EXPECT_THAT(OpJson(Opcode::kReduce), HasSubstr("\"kind\":\"reducer\""));
}

}  // namespace
}  // namespace indim
