// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/oracle_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(OracleCasesTest, ReadsALine) {
  const std::vector<OracleCase> cases = LoadOracleCases("xla_dev.jsonl");
  EXPECT_EQ(cases.size(), 8967u);
  for (const OracleCase& c : cases) {
    if (c.id != "xla-003407") continue;
    EXPECT_EQ(c.rule, "xla");
    EXPECT_EQ(c.query, "infer");
    EXPECT_THAT(c.operands, ElementsAre("u8[5,1]", "u8[3]"));
    EXPECT_THAT(c.IntsAttribute("broadcast_dimensions"),
                Optional(ElementsAre(1)));
    EXPECT_FALSE(c.IntAttribute("broadcast_dimensions"));
    EXPECT_EQ(c.Answer("expect")->shape, "u8[5,3]");
    EXPECT_FALSE(c.Answer("expect")->refused());
    EXPECT_FALSE(c.Answer("hull"));
    return;
  }
  ADD_FAILURE() << "no such line";
}

TEST(OracleCasesTest, EveryFileHasItsLines) {
  EXPECT_EQ(LoadOracleCases("xla_today_dev.jsonl").size(), 2772u);
  EXPECT_EQ(LoadOracleCases("xla_crashes.jsonl").size(), 99u);
  EXPECT_EQ(LoadOracleCases("mlir_dev.jsonl").size(), 2062u);
  EXPECT_EQ(LoadOracleCases("openvino_dev.jsonl").size(), 2322u);
  EXPECT_EQ(LoadOracleCases("numpy_dev.jsonl").size(), 500u);
  EXPECT_EQ(LoadOracleCases("spec_cases.jsonl").size(), 119u);
}

}  // namespace
}  // namespace indim
