// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/text_errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Rendered(const TextErrors& errors, absl::string_view text,
                     absl::string_view file = "a.hlo") {
  return std::string(errors.ToStatus(file, text).message());
}

TEST(TextErrorsTest, NoErrorIsOk) {
  EXPECT_TRUE(TextErrors().ToStatus("a.hlo", "").ok());
  EXPECT_TRUE(TextErrors().empty());
}

TEST(TextErrorsTest, ShowsTheLineAndACaret) {
  const absl::string_view text = "ENTRY e {\n  y = f32[2] ad(x, x)\n}\n";
  TextErrors errors;
  errors.Add(text.find("ad("), 2, "unknown op \"ad\"");
  EXPECT_EQ(Rendered(errors, text),
            "a.hlo:2:14: error: unknown op \"ad\"\n"
            "    y = f32[2] ad(x, x)\n"
            "               ^~");
  EXPECT_EQ(errors.ToStatus("", text).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Rendered(errors, text, ""), HasSubstr("text:2:14: error: "));
}

// A status that is streamed into a log shows no bytes that aren't text.
TEST(TextErrorsTest, AStatusShowsAsText) {
  TextErrors errors;
  for (size_t i = 0; i < 300; i += 150) errors.Add(i, 1, "e");
  const std::string shown =
      errors.ToStatus("a.hlo", std::string(300, '\n')).ToString();
  EXPECT_THAT(shown, Not(HasSubstr("\\")));
  EXPECT_THAT(shown, HasSubstr("a.hlo:151:1: error: e"));
}

TEST(TextErrorsTest, PlacesAtTheEdges) {
  const absl::string_view text = "ab\r\ncd";
  struct Case {
    size_t offset, length;
    const char* want;
  };
  for (const Case& c : {
           Case{0, 0, "a.hlo:1:1: error: e\n  ab\n  ^"},
           Case{1, 9, "a.hlo:1:2: error: e\n  ab\n   ^"},
           Case{4, 2, "a.hlo:2:1: error: e\n  cd\n  ^~"},
           Case{6, 0, "a.hlo:2:3: error: e\n  cd\n    ^"},
           Case{99, 5, "a.hlo:2:3: error: e\n  cd\n    ^"},
       }) {
    TextErrors errors;
    errors.Add(c.offset, c.length, "e");
    EXPECT_EQ(Rendered(errors, text), c.want) << c.offset;
  }
  TextErrors errors;
  errors.Add(0, 1, "e");
  EXPECT_EQ(Rendered(errors, ""), "a.hlo:1:1: error: e\n  \n  ^");
}

TEST(TextErrorsTest, UnprintableBytesAreEscapedAboveTheRightCaret) {
  TextErrors errors;
  errors.Add(3, 2, "e");
  EXPECT_EQ(Rendered(errors, absl::string_view("\t\x01\xff\x00x", 5)),
            "a.hlo:1:4: error: e\n"
            "   \\x01\\xff\\x00x\n"
            "           ^~~~~");
}

TEST(TextErrorsTest, ALongLineIsCutAroundTheCaret) {
  const std::string text =
      absl::StrCat(std::string(500000, 'a'), "!", std::string(500000, 'b'));
  TextErrors errors;
  errors.Add(500000, 1, "e");
  const std::string got = Rendered(errors, text);
  EXPECT_LT(got.size(), 300u);
  EXPECT_THAT(got, HasSubstr("a.hlo:1:500001: error: e\n  ...aaa"));
  EXPECT_THAT(got, HasSubstr("a!b"));
  EXPECT_THAT(got, HasSubstr("b...\n"));
  const size_t caret_line = got.rfind('\n');
  const size_t text_line = got.rfind('\n', caret_line - 1);
  EXPECT_EQ(got.find('!') - text_line, got.find('^') - caret_line);
}

TEST(TextErrorsTest, OneMistakeIsToldOnce) {
  TextErrors errors;
  errors.Add(5, 1, "first");
  errors.Add(5, 9, "second");
  EXPECT_EQ(errors.count(), 1);
  EXPECT_EQ(errors.errors()[0].message, "first");
}

TEST(TextErrorsTest, KeepsSomeAndCountsTheRest) {
  const std::string text(100, 'x');
  TextErrors errors;
  for (size_t i = 0; i < TextErrors::kMaxErrors + 7; ++i) {
    errors.Add(i, 1, absl::StrCat("error ", i));
  }
  EXPECT_EQ(errors.count(), 27);
  EXPECT_EQ(errors.errors().size(), TextErrors::kMaxErrors);
  const std::string got = Rendered(errors, text);
  EXPECT_THAT(got, HasSubstr("error 19\n"));
  EXPECT_THAT(got, Not(HasSubstr("error 20\n")));
  EXPECT_THAT(got, HasSubstr("\nand 7 more errors"));
}

// A status's errors one by one, whatever the file is called and the text holds.
TEST(TextErrorsTest, AStatusIsTakenApart) {
  const std::string text = "a\nb:2:1: error: c\n" + std::string(40, 'x');
  TextErrors errors;
  errors.Add(0, 1, "first:\nof two lines");
  errors.Add(4, 1, "b:9:9: error: second");
  const std::vector<PlacedError> two = ErrorsOf(errors.ToStatus("b", text));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].position.line, 1);
  EXPECT_EQ(two[0].position.column, 1);
  EXPECT_EQ(two[0].message, "first:");
  EXPECT_EQ(two[0].below, "\nof two lines\n  a\n  ^");
  EXPECT_EQ(two[0].text, "first:\nof two lines\n  a\n  ^");
  EXPECT_EQ(two[1].position.line, 2);
  EXPECT_EQ(two[1].position.column, 3);
  EXPECT_EQ(two[1].text, "b:9:9: error: second\n  b:2:1: error: c\n    ^");

  for (size_t i = 0; i < 30; ++i) errors.Add(20 + i, 1, "more");
  const std::vector<PlacedError> many = ErrorsOf(errors.ToStatus("", text));
  ASSERT_EQ(many.size(), TextErrors::kMaxErrors + 1);
  EXPECT_EQ(many.back().position.line, 0);
  EXPECT_EQ(many.back().message, "and 12 more errors");

  EXPECT_TRUE(ErrorsOf(absl::OkStatus()).empty());
  const std::vector<PlacedError> other =
      ErrorsOf(absl::NotFoundError("b:1:1: error: no file"));
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].position.line, 0);
  EXPECT_EQ(other[0].message, "b:1:1: error: no file");
}

TEST(TextErrorsTest, PositionsCountBytesFromOne) {
  EXPECT_EQ(PositionOf("a\nbc\n", 0).line, 1);
  EXPECT_EQ(PositionOf("a\nbc\n", 3).line, 2);
  EXPECT_EQ(PositionOf("a\nbc\n", 3).column, 2);
  EXPECT_EQ(PositionOf("a\nbc\n", 5).line, 3);
  EXPECT_EQ(PositionOf("a\nbc\n", 5).column, 1);
}

}  // namespace
}  // namespace indim
