// SPDX-License-Identifier: Apache-2.0
// Values for symbols and parameters, whole graphs inferred again with them, and
// what graphs need of their symbols.

#include "indim/passes/sizes/refine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/sizes/conditions.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/passes/symbolic_text.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kMatmul[] = R"(HloModule matmul

ENTRY main {
  %x = f32[n,k] parameter(0)
  %w = f32[k2,m] parameter(1)
  %dot = f32[n,m] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %t = f32[m,n] transpose(%dot), dimensions={1,0}
  ROOT %c = f32[2*m,n] concatenate(%t, %t), dimensions={0}
}
)";

std::vector<std::string> Shapes(const Module& module) {
  std::vector<std::string> shapes;
  for (const Instruction i : module.entry().instructions()) {
    shapes.push_back(i.shape().WithoutLayout().ToString());
  }
  return shapes;
}

TEST(RefineTest, SymbolsBecomeSizes) {
  const Module module = Read(kMatmul);
  EXPECT_TRUE(VerifyModule(module).ok());
  const RefineResult all = RefineWith(module, {"n=8", "k=4", "k2=4", "m=3"});
  EXPECT_TRUE(all.report.ok()) << RenderRefinement(module, all);
  EXPECT_THAT(
      Shapes(all.module),
      ElementsAre("f32[8,4]", "f32[4,3]", "f32[8,3]", "f32[3,8]", "f32[6,8]"));
  EXPECT_TRUE(VerifyModule(all.module).ok());
  // Some of them, an expression among them.
  const RefineResult some = RefineWith(module, {"n=2*m"});
  EXPECT_TRUE(some.report.ok());
  EXPECT_THAT(Shapes(some.module),
              ElementsAre("f32[2*m,k]", "f32[k2,m]", "f32[2*m,m]", "f32[m,2*m]",
                          "f32[2*m,2*m]"));
  // The module that came in is as it was.
  EXPECT_THAT(Shapes(module)[4], "f32[2*m,n]");
}

TEST(RefineTest, ParametersGiveTheirSymbolsValues) {
  const Module module = Read(kMatmul);
  for (const char* name : {"x", "0"}) {
    const RefineResult refined =
        RefineWith(module, {std::string(name) + "=f32[8,128]", "w=f32[128,3]"});
    EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
    EXPECT_THAT(Shapes(refined.module)[4], "f32[6,8]");
  }
  const RefineResult partly = RefineWith(module, {"x=f32[8,?]"});
  EXPECT_TRUE(partly.report.ok());
  EXPECT_THAT(Shapes(partly.module)[4], "f32[2*m,8]");
}

// What the graph needs of a symbol can leave one number for it.
TEST(RefineTest, EquationsGiveSymbolsValues) {
  const Module matmul = Read(kMatmul);
  const RefineResult refined = RefineWith(matmul, {"x=f32[8,128]", "m=3"});
  EXPECT_TRUE(refined.report.ok()) << RenderRefinement(matmul, refined);
  EXPECT_THAT(Shapes(refined.module),
              ElementsAre("f32[8,128]", "f32[128,3]", "f32[8,3]", "f32[3,8]",
                          "f32[6,8]"));
  const Module reshape = Read(R"(HloModule m

ENTRY main {
  %x = f32[n,m] parameter(0)
  %r = f32[4,q] reshape(%x)
  ROOT %e = f32[4,q] exponential(%r)
}
)");
  const RefineResult even = RefineWith(reshape, {"n=6", "m=2"});
  EXPECT_TRUE(even.report.ok()) << RenderRefinement(reshape, even);
  EXPECT_THAT(Shapes(even.module),
              ElementsAre("f32[6,2]", "f32[4,3]", "f32[4,3]"));
  // A result that is recorded, not inferred.
  const RefineResult odd = RefineWith(reshape, {"n=3", "m=3"});
  ASSERT_FALSE(odd.report.ok());
  EXPECT_EQ(odd.report.diagnostics()[0].diagnostic.code,
            Code::kElementCountsDiffer);
}

TEST(RefineTest, OneErrorForAChain) {
  const Module module = Read(kMatmul, "n%8==0");
  const RefineResult refined = RefineWith(module, {"n=9"});
  // %x and what comes of it; %w, %dot, %t and %c aren't told.
  EXPECT_EQ(refined.report.error_count(), 1);
}

