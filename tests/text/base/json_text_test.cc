// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/json_text.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(JsonTextTest, WhatXlasLexerTakesForJson) {
  for (const absl::string_view json : {"{}", " {\"a\":{}} ", "{\"}\":\"{\"}",
                                       "{not json}", "{'}", "/*x*/{}//"}) {
    EXPECT_TRUE(LexesAsJson(json)) << json;
  }
  for (const absl::string_view text :
       {"", "x", "{", "{}}", "{} x", "\"{}\"", "[]", "{\"}", "{\"\xff\"}",
        "{\"\\\n\"}", "{}\""}) {
    EXPECT_FALSE(LexesAsJson(text)) << text;
  }
  EXPECT_FALSE(LexesAsJson(absl::string_view("{}\0", 3)));
}

// XLA's own examples are among these (sort_json_test.cc says what must hold).
TEST(JsonTextTest, SortsMembers) {
  struct Case {
    const char* json;
    const char* want;
  };
  for (const Case& c : {
           Case{"{}", "{}"},
           Case{"[ ]", "[]"},
           Case{R"( {"b" : 1 , "a":[2, 1 ,{"d":1,"c":2}]} )",
                R"({"a":[2,1,{"c":2,"d":1}],"b":1})"},
           Case{R"({"a": 1, "c": 3,"b": 2, "b": 1,})",
                R"({"a":1,"b":1,"b":2,"c":3})"},
           Case{R"({"aa": 1, "a": {"c": "c", "b": "b"}})",
                R"({"a":{"b":"b","c":"c"},"aa":1})"},
           Case{R"({"a\"b": "x}\\", "a": -1.5e3})",
                R"({"a":-1.5e3,"a\"b":"x}\\"})"},
           Case{"\"x\"", "\"x\""},
           Case{"[[],{},[[]]]", "[[],{},[[]]]"},
       }) {
    EXPECT_EQ(SortedJson(c.json), c.want) << c.json;
  }
}

TEST(JsonTextTest, WhatIsNoJsonStays) {
  for (const char* text : {"", "{", "x", "{\"a\"}", "{\"a\":}", "{a:1}", "[1",
                           "{} x", "[1}", "\"abc"}) {
    // A string that is never closed is a word to XLA.
    EXPECT_EQ(SortedJson(text), text);
  }
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(SortedJson(deep), deep);
}

}  // namespace
}  // namespace indim
