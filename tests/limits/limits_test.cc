// SPDX-License-Identifier: Apache-2.0
// Every limit has an error that names the place and the value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "indim/tests/limits/hostile_inputs.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

void CheckSays(const HostileInput& input) {
  SCOPED_TRACE(input.name);
  const std::string said = ReadAndVerify(input);
  if (input.says.empty()) {
    EXPECT_EQ(said.substr(0, 2000), "");
  } else {
    EXPECT_NE(said, "");
  }
  for (const std::string& piece : input.says) {
    EXPECT_THAT(said, HasSubstr(piece));
  }
  // Nor is a message as long as what it is about.
  EXPECT_LT(said.size(), 20000u);
}

TEST(LimitsTest, WhatIsWrongIsNamed) {
  for (const HostileInput& input : WrongInputs()) CheckSays(input);
}

TEST(LimitsTest, WhatIsLargeIsReadOrRefused) {
  for (const HostileInput& input : LargeInputs(100000 / SampleStep(4))) {
    CheckSays(input);
  }
}

TEST(LimitsTest, AMillionDimsAndOperands) {
  for (const HostileInput& input : WideInputs(1000000 / SampleStep(4))) {
    CheckSays(input);
  }
}

TEST(LimitsTest, ManyCalledComputations) {
  if (SampleStep(2) > 1) GTEST_SKIP() << "asked with all cases";
  for (const HostileInput& input : ManyCallees()) CheckSays(input);
}

}  // namespace
}  // namespace indim