TEST(RefineTest, ContradictionsNameTheChain) {
  const Module module = Read(kMatmul);
  const RefineResult refined = RefineWith(module, {"k=4", "k2=5"});
  ASSERT_EQ(refined.report.diagnostics().size(), 1);
  EXPECT_EQ(refined.report.diagnostics()[0].diagnostic.code,
            Code::kSizesMustMatch);
  const std::string text = RenderRefinement(module, refined);
  EXPECT_THAT(text, HasSubstr("operand 0 came to be f32[n,4]:\n"
                              "    %x = f32[n,4] parameter(0), was f32[n,k]"));
  EXPECT_THAT(text, HasSubstr("%w = f32[5,m] parameter(1), was f32[k2,m]"));
}

TEST(RefineTest, WhatCannotBeIsAnError) {
  const struct {
    std::vector<std::string> settings;
    Code code;
  } kCases[] = {
      {{"y=f32[8]"}, Code::kNoSuchParameter},
      {{"7=f32[8]"}, Code::kNoSuchParameter},
      {{"x=f32[8]"}, Code::kRefinedParameter},
      {{"x=s32[8,4]"}, Code::kRefinedParameter},
      {{"n=9", "x=f32[8,4]"}, Code::kRefinedParameter},
      {{"q=3"}, Code::kNoSuchSize},
      {{"q>=3"}, Code::kNoSuchSize},
      {{"x=3"}, Code::kNoSuchSize},
  };
  const Module module = Read(kMatmul);
  for (const auto& c : kCases) {
    const RefineResult refined = RefineWith(module, c.settings);
    ASSERT_FALSE(refined.report.ok()) << c.settings[0];
    const ModuleDiagnostic& d = refined.report.diagnostics()[0];
    EXPECT_EQ(d.diagnostic.code, c.code) << c.settings[0];
    // A parameter that isn't there stands nowhere.
    EXPECT_EQ(InstructionAt(module, d).has_value(),
              c.code != Code::kNoSuchParameter && c.code != Code::kNoSuchSize)
        << c.settings[0];
  }
  // Against what is known of the symbol.
  const Module known = Read(kMatmul, "n%8==0");
  const RefineResult refined = RefineWith(known, {"n=9"});
  ASSERT_FALSE(refined.report.ok());
  EXPECT_EQ(refined.report.diagnostics()[0].diagnostic.code,
            Code::kRefinedShape);
  for (const char* bad : {"n", "n=", "3=4", "n=f32[", "=3", "n=-1"}) {
    RefineOptions options;
    EXPECT_FALSE(AddSetting(bad, &options).ok()) << bad;
  }
}

