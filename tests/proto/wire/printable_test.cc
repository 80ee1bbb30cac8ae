// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/printable.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

TEST(PrintableTest, Cases) {
  const struct {
    absl::string_view text;
    size_t longest;
    absl::string_view shown;
  } kCases[] = {
      {"add.1", 120, "add.1"},
      {"", 120, ""},
      {"a\nb\x7f", 120, "a\\x0ab\\x7f"},
      {"\xc3\xa4.1", 120, "\xc3\xa4.1"},         // UTF-8 stays
      {"para\xed_1", 120, "para\\xed_1"},        // what isn't doesn't
      {"\xc3\xa4\xff", 120, "\\xc3\\xa4\\xff"},  // not even in part
      {"abcdefghijkl", 8, "abcdef...kl"},        // the middle is left out
      {"abcde\xc3\xa4ghijkl", 8, "abcde...kl"},  // between characters
      {"abcdefghij\xc3\xa4", 8, "abcdef...\xc3\xa4"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Printable(c.text, c.longest), c.shown);
  }
}

TEST(PrintableTest, WhateverTheBytesOneLineOfUtf8) {
  Random random(9);
  for (int i = 0; i < 5000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& c : text) {
      c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'x');
    }
    const std::string shown = Printable(text, random() % 40);
    EXPECT_TRUE(IsValidUtf8(shown)) << shown;
    EXPECT_EQ(shown.find('\n'), std::string::npos);
    EXPECT_LE(shown.size(), 4 * text.size() + 3);
  }
}

}  // namespace
}  // namespace indim
