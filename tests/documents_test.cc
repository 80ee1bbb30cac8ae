// SPDX-License-Identifier: Apache-2.0
// What the documents say of the checkout is so: files, targets and links that
// they name are there, the index lists every page, the README's commands are
// run somewhere, and the diffs of docs/adding.md fit the sources.
//
// It reads the checkout itself, so that a new page can't be forgotten.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/tests/checkout.h"
#include "indim/tests/page.h"

namespace indim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The pages at the top and in docs/, by their paths.
std::vector<std::string> Documents() {
  std::vector<std::string> pages;
  for (const char* folder : {"", "docs"}) {
    for (const auto& entry : fs::directory_iterator(Checkout() / folder)) {
      if (entry.path().extension() != ".md") continue;
      pages.push_back(entry.path().lexically_relative(Checkout()).string());
    }
  }
  return pages;
}

// The lines outside of blocks of code.
std::string Prose(const std::string& page) {
  std::string prose;
  bool fenced = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    const bool fence = absl::StartsWith(line, "```");
    if (fence) fenced = !fenced;
    if (fence || fenced || absl::StartsWith(line, "    ")) continue;
    absl::StrAppend(&prose, line, "\n");
  }
  return prose;
}

// The pieces between two of `mark` in each line of the prose.
std::vector<std::string> PiecesBetween(const std::string& page, char mark) {
  std::vector<std::string> found;
  for (absl::string_view line : absl::StrSplit(Prose(page), '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, mark);
    for (size_t i = 1; i + 1 < parts.size(); i += 2) found.push_back(parts[i]);
  }
  return found;
}

bool IsWordOf(absl::string_view text, absl::string_view characters) {
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains(characters, c)) {
      return false;
    }
  }
  return !text.empty();
}

// "shape/ops/ops.def", "docs/symbols.md": a file of ours and nothing else.
bool NamesAFile(absl::string_view word) {
  if (!absl::StrContains(word, '/') || !IsWordOf(word, "/._-") ||
      absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) {
    return false;
  }
  for (const char* extension : {".h", ".cc", ".def", ".md", ".py", ".hlo",
                                ".txt", ".jsonl", ".pbtxt", ".bzl", ".sh"}) {
    if (absl::EndsWith(word, extension)) return true;
  }
  return false;
}

bool Exists(absl::string_view path) {
  return fs::exists(Checkout() / std::string(path));
}

TEST(Documents, FilesThatTheyNameExist) {
  int files = 0;
  for (const std::string& page : Documents()) {
    for (std::string word : PiecesBetween(CheckoutText(page), '`')) {
      if (!NamesAFile(word)) continue;
      // MLIR's own.
      if (word == "docs/Traits/Broadcastable.md") continue;
      ++files;
      absl::string_view path = word;
      absl::ConsumePrefix(&path, "indim/");
      EXPECT_TRUE(Exists(path)) << page << " names " << word;
    }
  }
  EXPECT_GT(files, 100);
}

TEST(Documents, LinksLeadSomewhere) {
  int links = 0;
  for (const std::string& page : Documents()) {
    const std::vector<std::string> parts =
        absl::StrSplit(Prose(CheckoutText(page)), "](");
    for (size_t i = 1; i < parts.size(); ++i) {
      const std::string target = parts[i].substr(0, parts[i].find(')'));
      if (absl::StartsWith(target, "http")) continue;
      const std::string file = target.substr(0, target.find('#'));
      ++links;
      EXPECT_TRUE(Exists(
          (fs::path(page).parent_path() / file).lexically_normal().string()))
          << page << " links to " << target;
    }
  }
  EXPECT_GT(links, 50);
}

