// SPDX-License-Identifier: Apache-2.0
// A test program that includes this is skipped as a whole where there is no
// real XLA.

#ifndef INDIM_TESTS_XLA_SKIPPED_WITHOUT_XLA_H_
#define INDIM_TESTS_XLA_SKIPPED_WITHOUT_XLA_H_

#include "gtest/gtest.h"
#include "indim/tests/xla_python.h"

namespace indim {

class XlaEnvironment : public ::testing::Environment {
  void SetUp() override {
    if (XlaPython().empty()) GTEST_SKIP() << kNeedsXlaPython;
  }
};
inline ::testing::Environment* const kXlaEnvironment =
    ::testing::AddGlobalTestEnvironment(new XlaEnvironment());

}  // namespace indim

#endif  // INDIM_TESTS_XLA_SKIPPED_WITHOUT_XLA_H_
