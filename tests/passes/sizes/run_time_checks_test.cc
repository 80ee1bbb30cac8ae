// SPDX-License-Identifier: Apache-2.0
// What sizes must meet, as part of the graph.

#include "indim/passes/sizes/run_time_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/eval/evaluator.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/sizes/refine.h"
#include "indim/passes/sizes/symbol_notes.h"
#include "indim/proto/codec/literal.h"
#include "indim/tests/passes/symbolic_text.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

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
  EXPECT_EQ(checked.module.instruction_count(), module.instruction_count());
}

// --- Called computations ----------------------------------------------------

constexpr char kCalls[] = R"(HloModule m

%product (x: f32[a,b], w: f32[c,d]) -> f32[a,d] {
  %x = f32[a,b] parameter(0)
  %w = f32[c,d] parameter(1)
  ROOT %dot = f32[a,d] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

%same (y: f32[a,d]) -> f32[a,d] {
  ROOT %y = f32[a,d] parameter(0)
}

%square (z: f32[a,d]) -> f32[a,d] {
  %z = f32[a,d] parameter(0)
  %zz = f32[a,a] dot(%z, %z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %r = f32[a,d] dot(%zz, %z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

%small (s: (s32[], f32[a,d])) -> pred[] {
  %s = (s32[], f32[a,d]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %three = s32[] constant(3)
  ROOT %less = pred[] compare(%i, %three), direction=LT
}

%step (t: (s32[], f32[a,d])) -> (s32[], f32[a,d]) {
  %t = (s32[], f32[a,d]) parameter(0)
  %j = s32[] get-tuple-element(%t), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%j, %one)
  %v = f32[a,d] get-tuple-element(%t), index=1
  %turned = f32[d,a] transpose(%v), dimensions={1,0}
  %sum = f32[a,d] add(%v, %turned)
  ROOT %u = (s32[], f32[a,d]) tuple(%next, %sum)
}

ENTRY main {
  %p = f32[a,b] parameter(0)
  %q = f32[c,d] parameter(1)
  %k = s32[] parameter(2)
  %called = f32[a,d] call(%p, %q), to_apply=%product
  %chosen = f32[a,d] conditional(%k, %called, %called), branch_computations={%same, %square}
  %zero = s32[] constant(0)
  %start = (s32[], f32[a,d]) tuple(%zero, %chosen)
  %loop = (s32[], f32[a,d]) while(%start), condition=%small, body=%step
  ROOT %end = f32[a,d] get-tuple-element(%loop), index=1
}
)";

Shape ResultOf(const Module& module, absl::string_view name) {
  for (const Computation computation : module.computations()) {
    if (computation.name() == name) {
      return computation.root().shape().WithoutLayout();
    }
  }
  return Shape();
}

TEST(RunTimeChecksTest, CalledComputationsPassOnWhatTheyFind) {
  const Module module = Read(kCalls, "a>=2, d>=2");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  EXPECT_EQ(Report(checked.module), "");
  EXPECT_THAT(checked.left_out, IsEmpty());
  EXPECT_EQ(ResultOf(checked.module, "product").ToString(),
            "(f32[a,d], pred[])");
  // A branch without anything to check returns true beside the others.
  EXPECT_EQ(ResultOf(checked.module, "same").ToString(), "(f32[a,d], pred[])");
  EXPECT_EQ(ResultOf(checked.module, "square").ToString(),
            "(f32[a,d], pred[])");
  EXPECT_EQ(ResultOf(checked.module, "step").ToString(),
            "((s32[], f32[a,d]), pred[])");
  EXPECT_EQ(ResultOf(checked.module, "small").ToString(), "pred[]");
  EXPECT_EQ(ResultOf(checked.module, "main").ToString(), "(f32[a,d], pred[])");
  // Its sizes known, it is an ordinary module.
  const RefineResult refined =
      RefineWith(checked.module, {"p=f32[4,3]", "q=f32[3,4]"});
  ASSERT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
  EXPECT_EQ(Report(refined.module), "");
  EXPECT_EQ(ResultOf(refined.module, "main").ToString(), "(f32[4,4], pred[])");
}

// Computed: whether the sizes that are asked about are the right ones, in every
// turn of the loop and in the branch that is taken. `?` is any size.
TEST(RunTimeChecksTest, ThePredIsTrueOfWhatRuns) {
  const Module module = Read(kCalls, "a>=2, d>=2");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  const RefineResult refined =
      RefineWith(checked.module, {"p=f32[2,3]", "q=f32[3,2]"});
  ASSERT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
  for (const int32_t branch : {0, 1}) {
    const std::vector<float> six(6, 0.5f);
    const std::vector<Literal> inputs = {
        *Literal::Array(absl::MakeConstSpan(six), {2, 3}),
        *Literal::Array(absl::MakeConstSpan(six), {3, 2}),
        *Literal::Array(absl::MakeConstSpan(&branch, 1), {})};
    const absl::StatusOr<Literal> value = Evaluate(refined.module, inputs);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_THAT(value->ToString(), testing::EndsWith(", true )"));
  }
}

TEST(RunTimeChecksTest, SymbolsAreReadWithinTuples) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %t = (s32[], (f32[n,m+1], s32[])) parameter(0)
  %u = (f32[n,m+1], s32[]) get-tuple-element(%t), index=1
  %x = f32[n,m+1] get-tuple-element(%u), index=0
  ROOT %r = f32[4,n] reshape(%x)
}
)",
                             "n>=1");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  EXPECT_EQ(Report(checked.module), "");
  EXPECT_EQ(checked.emitted, 1);
  EXPECT_THAT(checked.left_out, IsEmpty());
  EXPECT_THAT(PrintHloText(checked.module),
              HasSubstr("get-dimension-size(%get-tuple-element"));
}

