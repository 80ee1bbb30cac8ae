// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/lexer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/text/base/escaped_text.h"
#include "indim/text/base/text_buffer.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using T = Token;
using Tokens = std::vector<std::pair<Token, std::string>>;

Tokens Lexed(absl::string_view text, TextErrors* errors) {
  Tokens tokens;
  for (Lexer lexer(text, errors); lexer.token() != T::kEnd; lexer.Next()) {
    tokens.emplace_back(lexer.token(), std::string(lexer.text()));
  }
  return tokens;
}

TEST(LexerTest, EveryToken) {
  struct Case {
    const char* text;
    Tokens want;
  };
  const std::vector<Case> cases = {
      {"", {}},
      {" \t\r\n", {}},
      {"add", {{T::kWord, "add"}}},
      {"get-tuple-element.7_x", {{T::kWord, "get-tuple-element.7_x"}}},
      {"_x", {{T::kWord, "_x"}}},
      {"%add.3", {{T::kName, "add.3"}}},
      {"%x#12", {{T::kName, "x"}, {T::kHash, "#"}, {T::kInt, "12"}}},
      {"x: f32", {{T::kSignatureName, "x"}, {T::kWord, "f32"}}},
      {"dimensions={",
       {{T::kAttributeName, "dimensions"}, {T::kLeftBrace, "{"}}},
      {"x = y", {{T::kWord, "x"}, {T::kEqual, "="}, {T::kWord, "y"}}},
      {"%x=", {{T::kName, "x"}, {T::kEqual, "="}}},
      {R"("a\"b" 'c"')", {{T::kString, R"(a\"b)"}, {T::kString, "c\""}}},
      {"\"a\nb\"", {{T::kString, "a\nb"}}},
      {"\"\"", {{T::kString, ""}}},
      {"5 -5 007", {{T::kInt, "5"}, {T::kInt, "-5"}, {T::kInt, "007"}}},
      {"1. .5 -.5 1.5 1e5 -1.e-3 1E+9",
       {{T::kDecimal, "1."},
        {T::kDecimal, ".5"},
        {T::kDecimal, "-.5"},
        {T::kDecimal, "1.5"},
        {T::kDecimal, "1e5"},
        {T::kDecimal, "-1.e-3"},
        {T::kDecimal, "1E+9"}}},
      {"1e 1e+ 3x4",
       {{T::kInt, "1"},
        {T::kWord, "e"},
        {T::kInt, "1"},
        {T::kWord, "e"},
        {T::kPlus, "+"},
        {T::kInt, "3"},
        {T::kWord, "x4"}}},
      {"-inf -nan",
       {{T::kMinus, "-"},
        {T::kWord, "inf"},
        {T::kMinus, "-"},
        {T::kWord, "nan"}}},
      {"=,:*#+~[]{}()-><=?...",
       {{T::kEqual, "="},
        {T::kComma, ","},
        {T::kColon, ":"},
        {T::kAsterisk, "*"},
        {T::kHash, "#"},
        {T::kPlus, "+"},
        {T::kTilde, "~"},
        {T::kLeftBracket, "["},
        {T::kRightBracket, "]"},
        {T::kLeftBrace, "{"},
        {T::kRightBrace, "}"},
        {T::kLeftParen, "("},
        {T::kRightParen, ")"},
        {T::kArrow, "->"},
        {T::kLessEqual, "<="},
        {T::kQuestion, "?"},
        {T::kEllipsis, "..."}}},
      {"a/*index=5*/b // c\nd/**/e/***/f//",
       {{T::kWord, "a"},
        {T::kWord, "b"},
        {T::kWord, "d"},
        {T::kWord, "e"},
        {T::kWord, "f"}}},
      {"/* * / ** /* */x//a\ry", {{T::kWord, "x"}, {T::kWord, "y"}}},
  };
  for (const Case& c : cases) {
    TextErrors errors;
    EXPECT_EQ(Lexed(c.text, &errors), c.want) << c.text;
    EXPECT_TRUE(errors.empty()) << c.text;
  }
}

