// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/verify_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>

#include "indim/builder/computation_builder.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/ir/report_codes.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Module AddModule(const char* lhs, const char* rhs, const BroadcastArg& spec) {
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, lhs, "x");
  const Op y = b.Parameter(1, rhs, "y");
  absl::StatusOr<Module> module = b.Build(b.Add(x, y, spec));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

// The module with another shape on its root, and with or without our mark.
Module WithRoot(const Module& module, const char* shape, bool recorded) {
  auto data = std::make_shared<ModuleData>(internal::DataOf(module));
  data->recorded = recorded;
  const ComputationRecord& entry = data->computations[data->entry];
  data->instructions[entry.first + entry.root].shape =
      data->MutablePools().shapes().Intern(*ParseShape(shape));
  return internal::ModuleOf(data);
}

TEST(VerifyShapes, CountsEveryInstructionOnce) {
  const Module module = AddModule("f32[2,3]", "f32[3]", {1});
  const VerifyResult result = VerifyShapes(module);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.inferred, 1);
  EXPECT_EQ(result.related, 2);
  EXPECT_EQ(result.unchecked, 0);
  EXPECT_EQ(result.broadcastable, 1);
}

TEST(VerifyShapes, AWrongResultIsAnErrorAtItsNode) {
  const Module module = AddModule("f32[2,3]", "f32[3]", {1});
  for (const char* wrong : {"f32[2,4]", "f32[2]", "f32[2,3,1]", "s32[2,3]",
                            "bf16[2,3]", "f32[1,3]", "(f32[2,3])", "token[]"}) {
    const VerifyResult result = VerifyShapes(WithRoot(module, wrong, true));
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_EQ(result.report.diagnostics()[0].instruction, 2u) << wrong;
  }
}

// XLA's own verifier knows no implicit broadcast and no mixed float types:
// without the mark of a recorded module neither do we.
TEST(VerifyShapes, WithoutTheMarkBroadcastsAndMixedFloatsAreErrors) {
  struct Row {
    const char* lhs;
    const char* rhs;
    const char* result;
    Code code;
  };
  for (const Row& row :
       {Row{"f32[2,3]", "f32[]", "f32[2,3]", Code::kImplicitBroadcast},
        Row{"f32[2,1]", "f32[2,3]", "f32[2,3]", Code::kImplicitBroadcast},
        Row{"f32[3]", "bf16[3]", "f32[3]", Code::kMixedFloatTypes}}) {
    const Module module = AddModule(row.lhs, row.rhs, {});
    EXPECT_TRUE(VerifyShapes(module).ok());
    const VerifyResult result =
        VerifyShapes(WithRoot(module, row.result, false));
    EXPECT_THAT(CodesOf(result.report), ElementsAre(row.code)) << row.lhs;
  }
  const Module plain = AddModule("f32[3]", "f32[3]", {});
  EXPECT_TRUE(VerifyShapes(WithRoot(plain, "f32[3]", false)).ok());
}

TEST(VerifyShapes, ModesDifferOnInferredUnknownAgainstStatic) {
  const Module module = WithRoot(
      AddModule("f32[?]", "f32[?]", BroadcastRule::kNumpy), "f32[4]", true);
  VerifyOptions options;
  EXPECT_TRUE(VerifyShapes(module, options).ok());
  options.mode = BroadcastableMode::kMlir;
  EXPECT_TRUE(VerifyShapes(module, options).ok());
  options.mode = BroadcastableMode::kStrict;
  EXPECT_THAT(CodesOf(VerifyShapes(module, options).report),
              ElementsAre(Code::kResultDimDiffers));
}

TEST(VerifyShapes, AConstantMustMatchItsValue) {
  ComputationBuilder b("m");
  const absl::StatusOr<Module> module =
      b.Build(b.ConstantR1({1.0f, 2.0f, 3.0f}));
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(VerifyShapes(*module).ok());
  EXPECT_THAT(CodesOf(VerifyShapes(WithRoot(*module, "f32[4]", true)).report),
              ElementsAre(Code::kLiteralShape));
}

// Equal nodes are checked once, but each is told.
TEST(VerifyShapes, EveryConstantThatDoesNotMatchIsTold) {
  ComputationBuilder b("m");
  const Op x = b.ConstantR1({1.0f, 2.0f, 3.0f});
  const Op y = b.ConstantR1({1.0f, 2.0f, 3.0f});
  const absl::StatusOr<Module> module = b.Build(b.Tuple({x, y}));
  ASSERT_TRUE(module.ok());
  auto data = std::make_shared<ModuleData>(internal::DataOf(*module));
  const ShapeId wrong =
      data->MutablePools().shapes().Intern(*ParseShape("f32[4]"));
  int constants = 0;
  for (InstructionRecord& r : data->instructions) {
    if (r.opcode != Opcode::kConstant) continue;
    r.shape = wrong;
    ++constants;
  }
  ASSERT_EQ(constants, 2);
  EXPECT_THAT(CodesOf(VerifyShapes(internal::ModuleOf(data)).report),
              ElementsAre(Code::kLiteralShape, Code::kLiteralShape,
                          Code::kResultDiffers));
}

