// SPDX-License-Identifier: Apache-2.0
// Tables of calls that are easily got wrong, and what a person reads then.

#ifndef INDIM_TESTS_BUILDER_MESSAGE_CASES_H_
#define INDIM_TESTS_BUILDER_MESSAGE_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {

struct MessageCase {
  std::string name;
  std::function<Op(TestBuilder&)> call;
  const char* code;
  const char* message;  // a part of it
  std::string fix = "";
};

inline void CheckMessages(const std::vector<MessageCase>& cases) {
  for (const MessageCase& c : cases) {
    SCOPED_TRACE(c.name);
    TestBuilder b("main");
    const Op op = c.call(b);
    EXPECT_FALSE(b.Build(op).ok());
    const std::vector<CallDiagnostic> all = b.diagnostics();
    ASSERT_GE(all.size(), 1u);
    EXPECT_EQ(CodeText(all[0].diagnostic.code), c.code);
    EXPECT_THAT(all[0].message, ::testing::HasSubstr(c.message));
    EXPECT_EQ(all[0].fix, c.fix);
  }
}

// x and w (v, y ... in the tests below) are what the fixes call the operands.
inline Op NamedParameter(TestBuilder& b, const char* shape, const char* name) {
  const Op op = b.P(shape);
  b.SetName(op, name);
  return op;
}

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_MESSAGE_CASES_H_
