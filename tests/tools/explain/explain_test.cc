// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/tests/tools/explain/explained.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
            "    InDim: dim 0 is result dim 0, result dim 1 gets size 2: "
            "f32[4,2]\n"
            "  operand 1  f32[1,2]\n"
            "    degenerate: dim 0 stretches from 1 to 4: f32[4,2]\n"
            "  nothing is left to run time\n"
            "\n"
            "result f32[4,2]\n");
}

// InDim gives sizes at every dim that isn't named, and only there; then what is
// 1 beside another size stretches.
TEST(Explain, EachStepDoesWhatXlaDoes) {
  struct Row {
    const char* question;
    const char* operand0;
    const char* operand1;
  };
  for (const Row& row : {
           Row{"f32[1,2] + f32[4,3,1] {1,2}",
               "    InDim: dim 0 is result dim 1, dim 1 is result dim 2, "
               "result "
               "dim 0 gets size 4: f32[4,1,2]\n"
               "    degenerate: dim 1 stretches from 1 to 3: f32[4,3,2]\n",
               "    degenerate: dim 2 stretches from 1 to 2: f32[4,3,2]\n"},
           Row{"f32[2,3] + f32[3] {1}", "    as it is\n",
               "    InDim: dim 0 is result dim 1, result dim 0 gets size 2: "
               "f32[2,3]\n"},
           Row{"f32[1,3] + f32[3] {1}", "    as it is\n",
               "    InDim: dim 0 is result dim 1, result dim 0 gets size 1: "
               "f32[1,3]\n"},
           Row{"f32[2,3] + f32[]", "    as it is\n",
               "    a scalar goes with anything: f32[2,3]\n"},
           Row{"f32[?,<=3] + f32[1] {1}", "    as it is\n",
               "    InDim: dim 0 is result dim 1, result dim 0 gets size ?: "
               "f32[?,1]\n"
               "    degenerate: dim 1 stretches from 1 to <=3: f32[?,<=3]\n"},
           // The other rules align, with 1s on the left.
           Row{"f32[2,3] + f32[3] rule=numpy", "    as it is\n",
               "    aligned at the last dim: dim 0 is result dim 1: f32[1,3]\n"
               "    degenerate: dim 0 stretches from 1 to 2: f32[2,3]\n"},
       }) {
    const std::string text = Explain(row.question);
    const size_t operand1 = text.find("\n  operand 1  f32");
    EXPECT_THAT(text.substr(0, operand1 + 1),
                HasSubstr(absl::StrCat("]\n", row.operand0)))
        << row.question;
    EXPECT_THAT(text.substr(operand1),
                HasSubstr(absl::StrCat("]\n", row.operand1, "  ")))
        << row.question;
  }
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

TEST(Explain, SizesThatHaveNamesAreNamed) {
  EXPECT_THAT(Explain("(M,N) + (T,) {1}"),
              HasSubstr("at run time: operand 1 dim 0 equals operand 0 dim 1, "
                        "or one of them is 1 (T == 1 or N == 1 or T == N)\n"));
}

TEST(Explain, RefusesWhatIsNoQuestion) {
  for (const char* question :
       {"", "f32[4]", "f32[4] +", "f32[4] + f32[", "f32[4] ? f32[4]",
        "f32[4] + f32[4] {x}", "f32[4] + f32[4] {0", "f32[4] iota f32[4]",
        "f32[4] + f32[4] * f32[4]", "f99[4] + f32[4]", "f32[4] + token[]",
        "f32[2,3] + 3", "f32[2,3] + x2", "tensor<4xf32 + tensor<4xf32>",
        "\"x\"(%a)"}) {
    EXPECT_FALSE(ExplainQuestion(question).ok()) << question;
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
           Row{"(2,1) & (2,3)", "and([2,1], [2,3]), rule numpy", "[2,3]"},
           Row{"(2,1) and (2,3) broadcast to (2,3)",
               "and([2,1], [2,3]), rule numpy", "[2,3]"},
           Row{"%r = \"test.broadcastable\"(%a, %b) : (tensor<1xi32>, "
               "tensor<4xi32) -> tensor<4xi32>",
               "broadcast(s32[1], s32[4]), rule numpy", "s32[4]"},
           Row{"A: Shape(3, 2, 1, 4) B: Shape(      5, 4) Result: Shape(3, 2, "
               "5, 4)",
               "broadcast([3,2,1,4], [5,4]), rule numpy", "[3,2,5,4]"},
           Row{"A: Shape(2, 3, 4, 5) B: Shape(   3, 4   ) with axis = 1",
               "rule pdpd, axis 1", "[2,3,4,5]"},
           Row{"A: Shape(2, 3, 4, 5) B: Shape(      4, 5) with "
               "axis=-1(default) or axis=2 Result: Shape(2, 3, 4, 5)",
               "rule pdpd, axis 2", "[2,3,4,5]"},
           Row{"A: Shape(,) -> scalar B: Shape(,) -> scalar",
               "broadcast([], []), rule numpy", "[]"},
           // As the page has it, with blanks that don't break.
           Row{"A: Shape(2, 1, 5) B: Shape(\u00a0\u00a0 4, 1) Result: Shape(2, "
               "4, 5)",
               "broadcast([2,1,5], [4,1]), rule numpy", "[2,4,5]"},
           Row{"1x2 + 4x3x1 broadcast_dimensions=(1,2)",
               "add([1,2], [4,3,1]), broadcast_dimensions={1,2}, rule xla",
               "[4,3,2]"},
           Row{"add(f32[2,3], f32[3], {1})",
               "add(f32[2,3], f32[3]), broadcast_dimensions={1}, rule xla",
               "f32[2,3]"},
           Row{"(M,N,P,Q) + (P) {2}", ", broadcast_dimensions={2}, rule xla",
               "[M,N,P,Q]"},
           Row{"Shape(2, 1), Shape(1, 3) rule=bidirectional",
               "rule bidirectional", "[2,3]"},
       }) {
    const std::string text = Explain(row.question);
    EXPECT_THAT(text, HasSubstr(row.heading)) << row.question;
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\nresult ", row.result, "\n")))
        << row.question;
  }
}

