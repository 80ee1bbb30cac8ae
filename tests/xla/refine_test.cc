// SPDX-License-Identifier: Apache-2.0
// A graph built with named sizes, refined, runs on real XLA; and so do the
// checks of what its sizes must meet.

#include "indim/passes/sizes/refine.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/io/read.h"
#include "indim/passes/export/export.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/passes/sizes/symbol_notes.h"
#include "indim/tests/xla/judge.h"

namespace indim {
namespace {

// x . w + bias, twice, one above the other; then rows in pairs.
absl::StatusOr<Module> Affine() {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[n,k]", "x");
  const Op w = b.Parameter(1, "f32[k2,m]", "w");
  const Op bias = b.Parameter(2, "f32[m]", "bias");
  const Op y = b.Add(b.Dot(x, w), bias, {1});
  return b.Build(b.Tuple({b.ConcatInDim({y, y}, 0)}));
}

RefineOptions AffineSizes() {
  RefineOptions options;
  for (const char* setting : {"x=f32[8,5]", "w=f32[5,3]"}) {
    const absl::Status added = AddSetting(setting, &options);
    EXPECT_TRUE(added.ok()) << added;
  }
  return options;
}

absl::StatusOr<std::string> RunOnXla(
    Module module, std::vector<std::string> results,
    const std::vector<std::string>& parameters = {"f32[8,5]", "f32[5,3]",
                                                  "f32[3]"}) {
  const absl::StatusOr<std::string> bytes =
      ExportHloModuleProto(std::move(module));
  if (!bytes.ok()) return bytes.status();
  std::vector<std::string> inputs;
  for (const std::string& shape : parameters) {
    inputs.push_back(InputJson(*ParseShape(shape), Domain::kSmall));
  }
  JsonWriter request;
  request.Add("seed", int64_t{1})
      .AddList("inputs", inputs)
      .AddList("results", results);
  return AskXla("compare", request, {*bytes});
}

std::string Expected(absl::string_view shape, absl::string_view expression,
                     int64_t ulps = 0) {
  return JsonWriter()
      .Add("shape", shape)
      .Add("expect", expression)
      .Add("ulps", ulps)
      .text();
}

TEST(RefineTest, RefinedModuleRuns) {
  const absl::StatusOr<Module> module = Affine();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().root().shape().ToString(), "(f32[2*n,m])");
  // As it is XLA can't read it.
  EXPECT_FALSE(ExportHloModuleProto(*module).ok());
  const RefineResult refined = Refine(*module, AffineSizes());
  ASSERT_TRUE(refined.report.ok()) << RenderRefinement(*module, refined);
  const auto answer = RunOnXla(
      refined.module,
      {Expected("f32[16,3]", "np.concatenate([p0 @ p1 + p2, p0 @ p1 + p2])")});
  EXPECT_TRUE(answer.ok()) << answer.status();
}

TEST(RefineTest, ChecksRunWithIt) {
  const absl::StatusOr<Module> module = Affine();
  ASSERT_TRUE(module.ok()) << module.status();
  RunTimeChecks checked = AddRunTimeChecks(*module, CheckForm::kPredicate);
  EXPECT_EQ(checked.emitted, 1);
  const RefineResult refined = Refine(checked.module, AffineSizes());
  ASSERT_TRUE(refined.report.ok()) << RenderRefinement(*module, refined);
  const auto answer = RunOnXla(
      refined.module,
      {Expected("f32[16,3]", "np.concatenate([p0 @ p1 + p2, p0 @ p1 + p2])"),
       Expected("pred[]", "np.array(True)")});
  EXPECT_TRUE(answer.ok()) << answer.status();
}

TEST(RefineTest, NotedSymbolsAndAssertionsAreReadByXla) {
  const absl::StatusOr<Module> module = Affine();
  ASSERT_TRUE(module.ok()) << module.status();
  const RunTimeChecks checked =
      AddRunTimeChecks(*module, CheckForm::kAssertion);
  const absl::StatusOr<std::string> bytes =
      ExportHloModuleProto(SymbolsToFrontendAttributes(checked.module));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<std::string> text = AskXla("read", {}, {*bytes});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find("indim.shape=\"f32[n,k]\""), std::string::npos) << *text;
  EXPECT_NE(text->find("custom_call_target=\"shape_assertion\""),
            std::string::npos)
      << *text;
}

// What jax.export wrote for any sizes, as `indim infer --set` refines it. XLA
// itself runs no shape_assertion: refinement has evaluated them.
TEST(RefineTest, ModulesOfJaxRunOnceTheirSizesAreKnown) {
  const struct {
    const char* file;
    std::vector<std::string> parameters;
    const char* shape;
    const char* expression;
  } kCases[] = {
      {"matmul", {"f32[5,8]", "f32[8,3]"}, "f32[5,3]", "p0 @ p1"},
      {"matmul", {"f32[2,4]", "f32[4,3]"}, "f32[2,3]", "p0 @ p1"},
      {"concatenate_sum",
       {"f32[3,4]"},
       "f32[6]",
       "np.concatenate([p0, p0]).sum(axis=1)"},
      {"multiply_tanh",
       {"f32[3,4]", "f32[3,4]"},
       "f32[3,4]",
       "p0 * p1 + np.tanh(p0)"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.file);
    const absl::StatusOr<WrappedModule> file = ReadWrappedModuleFile(
        absl::StrCat("tests/data/symbols/", c.file, ".hlo.pb"));
    ASSERT_TRUE(file.ok()) << file.status();
    RefineOptions options;
    for (size_t i = 0; i < c.parameters.size(); ++i) {
      ASSERT_TRUE(
          AddSetting(absl::StrCat(i, "=", c.parameters[i]), &options).ok());
    }
    const RefineResult refined = Refine(file->module, options);
    ASSERT_TRUE(refined.report.ok()) << RenderRefinement(file->module, refined);
    const auto answer = RunOnXla(
        refined.module, {Expected(c.shape, c.expression, 16)}, c.parameters);
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
}

}  // namespace
}  // namespace indim
