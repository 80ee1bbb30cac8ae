// SPDX-License-Identifier: Apache-2.0
// Structure and shapes in one report.
#include "indim/passes/check/verify_module.h"

#include <vector>

#include "gtest/gtest.h"
#include "indim/ir/report.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/ir/report_codes.h"

namespace indim {
namespace {

// x + x, with a name.
ModuleMaker Sum() {
  ModuleMaker maker;
  maker.data().name = "m";
  maker.Computation("main");
  maker.Parameter(0, "f32[2]", "x");
  maker.Add(Opcode::kAdd, "f32[2]", {0, 0}, "sum");
  return maker;
}

TEST(VerifyModuleTest, NothingWrong) {
  const ModuleMaker maker = Sum();
  const VerifyResult result = VerifyModule(maker.Make());
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.inferred + result.related, 2);
}

TEST(VerifyModuleTest, StructureThenShapes) {
  ModuleMaker maker = Sum();
  maker.data().name = "";
  maker.Add(Opcode::kAdd, "f32[3]", {0, 0}, "wrong");
  const VerifyResult result = VerifyModule(maker.Make());
  const std::vector<Code> codes = CodesOf(result.report);
  ASSERT_EQ(codes.size(), 2u);
  EXPECT_EQ(codes[0], Code::kModuleNameMissing);
  EXPECT_EQ(result.report.diagnostics()[1].instruction, 2u);
  EXPECT_EQ(result.report.error_count(), 2);
}

TEST(VerifyModuleTest, OutOfOrderIsNotLookedAtFurther) {
  ModuleMaker maker = Sum();
  maker.data().operands[0] = 100;
  const VerifyResult result = VerifyModule(maker.Make());
  EXPECT_EQ(CodesOf(result.report), std::vector<Code>{Code::kOperandOrder});
  EXPECT_EQ(result.inferred + result.related + result.unchecked, 0);
}

// More of one code than a report keeps are counted all the same.
TEST(VerifyModuleTest, CountsWhatIsDropped) {
  ModuleMaker maker = Sum();
  for (int i = 0; i < 2 * Report::kMaxPerCode; ++i) {
    maker.Add(Opcode::kAdd, "f32[3]", {0, 0});
  }
  const VerifyResult result = VerifyModule(maker.Make());
  EXPECT_EQ(result.report.error_count(), 2 * Report::kMaxPerCode);
  ASSERT_EQ(CodesOf(result.report).size(), size_t{Report::kMaxPerCode});
  EXPECT_EQ(result.report.dropped(CodesOf(result.report)[0]),
            Report::kMaxPerCode);
}

}  // namespace
}  // namespace indim