// "tests/eval:broken_test" of each "//tests/eval:broken_test", in code too.
std::set<std::string> Targets(const std::string& page) {
  std::set<std::string> targets;
  const std::vector<std::string> parts = absl::StrSplit(page, "//");
  for (size_t i = 1; i < parts.size(); ++i) {
    const absl::string_view rest = parts[i];
    const size_t end =
        rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_/:.");
    absl::string_view target = rest.substr(0, end);
    // TARGET stands for any.
    if (end != rest.npos && absl::ascii_isupper(rest[end])) continue;
    while (absl::ConsumeSuffix(&target, ".") ||
           absl::ConsumeSuffix(&target, ":")) {
    }
    const size_t colon = target.find(':');
    if (colon == 0 || colon == target.npos || absl::EndsWith(target, ":all")) {
      continue;
    }
    targets.insert(std::string(target));
  }
  return targets;
}

// A rule, or a file of its package.
bool TargetExists(absl::string_view target) {
  const std::vector<std::string> parts = absl::StrSplit(target, ':');
  if (parts.size() != 2) return false;
  const std::string build = CheckoutText(parts[0] + "/BUILD");
  // The folder's tests (packaging/units.bzl).
  if (absl::StrContains(build, "folder_tests(") &&
      parts[1] == fs::path(parts[0]).filename().string() + "_test") {
    return true;
  }
  return Exists(absl::StrCat(parts[0], "/", parts[1])) ||
         absl::StrContains(build, absl::StrCat("\"", parts[1], "\""));
}

TEST(Documents, TargetsThatTheyNameExist) {
  std::set<std::string> targets;
  for (const std::string& page : Documents()) {
    for (const std::string& target : Targets(CheckoutText(page))) {
      targets.insert(target);
      EXPECT_TRUE(TargetExists(target)) << page << " names //" << target;
    }
  }
  EXPECT_GT(targets.size(), 10);
}

TEST(Documents, TheIndexListsEveryPage) {
  const std::string index = CheckoutText("docs/README.md");
  for (const std::string& page : Documents()) {
    const std::string name = fs::path(page).filename().string();
    if (name == "README.md") continue;
    EXPECT_THAT(index, HasSubstr(name + ")")) << page;
  }
}

TEST(Documents, TheReadmeHasAtMost110Lines) {
  const std::vector<std::string> lines =
      absl::StrSplit(CheckoutText("README.md"), '\n');
  EXPECT_LE(lines.size(), 111u);  // the last one ends the file
}

// Each command of the README that no other test takes from there, and the file
// whose test or script runs it; a new one needs a row here.
TEST(Documents, TheReadmesCommandsAreRunSomewhere) {
  struct Row {
    const char* command;  // up to a comment
    const char* file;
    const char* there;
  };
  const std::vector<Row> rows = {
      {"./bazelw run //examples:quickstart", "tests/readme_test.cc",
       "examples/quickstart $TEST_TMPDIR"},
      {"./bazelw test //...", ".ci/run", "run_tests plain //..."},
      {"./bazelw run //tools:indim -- check $PWD/tests/data/jax",
       "tests/readme_test.cc", "tools/indim check tests/data/jax"},
      {"python3 -m venv .python && .python/bin/pip install . && "
       ".python/bin/python -m indim help",
       "tests/packaging/install/pip_test.sh", "\"Python: pip\""},
  };
  std::set<std::string> expected, shown;
  for (const Row& row : rows) {
    expected.insert(row.command);
    EXPECT_THAT(CheckoutText(row.file), HasSubstr(row.there)) << row.command;
  }
  for (absl::string_view line :
       absl::StrSplit(CheckoutText("README.md"), '\n')) {
    if (!absl::ConsumePrefix(&line, "    ")) continue;
    if (!absl::StartsWith(line, "./") && !absl::StartsWith(line, "python3 ")) {
      continue;
    }
    line = line.substr(0, line.find("  #"));
    shown.insert(std::string(absl::StripTrailingAsciiWhitespace(line)));
  }
  EXPECT_EQ(shown, expected);
}

// One piece of a diff: the lines that a file has before it, and the file.
struct Hunk {
  std::string file;
  std::string before;
};

