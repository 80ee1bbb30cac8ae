// SPDX-License-Identifier: Apache-2.0
// Broadcasting with values, as text, JSON and SVG.

#include "indim/tools/explain/explain_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/tools/explain/explained.h"
#include "indim/tools/explain/explain.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

ExplainOptions With(const std::string& values) {
  ExplainOptions options;
  options.values = values;
  return options;
}

// The example of XLA's document, with its numbers.
TEST(ExplainValues, DrawsTheDocumentsComposition) {
  EXPECT_EQ(Explain("f32[4] + f32[1,2] {0}", With("{1,2,3,4};{{5,6}}")),
            "add(f32[4], f32[1,2]), broadcast_dimensions={0}, rule xla\n\n"
            "as given\n"
            "  f32[4]      f32[1,2]\n"
            "  |1 2 3 4| + |5 6|\n"
            "\n"
            "InDim\n"
            "  f32[4,2]   f32[1,2]\n"
            "  |1 1|    + |5 6|\n"
            "  |2 2|\n"
            "  |3 3|\n"
            "  |4 4|\n"
            "\n"
            "degenerate\n"
            "  f32[4,2]   f32[4,2]   f32[4,2]\n"
            "  |1 1|    + |5 6|    = | 6  7|\n"
            "  |2 2|      |5 6|      | 7  8|\n"
            "  |3 3|      |5 6|      | 8  9|\n"
            "  |4 4|      |5 6|      | 9 10|\n"
            "\n"
            "result f32[4,2]\n");
}

// The document's first sums; values are counted through the operands.
TEST(ExplainValues, CountsWhereNoneAreGiven) {
  EXPECT_THAT(Explain("f32[2,3] + f32[3] {1}", With("counted")),
              HasSubstr("  |1 2 3|  + |7 8 9|  = | 8 10 12|\n"
                        "  |4 5 6|    |7 8 9|    |11 13 15|\n"));
  EXPECT_THAT(Explain("f32[2,3] + f32[]", With("counted")),
              HasSubstr("  |1 2 3|  + 7\n"));
  EXPECT_THAT(Explain("f32[2,3] + f32[3] {1}", With(";{0,0,1}")),
              HasSubstr("= |1 2 4|\n"));
}

TEST(ExplainValues, MoreThanTwoDimsInSlices) {
  EXPECT_THAT(Explain("s32[2,1,2] * s32[1,3,1]", With("{{{1,2}},{{3,4}}};{{{1}"
                                                      ",{10},{100}}}")),
              HasSubstr("[1,:,:]\n"
                        "  |3 4|        |  1   1|    |  3   4|\n"
                        "  |3 4|        | 10  10|    | 30  40|\n"
                        "  |3 4|        |100 100|    |300 400|\n"));
  EXPECT_THAT(Explain("s32[2,1,2,1] + s32[1] {3}", With("counted")),
              HasSubstr("[1,0,:,:]"));
}

// Each element of the result against arithmetic on positions.
TEST(ExplainValues, EveryElementIsRight) {
  const std::vector<int64_t> sizes = {1, 2, 3};
  int drawn = 0;
  for (const int64_t a0 : sizes) {
    for (const int64_t a1 : sizes) {
      for (const int64_t b0 : sizes) {
        for (const int64_t b1 : sizes) {
          BroadcastQuestion question = *ReadBroadcastQuestion(
              absl::StrCat("s32[", a0, ",", a1, "] - s32[", b0, ",", b1, "]"));
          const bool fits = (a0 == b0 || a0 == 1 || b0 == 1) &&
                            (a1 == b1 || a1 == 1 || b1 == 1);
          const auto drawing = DrawValues(question, "counted");
          ASSERT_EQ(drawing.ok(), fits) << drawing.status();
          if (!fits) continue;
          ++drawn;
          const int64_t rows = std::max(a0, b0), columns = std::max(a1, b1);
          std::vector<std::string> expected;
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              const int64_t a = 1 + (a0 == 1 ? 0 : r) * a1 + (a1 == 1 ? 0 : c);
              const int64_t b =
                  1 + a0 * a1 + (b0 == 1 ? 0 : r) * b1 + (b1 == 1 ? 0 : c);
              expected.push_back(absl::StrCat(a - b));
            }
          }
          EXPECT_EQ(drawing->result->cells, expected);
          // What is pale is what lies outside of the operand.
          const DrawnArray& last = drawing->steps.back().operands[0];
          for (int64_t i = 0; i < rows * columns; ++i) {
            EXPECT_EQ(last.copies[static_cast<size_t>(i)],
                      i / columns >= a0 || i % columns >= a1);
          }
        }
      }
    }
  }
  EXPECT_EQ(drawn, 49);
}

