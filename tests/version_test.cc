#include "indim/shape/types/version.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

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

}  // namespace
}  // namespace indim
