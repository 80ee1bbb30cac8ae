// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/version.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VersionTest, IsThreeNumbers) {
  const std::vector<std::string> parts = absl::StrSplit(Version(), '.');
  ASSERT_EQ(parts.size(), 3u);
  for (const std::string& part : parts) {
    int number = -1;
    EXPECT_TRUE(absl::SimpleAtoi(part, &number)) << part;
    EXPECT_EQ(absl::StrCat(number), part);
  }
}

// The newest entry of the changelog, its first line of level two, is about this
// version.
TEST(VersionTest, ChangelogStartsWithIt) {
  std::ifstream changelog("CHANGELOG.md");
  std::string line;
  while (std::getline(changelog, line) && !absl::StartsWith(line, "## ")) {
  }
  EXPECT_TRUE(absl::StartsWith(line, absl::StrCat("## ", Version(), " ")))
      << "CHANGELOG.md says \"" << line << "\", Version() " << Version();
}

// Whether a text has the version, and not as a part of a longer number.
bool Spells(absl::string_view text, absl::string_view version) {
  const auto belongs = [text](size_t at) {
    return at < text.size() &&
           absl::ascii_isdigit(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find(version); at != text.npos;
       at = text.find(version, at + 1)) {
    const bool behind_point = at >= 1 && text[at - 1] == '.';
    if (!behind_point && (at == 0 || !belongs(at - 1)) &&
        !belongs(at + version.size())) {
      return true;
    }
  }
  return false;
}

// Packages, pages and programs take it from version.cc; the changelog says what
// is new in it, and README may name the files of a release. Lists of other
// projects' packages have versions of their own.
TEST(VersionTest, StandsOnce) {
  EXPECT_TRUE(Spells("is 1.2.3.", "1.2.3"));
  EXPECT_FALSE(Spells("11.2.3, 1.2.31, 0.1.2.3", "1.2.3"));
  const fs::path root = Checkout();
  std::vector<std::string> spelt;
  int files = 0;
  for (auto it = fs::recursive_directory_iterator(root);
       it != fs::recursive_directory_iterator(); ++it) {
    const std::string path = it->path().lexically_relative(root).string();
    const bool hidden = absl::StartsWith(path, ".") &&
                        !absl::StartsWith(path, ".ci") &&
                        !absl::StartsWith(path, ".github");
    if (it->is_directory() &&
        (hidden || it->is_symlink() || path == "out" || path == "build" ||
         path == "tests/data" || path == "packaging/third_party")) {
      it.disable_recursion_pending();
    }
    if (!it->is_regular_file() || hidden || it->file_size() > (1 << 20) ||
        path == "README.md" || path == "CHANGELOG.md") {
      continue;
    }
    ++files;
    if (Spells(FileText(it->path()), Version())) spelt.push_back(path);
  }
  EXPECT_GT(files, 1000);
  EXPECT_THAT(spelt, ElementsAre("shape/types/version.cc"));
}

// Bazel's rules can't read a source: they name the shared library by the first
// number, as CMake does.
TEST(VersionTest, SharedLibraryHasItsFirstNumber) {
  const std::vector<std::string> parts = absl::StrSplit(Version(), '.');
  for (const char* file : {"install.bzl", "install.sh", "indimTargets.cmake"}) {
    EXPECT_THAT(CheckoutText(absl::StrCat("packaging/install/", file)),
                HasSubstr(absl::StrCat("libindim.so.", parts[0])))
        << file;
  }
}

}  // namespace
}  // namespace indim
