// SPDX-License-Identifier: Apache-2.0
// Dot, ragged-dot, scaled-dot. Against XLA's own answers:
// tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/shape/ops/attributes.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

struct DotCase {
  const char* lhs;
  const char* rhs;
  DimIndices lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  const char* answer;
};

DotAttributes AttributesOf(const DotCase& c) {
  DotAttributes dot;
  dot.lhs_contracting_dims = c.lhs_contracting;
  dot.rhs_contracting_dims = c.rhs_contracting;
  dot.lhs_batch_dims = c.lhs_batch;
  dot.rhs_batch_dims = c.rhs_batch;
  return dot;
}

TEST(InferDotTest, Table) {
  const DotCase kCases[] = {
      {"f32[8,784]", "f32[784,10]", {1}, {0}, {}, {}, "f32[8,10]"},
      {"f32[5]", "f32[5]", {0}, {0}, {}, {}, "f32[]"},
      {"f32[2]", "f32[3]", {}, {}, {}, {}, "f32[2,3]"},
      {"f32[2,7,3]", "f32[3,4,2]", {2}, {0}, {0}, {2}, "f32[2,7,4]"},
      {"f32[0,2]", "f32[2,3]", {1}, {0}, {}, {}, "f32[0,3]"},
      // Any two types: the higher.
      {"s32[2]", "bf16[2]", {0}, {0}, {}, {}, "bf16[]"},
      {"u8[2]", "s8[2]", {0}, {0}, {}, {}, "s8[]"},
      {"f8e5m2[2]", "f8e5m2fnuz[2]", {0}, {0}, {}, {}, "!no-common-type"},
      // Batch sizes are operand 0's; what an interval adds is kept.
      {"f32[?,2]", "f32[5,2]", {1}, {1}, {0}, {0}, "f32[?]"},
      {"f32[5,2]", "f32[<=5,2]", {1}, {1}, {0}, {0}, "f32[5]"},
      {"f32[?,2]", "f32[3..5,2]", {1}, {1}, {0}, {0}, "f32[3..5]"},
      {"f32[<=4,?]", "f32[9,2..3]", {1}, {0}, {}, {}, "f32[<=4,2..3]"},
      {"f32[*]", "f32[2,3]", {1}, {0}, {}, {}, "f32[*]"},
      {"f32[2]", "f32[3]", {0}, {0}, {}, {}, "!sizes-must-match"},
      {"f32[<=2]", "f32[<=3]", {0}, {0}, {}, {}, "!sizes-must-match"},
      {"f32[2,3]", "f32[4,3]", {1}, {1}, {0}, {0}, "!sizes-must-match"},
      {"f32[2..3]", "f32[4..5]", {0}, {0}, {}, {}, "!sizes-must-match"},
      {"f32[2]", "f32[2]", {0}, {}, {}, {}, "!contraction-counts"},
      {"f32[2]", "f32[2]", {}, {}, {0}, {}, "!contraction-counts"},
      {"f32[2]", "f32[2]", {1}, {0}, {}, {}, "!dim-index-range"},
      {"f32[2]", "f32[2]", {0}, {-1}, {}, {}, "!dim-index-range"},
      {"f32[*]", "f32[2]", {-1}, {0}, {}, {}, "!dim-index-range"},
      {"f32[2,2]", "f32[2,2]", {0, 0}, {0, 1}, {}, {}, "!dim-index-repeated"},
      {"f32[2,2]", "f32[2,2]", {0}, {0}, {0}, {1}, "!dim-index-repeated"},
      {"(f32[2])", "f32[2]", {0}, {0}, {}, {}, "!operand-not-array"},
      {"f32[2]", "token[]", {0}, {0}, {}, {}, "!operand-not-array"},
  };
  for (const DotCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kDot, {c.lhs, c.rhs}, AttributesOf(c)}), c.answer)
        << c.lhs << " " << c.rhs;
  }
}