// What the documents say doesn't match.
// What somebody who had only the documents typed first.
TEST(Explain, DimensionsInParenthesesAndBareRules) {
  EXPECT_EQ(Explain("f32[2,3] + f32[3] (1)"), Explain("f32[2,3] + f32[3] {1}"));
  EXPECT_EQ(Explain("f32[1,2] + f32[4,3,1] (1, 2)"),
            Explain("f32[1,2] + f32[4,3,1] {1,2}"));
  EXPECT_EQ(Explain("1x2 + 4x3x1 (1,2)"), Explain("1x2 + 4x3x1 {1,2}"));
  EXPECT_EQ(Explain("Shape(2,3), Shape(3) bidirectional"),
            Explain("Shape(2,3), Shape(3) rule=bidirectional"));
  EXPECT_EQ(Explain("(2,1), (1,3)"), Explain("(2,1), (1,3) rule=numpy"));
  const auto bare = ExplainQuestion("? + 4");
  EXPECT_THAT(std::string(bare.status().message()),
              HasSubstr("of one dim: (4)"));
}

TEST(Explain, SaysWhichRuleAndModeDecided) {
  EXPECT_THAT(Explain("(2,3) + (3)"),
              HasSubstr("note: shapes without types go by rule numpy; rule xla "
                        "refuses them (IND0007); --rule=all shows all rules"));
  EXPECT_THAT(Explain("(2,1) + (1,3)"), Not(HasSubstr("note:")));
  EXPECT_THAT(Explain("(2,3) + (3) rule=numpy"), Not(HasSubstr("note:")));
  EXPECT_THAT(Explain("Shape(2,3,4,5), Shape(4,5) axis=-1"),
              HasSubstr("rule pdpd, axis -1 (here 2)"));
  ExplainOptions strict;
  strict.mode = BroadcastableMode::kStrict;
  constexpr absl::string_view kCast =
      "tensor<?xf32> + tensor<?xf32> -> tensor<4xf32>";
  EXPECT_THAT(Explain(kCast), HasSubstr("--mode=lenient decides"));
  EXPECT_THAT(Explain(kCast, strict), HasSubstr("--mode=strict decides"));
  EXPECT_THAT(Explain("tensor<4xf32> + tensor<4xf32> -> tensor<4xf32>"),
              Not(HasSubstr("decides")));
}

