// SPDX-License-Identifier: Apache-2.0
// Calls, control flow, tuples, tokens and given results. XLA's own answers are
// in xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tests/sample.h"
#include "indim/tests/shape/infer/infer_cases.h"

namespace indim {
namespace {

Op Given(const char* name, std::vector<std::string> operands,
         const char* declared) {
  return {name, std::move(operands), {}, {}, declared};
}

TEST(InferShapeTest, DeclarationsOfTheRow) {
  ExpectAnswers({
      {{"parameter", {}}, "result-shape-needed"},
      {{"call", {}}, "callee-count"},
      {{"conditional", {"pred[]"}}, "operand-count"},
      {{"while", {"f32[]"}, {}, {Callee({"f32[]"}, "f32[]")}}, "callee-count"},
  });
}

TEST(InferShapeTest, NothingIsDereferencedBlindly) {
  const Shape scalar = S("f32[]");
  const Shape* const missing[] = {&scalar, nullptr};
  InferContext context;
  OpInputs inputs;
  inputs.opcode = Opcode::kAdd;
  inputs.operands = missing;
  EXPECT_EQ(InferShape(&context, inputs), std::nullopt);
  EXPECT_EQ(FirstError(context), "operand-missing");
  const Shape none;
  const Shape* const without_shape[] = {&none};
  context.Clear();
  inputs.opcode = Opcode::kTuple;
  inputs.operands = without_shape;
  EXPECT_EQ(InferShape(&context, inputs), std::nullopt);
  EXPECT_EQ(FirstError(context), "operand-missing");
  const Signature* const no_callee[] = {nullptr};
  context.Clear();
  inputs.opcode = Opcode::kCall;
  inputs.operands = {};
  inputs.callees = no_callee;
  EXPECT_EQ(InferShape(&context, inputs), std::nullopt);
  EXPECT_EQ(FirstError(context), "callee-count");
}

TEST(InferShapeTest, InvalidOpcodes) {
  for (Opcode bad : {Opcode::kInvalid, static_cast<Opcode>(200)}) {
    InferContext context;
    OpInputs inputs;
    inputs.opcode = bad;
    EXPECT_FALSE(IsInferable(bad));
    EXPECT_EQ(InferShape(&context, inputs), std::nullopt);
    EXPECT_TRUE(context.diagnostics().empty());
  }
}

TEST(CallTest, ParametersAndResult) {
  const Signature callee = Callee({"f32[2,?]", "s32[]"}, "(f32[2]{0}, s8[])");
  ExpectAnswers({
      {{"call", {"f32[2,3]", "s32[]"}, {}, {callee}}, "(f32[2], s8[])"},
      {{"call", {"f32[<=2,3]", "s32[]"}, {}, {callee}}, "(f32[2], s8[])"},
      {{"call", {"f32[*]", "s32[]"}, {}, {callee}}, "(f32[2], s8[])"},
      {{"call", {"f32[3,3]", "s32[]"}, {}, {callee}}, "callee-parameter"},
      {{"call", {"f32[<=3,3]", "s32[]"}, {}, {callee}}, "callee-parameter"},
      {{"call", {"bf16[2,3]", "s32[]"}, {}, {callee}}, "callee-parameter"},
      {{"call", {"f32[2,3]"}, {}, {callee}}, "callee-arity"},
      {{"fusion", {"f32[2,3]", "s32[]"}, {}, {callee}}, "(f32[2], s8[])"},
      {{"fusion", {"f32[2,3]", "s32[]", "f32[]"}, {}, {callee}},
       "(f32[2], s8[])"},
      {{"fusion", {"f32[2,3]"}, {}, {callee}}, "callee-arity"},
      {{"fusion", {"f32[2,3]", "s8[]"}, {}, {callee}}, "callee-parameter"},
  });
}

// Callees: the body, then the condition.
TEST(WhileTest, Table) {
  const Signature body = Callee({"(s32[], f32[?])"}, "(s32[], f32[4])");
  const Signature condition = Callee({"(s32[], f32[<=4])"}, "pred[]");
  ExpectAnswers({
      {{"while", {"(s32[], f32[4])"}, {}, {body, condition}},
       "(s32[], f32[4])"},
      {{"while", {"(s32[], f32[<=4])"}, {}, {body, condition}},
       "(s32[], f32[<=4])"},
      {{"while", {"(s32[], f32[5])"}, {}, {body, condition}}, "loop-shape"},
      {{"while", {"f32[4]"}, {}, {body, condition}}, "loop-shape"},
      {{"while",
        {"(s32[], f32[4])"},
        {},
        {body, Callee({"(s32[], f32[5])"}, "pred[]")}},
       "loop-shape"},
      {{"while",
        {"(s32[], f32[4])"},
        {},
        {body, Callee({"(s32[], f32[4])"}, "s32[]")}},
       "callee-result"},
      {{"while",
        {"(s32[], f32[4])"},
        {},
        {body, Callee({"(s32[], f32[4])"}, "pred[1]")}},
       "callee-result"},
      {{"while", {"(s32[], f32[4])"}, {}, {body, Callee({}, "pred[]")}},
       "callee-arity"},
      {{"while", {"(s32[], f32[4])"}, {}, {condition, body}}, "callee-result"},
  });
}

Op Branches(const char* index, std::vector<std::string> results) {
  Op op = {"conditional", {index}};
  for (const std::string& result : results) {
    op.operands.push_back("f32[]");
    op.callees.push_back(Callee({"f32[]"}, result));
  }
  return op;
}

TEST(ConditionalTest, Index) {
  ExpectAnswers({
      {Branches("pred[]", {"f32[2]", "f32[2]"}), "f32[2]"},
      {Branches("s32[]", {"f32[2]", "f32[2]"}), "f32[2]"},
      {Branches("s32[]", {"f32[2]"}), "f32[2]"},
      {Branches("pred[]", {"f32[2]"}), "branch-count"},
      {Branches("pred[]", {"f32[2]", "f32[2]", "f32[2]"}), "branch-count"},
      {Branches("u32[]", {"f32[2]", "f32[2]"}), "branch-index"},
      {Branches("pred[1]", {"f32[2]", "f32[2]"}), "branch-index"},
      {Branches("token[]", {"f32[2]", "f32[2]"}), "branch-index"},
      {{"conditional", {"s32[]", "f32[]"}}, "branch-count"},
      {{"conditional", {"s32[]", "f32[]"}, {}, {Callee({}, "f32[]")}},
       "callee-arity"},
      {{"conditional", {"s32[]", "f32[]"}, {}, {Callee({"s8[]"}, "f32[]")}},
       "callee-parameter"},
  });
}

TEST(ConditionalTest, Results) {
  ExpectAnswers({
      {Branches("pred[]", {"f32[3]", "f32[4]"}), "callee-result"},
      {Branches("pred[]", {"f32[3]", "f32[?]"}), "f32[<=3]"},
      {Branches("pred[]", {"f32[?]", "f32[3]"}), "f32[?]"},
      {Branches("pred[]", {"f32[3]", "f32[<=3]"}), "f32[<=3]"},
      {Branches("pred[]", {"f32[0]", "f32[?]"}), "f32[<=0]"},
      {Branches("pred[]", {"(f32[3], token[])", "(f32[<=3], token[])"}),
       "(f32[<=3], token[])"},
      {Branches("s32[]", {"f32[3,2]", "f32[3,2]", "f32[<=3,2]"}), "f32[<=3,2]"},
      {Branches("pred[]", {"f32[2..4]", "f32[3]"}), "f32[2..4]"},
      {Branches("pred[]", {"f32[3]", "f32[2..4]"}), "f32[2..4]"},
      {Branches("pred[]", {"f32[3]", "f32[*]"}), "f32[*]"},
      {Branches("pred[]", {"f32[*]", "f32[3]"}), "f32[*]"},
  });
}

TEST(TupleTest, Table) {
  ExpectAnswers({
      {{"tuple", {}}, "()"},
      {{"tuple", {"f32[2]{0}", "token[]", "()"}}, "(f32[2], token[], ())"},
      {{"get-tuple-element",
        {"(f32[2]{0}, s8[])"},
        GetTupleElementAttributes{0}},
       "f32[2]"},
      {{"get-tuple-element",
        {"(f32[2], (s8[]))"},
        GetTupleElementAttributes{1}},
       "(s8[])"},
      {{"get-tuple-element", {"(f32[2])"}, GetTupleElementAttributes{1}},
       "tuple-index-range"},
      {{"get-tuple-element", {"(f32[2])"}, GetTupleElementAttributes{-1}},
       "tuple-index-range"},
      {{"get-tuple-element", {"()"}}, "tuple-index-range"},
      {{"get-tuple-element", {"f32[2]"}}, "operand-not-tuple"},
  });
}

TEST(TupleTest, NestsNoDeeperThanAFile) {
  Shape deep = S("f32[]");
  while (deep.depth() < Shape::kMaxTupleDepth) deep = Shape::Tuple({deep});
  const Shape* const operands[] = {&deep};
  InferContext context;
  OpInputs inputs;
  inputs.opcode = Opcode::kTuple;
  inputs.operands = operands;
  EXPECT_EQ(InferShape(&context, inputs), std::nullopt);
  EXPECT_EQ(FirstError(context), "nests-too-deep");
}

TEST(TupleTest, SharedPartsAreCounted) {
  if (SampleStep(2) > 1) GTEST_SKIP() << "asked with all cases";
  Shape wide = S("f32[]");
  InferContext context;
  int doublings = 0;
  for (; doublings < Shape::kMaxTupleDepth; ++doublings) {
    const Shape* const operands[] = {&wide, &wide};
    OpInputs inputs;
    inputs.opcode = Opcode::kTuple;
    inputs.operands = operands;
    std::optional<Shape> twice = InferShape(&context, inputs);
    if (!twice) break;
    wide = *std::move(twice);
  }
  EXPECT_EQ(doublings, 21);  // 2^22 - 1 parts
  EXPECT_EQ(FirstError(context), "nests-too-deep");
}

TEST(TokenTest, Table) {
  ExpectAnswers({
      {{"after-all", {}}, "token[]"},
      {{"after-all", {"token[]", "token[]"}}, "token[]"},
      {{"after-all", {"token[]", "f32[]"}}, "operand-not-token"},
      {{"add-dependency", {"(f32[2])", "token[]"}}, "(f32[2])"},
      {{"add-dependency", {"f32[2]", "f32[]"}}, "operand-not-token"},
      {{"partition-id", {}}, "u32[]"},
      {{"replica-id", {}}, "u32[]"},
  });
}

TEST(GivenTest, Table) {
  OutfeedAttributes outfeed;
  outfeed.outfeed_shape = S("f32[3]");
  ExpectAnswers({
      {Given("parameter", {}, "f32[2]{0}"), "f32[2]"},
      {Given("constant", {}, "(f32[])"), "(f32[])"},
      {Given("custom-call", {"f32[]"}, "token[]"), "token[]"},
      {Given("infeed", {"token[]"}, "(f32[3], token[])"), "(f32[3], token[])"},
      {Given("infeed", {"token[]"}, "(f32[3])"), "declared-shape"},
      {Given("infeed", {"token[]"}, "(f32[3], f32[])"), "declared-shape"},
      {Given("infeed", {"token[]"}, "f32[3]"), "declared-shape"},
      {Given("infeed", {"f32[]"}, "(f32[3], token[])"), "operand-not-token"},
      {{"outfeed", {"f32[3]", "token[]"}, outfeed}, "token[]"},
      {{"outfeed", {"f32[<=3]", "token[]"}, outfeed}, "token[]"},
      {{"outfeed", {"f32[4]", "token[]"}, outfeed}, "operand-shape"},
      {{"outfeed", {"f32[4]", "token[]"}}, "token[]"},
      {{"outfeed", {"f32[3]", "f32[3]"}, outfeed}, "operand-not-token"},
  });
}

TEST(TransferTest, Table) {
  const char* kState = "(f32[3], u32[], token[])";
  ExpectAnswers({
      {{"send", {"f32[3]", "token[]"}}, kState},
      {{"send", {"f32[3]", "f32[3]"}}, "operand-not-token"},
      {{"send-done", {kState}}, "token[]"},
      {{"send-done", {"token[]"}}, "operand-shape"},
      {Given("recv", {"token[]"}, kState), kState},
      {Given("recv", {"token[]"}, "f32[3]"), "declared-shape"},
      {Given("recv", {"f32[]"}, kState), "operand-not-token"},
      {{"recv-done", {kState}}, "(f32[3], token[])"},
      {{"recv-done", {"(f32[3], s32[], token[])"}}, "operand-shape"},
      {{"copy-start", {"f32[3]{0}"}}, "(f32[3], f32[3], u32[])"},
      {{"copy-done", {"(f32[3], f32[3], u32[])"}}, "f32[3]"},
      {{"copy-done", {"(f32[3], f32[4], u32[])"}}, "operand-shape"},
      {{"copy-done", {"f32[3]"}}, "operand-shape"},
  });
}

}  // namespace
}  // namespace indim