TEST(InferDotTest, TheElementTypeMayBeGiven) {
  const DotCase c = {"c64[2,3]", "c64[3]", {1}, {0}, {}, {}, ""};
  for (const char* declared : {"f32[]", "f32[9,9]", "f32[*]"}) {
    EXPECT_EQ(Ask({Opcode::kDot, {c.lhs, c.rhs}, AttributesOf(c), declared}),
              "f32[2]");
  }
  EXPECT_EQ(Ask({Opcode::kDot, {c.lhs, c.rhs}, AttributesOf(c), "token[]"}),
            "c64[2]");
}

TEST(InferDotTest, SizesThatRunTimeDecidesAreConditions) {
  const DotCase c = {"f32[?,2]", "f32[3,2]", {0, 1}, {0, 1}, {}, {}, ""};
  EXPECT_EQ(Conditions({Opcode::kDot, {c.lhs, c.rhs}, AttributesOf(c)}),
            "operand 0 dim 0 equals operand 1 dim 0");
}

struct RaggedCase {
  const char* lhs;
  const char* rhs;
  const char* groups;
  DotAttributes dot;
  const char* answer;
};

DotAttributes Ragged(DimIndices lhs_contracting, DimIndices rhs_contracting,
                     DimIndices lhs_batch, DimIndices rhs_batch,
                     DimIndices ragged, DimIndices group) {
  DotAttributes dot;
  dot.lhs_contracting_dims = lhs_contracting;
  dot.rhs_contracting_dims = rhs_contracting;
  dot.lhs_batch_dims = lhs_batch;
  dot.rhs_batch_dims = rhs_batch;
  dot.lhs_ragged_dims = ragged;
  dot.rhs_group_dims = group;
  return dot;
}

TEST(InferRaggedDotTest, Table) {
  // [m,k] . [g,k,n]: each group of rows has its own rhs.
  const DotAttributes rows = Ragged({1}, {1}, {}, {}, {0}, {0});
  // [m,k] . [k,n]: a product for each group.
  const DotAttributes inner = Ragged({1}, {0}, {}, {}, {1}, {});
  // [b,m,k] . [b,k,n]
  const DotAttributes batch = Ragged({2}, {1}, {0}, {0}, {0}, {});
  const RaggedCase kCases[] = {
      {"f32[8,5]", "f32[3,5,7]", "s32[3]", rows, "f32[8,7]"},
      {"f32[8,5]", "f32[?,5,7]", "s32[<=3]", rows, "f32[8,7]"},
      {"f32[8,5]", "f32[5,7]", "s32[3]", inner, "f32[3,8,7]"},
      {"f32[8,5]", "f32[5,7]", "s32[<=3]", inner, "f32[<=3,8,7]"},
      {"f32[2,8,5]", "f32[2,5,7]", "s32[3]", batch, "f32[2,8,7]"},
      // One row of group sizes for each batch.
      {"f32[2,8,5]", "f32[3,2,5,7]", "s32[2,3]",
       Ragged({2}, {2}, {0}, {1}, {1}, {0}), "f32[2,8,7]"},
      {"f32[*]", "f32[3,5,7]", "s32[3]", rows, "f32[*]"},
      {"f32[8,5]", "f32[3,5,7]", "s32[*]", rows, "f32[*]"},
      {"f32[8,5]", "f32[3,5,7]", "s32[4]", rows, "!sizes-must-match"},
      {"f32[8,5]", "f32[3,5,7]", "s32[]", rows, "!group-sizes-rank"},
      {"f32[8,5]", "f32[3,5,7]", "s32[2,3]", rows, "!group-sizes-rank"},
      {"f32[2,8,5]", "f32[3,2,5,7]", "s32[?,3]",
       Ragged({2}, {2}, {0}, {1}, {1}, {0}), "!sizes-must-match"},
      {"f32[2,8,5]", "f32[3,2,5,7]", "s32[4,3]",
       Ragged({2}, {2}, {0}, {1}, {1}, {0}), "!sizes-must-match"},
      {"f32[8,5]", "f32[3,5,7]", "s32[3]", Ragged({1}, {1}, {}, {}, {}, {0}),
       "!ragged-dim-count"},
      {"f32[8,5]", "f32[3,5,7]", "s32[3]",
       Ragged({1}, {1}, {}, {}, {0, 1}, {0}), "!ragged-dim-count"},
      {"f32[8,5]", "f32[3,5,7]", "s32[3]", Ragged({1}, {1}, {}, {}, {2}, {0}),
       "!dim-index-range"},
      {"f32[8,5]", "f32[3,5,7]", "s32[3]", Ragged({1}, {1}, {}, {}, {0}, {3}),
       "!dim-index-range"},
      {"f32[8,5]", "f32[3,5,7]", "s32[3]", Ragged({1}, {1}, {}, {}, {0}, {}),
       "!group-dim-count"},
      {"f32[8,5]", "f32[5,7]", "s32[3]", Ragged({1}, {0}, {}, {}, {1}, {1}),
       "!group-dim-count"},
      {"f32[8,5]", "f32[3,5,7]", "s32[5]", Ragged({1}, {1}, {}, {}, {0}, {1}),
       "!group-dim-taken"},
      {"f32[8,5]", "f32[3,6,7]", "s32[3]", rows, "!sizes-must-match"},
      {"f32[8,5]", "f32[3,5,7]", "token[]", rows, "!operand-not-array"},
  };
  for (const RaggedCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kRaggedDot, {c.lhs, c.rhs, c.groups}, c.dot}),
              c.answer)
        << c.lhs << " " << c.rhs << " " << c.groups;
  }
}

