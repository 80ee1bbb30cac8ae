// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/broadcastable.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tests/shape/broadcast/broadcast_testing.h"

namespace indim {
namespace {

using Mode = BroadcastableMode;
constexpr Mode kModes[] = {Mode::kLenient, Mode::kStrict, Mode::kMlir};

// The shape, or the id of the error.
std::string Infer(Mode mode, const std::vector<std::string>& texts) {
  const Operands operands(texts);
  std::vector<Diagnostic> diagnostics;
  const std::optional<Shape> shape =
      InferBroadcastable(mode, operands.pointers, &diagnostics);
  EXPECT_EQ(shape.has_value(), diagnostics.empty());
  return shape ? shape->ToString() : CodeText(diagnostics.at(0).code);
}

// "ok" or the id of the error.
std::string Verify(Mode mode, const std::vector<std::string>& texts,
                   const std::string& result) {
  const Operands operands(texts);
  std::vector<Diagnostic> diagnostics;
  const bool ok = VerifyBroadcastable(mode, operands.pointers,
                                      ParseShape(result).value(), &diagnostics);
  EXPECT_EQ(ok, diagnostics.empty());
  return ok ? "ok" : CodeText(diagnostics.at(0).code);
}

TEST(BroadcastableTest, NamesOfModes) {
  EXPECT_EQ(BroadcastableModeFromName("lenient"), Mode::kLenient);
  EXPECT_EQ(BroadcastableModeFromName("strict"), Mode::kStrict);
  EXPECT_EQ(BroadcastableModeFromName("mlir"), Mode::kMlir);
  EXPECT_EQ(BroadcastableModeFromName("loose"), std::nullopt);
}

TEST(BroadcastableTest, Inference) {
  const struct {
    std::vector<std::string> operands;
    std::string result;
  } kCases[] = {
      {{}, "IND0100"},
      {{"f32[2]", "token[]"}, "IND0101"},
      {{"f32[]"}, "f32[]"},
      {{"f32[*]"}, "f32[*]"},
      {{"f32[*]", "s8[2]"}, "f32[2]"},
      {{"s8[?]", "f32[4]"}, "s8[4]"},
      {{"f32[?]", "f32[1]", "f32[?]"}, "f32[?]"},
      {{"f32[4]", "f32[2,3,1]"}, "f32[2,3,4]"},
      {{"f32[0]", "f32[1]"}, "f32[0]"},
      {{"f32[3]", "f32[2]"}, "IND0001"},
      {{"f32[0]", "f32[2]"}, "IND0001"},
      {{"f32[<=4]", "f32[1..8]"}, "f32[<=8]"},
      {{"f32[2..5]", "f32[<=3]"}, "f32[2..5]"},
  };
  for (const auto& c : kCases) {
    for (const Mode mode : kModes) {
      EXPECT_EQ(Infer(mode, c.operands), c.result)
          << absl::StrJoin(c.operands, " ");
    }
  }
}

// MLIR doesn't take 0 for proof of what a ? is, so that its order counts.
TEST(BroadcastableTest, ZeroWithUnknown) {
  for (const Mode mode : {Mode::kLenient, Mode::kStrict}) {
    EXPECT_EQ(Infer(mode, {"f32[0]", "f32[?]"}), "f32[0]");
    EXPECT_EQ(Infer(mode, {"f32[0]", "f32[?]", "f32[3]"}), "IND0001");
    EXPECT_EQ(Infer(mode, {"f32[0]", "f32[3]", "f32[?]"}), "IND0001");
  }
  EXPECT_EQ(Infer(Mode::kMlir, {"f32[?]", "f32[0]"}), "f32[?]");
  EXPECT_EQ(Infer(Mode::kMlir, {"f32[0]", "f32[?]", "f32[3]"}), "f32[3]");
  EXPECT_EQ(Infer(Mode::kMlir, {"f32[0]", "f32[3]", "f32[?]"}), "IND0001");
}

TEST(BroadcastableTest, Verification) {
  const struct {
    std::vector<std::string> operands;
    std::string result;
    std::string lenient, strict, mlir;
  } kCases[] = {
      {{}, "f32[]", "IND0100", "IND0100", "IND0100"},
      {{"()"}, "f32[]", "IND0101", "IND0101", "IND0101"},
      {{"f32[]"}, "token[]", "IND0030", "IND0030", "IND0030"},
      {{"f32[*]"}, "f32[3]", "ok", "ok", "ok"},
      {{"f32[2]", "f32[3]"}, "f32[*]", "IND0001", "IND0001", "IND0001"},
      {{"f32[2]"}, "f32[*]", "ok", "ok", "ok"},
      {{"f32[?]"}, "f32[?]", "ok", "ok", "ok"},
      {{"f32[?]"}, "f32[4]", "ok", "IND0032", "ok"},
      {{"f32[4]"}, "f32[?]", "ok", "ok", "ok"},
      {{"f32[4]"}, "s8[4]", "ok", "ok", "ok"},
      {{"f32[4]"}, "f32[5]", "IND0032", "IND0032", "IND0032"},
      {{"f32[1]"}, "f32[4]", "IND0032", "IND0032", "IND0032"},
      {{"f32[3]"}, "f32[1,3]", "IND0031", "IND0031", "ok"},
      {{"f32[3]"}, "f32[3,4]", "IND0031", "IND0031", "IND0032"},
      {{"f32[1,3]"}, "f32[3]", "IND0031", "IND0031", "IND0031"},
      {{"f32[0]", "f32[?]"}, "f32[5]", "IND0032", "IND0032", "ok"},
      // Bounds and intervals: a size in common; strict: nothing left out.
      {{"f32[<=4]"}, "f32[3]", "ok", "IND0032", "ok"},
      {{"f32[<=4]"}, "f32[5]", "IND0032", "IND0032", "IND0032"},
      {{"f32[<=4]"}, "f32[<=8]", "ok", "ok", "ok"},
      {{"f32[<=8]"}, "f32[<=4]", "ok", "IND0032", "ok"},
      {{"f32[3]"}, "f32[2..5]", "ok", "ok", "ok"},
      {{"f32[2..3]"}, "f32[4..]", "IND0032", "IND0032", "IND0032"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(absl::StrCat(absl::StrJoin(c.operands, " "), " : ", c.result));
    EXPECT_EQ(Verify(Mode::kLenient, c.operands, c.result), c.lenient);
    EXPECT_EQ(Verify(Mode::kStrict, c.operands, c.result), c.strict);
    EXPECT_EQ(Verify(Mode::kMlir, c.operands, c.result), c.mlir);
  }
}

TEST(BroadcastableTest, ErrorsNameTheDim) {
  const Operands operands({"f32[2,?]", "f32[5]"});
  std::vector<Diagnostic> diagnostics;
  const Shape result = ParseShape("f32[2,7]").value();
  EXPECT_FALSE(VerifyBroadcastable(Mode::kLenient, operands.pointers, result,
                                   &diagnostics));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].operand, -1);
  EXPECT_EQ(diagnostics[0].dim, 1);
  DiagnosticSubject subject;
  subject.op = "add";
  subject.operands = operands.pointers;
  subject.declared = &result;
  EXPECT_EQ(FormatMessage(diagnostics[0], subject),
            "add is recorded as f32[2,7]: dim 1 is 7, but its operands give 5");
}

// --- Operands that another rule has placed ----------------------------------

std::string VerifyPlaced(const BroadcastSpec& spec,
                         const std::vector<std::string>& texts,
                         const std::string& result) {
  const Operands operands(texts);
  std::vector<Diagnostic> diagnostics;
  BroadcastPlan plan;
  EXPECT_TRUE(PlanBroadcast(spec, operands.pointers, &plan, &diagnostics));
  diagnostics.clear();
  const bool ok = VerifyBroadcastable(Mode::kLenient, plan, operands.pointers,
                                      ParseShape(result).value(), &diagnostics);
  return ok ? "ok" : CodeText(diagnostics.at(0).code);
}

TEST(BroadcastableTest, PlacedOperands) {
  BroadcastSpec xla;
  xla.dimensions = DimIndices{0};
  EXPECT_EQ(VerifyPlaced(xla, {"f32[4]", "f32[1,2]"}, "f32[4,2]"), "ok");
  EXPECT_EQ(VerifyPlaced(xla, {"f32[4]", "f32[1,2]"}, "f32[1,2]"), "IND0032");
  EXPECT_EQ(VerifyPlaced(xla, {"f32[4]", "f32[1,2]"}, "f32[2]"), "IND0031");
  EXPECT_EQ(VerifyPlaced(xla, {"f32[4]", "f32[*]"}, "f32[2]"), "ok");
  EXPECT_EQ(VerifyPlaced(xla, {"f32[4]", "f32[1,2]"}, "f32[*]"), "ok");
  EXPECT_EQ(VerifyPlaced({}, {"f32[]", "f32[]"}, "f32[]"), "ok");
  BroadcastSpec pdpd;
  pdpd.rule = BroadcastRule::kPdpd;
  pdpd.axis = 1;
  EXPECT_EQ(VerifyPlaced(pdpd, {"f32[2,3]", "f32[3,1]"}, "f32[2,3]"), "ok");
  EXPECT_EQ(VerifyPlaced(pdpd, {"f32[2,3]", "f32[1]"}, "f32[2,1]"), "IND0032");
}

TEST(BroadcastableTest, PlanOfOtherOperands) {
  const Operands operands({"f32[2]", "f32[3]"});
  std::vector<Diagnostic> diagnostics;
  BroadcastPlan plan;  // of none
  EXPECT_FALSE(VerifyBroadcastable(Mode::kLenient, plan, operands.pointers,
                                   operands.shapes[0], &diagnostics));
  EXPECT_EQ(diagnostics.at(0).code, Code::kOperandCount);
}

// What a rule infers, the verifier accepts.
TEST(BroadcastableTest, AcceptsEveryPlan) {
  const std::vector<std::string> dims = {"0",   "1",   "2",    "3", "<=0",
                                         "<=1", "<=3", "2..5", "?", "1.."};
  for (const BroadcastRule rule :
       {BroadcastRule::kXla, BroadcastRule::kNone, BroadcastRule::kNumpy,
        BroadcastRule::kPdpd, BroadcastRule::kBidirectional}) {
    int accepted = 0;
    for (const std::string& a : dims) {
      for (const std::string& b : dims) {
        for (const std::string& c :
             {std::string("f32[7,"), std::string("f32[")}) {
          const Operands operands(
              {absl::StrCat("f32[7,", a, "]"), absl::StrCat(c, b, "]")});
          BroadcastSpec spec;
          spec.rule = rule;
          if (operands.shapes[1].rank() == 1) spec.dimensions = DimIndices{1};
          BroadcastPlan plan;
          std::vector<Diagnostic> diagnostics;
          if (!PlanBroadcast(spec, operands.pointers, &plan, &diagnostics)) {
            continue;
          }
          ++accepted;
          EXPECT_TRUE(VerifyBroadcastable(
              Mode::kLenient, plan, operands.pointers,
              Shape::Array(ElementType::kF32, plan.dims), &diagnostics))
              << Name(rule) << " " << a << " " << c << b;
        }
      }
    }
    EXPECT_GT(accepted, 30) << Name(rule);
  }
}

}  // namespace
}  // namespace indim
