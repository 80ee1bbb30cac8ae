// SPDX-License-Identifier: Apache-2.0
// Async wrappers: an operation in two halves and what may stand between.

#include <gtest/gtest.h>

#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

constexpr char kWrapped[] = "f32[2] s32[] -> f32[4]";

Query Start(std::vector<std::string> operands, const char* declared) {
  return {Opcode::kAsyncStart,
          std::move(operands),
          AsyncAttributes(),
          declared,
          {kWrapped}};
}

TEST(InferAsyncTest, Start) {
  const char* kState = "((f32[2], s32[]), f32[4], u32[])";
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, kState)), kState);
  // Nothing need follow the result.
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "((f32[2], s32[]), f32[4])")),
            "((f32[2], s32[]), f32[4])");
  // As in XLA, every parameter needs its argument.
  EXPECT_EQ(Ask(Start({"f32[2]"}, "((f32[2]), f32[4])")), "!async-part");
  EXPECT_EQ(Ask(Start({}, "((), f32[4])")), "!async-part");
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "((f32[2]), f32[4])")),
            "!async-part");
  EXPECT_EQ(Ask(Start({"f32[3]"}, "((f32[3]), f32[4])")), "!async-part");
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "((f32[2], s32[]), f32[5])")),
            "!async-part");
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "f32[4]")), "!declared-shape");
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "((f32[2], s32[]))")),
            "!declared-shape");
  EXPECT_EQ(Ask(Start({"f32[2]"}, kState)), "!callee-arity");
  EXPECT_EQ(Ask(Start({"f32[3]", "s32[]"}, kState)), "!callee-parameter");
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "")), "!result-shape-needed");
}

TEST(InferAsyncTest, Update) {
  const char* kState = "((f32[2], s32[]), f32[4], u32[])";
  Query query = {
      Opcode::kAsyncUpdate, {kState}, AsyncAttributes(), kState, {kWrapped}};
  EXPECT_EQ(Ask(query), kState);
  query.callees.clear();  // found at the start
  EXPECT_EQ(Ask(query), kState);
  query.operands = {"f32[2]"};
  EXPECT_EQ(Ask(query), "!operand-shape");
  query.operands = {kState};
  query.declared = "f32[4]";
  EXPECT_EQ(Ask(query), "!declared-shape");
  query.callees = {kWrapped};
  query.declared = "((f32[2], s32[]), f32[5])";
  EXPECT_EQ(Ask(query), "!async-part");
}

TEST(InferAsyncTest, Done) {
  Query query = {Opcode::kAsyncDone,
                 {"((f32[2], s32[]), f32[4], u32[])"},
                 AsyncAttributes(),
                 "",
                 {kWrapped}};
  EXPECT_EQ(Ask(query), "f32[4]");
  query.callees.clear();
  EXPECT_EQ(Ask(query), "f32[4]");
  query.callees = {"f32[2] s32[] -> f32[5]"};
  EXPECT_EQ(Ask(query), "!operand-shape");
  query.operands = {"(f32[2])"};
  EXPECT_EQ(Ask(query), "!operand-shape");
}

// XLA takes no start with a part of the result only.
TEST(InferAsyncTest, DoneHasTheWholeResult) {
  for (const char* start : {"((f32[2]), (f32[4]))", "((f32[2]), ())"}) {
    EXPECT_EQ(Ask({Opcode::kAsyncDone,
                   {start},
                   AsyncAttributes(),
                   "",
                   {"f32[2] -> (f32[4],s32[])"}}),
              "!operand-shape");
  }
  EXPECT_EQ(Ask(Start({"f32[2]", "s32[]"}, "((f32[2], s32[]), (f32[4]))")),
            "!async-part");
}

TEST(InferAsyncTest, Bitcast) {
  EXPECT_EQ(Ask({Opcode::kBitcast, {"f32[2,3]"}, NoAttributes(), "s32[6]"}),
            "s32[6]");
  EXPECT_EQ(Ask({Opcode::kBitcast, {"f32[2,3]"}}), "!result-shape-needed");
}

}  // namespace
}  // namespace indim