std::vector<Hunk> Hunks(const std::string& diff) {
  std::vector<Hunk> hunks;
  std::string file;
  for (absl::string_view line : absl::StrSplit(diff, '\n')) {
    if (absl::ConsumePrefix(&line, "+++ b/")) {
      file = std::string(line);
    } else if (absl::StartsWith(line, "@@")) {
      hunks.push_back({file, ""});
    } else if (!hunks.empty() && hunks.back().file == file &&
               (absl::ConsumePrefix(&line, " ") ||
                (absl::StartsWith(line, "-") &&
                 !absl::StartsWith(line, "--- ") &&
                 absl::ConsumePrefix(&line, "-")))) {
      absl::StrAppend(&hunks.back().before, line, "\n");
    }
  }
  return hunks;
}

TEST(Adding, DiffsFitTheSources) {
  int hunks = 0;
  for (const PageBlock& block : PageBlocks(CheckoutText("docs/adding.md"))) {
    if (!absl::StrContains(block.text, "+++ b/")) continue;
    for (const Hunk& hunk : Hunks(block.text)) {
      ++hunks;
      if (hunk.before.empty()) {  // a new file
        EXPECT_FALSE(Exists(hunk.file)) << hunk.file;
        continue;
      }
      EXPECT_THAT(absl::StrCat("\n", CheckoutText(hunk.file)),
                  HasSubstr(absl::StrCat("\n", hunk.before)))
          << "docs/adding.md: " << hunk.file;
    }
  }
  EXPECT_GT(hunks, 20);
}

// Lines that aren't empty, a comment or an #include.
int LinesOfCode(const std::string& source) {
  int lines = 0;
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!line.empty() && !absl::StartsWith(line, "//") &&
        !absl::StartsWith(line, "#include")) {
      ++lines;
    }
  }
  return lines;
}

// examples/README.md has a line for each file and folder.
TEST(Examples, ArePresented) {
  const std::string page = CheckoutText("examples/README.md");
  int count = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(Checkout() / "examples")) {
    const std::string name = entry.path().filename().string();
    if (name == "README.md" || name == "BUILD") continue;
    if (entry.path().extension() == ".h") continue;  // its .cc has a line
    ++count;
    EXPECT_THAT(page, HasSubstr(absl::StrCat("(", name, ")"))) << name;
  }
  EXPECT_GT(count, 20);
}

// How much a user writes: docs/building.md names the numbers.
TEST(Examples, AreShort) {
  struct Row {
    const char* file;
    int lines;
  };
  for (const Row& row : {Row{"examples/train_step.cc", 20},
                         Row{"examples/models/decoder.cc", 70}}) {
    const int lines = LinesOfCode(CheckoutText(row.file));
    EXPECT_GT(lines, 0) << row.file;
    EXPECT_LE(lines, row.lines) << row.file;
    EXPECT_THAT(CheckoutText("docs/building.md"),
                HasSubstr(absl::StrCat("at most ", row.lines, " lines")))
        << row.file;
  }
}

TEST(Documents, Pieces) {
  EXPECT_TRUE(NamesAFile("shape/ops/ops.def"));
  EXPECT_FALSE(NamesAFile("ops.def"));
  EXPECT_FALSE(NamesAFile("print x/y.hlo"));
  EXPECT_EQ(PiecesBetween("`a` and `b`\n    `c`\n```\n`d`\n```\n", '`'),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(Targets("//a/b:c_test, //d/... //:install and //x:NAME"),
            (std::set<std::string>{"a/b:c_test"}));
  const std::vector<Hunk> hunks = Hunks(
      "--- a/x\n+++ b/x\n@@ -1 +1 @@\n one\n-two\n+three\n@@ -9 +9 @@\n nine\n"
      "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+new\n");
  ASSERT_EQ(hunks.size(), 3u);
  EXPECT_EQ(hunks[0].before, "one\ntwo\n");
  EXPECT_EQ(hunks[1].before, "nine\n");
  EXPECT_EQ(hunks[2].file, "y");
  EXPECT_THAT(hunks[2].before, IsEmpty());
}

}  // namespace
}  // namespace indim
