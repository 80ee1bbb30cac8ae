// The README shows nothing that isn't so: its program is the one that is built,
// and what it says that the command prints, the command prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// As the README shows a text: four blanks before each line that isn't empty.
std::string Indented(const std::string& text) {
  std::string indented;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&indented, line.empty() ? "" : "    ", line, "\n");
  }
  return indented.substr(0, indented.find_last_not_of('\n') + 1);
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  size_t n;
  while (pipe != nullptr && (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    text.append(buffer, n);
  }
  if (pipe != nullptr) pclose(pipe);
  return text;
}

TEST(Readme, ShowsTheProgramThatIsBuilt) {
  EXPECT_THAT(Contents("README.md"),
              HasSubstr(Indented(Contents("examples/affine.cc"))));
}

TEST(Readme, ShowsTheFilesOfAProgramElsewhere) {
  const std::string readme = Contents("README.md");
  const std::string workspace = Contents("examples/consumer/WORKSPACE");
  const size_t start = workspace.find("local_repository(");
  ASSERT_NE(start, std::string::npos);
  EXPECT_THAT(readme, HasSubstr(Indented(workspace.substr(start))));
  EXPECT_THAT(readme, HasSubstr(Indented(Contents("examples/consumer/BUILD"))));
  // 1, e and e^2, as shares of their sum.
  EXPECT_THAT(OutputOf("examples/softmax"),
              HasSubstr("{0.0900305733, 0.244728476, 0.665240943}"));
}

TEST(Readme, ShowsWhatExplainPrints) {
  EXPECT_THAT(Contents("README.md"),
              HasSubstr(Indented(
                  OutputOf("tools/indim explain 'f32[4] + f32[1,2] {0}'"))));
}

TEST(Readme, ShowsTheErrorThatTheQuickstartPrints) {
  const std::string output =
      OutputOf("env -u INDIM_XLA_PYTHON examples/quickstart $TEST_TMPDIR/a.pb");
  const size_t start = output.find("examples/quickstart.cc:");
  ASSERT_NE(start, std::string::npos) << output;
  const size_t end = output.find("\n\n", start);
  EXPECT_THAT(Contents("README.md"),
              HasSubstr(Indented(output.substr(start, end - start))));
}

TEST(Readme, NamesEveryCommand) {
  const std::string readme = Contents("README.md");
  for (const char* command :
       {"check", "infer", "convert", "query", "explain"}) {
    EXPECT_THAT(readme, HasSubstr(absl::StrCat("`indim ", command)));
    EXPECT_THAT(OutputOf("tools/indim help"),
                HasSubstr(absl::StrCat("indim ", command)));
  }
}

}  // namespace
}  // namespace indim
