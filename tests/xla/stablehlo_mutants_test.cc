// SPDX-License-Identifier: Apache-2.0
// Operations of StableHLO with one thing changed, beside jaxlib's verifier:
// stablehlo_mutants.py.

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(StablehloMutantsTest, IndimRefusesWhatJaxlibOrXlaRefuses) {
  const ScriptRun run = RunScript(absl::StrCat(
      "stablehlo_mutants.py --indim=tools/indim --step=", SampleStep(10),
      AsksAllCases() ? " --most=100000" : "",
      " tests/data/stablehlo/verify.jsonl "
      "tests/data/stablehlo/interpret.jsonl"));
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GE(run.compared, AsksAllCases() ? 20000 : 1500) << run.said;
}

}  // namespace
}  // namespace indim
