// SPDX-License-Identifier: Apache-2.0
// What a person reads after a wrong call.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const Caller kLine12{"affine.cc", 12};
const Caller kLine13{"affine.cc", 13};
const Caller kLine14{"affine.cc", 14};

int ErrorCount(const std::string& errors) {
  const std::vector<std::string> parts = absl::StrSplit(errors, ": error: ");
  return static_cast<int>(parts.size()) - 1;
}

TEST(DiagnosticsTest, NoBroadcastDimensions) {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[2,3]", "x", kLine12);
  const Op bias = b.Parameter(1, "f32[3]", "bias", kLine13);
  const Op sum = b.Add(x, bias, {}, kLine14);
  absl::StatusOr<Module> module = b.Build(sum);
  ASSERT_FALSE(module.ok());
  const std::string message(module.status().message());
  EXPECT_THAT(message, StartsWith("affine.cc:14: error: add can't match "
                                  "f32[2,3] with f32[3]: ranks differ, no "
                                  "broadcast_dimensions given  [IND0007]\n"));
  EXPECT_THAT(message, HasSubstr("%x"));
  EXPECT_THAT(message, HasSubstr("f32[2,3] parameter(0)"));
  EXPECT_THAT(message, HasSubstr("affine.cc:12"));
  EXPECT_THAT(message, HasSubstr("%bias"));
  EXPECT_THAT(message, HasSubstr("affine.cc:13"));
  EXPECT_THAT(message, HasSubstr("to fix: Add(x, bias, {1})"));
}

TEST(DiagnosticsTest, WrongBroadcastDimensions) {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[2,3]", "x", kLine12);
  const Op bias = b.Parameter(1, "f32[3]", "bias", kLine13);
  const Op sum = b.Add(x, bias, {0}, kLine14);
  absl::StatusOr<Module> module = b.Build(sum);
  ASSERT_FALSE(module.ok());
  const std::string message(module.status().message());
  EXPECT_THAT(message, StartsWith("affine.cc:14: error: add "));
  EXPECT_THAT(message, HasSubstr("to fix: Add(x, bias, {1})"));
}

TEST(DiagnosticsTest, AChainHasOneError) {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[2,3]", "x", kLine12);
  const Op bias = b.Parameter(1, "f32[3]", "bias", kLine13);
  const Op sum = b.Add(x, bias, {}, kLine14);
  const Op y = b.Tanh(b.Mul(sum, x) - sum);
  EXPECT_EQ(ErrorCount(b.DiagnosticsText()), 1) << b.DiagnosticsText();
  // Its shape says why there is none.
  EXPECT_THAT(std::string(b.shape(y).status().message()),
              HasSubstr("[IND0007]"));
  absl::StatusOr<Module> module = b.Build(y);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(ErrorCount(std::string(module.status().message())), 1)
      << module.status();
}

TEST(DiagnosticsTest, EveryChainHasItsFirstError) {
  ComputationBuilder b("chains");
  const Op x = b.Parameter(0, "f32[2,3]");
  const Op first = b.Neg(b.Add(x, b.ConstantR1({1.0f})));
  const Op second = b.Exp(b.Transpose(x, {0}));
  const Op third = b.Exp(b.Reshape(x, {7}));
  const Op y = b.Tuple({first, second, third, x});
  EXPECT_EQ(ErrorCount(b.DiagnosticsText()), 3) << b.DiagnosticsText();
  EXPECT_EQ(ErrorCount(std::string(b.status().message())), 1);
  EXPECT_THAT(std::string(b.status().message()), HasSubstr("2 more errors"));
  absl::StatusOr<Module> module = b.Build(y);
  EXPECT_EQ(ErrorCount(std::string(module.status().message())), 3);
}

TEST(DiagnosticsTest, ManyErrorsAreCounted) {
  ComputationBuilder b("many");
  const Op x = b.Parameter(0, "f32[2]");
  for (int i = 0; i < 1000; ++i) b.Transpose(x, {1});
  absl::StatusOr<Module> module = b.Build(x);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(ErrorCount(std::string(module.status().message())), 10);
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("990 more errors"));
}

TEST(DiagnosticsTest, ABadShapeIsToldAtTheCall) {
  ComputationBuilder b("text");
  b.Parameter(0, "f32[8,784", "x", kLine12);
  EXPECT_THAT(b.DiagnosticsText(),
              StartsWith("affine.cc:12: error: parameter: shape "
                         "\"f32[8,784\", column 10: "));
}

