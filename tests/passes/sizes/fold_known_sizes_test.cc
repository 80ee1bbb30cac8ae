// SPDX-License-Identifier: Apache-2.0
// What becomes certain with the sizes: assertions of modules that JAX exported
// with symbolic sizes, and operations to whose results values give sizes.

#include "indim/passes/sizes/fold_known_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/passes/sizes/refine.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/tests/passes/symbolic_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

Module FromJax(absl::string_view name) {
  const absl::StatusOr<WrappedModule> file = ReadWrappedModuleFile(
      absl::StrCat("tests/data/symbols/", name, ".hlo.pb"));
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? file->module : Module();
}

int CountCustomCalls(const Module& module) {
  int count = 0;
  for (const Instruction at : module.entry().instructions()) {
    count += at.opcode() == Opcode::kCustomCall ? 1 : 0;
  }
  return count;
}

// Their sizes are a and b, with a >= 2 and b % 4 == 0.
TEST(FoldKnownSizesTest, WhatJaxAssertsIsEvaluated) {
  const struct {
    const char* file;
    std::vector<std::string> parameters;
    const char* result;  // empty: an assertion fails
  } kCases[] = {
      {"matmul", {"0=f32[5,8]", "1=f32[8,3]"}, "f32[5,3]"},
      {"matmul", {"0=f32[2,4]", "1=f32[4,3]"}, "f32[2,3]"},
      {"matmul", {"0=f32[1,8]", "1=f32[8,3]"}, ""},
      {"matmul", {"0=f32[5,6]", "1=f32[6,3]"}, ""},
      {"concatenate_sum", {"0=f32[3,4]"}, "f32[6]"},
      {"concatenate_sum", {"0=f32[3,5]"}, ""},
      {"multiply_tanh", {"0=f32[3,4]", "1=f32[3,4]"}, "f32[3,4]"},
      {"multiply_tanh", {"0=f32[1,4]", "1=f32[1,4]"}, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.file, " ", c.parameters[0]));
    const Module module = FromJax(c.file);
    EXPECT_GT(CountCustomCalls(module), 3);
    const RefineResult refined = RefineWith(module, c.parameters);
    if (*c.result == '\0') {
      ASSERT_FALSE(refined.report.ok());
      for (const ModuleDiagnostic& d : refined.report.diagnostics()) {
        EXPECT_EQ(d.diagnostic.code, Code::kAssertionFails);
      }
      continue;
    }
    EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
    EXPECT_EQ(CountCustomCalls(refined.module), 0);
    EXPECT_TRUE(VerifyModule(refined.module).ok());
    EXPECT_EQ(refined.module.entry().root().shape().WithoutLayout().ToString(),
              c.result);
    EXPECT_TRUE(ExportHloModuleProto(refined.module).ok());
  }
}

TEST(FoldKnownSizesTest, NothingKnownNothingChanged) {
  const Module module = FromJax("matmul");
  const FoldedSizes folded = FoldKnownSizes(module);
  EXPECT_TRUE(folded.report.ok());
  EXPECT_EQ(folded.assertions, 0);
  EXPECT_EQ(CountCustomCalls(folded.module), CountCustomCalls(module));
}

// Our own assertions: those of what inference can't refute by itself.
TEST(FoldKnownSizesTest, OwnAssertionsAreEvaluated) {
  const Module module = Read(R"(HloModule m
ENTRY main {
  %x = f32[n] parameter(0)
  %y = f32[m] parameter(1)
  ROOT %s = f32[?] add(%x, %y)
}
)");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kAssertion);
  EXPECT_EQ(checked.emitted, 1);
  const RefineResult refined =
      RefineWith(checked.module, {"0=f32[8]", "1=f32[8]"});
  EXPECT_TRUE(refined.report.ok()) << RenderRefinement(checked.module, refined);
  EXPECT_EQ(CountCustomCalls(refined.module), 0);
}

TEST(FoldKnownSizesTest, FailuresShowTheSizes) {
  const Module module = Read(R"(HloModule m
ENTRY main {
  %x = f32[8] parameter(0)
  %n = s32[] get-dimension-size(%x), dimensions={0}
  %c = s32[] constant(7)
  %eq = pred[] compare(%n, %c), direction=EQ
  %check = () custom-call(%eq, %n, %c), custom_call_target="shape_assertion", custom_call_has_side_effect=true, frontend_attributes={error_message="x has {0} elements, not {1}"}
  ROOT %r = f32[8] negate(%x)
}
)");
  const FoldedSizes folded = FoldKnownSizes(module);
  ASSERT_EQ(folded.report.diagnostics().size(), 1);
  EXPECT_THAT(RenderReport(folded.module, folded.report),
              HasSubstr("a shape assertion fails: x has 8 elements, not 7 "
                        "(8, 7)  [IND0194]"));
}

TEST(FoldKnownSizesTest, SizesThatAreValuesBecomeStatic) {
  const struct {
    const char* body;
    const char* result;
  } kCases[] = {
      {"n = s32[] get-dimension-size(x), dimensions={0}\n"
       "two = s32[] constant(2)\n"
       "half = s32[] divide(n, two)\n"
       "r = f32[<=8,<=8] dynamic-reshape(x, half, two)\n"
       "ROOT y = f32[<=8,<=8] negate(r)",
       "f32[4,2]"},
      {"n = s32[] get-dimension-size(x), dimensions={0}\n"
       "ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0}",
       "f32[8]"},
      // Smaller than the bound: it stays dynamic.
      {"n = s32[] constant(5)\n"
       "ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0}",
       "f32[<=8]"},
      {"n = s32[] parameter(1)\n"
       "ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0}",
       "f32[<=8]"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.body);
    const Module module = Read(absl::StrCat(
        "HloModule m\nENTRY main {\nx = f32[?] parameter(0)\n", c.body, "\n}"));
    const RefineResult refined = RefineWith(module, {"0=f32[8]"});
    EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
    EXPECT_EQ(refined.module.entry().root().shape().WithoutLayout().ToString(),
              c.result);
    EXPECT_TRUE(VerifyModule(refined.module).ok());
  }
}

}  // namespace
}  // namespace indim
