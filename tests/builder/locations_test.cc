// SPDX-License-Identifier: Apache-2.0
// Where calls were made, exactly. The tests count lines from __LINE__, so each
// call must stay on the line it is said to be on: clang-format is off.

#include <string>

#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

int LineOf(const Module& module, int instruction) {
  return module.entry().instruction(instruction).location().line;
}

// clang-format off
TEST(LocationsTest, OfMethods) {
  ComputationBuilder b("lines");
  const int first = __LINE__ + 1;
  const Op x = b.Parameter(0, "f32[2,3]");
  const Op y =
      b.Add(x,
            x);
  const Op z = b.Reduce(y, b.ConstantR0(ElementType::kF32, 0),
                        AddScalars(), {0});
  const absl::StatusOr<Module> module = b.Build(b.Neg(z));
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction parameter = module->entry().instruction(0);
  EXPECT_THAT(parameter.location().file, EndsWith("locations_test.cc"));
  EXPECT_EQ(LineOf(*module, 0), first);      // Parameter
  EXPECT_EQ(LineOf(*module, 1), first + 2);  // Add
  EXPECT_EQ(LineOf(*module, 2), first + 4);  // ConstantR0
  EXPECT_EQ(LineOf(*module, 3), first + 4);  // Reduce
  EXPECT_EQ(LineOf(*module, 4), first + 6);  // Neg
}

TEST(LocationsTest, OfOperators) {
  ComputationBuilder b("lines");
  const Op x = b.Parameter(0, "f32[2,3]");
  const int first = __LINE__ + 1;
  Op y = x + x;
  y = -y;
  y = x * y
      - x;
  const absl::StatusOr<Module> module = b.Build(y);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(LineOf(*module, 1), first);
  EXPECT_EQ(LineOf(*module, 2), first + 1);
  EXPECT_EQ(LineOf(*module, 3), first + 2);
  EXPECT_EQ(module->entry().instruction_count(), 5);
  EXPECT_GE(LineOf(*module, 4), first + 2);
  EXPECT_LE(LineOf(*module, 4), first + 3);
}

TEST(LocationsTest, OfWrongCalls) {
  ComputationBuilder b("lines");
  const Op x = b.Parameter(0, "f32[2]");
  const int first = __LINE__ + 1;
  b.Parameter(1, "f32[8,784");
  b.Add(x, Op());
  x + Op();
  b.SetName(Op(), "name");
  (void)b.Build(Op());
  for (int line = first; line < first + 5; ++line) {
    EXPECT_THAT(b.DiagnosticsText(), HasSubstr(
        absl::StrCat("locations_test.cc:", line, ": error: ")));
  }
}
// clang-format on

TEST(LocationsTest, AFrontEndSaysItsOwn) {
  ComputationBuilder b("lines");
  const Caller caller{"user.model", 7};
  const Op x = b.Parameter(0, "f32[2]", "x", caller);
  const Op y =
      OperandAtCaller(x, caller) + OperandAtCaller(x, Caller{"user.model", 8});
  const absl::StatusOr<Module> module = b.Build(y);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().instruction(0).location().file, "user.model");
  EXPECT_EQ(LineOf(*module, 0), 7);
  EXPECT_EQ(LineOf(*module, 1), 7);
}

TEST(LocationsTest, NoFileIsNoLocation) {
  ComputationBuilder b("lines");
  b.Parameter(0, "f32[2]", "x", Caller{"", 0});
  b.Parameter(1, "f32[2]", "y", Caller{nullptr, 3});
  b.Parameter(2, "f32[2]", "z", Caller{"\xff", 3});
  const absl::StatusOr<Module> module = b.Build();
  ASSERT_TRUE(module.ok()) << module.status();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(module->entry().instruction(i).location().file, "") << i;
  }
}

TEST(LocationsTest, CanBeSwitchedOff) {
  ComputationBuilder b("lines");
  b.Parameter(0, "f32[2]");
  b.set_record_locations(false);
  const Op x = b.Parameter(1, "f32[2]");
  b.set_op_name("model/layer");
  const Op y = b.Neg(x);
  b.set_record_locations(true);
  const Op z = b.Neg(y);
  b.set_op_name("");
  const absl::StatusOr<Module> module = b.Build(b.Neg(z));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_GT(LineOf(*module, 0), 0);
  EXPECT_EQ(module->entry().instruction(1).metadata(), "");
  // OpMetadata: op_name is field 2.
  EXPECT_EQ(module->entry().instruction(2).metadata(), "\x12\x0bmodel/layer");
  EXPECT_GT(LineOf(*module, 3), 0);
  EXPECT_THAT(std::string(module->entry().instruction(3).metadata()),
              HasSubstr("model/layer"));
  EXPECT_THAT(std::string(module->entry().instruction(4).metadata()),
              ::testing::Not(HasSubstr("model/layer")));
}

TEST(LocationsTest, SubBuildersInheritTheSwitch) {
  ComputationBuilder b("lines");
  b.set_record_locations(false);
  ComputationBuilder sub = b.SubBuilder("negative");
  const Op x = sub.Parameter(0, "f32[2]");
  const Callee negative = sub.BuildCallee(sub.Neg(x));
  const absl::StatusOr<Module> module =
      b.Build(b.Call(negative, {b.Parameter(0, "f32[2]")}));
  ASSERT_TRUE(module.ok()) << module.status();
  for (const Computation computation : module->computations()) {
    for (const Instruction node : computation.instructions()) {
      EXPECT_EQ(node.metadata(), "") << node.name();
    }
  }
}

TEST(LocationsTest, AWrongCallHasItsLineEvenSo) {
  ComputationBuilder b("lines");
  b.set_record_locations(false);
  const Op x = b.Parameter(0, "f32[2]");
  b.Add(x, b.ConstantR1({1.0f}));
  const int line = __LINE__ + 1;
  b.Transpose(x, {1});
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr(absl::StrCat("locations_test.cc:", line, ": error:")));
}

}  // namespace
}  // namespace indim
