// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/infer_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_shapes.h"

namespace indim {
namespace {

// y = max(x * w + bias, 0), reduced: a call, a tuple, several ops.
Module Affine() {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[8,784]", "x");
  const Op w = b.Parameter(1, "f32[784,10]", "w");
  const Op bias = b.Parameter(2, "f32[10]", "bias");
  const Op y = b.Add(b.Dot(x, w), bias, {1});
  const Op zero = b.ConstantR0(ElementType::kF32, 0);
  ComputationBuilder max = b.SubBuilder("max");
  const Op p = max.Parameter(0, "f32[]", "p");
  const Op q = max.Parameter(1, "f32[]", "q");
  const Op m = b.Reduce(b.Max(y, zero), zero, max.Build(max.Max(p, q)), {1});
  absl::StatusOr<Module> module = b.Build(b.Tuple({y, m}));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

std::vector<std::string> Shapes(const Module& module) {
  std::vector<std::string> shapes;
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) {
      shapes.push_back(i.shape().ToString());
    }
  }
  return shapes;
}

// With `change` applied to every instruction that is not a parameter or
// constant.
template <typename Change>
Module Changed(const Module& module, Change change) {
  auto data = std::make_shared<ModuleData>(internal::DataOf(module));
  for (InstructionRecord& r : data->instructions) {
    if (Info(r.opcode).result != ResultSource::kGiven) {
      change(&r, &data->MutablePools());
    }
  }
  return internal::ModuleOf(data);
}

TEST(InferShapes, FillsInWhatIsMissing) {
  const Module whole = Affine();
  const Module bare = Changed(
      whole, [](InstructionRecord* r, Pools*) { r->shape = ShapeId(); });
  const InferResult result = InferShapes(bare);
  EXPECT_TRUE(result.report.ok()) << RenderReport(bare, result.report);
  EXPECT_EQ(Shapes(result.module), Shapes(whole));
  // The module that was given is as it was.
  EXPECT_TRUE(bare.entry().root().shape().is_none());
}

TEST(InferShapes, CorrectsWhatIsWrong) {
  const Module whole = Affine();
  const Module wrong = Changed(whole, [](InstructionRecord* r, Pools* pools) {
    r->shape = pools->shapes().Intern(*ParseShape("f32[99]"));
  });
  EXPECT_FALSE(VerifyShapes(wrong).ok());
  const InferResult result = InferShapes(wrong);
  EXPECT_TRUE(result.report.ok());
  EXPECT_EQ(Shapes(result.module), Shapes(whole));
  InferOptions fill;
  fill.only_missing = true;
  EXPECT_EQ(Shapes(InferShapes(wrong, fill).module), Shapes(wrong));
}

TEST(InferShapes, DropForgetsWhatCanBeInferred) {
  const Module whole = Affine();
  InferOptions drop;
  drop.drop = true;
  const InferResult result = InferShapes(whole, drop);
  EXPECT_TRUE(result.report.ok());
  EXPECT_EQ(Shapes(result.module), Shapes(whole));
}

TEST(InferShapes, KeepsAMorePreciseResult) {
  ComputationBuilder b("m");
  const Op x = b.Parameter(0, "f32[?]", "x");
  const absl::StatusOr<Module> module = b.Build(b.Neg(x));
  ASSERT_TRUE(module.ok());
  auto data = std::make_shared<ModuleData>(internal::DataOf(*module));
  data->instructions[1].shape =
      data->MutablePools().shapes().Intern(*ParseShape("f32[4]"));
  EXPECT_EQ(InferShapes(internal::ModuleOf(data))
                .module.entry()
                .root()
                .shape()
                .ToString(),
            "f32[4]");
  InferOptions drop;
  drop.drop = true;
  EXPECT_EQ(InferShapes(internal::ModuleOf(data), drop)
                .module.entry()
                .root()
                .shape()
                .ToString(),
            "f32[?]");
}

TEST(InferShapes, AParameterWithoutShapeIsTheOnlyError) {
  const Module whole = Affine();
  auto data = std::make_shared<ModuleData>(internal::DataOf(whole));
  const uint32_t first = data->computations[data->entry].first;
  for (uint32_t i = 0; i < data->computations[data->entry].count; ++i) {
    data->instructions[first + i].shape = ShapeId();
  }
  const InferResult result = InferShapes(internal::ModuleOf(data));
  // Three parameters; the constant has its value, the rest waits for them.
  EXPECT_EQ(result.report.error_count(), 3);
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    EXPECT_EQ(d.diagnostic.code, Code::kResultShapeNeeded);
  }
}

TEST(InferShapes, SignaturesFollow) {
  const Module whole = Affine();
  auto data = std::make_shared<ModuleData>(internal::DataOf(whole));
  data->computations[data->entry].program_shape = "stale";
  data->host_program_shape = "stale";
  const uint32_t root = data->computations[data->entry].root;
  data->instructions[data->computations[data->entry].first + root].shape =
      ShapeId();
  const InferResult result = InferShapes(internal::ModuleOf(data));
  EXPECT_EQ(internal::DataOf(result.module).host_program_shape, "");
  EXPECT_EQ(internal::RecordOf(result.module.entry()).program_shape, "");
}

}  // namespace
}  // namespace indim
