// SPDX-License-Identifier: Apache-2.0
// StableHLO that Indim writes against the StableHLO in jaxlib:
// stablehlo_texts.py.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/data_files.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(StablehloTextsTest, JaxlibPrintsOursAsTheyAre) {
  std::string arguments =
      "stablehlo_texts.py --writer=tests/stablehlo/export/write_cases";
  int files = 0;
  for (const std::string& path : JaxModules()) {
    if (absl::StrContains(path, ".opt.")) continue;
    absl::StrAppend(&arguments, " ", path);
    ++files;
  }
  ASSERT_GT(files, 20);
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GE(run.compared, files - 2) << run.said;
}

}  // namespace
}  // namespace indim
