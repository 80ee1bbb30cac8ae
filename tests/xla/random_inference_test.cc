// SPDX-License-Identifier: Apache-2.0
// Asks XLA and Indim the same random questions about shapes, on every op whose
// result XLA's text parser infers: random_inference.py, which can be run by
// hand with other seeds and for longer.

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(RandomInferenceTest, NoDisagreementIsUnexplained) {
  // One seed, so that the test is the same every time; some 200 cases an op.
  const ScriptRun run = RunScript(
      absl::StrCat("random_inference.py --indim=tools/indim --seed=20 --cases=",
                   18400 / SampleStep(10)));
  EXPECT_TRUE(run.agreed) << run.said;
  // The table is its last line's sum: it did ask.
  EXPECT_NE(run.said.find("both accept"), std::string::npos) << run.said;
}

}  // namespace
}  // namespace indim
