// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/diagnostics/diagnostic.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// An operation on shapes given as text.
class Subject {
 public:
  explicit Subject(std::vector<std::string> operands,
                   std::string declared = "") {
    for (const std::string& text : operands) {
      shapes_.push_back(*ParseShape(text));
    }
    for (const Shape& shape : shapes_) pointers_.push_back(&shape);
    if (!declared.empty()) declared_ = *ParseShape(declared);
  }

  DiagnosticSubject get() const {
    DiagnosticSubject subject;
    subject.op = "add";
    subject.operands = pointers_;
    if (!declared_.is_none()) subject.declared = &declared_;
    return subject;
  }

 private:
  std::vector<Shape> shapes_;
  std::vector<const Shape*> pointers_;
  Shape declared_;
};

Diagnostic DimsDiffer(int operand, int dim, int other, int other_dim) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kDimsDiffer;
  diagnostic.operand = operand;
  diagnostic.dim = dim;
  diagnostic.other_operand = other;
  diagnostic.other_dim = other_dim;
  return diagnostic;
}

TEST(Codes, EachRowIsFoundByIdAndSlug) {
  std::set<absl::string_view> slugs;
  int last = 0;
  for (const CodeInfo& info : AllCodes()) {
    SCOPED_TRACE(info.slug);
    EXPECT_GT(static_cast<int>(info.code), last) << "rows ascend";
    last = static_cast<int>(info.code);
    EXPECT_TRUE(slugs.insert(info.slug).second) << "slugs are unique";
    EXPECT_EQ(&Info(info.code), &info);
    EXPECT_EQ(FindCode(CodeText(info.code)), info.code);
    EXPECT_EQ(FindCode(info.slug), info.code);
    EXPECT_EQ(
        info.slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
        absl::string_view::npos);
    EXPECT_FALSE(info.message.empty());
    EXPECT_FALSE(absl::StrContains(info.message, "\n")) << "one line";
  }
  EXPECT_FALSE(slugs.empty());
}

TEST(Codes, WhatIsNoCodeIsNotFound) {
  EXPECT_EQ(CodeText(Code::kRanksDiffer), "IND0007");
  EXPECT_EQ(FindCode("ranks-differ"), Code::kRanksDiffer);
  for (const char* id : {"", "IND", "IND0000", "IND9999", "IND7", "ind0007",
                         "IND00007", "IND0007 ", "7", "RanksDiffer"}) {
    EXPECT_FALSE(FindCode(id)) << id;
  }
  for (Code code : {Code::kNone, static_cast<Code>(65535)}) {
    EXPECT_EQ(Info(code).slug, "");
    EXPECT_EQ(Info(code).message, "");
  }
}

// Each placeholder of a message is one that codes.def explains.
TEST(Codes, PlaceholdersAreKnown) {
  const std::set<absl::string_view> known = {
      "op",       "operand",     "index",     "dim",        "size",
      "other",    "other_index", "other_dim", "other_size", "one_or_other_size",
      "declared", "difference"};
  for (const CodeInfo& info : AllCodes()) {
    SCOPED_TRACE(info.slug);
    absl::string_view message = info.message;
    for (size_t open; (open = message.find('{')) != message.npos;) {
      const size_t close = message.find('}', open);
      ASSERT_NE(close, message.npos);
      const absl::string_view name = message.substr(open + 1, close - open - 1);
      const bool is_argument = !name.empty() && absl::ascii_isdigit(name[0]) &&
                               (name.size() == 1 || name[1] == ' ');
      EXPECT_TRUE(known.count(name) || is_argument) << name;
      message.remove_prefix(close + 1);
    }
  }
}

// "1 operand", "2 operands".
TEST(FormatMessage, CountsAgreeWithTheirNouns) {
  const auto message = [](Code code, int64_t first, int64_t second) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.args = {first, second};
    DiagnosticSubject subject;
    subject.op = "op";
    return FormatMessage(diagnostic, subject);
  };
  EXPECT_EQ(message(Code::kOperandCount, 1, 2), "op takes 1 operand, not 2");
  EXPECT_EQ(message(Code::kOperandCount, 2, 1), "op takes 2 operands, not 1");
  EXPECT_EQ(message(Code::kOperandCount, 0, 1), "op takes 0 operands, not 1");
  EXPECT_THAT(message(Code::kAxesMappingCount, 1, 2),
              HasSubstr("has 1 entry,"));
  EXPECT_THAT(message(Code::kAxesMappingCount, 3, 2),
              HasSubstr("has 3 entries,"));
  EXPECT_THAT(message(Code::kBranchCount, 1, 1),
              HasSubstr("1 branch and 1 branch operand;"));
}