TEST(Explain, RefusalsOfTheDocuments) {
  for (const char* question :
       {"A: Shape(3) B: Shape(2) Result: broadcast won't happen due to "
        "dimensions mismatch",
        "A: Shape(8, 1, 6, 1) B: Shape(   7, 1, 5) with axis = 1 Result: "
        "broadcast won't happen due to dimensions mismatch, only B to A",
        "(7,2,5) and (7,2,6) are incompatible and cannot be broadcast."}) {
    const auto explanation = ExplainQuestion(question);
    ASSERT_TRUE(explanation.ok()) << question << explanation.status();
    EXPECT_FALSE(explanation->ok) << question;
    EXPECT_THAT(explanation->text, HasSubstr("error: ")) << question;
  }
}

TEST(Explain, UnrankedOperandsLimitNothing) {
  EXPECT_THAT(Explain("f32[*] + f32[2]"),
              HasSubstr("  an operand's rank isn't known: nothing is checked\n"
                        "  at run time: operand 0 fits the others, whatever "
                        "its rank\n"));
  EXPECT_THAT(Explain("tensor<*xf32> + tensor<2xf32>"),
              HasSubstr("  operand 0  f32[*]\n    its rank isn't known: it "
                        "limits no dim\n  operand 1  f32[2]\n    as it is\n"
                        "  at run time: operand 0 fits the result"));
}

// What a size that isn't known says depends on the rule.
TEST(Explain, SaysOfEachDimWhetherItStretchesAtRunTime) {
  struct Row {
    const char* question;
    const char* operand0;
    const char* operand1;
  };
  for (const Row& row : {
           Row{"f32[?] + f32[4]",
               "dim 0, ?, must be 4 at run time: it doesn't stretch",
               "as it is"},
           Row{"f32[?] + f32[1]",
               "dim 0, ?, must be 1 at run time: it doesn't stretch",
               "as it is"},
           Row{"f32[?] + f32[?]",
               "dim 0, ?, must be as the others at run time: it doesn't "
               "stretch",
               "dim 0, ?, must be as the others at run time: it doesn't "
               "stretch"},
           Row{"f32[?] + f32[4] rule=numpy",
               "degenerate: dim 0, ?, stretches to 4 if it is 1 at run time: "
               "f32[4]",
               "as it is"},
           Row{"f32[?] + f32[1] rule=numpy", "as it is",
               "degenerate: dim 0 stretches from 1 to ?: f32[?]"},
           Row{"f32[?] + f32[?] rule=numpy",
               "degenerate: dim 0, ?, stretches to ? if it is 1 at run time: "
               "f32[?]",
               "degenerate: dim 0, ?, stretches to ? if it is 1 at run time: "
               "f32[?]"},
           Row{"f32[?] + f32[?] rule=pdpd", "as it is",
               "degenerate: dim 0, ?, stretches to ? if it is 1 at run time: "
               "f32[?]"},
           Row{"f32[<=4] + f32[4] rule=none",
               "dim 0, <=4, must be 4 at run time: it doesn't stretch",
               "as it is"},
           Row{"f32[2..5] + f32[1..3] rule=numpy", "as it is",
               "degenerate: dim 0, 1..3, stretches to 2..5 if it is 1 at run "
               "time: f32[2..5]"},
           Row{"f32[n] + f32[4] rule=bidirectional",
               "degenerate: dim 0, n, stretches to 4 if it is 1 at run time: "
               "f32[4]",
               "as it is"},
       }) {
    const std::string text = Explain(row.question);
    const size_t operand1 = text.find("\n  operand 1  f32");
    EXPECT_THAT(text.substr(0, operand1),
                HasSubstr(absl::StrCat("]\n    ", row.operand0)))
        << row.question;
    EXPECT_THAT(text.substr(operand1),
                HasSubstr(absl::StrCat("]\n    ", row.operand1, "\n")))
        << row.question;
  }
}