TEST(ExplainValues, OtherRulesAndOperations) {
  EXPECT_THAT(Explain("f32[2,3,2] + f32[3] axis=1", With("counted")),
              HasSubstr("placed from the axis\n"));
  EXPECT_THAT(Explain("(3,) + (2,1) + (2,1,1)", With("counted")),
              HasSubstr("[1,:,:]"));
  EXPECT_THAT(Explain("pred[2,1] xor pred[3] rule=numpy",
                      With("{{true},{false}};{true,false,true}")),
              HasSubstr("= |false  true false|\n"));
  EXPECT_THAT(Explain("(2,1) & (1,2)", With("{{6},{5}};{{3,4}}")),
              HasSubstr("= |2 4|\n"));
  EXPECT_THAT(Explain("compare(s32[2,1], s32[2]), direction=LT, "
                      "broadcast_dimensions={1}",
                      With("{{1},{2}};{2,3}")),
              HasSubstr("direction=LT, rule xla\n\nas given\n  s32[2,1]   "
                        "s32[2]\n  |1|      < |2 3|\n"));
  EXPECT_THAT(Explain("compare(s32[2,1], s32[2]), direction=LT, "
                      "broadcast_dimensions={1}",
                      With("{{1},{2}};{2,3}")),
              HasSubstr("= | true  true|\n  |2 2|      |2 3|      |false  "
                        "true|\n"));
  // Shapes without an operation have no result to draw.
  EXPECT_THAT(Explain("Shape(2,3), Shape(3)", With("counted")),
              HasSubstr("  |4 5 6|   |7 8 9|\n\nresult [2,3]\n"));
  EXPECT_THAT(Explain("f32[0] + f32[1]", With("counted")),
              HasSubstr("(no elements)"));
}

TEST(ExplainValues, WhatCannotBeDrawn) {
  struct Row {
    const char* question;
    const char* values;
    const char* error;
  };
  for (const Row& row : {
           Row{"f32[?] + f32[4]", "counted", "sizes that are known"},
           Row{"f32[*] + f32[4] rule=numpy", "counted", "sizes that are known"},
           Row{"f32[100] + f32[100,1] rule=numpy", "counted",
               "at most 256 elements"},
           Row{"f32[4] + f32[4]", "{1,2,3,4}", "2 operands need one each"},
           Row{"f32[4] + f32[4]", "{1,2,3};{1,2,3,4}",
               "'{1,2,3}' is not a value of operand 0"},
           Row{"f32[4] + f32[4]", "{1,2,x,4};", "expected a number"},
           Row{"f32[4] + f32[4]", "{1,2,3,4}) } %f { x = f32[] constant(1;",
               "is not a value of operand 0"},
           Row{"f32[2] . f32[2]", "counted", "not dot"},
       }) {
    const auto explanation = ExplainQuestion(row.question, With(row.values));
    EXPECT_THAT(std::string(explanation.status().message()),
                HasSubstr(row.error))
        << row.question;
  }
  // Operands that don't match are refused as without values.
  const auto refused = ExplainQuestion("f32[2] + f32[3]", With("counted"));
  ASSERT_TRUE(refused.ok());
  EXPECT_FALSE(refused->ok);
  EXPECT_THAT(refused->text, HasSubstr("[IND0001]"));
}

TEST(ExplainValues, Json) {
  ExplainOptions options = With("{1,nan};{{5},{-inf}}");
  options.json = true;
  EXPECT_THAT(
      Explain("(2,) + (2,1)", options),
      HasSubstr("{\"name\":\"degenerate\",\"operands\":[{\"shape\":\"[2,2]\","
                "\"values\":[[1,\"nan\"],[1,\"nan\"]]},{\"shape\":\"[2,2]\","
                "\"values\":[[5,5],[\"-inf\",\"-inf\"]]}]}],\"result\":{"
                "\"shape\":\"[2,2]\",\"values\":[[6,\"nan\"],[\"-inf\","
                "\"nan\"]]}}"));
}

// How often `part` stands in `text`.
size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string SvgOf(absl::string_view question) {
  ExplainOptions options;
  options.svg = true;
  return Explain(question, options);
}

TEST(ExplainSvg, HasACellForEachElement) {
  const std::string svg = SvgOf("f32[4] + f32[1,2] {0}");
  // Of operand 0: 4 as given, 4 of 8 placed, 4 of 8 in the end.
  EXPECT_EQ(CountOf(svg, "class=\"a\""), 12u);
  EXPECT_EQ(CountOf(svg, "class=\"a copy\""), 8u);
  EXPECT_EQ(CountOf(svg, "class=\"b\""), 6u);
  EXPECT_EQ(CountOf(svg, "class=\"b copy\""), 6u);
  EXPECT_EQ(CountOf(svg, "class=\"r\""), 8u);
  EXPECT_THAT(svg, HasSubstr("<title>add(f32[4], f32[1,2]), "
                             "broadcast_dimensions={0}, rule xla</title>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_EQ(CountOf(svg, "http"), 1u);  // its own name; nothing is loaded
}

TEST(ExplainSvg, SizesThatAreNotKnown) {
  const std::string svg = SvgOf("tensor<?x4xf32> + tensor<3x?xf32>");
  EXPECT_EQ(CountOf(svg, "class=\"a may\""), 1u);
  EXPECT_EQ(CountOf(svg, "class=\"b may\""), 1u);
  EXPECT_THAT(svg, HasSubstr(">? \u2192 3</text>"));
  EXPECT_THAT(svg, HasSubstr("at run time: operand 0 dim 0 is 1 or 3"));
  EXPECT_THAT(SvgOf("f32[*] + f32[2]"), HasSubstr("rank isn&#39;t known"));
}

TEST(ExplainSvg, TextIsEscapedAndARefusalSaysWhy) {
  const std::string svg = SvgOf("f32[<=2,5] + f32[3,6]");
  EXPECT_THAT(svg, HasSubstr("<title>add(f32[&lt;=2,5], f32[3,6]), rule xla"
                             "</title>"));
  EXPECT_THAT(svg, HasSubstr("class=\"title\">add(f32[&lt;=2,5]"));
  EXPECT_THAT(svg, HasSubstr(">error: add can&#39;t"));
}

}  // namespace
}  // namespace indim