TEST(DiagnosticsTest, AreSaidAboutTheRightInstructionBesideCallees) {
  ComputationBuilder b("callee");
  const Op x = b.Parameter(0, "f32[2,3]", "x", kLine12);
  const Op zero = b.ConstantR0(ElementType::kF32, 0);
  const Op y = b.Reduce(x, zero, AddScalars(), {1}, kLine13);
  b.Add(x, y, {}, kLine14);
  EXPECT_THAT(b.DiagnosticsText(), StartsWith("affine.cc:14: error: add "));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("affine.cc:13"));
  EXPECT_THAT(b.DiagnosticsText(), Not(HasSubstr("add.2")));
}

// A program that says it in its own words.
TEST(DiagnosticsTest, AreToldOneByOne) {
  ComputationBuilder b("affine");
  const Op x = b.Parameter(0, "f32[8,784]", "x", kLine12);
  const Op w = b.Parameter(1, "f32[10,784]", "w", kLine13);
  const Op y = b.Dot(x, w, std::nullopt, kLine14);
  b.Add(b.ConstantR0(ElementType::kF32, 1), Op(), {}, kLine13);
  for (int round = 0; round < 2; ++round) {  // as well after Build()
    const std::vector<CallDiagnostic> all = b.diagnostics();
    ASSERT_GE(all.size(), 2);
    EXPECT_EQ(all[0].diagnostic.code, Code::kSizesMustMatch);
    EXPECT_EQ(all[0].diagnostic.operand, 1);
    EXPECT_EQ(all[0].diagnostic.dim, 0);
    EXPECT_EQ(all[0].diagnostic.other_dim, 1);
    EXPECT_EQ(all[0].file, "affine.cc");
    EXPECT_EQ(all[0].line, 14);
    EXPECT_THAT(all[0].message, StartsWith("dot: dim 0 of f32[10,784] is 10"));
    EXPECT_EQ(all[0].fix,
              "DotGeneral(x, w) with rhs_contracting_dims={1} matches dim 1 of "
              "x with dim 1 of w (784 = 784)");
    EXPECT_EQ(all[1].diagnostic.code, Code::kOpDefault);
    EXPECT_EQ(all[1].line, 13);
    EXPECT_EQ(all[1].fix, "");
    EXPECT_EQ(b.DiagnosticsText(),
              absl::StrJoin(all, "", [](std::string* out, const auto& d) {
                out->append(d.text);
              }));
    EXPECT_FALSE(b.Build(y).ok());
  }
  EXPECT_THAT(ComputationBuilder("empty").diagnostics(), IsEmpty());
}

TEST(DiagnosticsTest, WarningsOfWhatWasBuiltStay) {
  ComputationBuilder b("odd");
  const Op x = b.Iota("s32[3]", 2, kLine14);
  ASSERT_TRUE(b.Build(x).ok()) << b.DiagnosticsText();
  const std::vector<CallDiagnostic> all = b.diagnostics();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].diagnostic.severity(), Severity::kWarning);
  EXPECT_EQ(all[0].line, 14);
  EXPECT_EQ(b.DiagnosticsText(), all[0].text);
}

// Computations by what they are to the operation, each with its own line.
TEST(DiagnosticsTest, CalleesAreNamed) {
  ComputationBuilder b("loop");
  ComputationBuilder condition = b.SubBuilder("below_ten");
  const Op i = condition.Parameter(0, "s32[]", "i", kLine12);
  const Callee number = condition.BuildCallee(condition.Neg(i, kLine13));
  const Op init = b.Parameter(0, "s32[]", "init", kLine12);
  b.While(number, number, init, kLine14);
  EXPECT_THAT(b.DiagnosticsText(),
              StartsWith("affine.cc:14: error: while: the condition returns "
                         "s32[], but must return pred[]  [IND0403]\n"));
  EXPECT_THAT(b.DiagnosticsText(),
              HasSubstr("    below_ten = (s32[]) -> s32[]  "));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("affine.cc:13\n"));
}

// The id stands on the first line, also of a message that quotes others.
TEST(DiagnosticsTest, ACalleesErrorIsQuoted) {
  ComputationBuilder b("outer");
  const Op x = b.Parameter(0, "f32[]", "x", kLine12);
  ComputationBuilder inner = b.SubBuilder("inner");
  const Op y = inner.Parameter(0, "f32[]", "y", kLine13);
  const Callee broken = inner.BuildCallee(inner.Add(y, x, {}, kLine13));
  b.Call(broken, {x}, kLine14);
  EXPECT_THAT(
      b.DiagnosticsText(),
      StartsWith("affine.cc:14: error: call: its computation was not built, "
                 "for what follows:  [IND0605]\n    affine.cc:13: error: add: "
                 "operand 1 is %x = f32[] parameter(0) (affine.cc:12) of the "
                 "builder 'outer', not of 'inner'; to fix: pass it as an "
                 "operand"));
}

}  // namespace
}  // namespace indim
