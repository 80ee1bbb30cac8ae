#include "indim/tools/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string Explain(absl::string_view question, ExplainOptions options = {}) {
  const auto explanation = ExplainBroadcast(question, options);
  EXPECT_TRUE(explanation.ok()) << question << explanation.status();
  return explanation.ok() ? explanation->text : "";
}

ExplainOptions By(BroadcastRule rule) {
  ExplainOptions options;
  options.rule = rule;
  return options;
}

TEST(Explain, DrawsTheComposedExample) {
  EXPECT_EQ(Explain("f32[4] + f32[1,2] {0}"),
            "add(f32[4], f32[1,2]), broadcast_dimensions={0}, rule xla\n"
            "\n"
            "              dim 0   dim 1\n"
            "  operand 0       4       .\n"
            "  operand 1       1       2\n"
            "  result          4       2\n"
            "\n"
            "  operand 0  f32[4]\n"
            "    InDim: dim 0 is result dim 0: f32[4,1]\n"
            "    degenerate: dim 1 stretches from 1 to 2: f32[4,2]\n"
            "  operand 1  f32[1,2]\n"
            "    degenerate: dim 0 stretches from 1 to 4: f32[4,2]\n"
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
  const std::string text =
      Explain("f32[?] * f32[4]", By(BroadcastRule::kNumpy));
  EXPECT_THAT(text, HasSubstr("at run time: operand 0 dim 0 is 1 or"));
  EXPECT_THAT(text, HasSubstr("  operand 0  f32[?]\n    degenerate: dim 0, ?, "
                              "stretches to 4 if it is 1 at run time: f32[4]"));
  EXPECT_THAT(text, HasSubstr("  operand 1  f32[4]\n    as it is\n"));
}

TEST(Explain, TakesManyOperandsUnderNumpy) {
  EXPECT_THAT(
      Explain("f32[3] + f32[2,1] + f32[4,1,1]", By(BroadcastRule::kNumpy)),
      HasSubstr("result          4       2       3"));
}

TEST(Explain, PdpdAndNames) {
  EXPECT_THAT(Explain("f32[2,3,4] maximum f32[3,1] axis=1"),
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
    EXPECT_FALSE(ExplainBroadcast(question).ok()) << question;
  }
}

// One question in the notations of the documents, and the same answer.
TEST(Explain, Notations) {
  struct Row {
    const char* question;
    const char* heading;
    const char* result;
  };
  for (const Row& row : {
           Row{"(2,1) + (1,3)", "add([2,1], [1,3]), rule numpy", "[2,3]"},
           Row{"[2, 1] + [1, 3]", "add([2,1], [1,3]), rule numpy", "[2,3]"},
           Row{"(3,) - ()", "subtract([3], []), rule numpy", "[3]"},
           Row{"(4,) + (1,2) {0}", ", broadcast_dimensions={0}, rule xla",
               "[4,2]"},
           Row{"tensor<?x4xf32> + tensor<4xf32>",
               "add(f32[?,4], f32[4]), rule numpy", "f32[?,4]"},
           Row{"tensor<2x1xi1> & tensor<i1>",
               "and(pred[2,1], pred[]), rule numpy", "pred[2,1]"},
           Row{"tensor<*xf32> + tensor<2xf32>", "add(f32[*], f32[2])",
               "f32[2]"},
           Row{"tensor<2xcomplex<f32>> * tensor<1xcomplex<f32>>",
               "multiply(c64[2], c64[1])", "c64[2]"},
           Row{"tensor<3xui8> + tensor<3xui8>", "add(u8[3], u8[3])", "u8[3]"},
           Row{"Shape(2, 3, 4, 5), Shape(3, 4) axis=1",
               "broadcast([2,3,4,5], [3,4]), rule pdpd, axis 1", "[2,3,4,5]"},
           Row{"Shape(8, 1, 6, 1), Shape(7, 1, 5)", "rule numpy", "[8,7,6,5]"},
           Row{"Shape(-1, 2..5), Shape(1)", "broadcast([?,2..5], [1])",
               "[?,2..5]"},
           Row{"add(f32[2,3], f32[3]), broadcast_dimensions={1}",
               "add(f32[2,3], f32[3]), broadcast_dimensions={1}, rule xla",
               "f32[2,3]"},
           Row{"Shape(2, 1), Shape(1, 3) rule=bidirectional",
               "rule bidirectional", "[2,3]"},
       }) {
    const std::string text = Explain(row.question);
    EXPECT_THAT(text, HasSubstr(row.heading)) << row.question;
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\nresult ", row.result, "\n")))
        << row.question;
  }
}

TEST(Explain, UnrankedOperandsMakeNoClaim) {
  EXPECT_THAT(Explain("f32[*] + f32[2]"),
              HasSubstr("no rank is known, and nothing is checked\n"));
  EXPECT_THAT(Explain("tensor<*xf32> + tensor<2xf32>"),
              HasSubstr("  operand 0  f32[*]\n    its rank isn't known: it "
                        "makes no claim\n  operand 1  f32[2]\n    as it is"));
}

// The table of MLIR's document.
TEST(Explain, VerifiesAResult) {
  EXPECT_THAT(
      Explain("tensor<?x4xf32> + tensor<4xf32> -> tensor<2x4xf32>"),
      HasSubstr("           inferred   recorded   lenient   strict   mlir\n"
                "  dim 0           ?          2        ok    error     ok\n"
                "  dim 1           4          4        ok       ok     ok\n"
                "  result   f32[?,4]   f32[2,4]        ok    error     ok\n"));
  ExplainOptions strict;
  strict.mode = BroadcastableMode::kStrict;
  const char* const question = "tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>";
  EXPECT_TRUE(ExplainBroadcast(question)->ok);
  EXPECT_FALSE(ExplainBroadcast(question, strict)->ok);
  EXPECT_THAT(Explain(question, strict),
              HasSubstr("error: add is recorded as f32[4]: dim 0 is 4, but "));
}

TEST(Explain, AllRules) {
  ExplainOptions options;
  options.all_rules = true;
  EXPECT_EQ(Explain("f32[2,3] + f32[3]", options),
            "add(f32[2,3], f32[3])\n\n"
            "                           result   left to run time\n"
            "  xla             refused IND0007                  -\n"
            "  none            refused IND0008                  -\n"
            "  numpy                  f32[2,3]            nothing\n"
            "  pdpd                   f32[2,3]            nothing\n"
            "  bidirectional          f32[2,3]            nothing\n");
}

TEST(Explain, Words) {
  for (const char* word : {"InDim", "in-dim", "indim", "degenerate",
                           "outer product", "Broadcastable", "strict"}) {
    EXPECT_THAT(ExplainWord(word), HasSubstr("example  indim explain '"))
        << word;
  }
  EXPECT_EQ(ExplainWord("broadcsat"), "");
  // Each example is a question.
  for (absl::string_view word : absl::StrSplit(KnownWords(), ", ")) {
    const std::string text = ExplainWord(word);
    const size_t begin = text.rfind("explain '") + 9;
    EXPECT_TRUE(
        ExplainBroadcast(text.substr(begin, text.rfind('\'') - begin)).ok())
        << text;
  }
}

TEST(Explain, JsonHasEachStep) {
  ExplainOptions options;
  options.json = true;
  constexpr char kAnswer[] =
      R"json({"operation":"add([3], [2,1])","rule":"numpy","result":"[2,3]",)json"
      R"json("steps":[["aligned at the last dim: dim 0 is result dim 1: [1,3]",)json"
      R"json("degenerate: dim 0 stretches from 1 to 2: [2,3]"],)json"
      R"json(["degenerate: dim 1 stretches from 1 to 3: [2,3]"]],)json"
      R"json("conditions":[],"ok":true,"diagnostics":[]})json"
      "\n";
  EXPECT_EQ(Explain("(3,) + (2,1)", options), kAnswer);
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
