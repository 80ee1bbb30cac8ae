// SPDX-License-Identifier: Apache-2.0
// The documents that are made of the tables are up to date, and what they say
// about codes is so.

#include "indim/tools/docs/doc_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

TEST(DocTablesTest, CheckedInDocumentsAreUpToDate) {
  const std::pair<const char*, std::string> documents[] = {
      {"docs/ops.md", OpsDocument()},
      {"docs/codes.md", CodesDocument()},
      {"docs/names.md", NamesDocument()},
      {"docs/gradient_rules.md", GradientRulesDocument()}};
  for (const auto& [file, made] : documents) {
    const absl::StatusOr<std::string> text = ReadFile(file);
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_TRUE(*text == made)
        << file << ": run: bazel run //tools/docs:make_docs";
  }
}

TEST(DocTablesTest, EveryCodeIsExplained) {
  for (const CodeInfo& info : AllCodes()) {
    const CodeDoc& doc = DocOf(info.code);
    EXPECT_NE(doc.why, "") << info.slug << ": no row in code_docs.def";
    EXPECT_NE(doc.right, "") << info.slug;
    EXPECT_NE(doc.wrong, "") << info.slug;
    EXPECT_NE(doc.right, doc.wrong) << info.slug;
  }
}

TEST(DocTablesTest, EveryOpIsExplained) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_NE(DocOf(op.opcode), "") << op.wire << ": no row in op_docs.def";
  }
}

// How many answers of `answer` name a code.
int CountCodes(const std::string& answer) {
  int count = 0;
  for (size_t at = answer.find("\"code\":"); at != std::string::npos;
       at = answer.find("\"code\":", at + 1)) {
    ++count;
  }
  return count;
}

// Examples that are questions are asked: the right one passes without a
// warning, the wrong one gives this code and no other.
TEST(DocTablesTest, ExamplesAreAsTheySay) {
  int asked = 0;
  for (const CodeInfo& info : AllCodes()) {
    const CodeDoc& doc = DocOf(info.code);
    if (!absl::StartsWith(doc.right, "{\"") ||
        !absl::StartsWith(doc.wrong, "{\"")) {
      continue;
    }
    ++asked;
    const std::string right = AnswerLine(doc.right);
    EXPECT_EQ(CountCodes(right), 0) << info.slug << " " << right;
    const std::string wrong = AnswerLine(doc.wrong);
    EXPECT_TRUE(absl::StrContains(
        wrong, absl::StrCat("\"code\":\"", CodeText(info.code), "\"")))
        << info.slug << " " << wrong;
    EXPECT_EQ(CountCodes(wrong), 1) << info.slug << " " << wrong;
  }
  EXPECT_GE(asked, 120);
}

}  // namespace
}  // namespace indim
