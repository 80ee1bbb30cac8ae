// SPDX-License-Identifier: Apache-2.0
// The README shows nothing that isn't so: its program is the one that is built,
// and what it says that the command prints, the command prints. docs/install.md
// shows the files of a repository that is built.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/tests/page.h"
#include "indim/tests/xla_python.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// As the README shows a text: four blanks before each line that isn't empty.
std::string Indented(const std::string& text) {
  std::string indented;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&indented, line.empty() ? "" : "    ", line, "\n");
  }
  return indented.substr(0, indented.find_last_not_of('\n') + 1);
}

TEST(Readme, ShowsTheProgramThatIsBuilt) {
  EXPECT_THAT(FileText("README.md"),
              HasSubstr(Indented(FileText("examples/affine.cc"))));
}

TEST(Install, ShowsTheFilesOfAProgramElsewhere) {
  const std::string page = FileText("docs/install.md");
  const std::string workspace = FileText("examples/consumer/WORKSPACE");
  const size_t start = workspace.find("local_repository(");
  ASSERT_NE(start, std::string::npos);
  EXPECT_THAT(page, HasSubstr(Indented(workspace.substr(start))));
  EXPECT_THAT(page, HasSubstr(Indented(FileText("examples/consumer/BUILD"))));
  const std::string flags = FileText("examples/consumer/.bazelrc");
  EXPECT_THAT(flags, HasSubstr("-std=c++17\n"));
  EXPECT_THAT(page, HasSubstr(Indented(flags.substr(0, flags.find('#')))));
  // 1, e and e^2, as shares of their sum.
  EXPECT_THAT(OutputOf("examples/softmax"),
              HasSubstr("{0.0900305733, 0.244728476, 0.665240943}"));
}

TEST(Readme, ShowsTheErrorOfItsProgramWithoutTheDimensions) {
  EXPECT_THAT(FileText("README.md"),
              HasSubstr(Indented(OutputOf("examples/affine_wrong 2>&1"))));
}

TEST(Readme, TheQuickstartDoesAllThatItSays) {
  const std::string output =
      OutputOf("examples/quickstart $TEST_TMPDIR/b.pb; echo $?");
  EXPECT_THAT(output,
              HasSubstr("add(%dot.4, %bias), broadcast_dimensions={1}"));
  EXPECT_THAT(output, HasSubstr("  to fix: Add(dot.4, bias, {1}) matches"));
  EXPECT_THAT(output, HasSubstr("1 of them broadcast, 0 wrong"));
  EXPECT_THAT(output, HasSubstr(" broadcast(%bias), dimensions={1}"));
  EXPECT_THAT(output, HasSubstr("  evaluator  y[0,:5] = "));
  EXPECT_THAT(output, HasSubstr("-- --plugin=cpu\n0\n"));
}

TEST(Readme, TheCommandChecksTheFolderOfModules) {
  EXPECT_THAT(
      OutputOf("tools/indim check tests/data/jax; echo $?"),
      AllOf(HasSubstr("nn_gpt_scan_remat.hlo.pb: ok: "), EndsWith("\n0\n")));
}

TEST(Readme, TheExampleOnXlaSaysWhatItNeeds) {
  const std::string start =
      "env -u INDIM_XLA_PYTHON examples/affine_on_xla 2>&1 ";
  EXPECT_THAT(OutputOf(start + "; echo $?"),
              HasSubstr("expected --plugin=cpu or --xla\n1\n"));
  EXPECT_THAT(OutputOf(start + "--xla; echo $?"),
              HasSubstr("to fix: ./bazelw --setup-xla"));
}

TEST(Readme, TheEvaluatorAndXlaAgree) {
  if (XlaPython().empty()) GTEST_SKIP() << kNeedsXlaPython;
  EXPECT_THAT(OutputOf("examples/affine_on_xla --xla 2>&1"),
              HasSubstr("they agree"));
}

TEST(Readme, NamesEveryCommand) {
  const std::string readme = FileText("README.md");
  for (const char* command :
       {"check", "infer", "convert", "print", "eval", "test-return-types",
        "diff", "query", "explain", "run", "devices"}) {
    EXPECT_THAT(readme, HasSubstr(absl::StrCat("`indim ", command)));
    EXPECT_THAT(OutputOf("tools/indim help"),
                HasSubstr(absl::StrCat("indim ", command)));
  }
}

}  // namespace
}  // namespace indim