TEST(InferScaledDotTest, Table) {
  struct {
    std::vector<std::string> operands;
    const char* answer;
  } const kCases[] = {
      {{"f8e4m3fn[2,64]", "f8e4m3fn[64,7]", "f8e8m0fnu[2,2]", "f8e8m0fnu[2,7]"},
       "f8e4m3fn[2,7]"},
      // A bf16 operand need not be scaled.
      {{"bf16[2,64]", "f8e4m3fn[64,7]", "bf16[]", "f8e8m0fnu[2,7]"},
       "bf16[2,7]"},
      {{"f8e4m3fn[?,64]", "f8e4m3fn[64,7]", "f8e8m0fnu[3,?]", "f8e8m0fnu[*]"},
       "f8e4m3fn[?,7]"},
      {{"f8e4m3fn[2,64]", "f8e4m3fn[64,7]", "f8e8m0fnu[2]", "f8e8m0fnu[2,7]"},
       "!operand-ranks-differ"},
      {{"f8e4m3fn[2,64]", "f8e4m3fn[64,7]", "f8e8m0fnu[2,3]", "f8e8m0fnu[2,7]"},
       "!scale-blocks"},
      {{"f8e4m3fn[2,64]", "f8e4m3fn[64,7]", "f8e8m0fnu[2,0]", "f8e8m0fnu[2,7]"},
       "!scale-blocks"},
      {{"bf16[2,64]", "bf16[64,7]", "bf16[]", "bf16[]"}, "!scales-missing"},
      {{"f8e4m3fn[2,64]", "f8e4m3fn[64,7]", "token[]", "f8e8m0fnu[2,7]"},
       "!operand-not-array"},
      {{"f8e4m3fn[2,64]", "f8e4m3fn[63,7]", "f8e8m0fnu[2,2]", "f8e8m0fnu[2,7]"},
       "!sizes-must-match"},
  };
  for (const auto& c : kCases) {
    const DotCase dims = {"", "", {1}, {0}, {}, {}, ""};
    EXPECT_EQ(Ask({Opcode::kScaledDot, c.operands, AttributesOf(dims)}),
              c.answer)
        << testing::PrintToString(c.operands);
  }
  const DotCase two = {"", "", {0, 1}, {0, 1}, {}, {}, ""};
  EXPECT_EQ(Ask({Opcode::kScaledDot,
                 {"f8e5m2[2,4]", "f8e5m2[2,4]", "bf16[1,1]", "bf16[1,1]"},
                 AttributesOf(two)}),
            "!scaled-contraction");
}

}  // namespace
}  // namespace indim
