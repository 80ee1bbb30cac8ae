// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/name_uniquer.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(SanitizedNameTest, AsXla) {
  const std::pair<absl::string_view, absl::string_view> kCases[] = {
      {"", ""},
      {"a", "a"},
      {"x.1-y_2", "x.1-y_2"},
      {"1x", "_x"},
      {"a b#0", "a_b_0"},
      {"f32", "f32_"},
      {"pred", "pred_"},
      {"token", "token_"},
      {"tuple", "tuple"},
      {"buffer", "buffer"},
      {"__x", "a_x"},
      {"__xla_x", "__xla_x"},
      {"-x", "_x"},
      {"f8e4m3fn", "f8e4m3fn_"}};
  for (const auto& [name, sanitized] : kCases) {
    EXPECT_EQ(SanitizedName(name), sanitized) << name;
    EXPECT_EQ(IsSanitizedName(name), name == sanitized) << name;
  }
}

// The quick look says what the slow one makes, wherever a character stands.
TEST(SanitizedNameTest, QuickLookAtEveryPlace) {
  for (int c = 0; c < 256; ++c) {
    for (size_t size = 1; size <= 36; ++size) {
      std::string name(size, 'x');
      for (size_t at = 0; at < size; ++at) {
        name[at] = static_cast<char>(c);
        EXPECT_EQ(IsSanitizedName(name), SanitizedName(name) == name) << name;
        name[at] = 'x';
      }
    }
  }
}

// The right column is what jaxlib 0.10.2 made of the left one.
TEST(NameUniquerTest, NumbersAsXla) {
  NameUniquer names;
  const std::pair<absl::string_view, absl::string_view> kCases[] = {
      {"x.00", "x.0"},  {"x.0", "x.1"}, {"x", "x.2"}, {"y.5", "y.5"},
      {"x", "x.3"},     {"y.5", "y.0"}, {"y", "y.1"}, {"z", "z"},
      {"z", "z.1"},     {"z.7", "z.7"}, {"", "name"}, {"a.b", "a.b"},
      {"a.b", "a.b.1"}, {".1", "_1"},   {"c.", "c."}, {"c.", "c..1"}};
  for (const auto& [name, unique] : kCases) {
    EXPECT_EQ(names.Unique(name), unique) << name;
  }
}

TEST(NameUniquerTest, PlainNamesStayAsTheyAre) {
  const std::vector<std::string> kPlain = {"x",     "x.1",  "x.y", "x.10",
                                           "a.1.2", "x.1y", "c."};
  NameUniquer names;
  for (const std::string& name : kPlain) {
    EXPECT_TRUE(NameUniquer::IsPlain(name)) << name;
    EXPECT_EQ(names.Unique(name), name);
  }
  for (absl::string_view name :
       {"", "x.0", "x.01", "x.-1", "f32", "__x", "x.99999999999999999999"}) {
    EXPECT_FALSE(NameUniquer::IsPlain(name)) << name;
  }
}

}  // namespace
}  // namespace indim
