// SPDX-License-Identifier: Apache-2.0
// Reduce, and the check of reducers that other operations share. Against XLA's
// own answers: tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

struct ReduceCase {
  std::vector<std::string> operands;
  DimIndices dimensions;
  const char* reducer;
  const char* answer;
};

Query QueryOf(const ReduceCase& c) {
  return {
      Opcode::kReduce, c.operands, Dimensions(c.dimensions), "", {c.reducer}};
}

constexpr char kArgMax[] = "f32[] s32[] f32[] s32[] -> (f32[], s32[])";

TEST(InferReduceTest, Table) {
  const ReduceCase kCases[] = {
      {{"f32[2,3,4]", "f32[]"}, {2, 0}, kSum, "f32[3]"},
      {{"f32[2,3]", "f32[]"}, {}, kSum, "f32[2,3]"},
      {{"f32[]", "f32[]"}, {}, kSum, "f32[]"},
      {{"f32[<=2,?,2..5]", "f32[]"}, {1}, kSum, "f32[<=2,2..5]"},
      {{"f32[2,3]", "s32[2,3]", "f32[]", "s32[]"},
       {0},
       kArgMax,
       "(f32[3], s32[3])"},
      // Sizes are operand 0's, as in XLA; an interval adds what it knows.
      {{"f32[?]", "s32[3]", "f32[]", "s32[]"}, {}, kArgMax, "(f32[?], s32[?])"},
      {{"f32[?]", "s32[3..4]", "f32[]", "s32[]"},
       {},
       kArgMax,
       "(f32[3..4], s32[3..4])"},
      {{"f32[*]", "s32[3,4]", "f32[]", "s32[]"},
       {0},
       kArgMax,
       "(f32[4], s32[4])"},
      {{"f32[*]", "s32[*]", "f32[]", "s32[]"},
       {7},
       kArgMax,
       "(f32[*], s32[*])"},
      {{"f32[*]", "f32[*]"}, {0}, kSum, "f32[*]"},
      // The accumulator's type, and its 1-tuple.
      {{"f32[2]", "f32[]"}, {0}, "f64[] f32[] -> f64[]", "f64[]"},
      {{"f32[2,3]", "f32[]"}, {0}, "f32[] f32[] -> (f32[])", "(f32[3])"},
      {{"f32[2]", "f32[]", "f32[]"}, {0}, kSum, "!reduce-operands-odd"},
      {{"f32[2]"}, {0}, kSum, "!operand-count"},
      {{"f32[2]", "f32[]"}, {1}, kSum, "!dim-index-range"},
      {{"f32[2]", "f32[]"}, {-1}, kSum, "!dim-index-range"},
      {{"f32[2]", "f32[]"}, {0, 0}, kSum, "!dim-index-repeated"},
      {{"f32[*]", "f32[]"}, {-1}, kSum, "!dim-index-range"},
      {{"f32[2]", "s32[3]", "f32[]", "s32[]"},
       {0},
       kArgMax,
       "!sizes-must-match"},
      {{"f32[2]", "s32[2,1]", "f32[]", "s32[]"},
       {0},
       kArgMax,
       "!operand-ranks-differ"},
      {{"f32[2]", "token[]", "f32[]", "s32[]"},
       {0},
       kArgMax,
       "!operand-not-array"},
      {{"f32[2]", "f32[]"}, {0}, "f32[] -> f32[]", "!reducer-parameters"},
      {{"f32[2]", "f32[]"}, {0}, kArgMax, "!reducer-parameters"},
      {{"f32[2]", "f32[]"}, {0}, "f32[] f32[] -> f32[1]", "!reducer-result"},
      {{"f32[2]", "f32[]"}, {0}, "f32[] f32[] -> token[]", "!reducer-result"},
      {{"f32[2]", "f32[]"}, {0}, "f32[] f32[] -> ()", "!reducer-result"},
      {{"f32[2]", "f32[]"}, {0}, "f32[] f32[] -> ((f32[]))", "!reducer-result"},
      {{"f32[2]", "s32[2]", "f32[]", "s32[]"},
       {0},
       "f32[] s32[] f32[] s32[] -> f32[]",
       "!reducer-result"},
      {{"f32[2]", "f32[]"},
       {0},
       "f64[] f32[] -> f32[]",
       "!reducer-accumulator"},
      {{"f32[2]", "f32[1]"}, {0}, kSum, "!reducer-init"},
      {{"f32[2]", "s32[]"}, {0}, kSum, "!reducer-init"},
      {{"s32[2]", "f32[]"}, {0}, kSum, "!reducer-input"},
      {{"s32[2]", "f32[]"},
       {0},
       "f32[] s32[] -> f32[]",
       "!reducer-mixes-types"},
  };
  for (const ReduceCase& c : kCases) {
    EXPECT_EQ(Ask(QueryOf(c)), c.answer)
        << testing::PrintToString(c.operands) << " by " << c.reducer;
  }
}

TEST(InferReduceTest, TheVerifierTakesNoOtherFloatTypes) {
  const ReduceCase exact = {{"f32[2]", "f32[]"}, {0}, kSum, ""};
  EXPECT_EQ(AskVerifier(QueryOf(exact)), "f32[]");
  const ReduceCase wider = {
      {"f32[2]", "f32[]"}, {0}, "f64[] f32[] -> f64[]", ""};
  EXPECT_EQ(Ask(QueryOf(wider)), "f64[]");
  EXPECT_EQ(AskVerifier(QueryOf(wider)), "!reducer-precision");
  const ReduceCase mixed = {{"bf16[2]", "f32[]"}, {0}, kSum, ""};
  EXPECT_EQ(Ask(QueryOf(mixed)), "f32[]");
  EXPECT_EQ(AskVerifier(QueryOf(mixed)), "!mixed-float-types");
}

TEST(InferReduceTest, NeedsItsReducer) {
  EXPECT_EQ(Ask({Opcode::kReduce, {"f32[2]", "f32[]"}, Dimensions({0})}),
            "!callee-count");
}

}  // namespace
}  // namespace indim
