// SPDX-License-Identifier: Apache-2.0
// The return-type driver on real modules, and on shapes that broadcast.

#include "indim/tools/return_types.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_join.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

TEST(ReturnTypesTest, RealModulesAgree) {
  for (const char* name : {"dt_int_bits", "np_reductions", "dt_bitcast"}) {
    SCOPED_TRACE(name);
    const absl::StatusOr<std::string> bytes =
        ReadFile(std::string("tests/data/jax/") + name + ".hlo.pb");
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
    ASSERT_TRUE(module.ok()) << module.status();
    const ReturnTypeResult result = TestReturnTypes(*module);
    EXPECT_EQ(absl::StrJoin(result.disagreements, "\n"), "");
    EXPECT_GT(result.verified, 10);
    EXPECT_GT(result.agreed, 100);
    EXPECT_GT(result.refused, 100);
  }
}

TEST(ReturnTypesTest, EveryWayToBroadcastAgrees) {
  std::string text = "HloModule m\nENTRY e {\n";
  int number = 0;
  for (const char* type : {"f32", "f64", "bf16", "s32", "pred", "c64"}) {
    for (const char* dims : {"", "2", "1", "0", "2,3", "1,3", "2,1"}) {
      const std::string n = std::to_string(number++);
      text +=
          "  p" + n + " = " + type + "[" + dims + "] parameter(" + n + ")\n";
    }
  }
  const absl::StatusOr<Module> module =
      ParseHloText(text + "  ROOT t = () tuple()\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  ReturnTypeOptions options;
  options.max_shapes = 100;
  const ReturnTypeResult result = TestReturnTypes(*module, options);
  EXPECT_EQ(absl::StrJoin(result.disagreements, "\n"), "");
  EXPECT_EQ(result.left_out, 0);
  EXPECT_GT(result.agreed, 1000);
}

// What is recorded wrong is found.
TEST(ReturnTypesTest, AWrongResultIsADisagreement) {
  const absl::StatusOr<Module> module = ParseHloText(
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
      "  ROOT r = f32[3] negate(p)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(TestReturnTypes(*module).disagreements.size(), 1);
}

}  // namespace
}  // namespace indim
