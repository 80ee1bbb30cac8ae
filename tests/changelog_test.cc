// SPDX-License-Identifier: Apache-2.0
// What CHANGELOG.md says of commands, operations and formats is what the tables
// in the sources say.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/checkout.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

// The text between `begin` and the next `end`; "" where there is none.
std::string Between(absl::string_view text, absl::string_view begin,
                    absl::string_view end) {
  const size_t at = text.find(begin);
  if (at == text.npos) return "";
  text.remove_prefix(at + begin.size());
  return std::string(text.substr(0, text.find(end)));
}

// The entry that begins with `begin`, on one line, without `begin`.
std::string Entry(absl::string_view begin) {
  return absl::StrReplaceAll(Between(CheckoutText("CHANGELOG.md"),
                                     absl::StrCat("\n- ", begin), "\n- "),
                             {{"\n  ", " "}});
}

// What stands between `mark`s.
std::set<std::string> Marked(absl::string_view text, char mark) {
  const std::vector<std::string> parts = absl::StrSplit(text, mark);
  std::set<std::string> marked;
  for (size_t i = 1; i + 1 < parts.size(); i += 2) marked.insert(parts[i]);
  return marked;
}

// The first words in the parentheses of a table's rows, as "Abs" of
// "INDIM_EVAL(Abs, ...)" where `row` is "INDIM_EVAL(".
std::vector<std::string> Rows(const std::string& file, absl::string_view row) {
  std::vector<std::string> words;
  for (absl::string_view line : absl::StrSplit(CheckoutText(file), '\n')) {
    if (!absl::StartsWith(line, row)) continue;
    line.remove_prefix(row.size());
    words.emplace_back(line.substr(0, line.find_first_of(",)")));
  }
  return words;
}

// "send-done" of "SendDone".
std::string WireName(absl::string_view name) {
  std::string wire;
  for (const char c : name) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c)) && !wire.empty()) {
      wire += '-';
    }
    wire += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return wire;
}

TEST(Changelog, CountsTheOperations) {
  const size_t all = Rows("shape/ops/ops.def", "INDIM_OP(").size();
  const std::vector<std::string> none =
      Rows("eval/values/evaluations.def", "INDIM_EVAL_NONE(");
  ASSERT_GT(all, 100u);
  ASSERT_GT(none.size(), 0u);
  EXPECT_THAT(Entry("**Build.**"),
              HasSubstr(absl::StrCat("each of XLA's ", all, " operations")));
  EXPECT_THAT(Entry("**Evaluate.**"),
              HasSubstr(absl::StrCat(all - none.size(), " of the ", all,
                                     " operations on every element type")));
  std::set<std::string> names;
  for (const std::string& name : none) names.insert(WireName(name));
  EXPECT_EQ(Marked(Entry("Evaluate "), '`'), names);
}

TEST(Changelog, ListsTheCommands) {
  std::vector<std::string> commands;
  std::string table;
  for (const char* part : {"command_table", "view_rows", "run_rows"}) {
    table += CheckoutText(absl::StrCat("tools/", part, ".cc"));
  }
  const std::vector<std::string> rows = absl::StrSplit(table, "Row() {");
  for (size_t i = 1; i < rows.size(); ++i) {
    commands.push_back(Between(Between(rows[i], "return {", ","), "\"", "\""));
  }
  EXPECT_THAT(commands, SizeIs(testing::Gt(10u)));
  EXPECT_THAT(
      Entry("**Explain.**"),
      HasSubstr(absl::StrCat(": ", absl::StrJoin(commands, ", "), ".")));
}

// By the extensions of their files.
TEST(Changelog, ListsTheFormats) {
  const std::set<std::string> extensions = Marked(
      Between(CheckoutText("io/module_format.cc"), " FormatOfName(", "\n}"),
      '"');
  EXPECT_THAT(extensions, IsSupersetOf({".pb", ".hlo", ".mlirbc"}));
  std::set<std::string> said;
  for (const std::string& word : Marked(Entry("**Read and write.**"), '`')) {
    if (absl::StartsWith(word, ".")) said.insert(word);
  }
  EXPECT_EQ(said, extensions);
}

// What it once couldn't do.
TEST(Changelog, NothingIsMissingThatIsThere) {
  const std::string missing =
      Between(CheckoutText("CHANGELOG.md"), "### What it can't do", "\n### ");
  ASSERT_THAT(missing, HasSubstr("Optimise"));
  for (const char* there :
       {"collective of more", "Read MLIR", "several devices"}) {
    EXPECT_THAT(missing, Not(HasSubstr(there)));
  }
}

}  // namespace
}  // namespace indim
