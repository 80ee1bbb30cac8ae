// SPDX-License-Identifier: Apache-2.0
// docs/spec.md: each row's command gives the answer that was written down by
// hand from the document, and nothing countable of the documents is left out.

#include "indim/tools/docs/spec.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"

namespace indim {
namespace {

TEST(SpecTest, CheckedInPageIsUpToDate) {
  const auto page = ReadFile("docs/spec.md");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_TRUE(*page == SpecPage()) << "run: bazel run //tools/docs:make_docs";
}

class SpecRowTest : public testing::TestWithParam<SpecRow> {};

TEST_P(SpecRowTest, TheCommandGivesTheAnswer) {
  const SpecRow& row = GetParam();
  const std::string answer = row.answer, ours = row.ours, note = row.note;
  const std::string given = SpecAnswer(row);
  // Which of our codes refuses, the page says; CheckedInPageIsUpToDate.
  EXPECT_EQ(absl::StartsWith(given, "refused: ") ? "refused" : given,
            ours.empty() ? answer : ours)
      << row.says;
  if (!ours.empty()) {
    EXPECT_NE(ours, answer) << row.says << ": no difference";
    EXPECT_NE(note, "") << row.says << ": a difference without a reason";
  }
}

// The named test is there.
TEST_P(SpecRowTest, ATestHoldsIt) {
  const std::pair<std::string, std::string> file_and_test =
      absl::StrSplit(GetParam().test, absl::MaxSplits(' ', 1));
  const auto source = ReadFile(file_and_test.first);
  ASSERT_TRUE(source.ok()) << source.status();
  const std::string test =
      absl::StrReplaceAll(file_and_test.second, {{".", ", "}});
  EXPECT_TRUE(absl::StrContains(*source, absl::StrCat("TEST(", test, ")")) ||
              absl::StrContains(*source, absl::StrCat("TEST_F(", test, ")")))
      << test;
}

INSTANTIATE_TEST_SUITE_P(Rows, SpecRowTest, testing::ValuesIn(SpecRows()));

// No statement stands twice, and what can be counted in a document is all
// here.
TEST(SpecTest, IsWhole) {
  std::set<std::tuple<SpecDocument, std::string, std::string>> seen;
  std::map<std::pair<SpecDocument, SpecKind>, int> counts;
  for (const SpecRow& row : SpecRows()) {
    EXPECT_TRUE(seen.emplace(row.document, row.section, row.says).second)
        << row.says;
    ++counts[{row.document, row.kind}];
  }
  const std::map<std::pair<SpecDocument, SpecKind>, int> documents = {
      {{SpecDocument::kTrait, SpecKind::kInferenceRow}, 6},
      {{SpecDocument::kTrait, SpecKind::kVerificationRow}, 4},
      // InferDim, ExpandRank, InferShape, InferResultShape, Verify.
      {{SpecDocument::kTrait, SpecKind::kPseudoCode}, 5},
      {{SpecDocument::kTrait, SpecKind::kExample}, 13},
      // The concat and the matrix multiplication.
      {{SpecDocument::kShapeInference, SpecKind::kExample}, 2},
      // 11 of numpy, 7 of pdpd, 5 bidirectional.
      {{SpecDocument::kOpenVino, SpecKind::kExample}, 23},
      {{SpecDocument::kXla, SpecKind::kNumbered}, 4},
      // A vector, a scalar, three ways to lay a vector, the composition.
      {{SpecDocument::kXla, SpecKind::kValues}, 6},
  };
  for (const auto& [key, count] : documents) {
    EXPECT_EQ(counts[key], count)
        << static_cast<int>(key.first) << " " << static_cast<int>(key.second);
  }
}

}  // namespace
}  // namespace indim