TEST(FormatMessage, EveryCodeRendersWithAllItsPlaces) {
  const Subject subject({"f32[8,10]", "s32[3]"}, "f32[8,10]");
  for (const CodeInfo& info : AllCodes()) {
    SCOPED_TRACE(info.slug);
    Diagnostic diagnostic = DimsDiffer(0, 1, 1, 0);
    diagnostic.code = info.code;
    for (int i = 0; i < 10; ++i) diagnostic.args.push_back(int64_t{70} + i);
    const std::string message = FormatMessage(diagnostic, subject.get());
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(absl::c_count(message, '?'), absl::c_count(info.message, '?'))
        << message;
    for (const char* name : {"{op", "{ind", "{dim", "{size", "{oth", "{decl",
                             "{0", "{1", "{2", "{3"}) {
      EXPECT_THAT(message, Not(HasSubstr(name)));
    }
  }
}

TEST(FormatMessage, EveryCodeRendersWithNothingKnown) {
  for (const CodeInfo& info : AllCodes()) {
    Diagnostic diagnostic;
    diagnostic.code = info.code;
    EXPECT_FALSE(FormatMessage(diagnostic, {}).empty());
    EXPECT_EQ(FormatPicture(diagnostic, {}), "");
  }
}

TEST(FormatMessage, FillsPlaceholders) {
  const Subject subject({"f32[8,10]{1,0}", "f32[12]"}, "f32[8,10]");
  EXPECT_EQ(FormatMessage(DimsDiffer(0, 1, 1, 0), subject.get()),
            "add can't match f32[8,10] with f32[12]: dim 1 is 10, but dim 0 "
            "of f32[12] is 12; "
            "sizes must be equal or one of them 1");
  Diagnostic ranks;
  ranks.code = Code::kRanksDiffer;
  ranks.operand = 0;
  ranks.other_operand = 1;
  EXPECT_EQ(FormatMessage(ranks, subject.get()),
            "add can't match f32[8,10] with f32[12]: ranks differ, no "
            "broadcast_dimensions given");
}

TEST(FormatMessage, TellsTheFirstDifference) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kShapesDiffer;
  diagnostic.operand = 0;
  diagnostic.other_operand = 1;
  for (const auto& [one, other, difference] :
       std::vector<std::array<std::string, 3>>{
           {"f32[8]", "f32[8,16]", ", but have ranks 1 and 2"},
           {"f32[8,16]", "f32[8,15]", ", but dim 1 is 16 and 15"},
           {"f32[8,?]", "f32[9,15]", ", but dim 0 is 8 and 9"},
           {"f32[*]", "f32[8]", ""}}) {
    const Subject subject({one, other});
    EXPECT_EQ(FormatMessage(diagnostic, subject.get()),
              "add: " + one + " and " + other + " must have the same dims" +
                  difference);
  }
}

TEST(FormatMessage, PositionsThatAreNotThereAreQuestionMarks) {
  const Subject subject({"f32[8,10]", "f32[12]"});
  for (const Diagnostic& diagnostic :
       {DimsDiffer(7, 1, 9, 0), DimsDiffer(-1, -1, -1, -1),
        DimsDiffer(INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX),
        DimsDiffer(INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN),
        DimsDiffer(0, 2, 1, 1), DimsDiffer(0, 0, 1, 1)}) {
    EXPECT_THAT(FormatMessage(diagnostic, subject.get()), HasSubstr("?"));
    EXPECT_EQ(FormatPicture(diagnostic, subject.get()), "");
  }
  EXPECT_EQ(FormatMessage(DimsDiffer(0, 5, 1, 0), subject.get()),
            "add can't match f32[8,10] with f32[12]: dim 5 is ?, but dim 0 "
            "of f32[12] is 12; "
            "sizes must be equal or one of them 1");
}

TEST(FormatMessage, ArgumentsOfEveryKind) {
  Diagnostic diagnostic;
  diagnostic.code = Code::kOperandCount;  // {op} takes {0} operands, not {1}
  struct Case {
    DiagnosticArg arg;
    const char* text;
  };
  for (const Case& c : std::vector<Case>{
           {int64_t{-3}, "-3"},
           {Dim::Bounded(4), "<=4"},
           {ElementType::kBF16, "bf16"},
           {*ParseShape("(f32[2]{0}, token[])"), "(f32[2], token[])"},
           {std::string("{op} {0}"), "{op} {0}"},  // not filled again
           {std::string("a\n\x01\xc3\xa4\x7f"), "a\n\\x01\xc3\xa4\\x7f"},
       }) {
    diagnostic.args = {c.arg};
    EXPECT_EQ(FormatMessage(diagnostic, {}),
              absl::StrCat(" takes ", c.text, " operands, not ?"));
  }
}