TEST(RefineTest, CalledComputationsFollow) {
  const Module module = Read(R"(HloModule m

%body (p: (s32[], f32[?])) -> (s32[], f32[?]) {
  %p = (s32[], f32[?]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %v = f32[?] get-tuple-element(%p), index=1
  %n = f32[?] negate(%v)
  ROOT %t = (s32[], f32[?]) tuple(%i, %n)
}

%cond (p: (s32[], f32[?])) -> pred[] {
  %p = (s32[], f32[?]) parameter(0)
  ROOT %true = pred[] constant(true)
}

%twice (a: f32[?]) -> f32[?] {
  %a = f32[?] parameter(0)
  ROOT %s = f32[?] add(%a, %a)
}

ENTRY main {
  %x = f32[?] parameter(0)
  %c = f32[?] call(%x), to_apply=%twice
  %zero = s32[] constant(0)
  %init = (s32[], f32[?]) tuple(%zero, %c)
  %w = (s32[], f32[?]) while(%init), condition=%cond, body=%body
  ROOT %r = f32[?] get-tuple-element(%w), index=1
}
)");
  const RefineResult refined = RefineWith(module, {"x=f32[8]"});
  EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
  for (const Computation c : refined.module.computations()) {
    for (const Instruction i : c.instructions()) {
      EXPECT_TRUE(i.shape().is_static())
          << i.name() << " " << i.shape().ToString();
    }
  }
  EXPECT_TRUE(VerifyModule(refined.module).ok());
}

// Folding makes another module, whose calls take the new sizes.
TEST(RefineTest, CallsTakeSizesThatFoldingGives) {
  const Module module = Read(R"(HloModule m

%head (a: f32[<=8]) -> f32[?] {
  %a = f32[<=8] parameter(0)
  %n = s32[] constant(8)
  ROOT %h = f32[<=8] set-dimension-size(%a, %n), dimensions={0}
}

%twice (a: f32[?]) -> f32[?] {
  %a = f32[?] parameter(0)
  ROOT %s = f32[?] add(%a, %a)
}

ENTRY main {
  %x = f32[<=8] parameter(0)
  %c = f32[?] call(%x), to_apply=%head
  ROOT %r = f32[?] call(%c), to_apply=%twice
}
)");
  const RefineResult refined = RefineWith(module, {"x=f32[8]"});
  EXPECT_TRUE(refined.report.ok()) << RenderRefinement(module, refined);
  EXPECT_EQ(refined.module.entry().root().shape().WithoutLayout().ToString(),
            "f32[8]");
  EXPECT_TRUE(VerifyModule(refined.module).ok());
}

TEST(ConditionsTest, EachOnceAtTheOpThatNeedsIt) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[a,b] parameter(0)
  %w = f32[c,d] parameter(1)
  %dot = f32[a,d] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %again = f32[a,d] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %y = f32[b] parameter(2)
  %z = f32[c] parameter(3)
  %sum = f32[b] add(%y, %z)
  %s = f32[4] slice(%y), slice={[0:8:2]}
  ROOT %r = f32[2,d] reshape(%dot)
}
)");
  const Conditions conditions = CollectConditions(module);
  EXPECT_TRUE(conditions.report.ok());
  EXPECT_EQ(RenderConditions(module, conditions),
            "%dot needs b == c\n"
            "%s needs 8 <= b\n"
            "%r needs a*d == 2*d\n");
}

TEST(ConditionsTest, ContradictionIsReportedAtTheOp) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n] parameter(0)
  %y = f32[m] parameter(1)
  %z = f32[m+1] parameter(2)
  %sum = f32[n] add(%x, %y)
  ROOT %bad = f32[n] add(%x, %z)
}
)",
                             "n>=2, m>=2");
  const Conditions conditions = CollectConditions(module);
  ASSERT_EQ(conditions.report.diagnostics().size(), 1);
  const ModuleDiagnostic& d = conditions.report.diagnostics()[0];
  EXPECT_EQ(d.diagnostic.code, Code::kConditionContradicts);
  EXPECT_EQ(d.instruction, 4);
  EXPECT_THAT(MessageText(module, d), HasSubstr("m == n"));
}

// Whatever comes first: bounds and divisors count like equations.
TEST(ConditionsTest, ContradictionNamesWhatSaidOtherwise) {
  const struct {
    const char* body;
    const char* message;
  } kCases[] = {
      // 8 <= n, then n == 4.
      {R"(%s = f32[8] slice(%x), slice={[0:8]}
  %d = f32[] dot(%x, %four), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
       "dot needs n == 4, which can't hold where 8 <= n (%s)"},
      {R"(%d = f32[] dot(%x, %four), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  %s = f32[8] slice(%x), slice={[0:8]})",
       "slice needs 8 <= n, which can't hold where n == 4 (%d)"},
      // n % 3 == 0, then n == 4.
      {R"(%r = f32[3,?] reshape(%x)
  %d = f32[] dot(%x, %four), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
       "dot needs n == 4, which can't hold where n % 3 == 0 (%r)"},
      // What no symbol's facts can hold, then n == 4.
      {R"(%r = f32[7,?] reshape(%square)
  %d = f32[] dot(%x, %four), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
       "reshape needs n^2 % 7 == 0, which can't hold where n == 4 (%d)"},
      // Through another name.
      {R"(%e = f32[] dot(%x, %y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  %s = f32[8] slice(%y), slice={[0:8]}
  %d = f32[] dot(%x, %four), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
       "dot needs n == 4, which can't hold where m == n (%e), 8 <= m (%s)"},
      // Nothing stretches in a graph.
      {R"(%a = f32[n] add(%x, %y)
  %b = f32[?] add(%x, %longer))",
       "add needs m+1 == n, which can't hold where m == n (%a)"},
      {R"(%s = f32[64] slice(%few), slice={[0:64]})", ""},
  };
  for (const auto& c : kCases) {
    const Module module = Read(absl::StrCat(R"(HloModule m

ENTRY main {
  %x = f32[n] parameter(0)
  %y = f32[m] parameter(1)
  %four = f32[4] parameter(2)
  %longer = f32[m+1] parameter(3)
  %few = f32[k] parameter(4)
  %square = f32[n*n] parameter(5)
  )",
                                            c.body, R"(
  ROOT %t = (f32[n]) tuple(%x)
}
)"));
    const InferResult inferred = InferShapes(module);
    ASSERT_TRUE(inferred.report.ok()) << c.body;
    const Conditions conditions = CollectConditions(inferred.module);
    if (*c.message == '\0') {
      EXPECT_TRUE(conditions.report.ok());
      continue;
    }
    ASSERT_EQ(conditions.report.diagnostics().size(), 1) << c.body;
    EXPECT_THAT(
        MessageText(inferred.module, conditions.report.diagnostics()[0]),
        HasSubstr(c.message));
  }
}

