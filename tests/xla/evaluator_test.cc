// SPDX-License-Identifier: Apache-2.0
// The reference evaluator against real XLA (and NumPy where XLA's CPU client
// has no answer): evaluator.py, which can be run by hand with other seeds.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

// Every operation that XLA's CPU or NumPy computes, of every element type; and
// modules that JAX exported, on made-up inputs.
TEST(EvaluatorTest, AgreesWithXla) {
  std::string arguments = absl::StrCat(
      "evaluator.py --indim=tools/indim --seed=1 --every=", SampleStep(30));
  for (const char* name :
       {"ct_cond_switch", "dt_bitcast", "dt_dot_algorithms", "dt_f16_mixed",
        "ix_dynamic_slices", "nn_beam_search", "nn_conv_zoo", "np_einsum_zoo",
        "np_reductions", "np_unary_zoo", "sy_batch_norm", "sy_case_if_while",
        "sy_select_scatter_reduce_window"}) {
    absl::StrAppend(&arguments, " tests/data/jax/", name, ".hlo.pb");
  }
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(run.compared, 3000 / SampleStep(30) + 150) << run.said;
}

// Each conversion, each format of reduce-precision (in CI one of 100), each
// complex function, where values are special: the signs of zeros count.
TEST(EvaluatorTest, AgreesOnSpecialValues) {
  const ScriptRun run = RunScript(absl::StrCat(
      "special_values.py --indim=tools/indim --every=", SampleStep(100)));
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(run.compared, 110000) << run.said;
}

}  // namespace
}  // namespace indim
