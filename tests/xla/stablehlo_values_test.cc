// SPDX-License-Identifier: Apache-2.0
// StableHLO that Indim writes, run by XLA's CPU, against `indim eval`:
// stablehlo_values.py.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(StablehloValuesTest, XlaComputesWhatTheModuleSays) {
  std::string arguments = "stablehlo_values.py --indim=tools/indim";
  for (const char* name :
       {"ct_cond_switch", "dt_bitcast", "dt_dot_algorithms", "dt_f16_mixed",
        "np_reductions", "sy_batch_norm", "sy_case_if_while"}) {
    absl::StrAppend(&arguments, " tests/data/jax/", name, ".hlo.pb");
  }
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(run.compared, 60) << run.said;
}

}  // namespace
}  // namespace indim
