// SPDX-License-Identifier: Apache-2.0
// docs/pictures.md and its pictures are up to date and whole.

#include "indim/tools/docs/doc_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

TEST(DocPicturesTest, CheckedInPicturesAreUpToDate) {
  const auto page = ReadFile("docs/pictures.md");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(*page == PicturesDocument())
      << "run: bazel run //tools/docs:make_docs";
  for (const Picture& picture : Pictures()) {
    const auto svg =
        ReadFile(absl::StrCat("docs/pictures/", picture.name, ".svg"));
    const auto made = PictureSvg(picture);
    ASSERT_TRUE(svg.ok() && made.ok()) << picture.name << made.status();
    EXPECT_TRUE(*svg == *made)
        << picture.name << " run: bazel run //tools/docs:make_docs";
  }
}

// The documents' own numbers.
TEST(DocPicturesTest, PicturesShowTheResult) {
  for (const Picture& picture : Pictures()) {
    const std::string svg = *PictureSvg(picture);
    EXPECT_THAT(svg, HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_TRUE(absl::EndsWith(svg, "</svg>\n"));
    const bool has_result = absl::StrContains(svg, "class=\"r\"");
    EXPECT_EQ(has_result, std::string(picture.name) != "refused")
        << picture.name;
  }
}

}  // namespace
}  // namespace indim
