// The documents that are made of the tables are up to date, and what they say
// about rules is so.

#include "indim/tools/docs/doc_tables.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/rules/diagnostic.h"
#include "indim/storage/file.h"
#include "indim/tools/query/query.h"

namespace indim {
namespace {

TEST(DocTablesTest, CheckedInDocumentsAreUpToDate) {
  const auto ops = ReadFile("docs/ops.md");
  const auto rules = ReadFile("docs/rules.md");
  ASSERT_TRUE(ops.ok() && rules.ok());
  EXPECT_TRUE(*ops == OpsDocument()) << "run: bazel run //tools/docs:make_docs";
  EXPECT_TRUE(*rules == RulesDocument())
      << "run: bazel run //tools/docs:make_docs";
}

TEST(DocTablesTest, EveryRuleIsExplained) {
  for (const RuleInfo& info : AllRules()) {
    const RuleDoc& doc = DocOf(info.rule);
    EXPECT_NE(doc.why, "") << info.slug << ": no row in rule_docs.def";
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

// How many answers of `answer` name a rule.
int CountRules(const std::string& answer) {
  int count = 0;
  for (size_t at = answer.find("\"rule\":"); at != std::string::npos;
       at = answer.find("\"rule\":", at + 1)) {
    ++count;
  }
  return count;
}

// Examples that are questions are asked: the right one passes without a
// warning, the wrong one gives this rule and no other.
TEST(DocTablesTest, ExamplesAreAsTheySay) {
  int asked = 0;
  for (const RuleInfo& info : AllRules()) {
    const RuleDoc& doc = DocOf(info.rule);
    if (!absl::StartsWith(doc.right, "{\"") ||
        !absl::StartsWith(doc.wrong, "{\"")) {
      continue;
    }
    ++asked;
    const std::string right = AnswerLine(doc.right);
    EXPECT_EQ(CountRules(right), 0) << info.slug << " " << right;
    const std::string wrong = AnswerLine(doc.wrong);
    EXPECT_TRUE(absl::StrContains(
        wrong, absl::StrCat("\"rule\":\"", RuleId(info.rule), "\"")))
        << info.slug << " " << wrong;
    EXPECT_EQ(CountRules(wrong), 1) << info.slug << " " << wrong;
  }
  EXPECT_GE(asked, 120);
}

}  // namespace
}  // namespace indim
