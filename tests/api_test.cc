// SPDX-License-Identifier: Apache-2.0
// Holds the API's list (packaging/api.bzl) against indim.h, docs/api.md and the
// headers themselves. It walks the checkout, so that nothing can be forgotten.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::Not;
using ::testing::StartsWith;

// What stands between `before` and `after` on each line of `text` that begins
// with `before`.
std::vector<std::string> TextsBetween(absl::string_view text,
                                      absl::string_view before,
                                      absl::string_view after) {
  std::vector<std::string> found;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, before)) continue;
    line.remove_prefix(before.size());
    found.emplace_back(line.substr(0, line.find(after)));
  }
  return found;
}

std::vector<std::string> IncludesOf(const std::string& header) {
  return TextsBetween(CheckoutText(header), "#include \"indim/", "\"");
}

std::vector<std::string> ApiHeaders() {
  const std::string text = CheckoutText("packaging/api.bzl");
  const size_t begin = text.find("API_HEADERS = [");
  return TextsBetween(
      absl::string_view(text).substr(begin, text.find(']', begin)), "    \"",
      "\"");
}

TEST(ApiTest, EachListSaysTheSame) {
  const std::vector<std::string> headers = ApiHeaders();
  ASSERT_GT(headers.size(), 50);
  EXPECT_TRUE(std::is_sorted(headers.begin(), headers.end()));
  EXPECT_THAT(IncludesOf("indim.h"), ElementsAreArray(headers));
  EXPECT_THAT(TextsBetween(CheckoutText("docs/api.md"), "| `", "`"),
              ElementsAreArray(headers));
}

// What the API reaches: each header, with the one that includes it.
TEST(ApiTest, NoHeaderReachesStorage) {
  std::map<std::string, std::string> included_by;
  std::vector<std::string> todo = ApiHeaders();
  while (!todo.empty()) {
    const std::string header = todo.back();
    todo.pop_back();
    // Lists of names are made by the build.
    if (absl::EndsWith(header, "_names.def")) continue;
    ASSERT_NE(CheckoutText(header), "") << header;
    for (const std::string& name : IncludesOf(header)) {
      if (included_by.emplace(name, header).second) todo.push_back(name);
      for (const char* hidden : {"ir/storage/", "ir/module_data.h",
                                 "ir/module_access.h", "tests/"}) {
        EXPECT_THAT(name, Not(StartsWith(hidden)))
            << "included by " << header << ", which " << included_by[header]
            << " includes";
      }
      EXPECT_THAT(name, Not(EndsWith(".pb.h"))) << header;
    }
  }
  // A header less is good; one more is worth a thought.
  EXPECT_LE(included_by.size(), ApiHeaders().size() + 12);
}

// A folder's BUILD file may say more, but no target outside the list is public.
TEST(ApiTest, NoOtherTargetIsPublic) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(Checkout())) {
    if (entry.path().filename() != "BUILD") continue;
    const std::string name =
        entry.path().lexically_relative(Checkout()).string();
    if (name == "BUILD" || absl::StartsWith(name, "packaging/third_party/") ||
        absl::StartsWith(name, "examples/consumer/") ||
        absl::StartsWith(name, ".")) {
      continue;
    }
    EXPECT_FALSE(absl::StrContains(CheckoutText(name), "//visibility:public"))
        << name;
  }
}

}  // namespace
}  // namespace indim