TEST(LexerTest, WhatStartsNoTokenIsToldOnce) {
  struct Case {
    absl::string_view text;
    const char* message;
  };
  for (const Case& c : {
           Case{"a ; b", "unexpected \";\""},
           Case{"a \xc3\xa9\xc3\xa9 b", R"(unexpected "\xc3\xa9\xc3\xa9")"},
           Case{absl::string_view("a \0\0 b", 6), R"(unexpected "\x00\x00")"},
           Case{"a < b", "unexpected \"<\""},
           Case{"a .. b", "unexpected \".\""},
           Case{"a / b", "unexpected \"/\""},
           Case{"a % b", "unexpected \"%\""},
           Case{"a /* b", "this comment is never closed by \"*/\""},
           Case{"a /*/ b", "this comment is never closed by \"*/\""},
           Case{"a \"b", "this string is never closed by '\"'"},
           Case{"a 'b\\", "this string is never closed by \"'\""},
       }) {
    TextErrors errors;
    const Tokens tokens = Lexed(c.text, &errors);
    EXPECT_EQ(tokens[0].second, "a");
    ASSERT_GE(errors.count(), 1) << c.text;
    EXPECT_EQ(errors.errors()[0].message, c.message);
    EXPECT_EQ(errors.errors()[0].offset, 2u);
  }
}

TEST(LexerTest, ReadingGoesOnAfterAnOpenString) {
  TextErrors errors;
  const Tokens tokens = Lexed("a \"b\nc 'd'\n'e\nf", &errors);
  EXPECT_EQ(tokens.back(), Tokens::value_type(T::kWord, "f"));
  EXPECT_EQ(errors.count(), 2);
}

TEST(LexerTest, SeekAndOffsets) {
  TextErrors errors;
  const absl::string_view text = "ab %cd\n ef=1";
  Lexer lexer(text, &errors);
  EXPECT_EQ(lexer.offset(), 0u);
  EXPECT_EQ(lexer.end(), 2u);
  lexer.Next();
  EXPECT_EQ(lexer.offset(), 3u);
  EXPECT_EQ(lexer.end(), 6u);
  lexer.Next();
  EXPECT_EQ(lexer.offset(), 8u);
  EXPECT_EQ(lexer.end(), 11u);
  lexer.Seek(3);
  EXPECT_EQ(lexer.text(), "cd");
  lexer.Seek(1000);
  EXPECT_EQ(lexer.token(), T::kEnd);
  lexer.Next();
  EXPECT_EQ(lexer.token(), T::kEnd);
  EXPECT_EQ(lexer.offset(), text.size());
}

// Reads one value of `text`; empty or the first error.
template <typename Read>
std::string ReadOne(absl::string_view text, Read read) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  const bool ok = read(&lexer);
  EXPECT_EQ(ok, errors.empty()) << text;
  return ok ? "" : errors.errors()[0].message;
}

TEST(LexerTest, Integers) {
  struct Case {
    const char* text;
    int64_t want;
    const char* error;
  };
  for (const Case& c : {
           Case{"0", 0, ""},
           Case{"-0", 0, ""},
           Case{"-17", -17, ""},
           Case{"9223372036854775807", INT64_MAX, ""},
           Case{"-9223372036854775808", INT64_MIN, ""},
           Case{"18446744073709551615", -1, ""},
           Case{"18446744073709551616", 0,
                "\"18446744073709551616\" doesn't fit into 64 bits"},
           Case{"-9223372036854775809", 0,
                "\"-9223372036854775809\" doesn't fit into 64 bits"},
           Case{"1.5", 0, "expected an integer, found \"1.5\""},
           Case{"x", 0, "expected an integer, found \"x\""},
           Case{"", 0, "expected an integer, found the end of the text"},
       }) {
    int64_t value = 0;
    EXPECT_EQ(ReadOne(c.text, [&](Lexer* l) { return l->ReadInt(&value); }),
              c.error);
    EXPECT_EQ(value, c.want) << c.text;
  }
}

