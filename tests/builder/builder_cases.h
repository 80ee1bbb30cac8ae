// SPDX-License-Identifier: Apache-2.0
// A table row of the builder's tests: a call, and the shape that it records or
// the code of the error.

#ifndef INDIM_TESTS_BUILDER_BUILDER_CASES_H_
#define INDIM_TESTS_BUILDER_BUILDER_CASES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"

namespace indim {

// A builder whose parameters number themselves.
class TestBuilder : public ComputationBuilder {
 public:
  using ComputationBuilder::ComputationBuilder;
  Op P(const ShapeArg& shape) {
    std::optional<ScopedSharding> none;
    if (plain_parameters) none.emplace(this, std::nullopt);
    return Parameter(next_++, shape);
  }

  // Whether P() leaves the sharding in scope to the other calls.
  bool plain_parameters = false;

 private:
  int64_t next_ = 0;
};

// A computation of two scalars, for reductions.
inline Module AddScalars(const char* type = "f32[]") {
  TestBuilder b("add");
  const Op x = b.P(type), y = b.P(type);
  return *b.Build(b.Add(x, y));
}

// A computation of one operand.
inline Module Negated(const char* shape) {
  TestBuilder b("negated");
  return *b.Build(b.Neg(b.P(shape)));
}

struct CallCase {
  std::string name;
  std::function<Op(TestBuilder&)> call;
  // A shape's text, or "IND0102".
  std::string expected;
};

inline void CheckCall(const CallCase& c) {
  SCOPED_TRACE(c.name);
  TestBuilder b("case");
  const Op op = c.call(b);
  const absl::StatusOr<Shape> shape = b.shape(op);
  if (absl::StartsWith(c.expected, "IND")) {
    EXPECT_FALSE(shape.ok()) << *shape;
    EXPECT_THAT(b.DiagnosticsText(),
                ::testing::HasSubstr("[" + c.expected + "]"));
    EXPECT_FALSE(b.status().ok());
    EXPECT_FALSE(b.Build(op).ok());
    return;
  }
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->ToString(), c.expected);
  EXPECT_TRUE(b.status().ok()) << b.status();
  absl::StatusOr<Module> module = b.Build(op);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), c.expected);
}

using Shapes = std::vector<ShapeArg>;

// A case whose operands are parameters of these shapes.
template <typename Call>
std::function<Op(TestBuilder&)> Of(Shapes shapes, Call call) {
  return [=](TestBuilder& b) {
    std::vector<Op> ops;
    for (const ShapeArg& shape : shapes) ops.push_back(b.P(shape));
    return call(b, ops);
  };
}

using Ops = std::vector<Op>;

inline void CheckCalls(const std::vector<CallCase>& cases) {
  for (const CallCase& c : cases) CheckCall(c);
}

}  // namespace indim

#endif  // INDIM_TESTS_BUILDER_BUILDER_CASES_H_