// "as it is" and "nothing is left" are said of nothing that may be otherwise.
TEST(Explain, AsItIsMeansSo) {
  const std::vector<std::string> dims = {"1",    "2",    "?", "<=1", "<=2",
                                         "2..3", "1..2", "n", "0"};
  for (const char* rule : {"xla", "none", "numpy", "pdpd", "bidirectional"}) {
    for (const std::string& a : dims) {
      for (const std::string& b : dims) {
        const std::string text =
            Explain(absl::StrCat("f32[", a, "] + f32[", b, "] rule=", rule));
        const bool conditions = absl::StrContains(text, "at run time: operand");
        const bool refused = absl::StrContains(text, "error: ");
        EXPECT_EQ(absl::StrContains(text, "nothing is left to run time"),
                  !conditions && !refused)
            << text;
        if (refused) continue;
        const bool both_as_they_are =
            absl::StrContains(text, "as it is\n  operand 1") &&
            absl::StrContains(text.substr(text.rfind("operand 1  f32")),
                              "as it is");
        EXPECT_FALSE(conditions && both_as_they_are) << text;
      }
    }
  }
}

TEST(Explain, SaysWhatARuleDoesNotLookAt) {
  EXPECT_THAT(
      Explain("f32[2,3] + f32[3] {1} rule=numpy"),
      HasSubstr("note: only rule xla has broadcast_dimensions; rule numpy "
                "ignores {1}\n"));
  // A fix that only another rule has says so.
  EXPECT_THAT(Explain("f32[8,10] + f32[8] rule=numpy"),
              HasSubstr("broadcast_dimensions: ask it (--rule=xla)"));
  EXPECT_THAT(Explain("f32[8,10] + f32[8]"), Not(HasSubstr("ask it")));
  EXPECT_THAT(Explain("f32[2,3] + f32[3] axis=1 rule=numpy"),
              HasSubstr("note: only rule pdpd has an axis; rule numpy"));
}

// The result as a whole passes in a mode exactly where each of its dims does.
TEST(Explain, DimsOfTheTablePassAsTheResultDoes) {
  const std::vector<std::string> dims = {"0", "1", "2", "3", "?"};
  for (const std::string& a : dims) {
    for (const std::string& b : dims) {
      for (const std::string& c : dims) {
        const std::string text =
            Explain(absl::StrCat("tensor<", a, "xf32> + tensor<", b,
                                 "xf32> -> tensor<", c, "xf32>"));
        const size_t dim = text.find("\n  dim 0   ");
        const size_t result = text.find("\n  result   ", dim);
        if (dim == std::string::npos) {
          EXPECT_THAT(text, HasSubstr("error: ")) << text;
          continue;
        }
        const auto words = [&text](size_t at) {
          std::vector<std::string> found = absl::StrSplit(
              text.substr(at + 1, text.find('\n', at + 1) - at - 1), ' ',
              absl::SkipEmpty());
          return std::vector<std::string>(found.end() - 3, found.end());
        };
        EXPECT_EQ(words(dim), words(result)) << text;
      }
    }
  }
}

