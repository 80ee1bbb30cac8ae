// The reference evaluator against real XLA (and NumPy where XLA's CPU client
// has no answer): evaluator.py, which can be run by hand with other seeds.

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

// The number in its first line, "compared: N results of ...".
int Compared(absl::string_view said) {
  const size_t at = said.find("compared: ");
  if (at == said.npos) return 0;
  const std::vector<absl::string_view> words =
      absl::StrSplit(said.substr(at), absl::MaxSplits(' ', 2));
  int count = 0;
  return absl::SimpleAtoi(words[1], &count) ? count : 0;
}

// Every operation that XLA's CPU or NumPy computes, of every element type.
TEST(EvaluatorTest, AgreesWithXlaOnEveryOperation) {
  const ScriptRun run = RunScript(absl::StrCat(
      "evaluator.py --indim=tools/indim --seed=1 --every=", SampleStep(10)));
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(Compared(run.said), 3000 / SampleStep(10)) << run.said;
}

// Modules that JAX exported, on made-up inputs.
TEST(EvaluatorTest, AgreesWithXlaOnRealModules) {
  std::string arguments = "evaluator.py --indim=tools/indim --only='^$'";
  for (const char* name :
       {"ct_cond_switch", "dt_bitcast", "dt_dot_algorithms", "dt_f16_mixed",
        "ix_dynamic_slices", "nn_beam_search", "nn_conv_zoo", "np_einsum_zoo",
        "np_reductions", "np_unary_zoo", "sy_batch_norm", "sy_case_if_while",
        "sy_select_scatter_reduce_window"}) {
    absl::StrAppend(&arguments, " tests/data/jax/", name, ".hlo.pb");
  }
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(Compared(run.said), 150) << run.said;
}

}  // namespace
}  // namespace indim