TEST(FormatMessage, LongShapesAreShortened) {
  const Shape tuple = Shape::Tuple(std::vector<Shape>(100000, Shape::Token()));
  Diagnostic diagnostic;
  diagnostic.code = Code::kOperandCount;
  diagnostic.args = {tuple, tuple};
  const std::string message = FormatMessage(diagnostic, {});
  EXPECT_LT(message.size(), 600u);
  EXPECT_THAT(message, HasSubstr("(token[], token[]"));
  EXPECT_THAT(message, HasSubstr(" ... "));
}

TEST(FormatPicture, ShowsDimsUnderTheOnesTheyAreMatchedWith) {
  struct Case {
    std::vector<std::string> operands;
    Diagnostic diagnostic;
    std::vector<int64_t> broadcast_dimensions;
    std::string picture;
  };
  for (const Case& c : std::vector<Case>{
           // Right-aligned.
           {{"f32[8,10]", "f32[12]"},
            DimsDiffer(0, 1, 1, 0),
            {},
            "operand 0  f32[8,10]\n"
            "operand 1  f32[  12]\n"
            "                 ^^\n"},
           // The wider size makes the column; types are aligned too.
           {{"bf16[8,128,2]", "f32[<=12,2]"},
            DimsDiffer(0, 1, 1, 0),
            {},
            "operand 0  bf16[8, 128,2]\n"
            "operand 1   f32[  <=12,2]\n"
            "                  ^^^^\n"},
           // Equal ranks; the lower operand comes first, whoever is at fault.
           {{"f32[2,3]", "f32[2,?]", "f32[2,4]"},
            DimsDiffer(2, 1, 0, 1),
            {},
            "operand 0  f32[2,3]\n"
            "operand 2  f32[2,4]\n"
            "                 ^\n"},
           // By a map, with a hole.
           {{"f32[8,128,10]", "f32[8,9]"},
            DimsDiffer(0, 2, 1, 1),
            {0, 2},
            "operand 0  f32[8,128,10]\n"
            "operand 1  f32[8,     9]\n"
            "                     ^^\n"},
           // Under the first dim: blanks behind.
           {{"f32[8,128,10]", "f32[9]"},
            DimsDiffer(0, 0, 1, 0),
            {0},
            "operand 0  f32[8,128,10]\n"
            "operand 1  f32[9       ]\n"
            "               ^\n"},
           // The smaller operand first.
           {{"f32[9]", "f32[8,128]"},
            DimsDiffer(0, 0, 1, 0),
            {0},
            "operand 0  f32[9    ]\n"
            "operand 1  f32[8,128]\n"
            "               ^\n"},
           // A map that is nonsense, or about other dims: the two at fault are
           // what must stand together.
           {{"f32[8,10]", "f32[12]"},
            DimsDiffer(0, 1, 1, 0),
            {7},
            "operand 0  f32[8,10]\n"
            "operand 1  f32[  12]\n"
            "                 ^^\n"},
           {{"f32[8,10]", "f32[12]"},
            DimsDiffer(0, 1, 1, 0),
            {0},
            "operand 0  f32[8,10]\n"
            "operand 1  f32[  12]\n"
            "                 ^^\n"},
           // Contracted dims: shifted against each other.
           {{"f32[8,10]", "f32[12,5]"},
            DimsDiffer(0, 1, 1, 0),
            {},
            "operand 0  f32[8,10  ]\n"
            "operand 1  f32[  12,5]\n"
            "                 ^^\n"},
       }) {
    const Subject subject(c.operands);
    DiagnosticSubject view = subject.get();
    view.broadcast_dimensions = c.broadcast_dimensions;
    EXPECT_EQ(FormatPicture(c.diagnostic, view), c.picture);
  }
}

TEST(FormatPicture, ComparesTheResultWithAnOperand) {
  const Subject subject({"f32[8,10]"}, "f32[8,12]");
  EXPECT_EQ(FormatPicture(DimsDiffer(-1, 1, 0, 1), subject.get()),
            "result     f32[8,12]\n"
            "operand 0  f32[8,10]\n"
            "                 ^^\n");
}

TEST(FormatPicture, EmptyWithoutTwoDimsOrWithTooMany) {
  Diagnostic ranks;
  ranks.code = Code::kRanksDiffer;
  ranks.operand = 0;
  ranks.other_operand = 1;
  const Subject subject({"f32[8,10]", "f32[12]", "(f32[2])"});
  EXPECT_EQ(FormatPicture(ranks, subject.get()), "");
  EXPECT_EQ(FormatPicture(DimsDiffer(0, 1, 2, 0), subject.get()), "");

  std::string wide = "f32[2";
  for (int i = 0; i < 40; ++i) wide += ",2";
  const Subject too_wide({wide + "]", "f32[3]"});
  EXPECT_EQ(FormatPicture(DimsDiffer(0, 40, 1, 0), too_wide.get()), "");
}

}  // namespace
}  // namespace indim