// What a command line can hold takes no time to answer or to refuse.
TEST(Explain, LargeQuestionsEnd) {
  std::string many = "tensor<?xf32>", scalars = "()", dims = "1";
  for (int i = 0; i < 5000; ++i) many += " + tensor<?xf32>";
  for (int i = 0; i < 20000; ++i) {
    scalars += "+()";
    dims += ",1";
  }
  EXPECT_THAT(Explain(many), HasSubstr("operand 5000 dim 0 is 1 or equals"));
  const auto refused = ExplainQuestion(absl::StrCat(scalars, "+(", dims, ")"));
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("20002 operands of up to 20001 dims are too many"));
  ExplainOptions picture;
  picture.svg = true;
  EXPECT_THAT(Explain(absl::StrCat("(", dims, ") + (", dims, ")"), picture),
              HasSubstr("dim 20000"));
}

TEST(Explain, ManyOperandsSomeUnranked) {
  const std::string text = Explain(
      "tensor<?xf32> + tensor<*xf32> + tensor<3x1xf32> + tensor<2x1x4xf32> -> "
      "tensor<2x3x4xf32>");
  EXPECT_THAT(text, HasSubstr("  operand 1       .       .       .\n"
                              "  operand 2       .       3       1\n"));
  EXPECT_THAT(text, HasSubstr("dim 1 stretches from 1 to 3, dim 2, ?, "
                              "stretches to 4 if it is 1 at run time"));
  EXPECT_THAT(text, HasSubstr("at run time: operand 1 fits the result"));
  EXPECT_THAT(Explain("tensor<?xf32> + tensor<?xf32> + tensor<?xf32>"),
              HasSubstr("operand 2 dim 0 is 1 or equals result dim 0"));
  EXPECT_THAT(Explain("tensor<4xf32> -> tensor<?xf32>"),
              HasSubstr("  dim 0           4          ?        ok       ok"));
  // MLIR's own verifier infers something else here, and the table says so.
  EXPECT_THAT(Explain("tensor<0xf32> + tensor<?xf32> -> tensor<?xf32>"),
              HasSubstr("0 (mlir: ?)"));
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
  EXPECT_TRUE(ExplainQuestion(question)->ok);
  EXPECT_FALSE(ExplainQuestion(question, strict)->ok);
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
        ExplainQuestion(text.substr(begin, text.rfind('\'') - begin)).ok())
        << text;
  }
}

TEST(Explain, JsonHasEachStep) {
  ExplainOptions options;
  options.json = true;
  constexpr char kAnswer[] =
      R"json({"operation":"add([3], [2,1])","rule":"numpy","result":"[2,3]",)json"
      R"json("steps":[{"lines":["aligned at the last dim: dim 0 is result dim )json"
      R"json(1: [1,3]","degenerate: dim 0 stretches from 1 to 2: [2,3]"],)json"
      R"json("placed":"[1,3]","stretched":"[2,3]","sized_by":["degenerate",""]},)json"
      R"json({"lines":["degenerate: dim 1 stretches from 1 to 3: [2,3]"],)json"
      R"json("placed":"[2,1]","stretched":"[2,3]","sized_by":["","degenerate"]}],)json"
      R"json("conditions":[],"ok":true,"diagnostics":[]})json"
      "\n";
  EXPECT_EQ(Explain("(3,) + (2,1) rule=numpy", options), kAnswer);
}

TEST(Explain, Codes) {
  EXPECT_THAT(ExplainCode(Code::kRanksDiffer),
              HasSubstr("IND0007 ranks-differ (error)"));
  for (const char* part : {"\n  why    ", "\n  right  {", "\n  wrong  {"}) {
    EXPECT_THAT(ExplainCode(Code::kRanksDiffer), HasSubstr(part));
  }
}

TEST(Explain, Operations) {
  EXPECT_EQ(
      ExplainOp(Opcode::kAddDependency),
      "add-dependency  The first operand, not before the second is there.\n"
      "  operand 1 is a token  [IND0110]\n"
      "  result: as operand 0\n"
      "  broadcastable: no, an operand or the result is no array\n"
      "  example: indim explain 'add-dependency(f32[2], token[])'\n");
  EXPECT_THAT(ExplainOp(Opcode::kDot),
              HasSubstr("result: batch dims, then the free dims of operand 0"));
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
