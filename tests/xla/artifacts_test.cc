// SPDX-License-Identifier: Apache-2.0
// Portable artifacts against the StableHLO in jaxlib: artifacts.py.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/run_script.h"

namespace indim {
namespace {

TEST(ArtifactsTest, JaxlibReadsOursAsItsOwn) {
  std::string arguments = absl::StrCat(
      "artifacts.py --rewrite=tests/stablehlo/bytecode/rewrite_artifact "
      "--every=",
      SampleStep(2), " tests/data/stablehlo/artifacts/1_14_0.mlir");
  for (const char* name :
       {"cpu_lu_lapack_getrf", "rocm_qr_hipsolver_geqrf",
        "shardy_sharding_ops_with_different_meshes", "stablehlo_dynamic_top_k",
        "tpu_Sharding", "tpu_stablehlo_dynamic_reduce_window"}) {
    absl::StrAppend(&arguments, " tests/data/stablehlo/artifacts/jax_", name,
                    ".bc");
  }
  const ScriptRun run = RunScript(arguments);
  EXPECT_TRUE(run.agreed) << run.said;
  EXPECT_GT(run.compared, 400 / SampleStep(2)) << run.said;
}

}  // namespace
}  // namespace indim
