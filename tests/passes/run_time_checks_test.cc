// What sizes must meet, as part of the graph.

#include "indim/passes/run_time_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "indim/ir/text/hlo_text.h"
#include "indim/passes/refine.h"
#include "indim/passes/symbol_notes.h"
#include "indim/passes/verify_module.h"
#include "indim/tests/passes/symbolic_text.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kGraph[] = R"(HloModule m

ENTRY main {
  %x = f32[a,b] parameter(0)
  %w = f32[c,d] parameter(1)
  %dot = f32[a,d] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %s = f32[4,d] slice(%dot), slice={[0:8:2], [0:2]}
  ROOT %r = f32[8] reshape(%s)
}
)";

std::string Report(const Module& module) {
  const VerifyResult verified = VerifyModule(module);
  return RenderReport(module, verified.report);
}

TEST(RunTimeChecksTest, AssertionsInTheFormOfJax) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[a,b] parameter(0)
  %w = f32[c,d] parameter(1)
  %dot = f32[a,d] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %r = f32[2,d] reshape(%dot)
}
)");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kAssertion);
  EXPECT_EQ(checked.emitted, 2);
  EXPECT_THAT(checked.left_out, IsEmpty());
  EXPECT_EQ(Report(checked.module), "");
  const std::string text = PrintHloText(checked.module);
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"shape_assertion\", "
                              "custom_call_has_side_effect=true, "
                              "api_version=API_VERSION_STATUS_RETURNING"));
  EXPECT_THAT(text, HasSubstr("error_message=\"expected b == c, but the sizes "
                              "are {0} and {1}\""));
  EXPECT_THAT(text, HasSubstr("expected a*d == 2*d"));
  // They go through refinement.
  RefineOptions options;
  ASSERT_TRUE(AddSetting("x=f32[2,3]", &options).ok());
  ASSERT_TRUE(AddSetting("w=f32[3,5]", &options).ok());
  const RefineResult refined = Refine(checked.module, options);
  EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
}

TEST(RunTimeChecksTest, OnePredOfAllConditions) {
  const Module module = Read(kGraph, "d>=2");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  EXPECT_EQ(Report(checked.module), "");
  const Instruction root = checked.module.entry().root();
  EXPECT_EQ(root.shape().WithoutLayout().ToString(), "(f32[8], pred[])");
  const std::string text = PrintHloText(checked.module);
  EXPECT_THAT(text, HasSubstr("get-dimension-size(%x), dimensions={1}"));
  EXPECT_THAT(text, HasSubstr("get-dimension-size(%w), dimensions={0}"));
  EXPECT_THAT(text, HasSubstr("direction=LE"));
}

TEST(RunTimeChecksTest, NothingToCheckIsTrue) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n] parameter(0)
  ROOT %r = f32[n] add(%x, %x)
}
)");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  EXPECT_EQ(checked.emitted, 0);
  EXPECT_EQ(checked.module.entry().root().shape().WithoutLayout().ToString(),
            "(f32[n], pred[])");
  EXPECT_EQ(AddRunTimeChecks(module, CheckForm::kAssertion)
                .module.instruction_count(),
            module.instruction_count());
}

TEST(RunTimeChecksTest, SizesWithoutNamesAreReadFromOperands) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[?] parameter(0)
  %y = f32[4] parameter(1)
  ROOT %r = f32[?] add(%x, %y)
}
)");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kAssertion);
  EXPECT_EQ(checked.emitted, 1);
  EXPECT_THAT(PrintHloText(checked.module),
              HasSubstr("operand 0 dim 0 is 4, but the sizes are"));
}

TEST(RunTimeChecksTest, WhatCannotBeWrittenIsNamed) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n*m] parameter(0)
  ROOT %r = f32[4,n] reshape(%x)
}
)");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kAssertion);
  EXPECT_EQ(checked.emitted, 0);
  EXPECT_THAT(checked.left_out, ElementsAre("m*n == 4*n"));
}

TEST(SymbolNotesTest, GoAndComeBack) {
  const Module module = Read(kGraph, "a>=8, d%2==0");
  const Module noted = NoteSymbols(module);
  const std::string text = PrintHloText(noted);
  EXPECT_THAT(text, HasSubstr("%x = f32[?,?]"));
  EXPECT_THAT(text, HasSubstr("indim.shape=\"f32[a,b]; a>=8\""));
  // XLA's text again: no symbols are allowed.
  const absl::StatusOr<Module> read = ParseHloText(text);
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<Module> restored = RestoreSymbols(*read);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(PrintHloText(*restored), PrintHloText(module));
  EXPECT_EQ(restored->entry().instruction(0).shape().dim(0).lower(), 8);
}

}  // namespace
}  // namespace indim
