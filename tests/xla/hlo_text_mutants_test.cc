// SPDX-License-Identifier: Apache-2.0
// HLO texts with one thing changed, beside jaxlib's parser:
// hlo_text_mutants.py.

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(HloTextMutantsTest, IndimReadsAndRefusesWhatJaxlibDoes) {
  const ScriptRun run =
      RunScript(absl::StrCat("hlo_text_mutants.py --indim=tools/indim --count=",
                             AsksAllCases() ? 20000 : 1000,
                             " $(ls tests/data/fuzz/seeds/hlo_text/*)"));
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GE(run.compared, 1000) << run.said;
}

}  // namespace
}  // namespace indim