TEST(RunTimeChecksTest, WhatCantPassAPredOnIsNamed) {
  // The condition of a loop, and what it calls; what is applied to elements is
  // of scalars.
  const Module module = Read(R"(HloModule m

%test (s: f32[a,b]) -> pred[] {
  %s = f32[a,b] parameter(0)
  %turned = f32[b,a] transpose(%s), dimensions={1,0}
  %sum = f32[a,b] add(%s, %turned)
  ROOT %never = pred[] constant(false)
}

%step (t: f32[a,b]) -> f32[a,b] {
  %t = f32[a,b] parameter(0)
  ROOT %n = f32[a,b] negate(%t)
}

ENTRY main {
  %p = f32[a,b] parameter(0)
  ROOT %loop = f32[a,b] while(%p), condition=%test, body=%step
}
)",
                             "a>=2, b>=2");
  const RunTimeChecks checked = AddRunTimeChecks(module, CheckForm::kPredicate);
  EXPECT_EQ(Report(checked.module), "");
  EXPECT_EQ(checked.emitted, 0);
  EXPECT_THAT(checked.left_out, ElementsAre("a == b"));
  EXPECT_EQ(ResultOf(checked.module, "step").ToString(), "f32[a,b]");
}

TEST(SymbolNotesTest, GoAndComeBack) {
  const Module module = Read(kGraph, "a>=8, d%2==0");
  const Module noted = SymbolsToFrontendAttributes(module);
  const std::string text = PrintHloText(noted);
  EXPECT_THAT(text, HasSubstr("%x = f32[?,?]"));
  EXPECT_THAT(text, HasSubstr("indim.shape=\"f32[a,b]; a>=8\""));
  // XLA's text again: no symbols are allowed.
  const absl::StatusOr<Module> read = ParseHloText(text);
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<Module> restored = SymbolsFromFrontendAttributes(*read);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(PrintHloText(*restored), PrintHloText(module));
  EXPECT_EQ(restored->entry().instruction(0).shape().dim(0).lower(), 8);
}

}  // namespace
}  // namespace indim
