// StableHLO that Indim writes against the StableHLO in jaxlib:
// stablehlo_texts.py.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(StablehloTextsTest, JaxlibPrintsOursAsTheyAre) {
  std::string arguments =
      "stablehlo_texts.py --writer=tests/stablehlo/export/write_cases";
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("tests/data/jax")) {
    const std::string path = entry.path().string();
    if (absl::StrContains(path, ".opt.") || !absl::EndsWith(path, ".pb")) {
      continue;
    }
    absl::StrAppend(&arguments, " ", path);
    ++files;
  }
  ASSERT_GT(files, 20);
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  const size_t at = run.said.find("compared: ");
  ASSERT_NE(at, run.said.npos) << run.said;
  const absl::string_view rest = absl::string_view(run.said).substr(at + 10);
  int count = 0;
  ASSERT_TRUE(absl::SimpleAtoi(rest.substr(0, rest.find(',')), &count));
  EXPECT_GE(count, files - 2) << run.said;
}

}  // namespace
}  // namespace indim