TEST(LexerTest, ValuesAndTheirErrors) {
  std::string value;
  const auto string = [&](Lexer* l) { return l->ReadString(&value); };
  EXPECT_EQ(ReadOne(R"("a\n\"\\\t\047\303")", string), "");
  EXPECT_EQ(value, "a\n\"\\\t'\xc3");
  EXPECT_THAT(ReadOne(R"("\q")", string), HasSubstr("can't be unescaped"));
  EXPECT_EQ(ReadOne("a", string), "expected a string, found \"a\"");

  bool flag = false;
  const auto boolean = [&](Lexer* l) { return l->ReadBool(&flag); };
  EXPECT_EQ(ReadOne("true", boolean), "");
  EXPECT_TRUE(flag);
  EXPECT_EQ(ReadOne("false", boolean), "");
  EXPECT_FALSE(flag);
  EXPECT_EQ(ReadOne("1", boolean), "expected true or false, found \"1\"");

  absl::string_view view;
  const auto name = [&](Lexer* l) { return l->ReadName(&view); };
  EXPECT_EQ(ReadOne("%a.1", name), "");
  EXPECT_EQ(view, "a.1");
  EXPECT_EQ(ReadOne("a.1", name), "");
  EXPECT_EQ(view, "a.1");
  EXPECT_EQ(ReadOne("{", name), "expected a name, found \"{\"");

  std::vector<int64_t> ints;
  const auto list = [&](Lexer* l) { return l->ReadInts(&ints); };
  EXPECT_EQ(ReadOne("{}", list), "");
  EXPECT_EQ(ReadOne("{1, -2}", list), "");
  EXPECT_THAT(ints, ElementsAre(1, -2));
  EXPECT_EQ(ReadOne("{1 2}", list), "expected \"}\", found \"2\"");
  EXPECT_EQ(ReadOne("1", list), "expected \"{\", found \"1\"");

  const auto braces = [&](Lexer* l) {
    return l->ReadBalancedBraces(&view) && l->Expect(T::kComma);
  };
  EXPECT_EQ(ReadOne(R"({"a}":{"b\"}":1;}}, x)", braces), "");
  EXPECT_EQ(view, R"({"a}":{"b\"}":1;}})");
  EXPECT_EQ(ReadOne("{{}", braces), "this brace is never closed");
  EXPECT_EQ(ReadOne("{\"}", braces), "this brace is never closed");
  EXPECT_EQ(ReadOne("x", braces), "expected \"{\", found \"x\"");

  for (const char* run :
       {"b01f_01io->b01f", "3x3", "0_1x2_-3", "-1_0", "?b_io->?f", "01", "x"}) {
    const auto take = [&](Lexer* l) {
      return l->TakeRun("a thing", &view) && l->Expect(T::kComma);
    };
    const std::string text = absl::StrCat(run, ", y");
    EXPECT_EQ(ReadOne(text, take), "");
    EXPECT_EQ(view, run);
    EXPECT_EQ(ReadOne("{", take), "expected a thing, found \"{\"");
  }

  EXPECT_EQ(ReadOne("a", [](Lexer* l) { return l->ExpectWord("a"); }), "");
  EXPECT_EQ(ReadOne("b", [](Lexer* l) { return l->ExpectWord("a"); }),
            "expected \"a\", found \"b\"");
  EXPECT_EQ(
      ReadOne("b", [](Lexer* l) { return l->Expect(T::kComma, "a comma"); }),
      "expected a comma, found \"b\"");
}

// The quick way gives what the plain one gives, wherever a character stands.
TEST(LexerTest, EscapesAtEveryPlace) {
  for (int c = 0; c < 256; ++c) {
    const char what = static_cast<char>(c);
    for (size_t size = 1; size <= 20; ++size) {
      std::string text(size, 'x');
      for (size_t at = 0; at < size; ++at) {
        text[at] = what;
        TextBuffer escaped;
        escaped.Append("before");
        AppendEscaped(text, &escaped);
        EXPECT_EQ(escaped.Take(), "before" + EscapeText(text));
        text[at] = 'x';
      }
    }
  }
}

TEST(LexerTest, EscapesReadBack) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  std::string back;
  EXPECT_EQ(ReadOne(absl::StrCat("\"", EscapeText(all), "\""),
                    [&](Lexer* l) { return l->ReadString(&back); }),
            "");
  EXPECT_EQ(back, all);
}

// Each of these is read in one pass, or the test doesn't end.
TEST(LexerTest, HostileTextsAreReadOnce) {
  constexpr size_t kSize = 1 << 19;
  std::string quotes, stars, slashes;
  while (quotes.size() < kSize) quotes += "\\\"'\n";
  while (stars.size() < kSize) stars += "/*/";
  while (slashes.size() < kSize) slashes += "/\n";
  const std::string digits(kSize, '7'), dots(kSize, '.'), nuls(kSize, '\0');
  const std::string percents(kSize, '%'), minuses(kSize, '-');
  for (const std::string& text :
       {quotes, stars, slashes, digits, dots, nuls, percents, minuses}) {
    TextErrors errors;
    Lexer lexer(text, &errors);
    while (lexer.token() != T::kEnd) {
      const size_t before = lexer.end();
      lexer.Next();
      ASSERT_GE(lexer.end(), before);
    }
  }
  TextErrors errors;
  Lexer lexer(digits, &errors);
  int64_t value = 0;
  EXPECT_FALSE(lexer.ReadInt(&value));
  EXPECT_LT(errors.errors()[0].message.size(), 100u);
}

}  // namespace
}  // namespace indim