// The counts are those of each instruction asked alone, with or without memo.
TEST(VerifyShapes, EveryInstructionSaysWhetherItIsBroadcastable) {
  ComputationBuilder b("m");
  Op x = b.Parameter(0, "f32[3]", "x");
  for (int i = 0; i < 5; ++i) x = b.Tanh(b.Add(x, x));
  const Op pair = b.Tuple({x, b.Copy(b.Tuple({x}))});
  const absl::StatusOr<Module> module =
      b.Build(b.Tuple({pair, b.Iota(ElementType::kF32, 3), b.AfterAll({})}));
  ASSERT_TRUE(module.ok()) << module.status();
  const VerifyResult result = VerifyShapes(*module);
  std::array<int64_t, kBroadcastabilityCount> counts = {};
  for (const Instruction i : module->entry().instructions()) {
    ++counts[static_cast<size_t>(BroadcastabilityOf(i))];
  }
  EXPECT_EQ(result.by_broadcastability, counts);
  EXPECT_EQ(result.broadcastable, 10);
  using B = Broadcastability;
  const auto count = [&](B b) {
    return result.by_broadcastability[static_cast<size_t>(b)];
  };
  EXPECT_EQ(count(B::kYes), 10);
  EXPECT_EQ(count(B::kNoOperand), 2);       // the parameter, the iota
  EXPECT_EQ(count(B::kSeveralResults), 4);  // three tuples, one copied
  EXPECT_EQ(count(B::kNotArrays), 1);       // the token
  // An unknown opcode has no row.
  auto data = std::make_shared<ModuleData>(internal::DataOf(*module));
  data->instructions[1].opcode = Opcode::kInvalid;
  data->instructions[1].unknown_opcode = true;
  data->opcode_names.emplace_back(1, "adds");
  const Module unknown = internal::ModuleOf(data);
  EXPECT_EQ(BroadcastabilityOf(unknown.entry().instruction(1)), B::kUnknown);
  EXPECT_EQ(VerifyShapes(unknown)
                .by_broadcastability[static_cast<size_t>(B::kUnknown)],
            1);
}

TEST(VerifyShapes, AMissingShapeAndAnUnknownOpcodeAreErrors) {
  const Module module = AddModule("f32[3]", "f32[3]", {});
  auto data = std::make_shared<ModuleData>(internal::DataOf(module));
  data->instructions[2].shape = ShapeId();
  EXPECT_THAT(CodesOf(VerifyShapes(internal::ModuleOf(data)).report),
              ElementsAre(Code::kShapeMissing));
  data = std::make_shared<ModuleData>(internal::DataOf(module));
  data->instructions[2].opcode = Opcode::kInvalid;
  data->instructions[2].unknown_opcode = true;
  data->opcode_names.emplace_back(2, "adds");
  const Module unknown = internal::ModuleOf(data);
  const VerifyResult result = VerifyShapes(unknown);
  ASSERT_THAT(CodesOf(result.report), ElementsAre(Code::kUnknownOpcode));
  EXPECT_THAT(MessageText(unknown, result.report.diagnostics()[0]),
              ::testing::HasSubstr("did you mean add?"));
}

// Nodes with the same operands and attributes are looked at once; all of them
// are counted, and all errors are reported.
TEST(VerifyShapes, EqualNodesAreCountedAndReportedEach) {
  ComputationBuilder b("m");
  Op x = b.Parameter(0, "f32[3]", "x");
  for (int i = 0; i < 100; ++i) x = b.Add(x, x);
  const absl::StatusOr<Module> module = b.Build(x);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(VerifyShapes(*module).broadcastable, 100);
  auto data = std::make_shared<ModuleData>(internal::DataOf(*module));
  const ShapeId wrong =
      data->MutablePools().shapes().Intern(*ParseShape("f32[4]"));
  for (const int i : {10, 50, 90}) data->instructions[i].shape = wrong;
  // Each node, and each user of it.
  EXPECT_EQ(VerifyShapes(internal::ModuleOf(data)).report.error_count(), 6);
}

}  // namespace
}  // namespace indim
