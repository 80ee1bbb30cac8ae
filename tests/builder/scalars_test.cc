// SPDX-License-Identifier: Apache-2.0
// Numbers as operands, handles of ops, constants from lists, and what a builder
// tells of what it recorded.

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/builder/recorded_values.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ScalarsTest, HaveTheTypeOfTheOtherOperand) {
  for (const char* type : {"bf16", "f32", "f64", "s8", "u32", "c64"}) {
    TestBuilder b("scalars");
    const Op x = b.P(absl::StrCat(type, "[3]"));
    for (const Op op : {x * 2, 2 * x, 1 - x, x + 1, x / 2, b.Pow(x, 2),
                        b.Add(3, x), b.Select(b.Eq(x, 0), x, 1)}) {
      EXPECT_EQ(b.shape(op)->ToString(), absl::StrCat(type, "[3]"));
    }
    EXPECT_EQ(b.shape(b.Ne(x, 1))->ToString(), "pred[3]");
    EXPECT_TRUE(b.status().ok()) << b.status();
  }
}

TEST(ScalarsTest, Compute) {
  TestBuilder b("clamp");
  Op x = b.P("f32[4]");
  x += 0.5;
  x *= 2;
  x -= b.ConstantR0<float>(1);
  EXPECT_THAT(
      ValuesOf(b, b.Clamp(0, 1 - x, b.Max(x, 4.0)), {Floats({-2, 0, 1, 5})}),
      ElementsAre(4, 1, 0, 0));
}

TEST(ScalarsTest, WhatATypeCannotHoldIsAnError) {
  const auto add = [](const char* type, Operand number) {
    return Of({type}, [number](TestBuilder& b, const Ops& x) {
      return b.Add(x[0], number);
    });
  };
  CheckCalls({
      {"fraction", add("s32[2]", 2.5), "IND0636"},
      {"large", add("s8[2]", 300), "IND0636"},
      {"negative", add("u8[2]", -1), "IND0636"},
      {"two for pred", add("pred[2]", 2), "IND0636"},
      {"overflow", add("f16[2]", 1e6), "IND0636"},
      {"rounds", add("bf16[2]", 0.1), "bf16[2]"},
      {"infinity", add("f16[2]", std::numeric_limits<double>::infinity()),
       "f16[2]"},
      {"whole double", add("s8[2]", 3.0), "s8[2]"},
      {"pred", add("pred[2]", true), "pred[2]"},
      {"tuple", add("(f32[2])", 1), "IND0101"},
      {"alone", [](TestBuilder& b) { return b.Add(1, 2); }, "IND0637"},
      {"clamp alone", [](TestBuilder& b) { return b.Clamp(0, 1, 2); },
       "IND0637"},
  });
}

TEST(OpHandleTest, ComparesAndHashesAsAHandle) {
  TestBuilder b("a"), other("b");
  const Op x = b.P("f32[]"), y = b.P("f32[]"), z = other.P("f32[]");
  EXPECT_EQ(x, x);
  EXPECT_NE(x, y);
  EXPECT_NE(x, z);
  EXPECT_EQ((absl::flat_hash_set<Op>{x, y, z, x}).size(), 3u);
}

TEST(ConstantOfListsTest, FromNestedLists) {
  const auto constant = [](ElementType type, NestedNumbers values) {
    return [=](TestBuilder& b) { return b.Constant(type, values); };
  };
  const ElementType f32 = ElementType::kF32, s8 = ElementType::kS8;
  CheckCalls({
      {"scalar", constant(f32, 1.5), "f32[]"},
      {"vector", constant(s8, {1, 2, 3}), "s8[3]"},
      {"matrix", constant(ElementType::kBF16, {{1, 2.5}, {3, 4}}), "bf16[2,2]"},
      {"deep", constant(f32, {{{1}, {2}}}), "f32[1,2,1]"},
      {"empty", constant(f32, {NestedNumbers({}), NestedNumbers({})}),
       "f32[2,0]"},
      {"ragged", constant(f32, {{1, 2}, {3}}), "IND0610"},
      {"a number and a list", constant(f32, {1, {2, 3}}), "IND0610"},
      {"a list and a number", constant(f32, {{2, 3}, 1}), "IND0610"},
      {"no value", constant(s8, {1, 300}), "IND0610"},
      {"span",
       [](TestBuilder& b) {
         return b.Constant(std::vector<int64_t>{1, 2, 3, 4}, {2, 2});
       },
       "s64[2,2]"},
      {"wrong size",
       [](TestBuilder& b) {
         return b.Constant(std::vector<float>{1, 2, 3, 4}, {2, 3});
       },
       "IND0610"},
  });
  TestBuilder b("values");
  EXPECT_THAT(ValuesOf(b, b.Constant(f32, {{1, 2}, {3, 4.5}})),
              ElementsAre(1, 2, 3, 4.5));
}

TEST(ComputationBuilderTest, TellsWhatItRecorded) {
  TestBuilder b("asked"), other("other");
  const Op x = b.P("f32[2]");
  const Op y = b.Transpose(b.Reshape(x * 3, {1, 2}), {1, 0});
  EXPECT_EQ(*b.opcode(y), Opcode::kTranspose);
  const Op product = (*b.operands((*b.operands(y))[0]))[0];
  EXPECT_EQ((*b.operands(product))[0], x);
  EXPECT_EQ(b.literal((*b.operands(product))[1])->ToString(), "3");
  EXPECT_THAT(std::get<DimensionsAttributes>(*b.attributes(y)).dimensions,
              ElementsAre(1, 0));
  EXPECT_FALSE(b.literal(x).ok());
  for (const Op op : {Op(), other.P("f32[]"), b.Add(x, b.P("f32[3]"))}) {
    EXPECT_FALSE(b.opcode(op).ok());
    EXPECT_FALSE(b.operands(op).ok());
    EXPECT_FALSE(b.attributes(op).ok());
    EXPECT_FALSE(b.literal(op).ok());
  }
  b.Map(x, [&](Op e) {
    EXPECT_EQ(*b.opcode(e), Opcode::kParameter);
    EXPECT_EQ(*b.opcode(product), Opcode::kMultiply);
    return e;
  });
}

}  // namespace
}  // namespace indim