TEST(ConditionsTest, WhatBoundsImplyIsLeftOut) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n] parameter(0)
  %a = f32[8] slice(%x), slice={[0:8]}
  %b = f32[4] slice(%x), slice={[0:4]}
  %c = f32[4,?] reshape(%x)
  %d = f32[2,?] reshape(%x)
  ROOT %t = (f32[8]) tuple(%a)
}
)");
  const Conditions conditions = CollectConditions(module);
  EXPECT_EQ(RenderConditions(module, conditions),
            "%a needs 8 <= n\n%c needs n % 4 == 0\n");
  EXPECT_EQ(conditions.known.FactsOf("n").lower, 8);
  EXPECT_EQ(conditions.known.FactsOf("n").divisor, 4);
}

// What changed may be what is known of a name.
TEST(RefineTest, ChainsTellNewFacts) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n] parameter(0)
  ROOT %s = f32[8] slice(%x), slice={[0:8]}
}
)");
  const RefineResult refined = RefineWith(module, {"n<=3"});
  ASSERT_FALSE(refined.report.ok());
  EXPECT_THAT(RenderRefinement(module, refined),
              HasSubstr("%x = f32[n] parameter(0), n<=3 now"));
}

TEST(RefineTest, GivenSizesThatAreOpenFollow) {
  const Module module = Read(R"(HloModule m

ENTRY main {
  %x = f32[n,6] parameter(0)
  %flat = f32[?] reshape(%x)
  %pairs = f32[?,2] reshape(%flat)
  ROOT %rows = f32[5,?,2] broadcast(%pairs), dimensions={1,2}
}
)");
  const RefineResult open = RefineWith(module, {});
  EXPECT_THAT(Shapes(open.module), ElementsAre("f32[n,6]", "f32[6*n]",
                                               "f32[3*n,2]", "f32[5,3*n,2]"));
  const RefineResult refined = RefineWith(module, {"n=4"});
  EXPECT_THAT(Shapes(refined.module),
              ElementsAre("f32[4,6]", "f32[24]", "f32[12,2]", "f32[5,12,2]"));
  EXPECT_TRUE(VerifyModule(refined.module).ok());
}

TEST(SymbolicTextTest, HloTextAndWireGiveSymbolsBack) {
  const Module module = Read(kMatmul, "n>=1, n%8==0, m<=4096");
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Module> back = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(Shapes(*back), Shapes(module));
  // Facts too.
  const Dim n = back->entry().instruction(0).shape().dim(0);
  EXPECT_EQ(n, module.entry().instruction(0).shape().dim(0));
  EXPECT_EQ(n.lower(), 8);
  const std::string text = PrintHloText(module);
  EXPECT_THAT(text, HasSubstr("f32[2*m,n]"));
  EXPECT_EQ(PrintHloText(Read(text, "n>=1, n%8==0, m<=4096")), text);
  // Its header says that sizes have names.
  const absl::StatusOr<Module> unasked = ParseHloText(text);
  ASSERT_TRUE(unasked.ok()) << unasked.status();
  EXPECT_EQ(Shapes(*unasked), Shapes(module));
}

}  // namespace
}  // namespace indim
