// SPDX-License-Identifier: Apache-2.0
// Sort and topk. Against XLA's own answers:
// tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/shape/ops/attributes.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

struct SortCase {
  std::vector<std::string> operands;
  DimIndices dimensions;
  const char* comparator;
  const char* builder;
  const char* verifier;
};

constexpr char kLess[] = "f32[] f32[] -> pred[]";
constexpr char kLessByKey[] = "f32[] f32[] s32[] s32[] -> pred[]";

TEST(InferSortTest, Table) {
  const SortCase kCases[] = {
      {{"f32[2,3]"}, {1}, kLess, "f32[2,3]", "f32[2,3]"},
      {{"f32[3]", "s32[3]"},
       {0},
       kLessByKey,
       "(f32[3], s32[3])",
       "(f32[3], s32[3])"},
      // Each operand keeps its own dims.
      {{"f32[?]", "s32[<=3]"},
       {0},
       kLessByKey,
       "(f32[?], s32[<=3])",
       "(f32[?], s32[<=3])"},
      {{"f32[*]", "s32[3]"},
       {0},
       kLessByKey,
       "(f32[*], s32[3])",
       "(f32[*], s32[3])"},
      {{"bf16[3]"},
       {0},
       kLess,
       "bf16[3] ~comparator-odd",
       "bf16[3] ~comparator-odd"},
      {{"f32[3]"}, {-1}, kLess, "f32[3]", "!dim-index-range"},
      {{"f32[3]"},
       {1},
       kLess,
       "f32[3] ~sort-dimension-odd",
       "!dim-index-range"},
      {{"f32[3]"},
       {0},
       kLessByKey,
       "f32[3] ~comparator-odd",
       "!comparator-signature"},
      {{"f32[3]"},
       {0},
       "f32[] f32[] -> s32[]",
       "f32[3] ~comparator-odd",
       "!comparator-signature"},
      {{"f32[3]"},
       {0},
       "s32[] f32[1] -> pred[]",
       "f32[3] ~comparator-odd",
       "!comparator-parameter comparator-parameter"},
      {{"f32[3]"}, {}, kLess, "!dimensions-count", "!dimensions-count"},
      {{"f32[3]", "s32[4]"},
       {0},
       kLessByKey,
       "!sizes-must-match",
       "!sizes-must-match"},
      {{"f32[*]", "s32[4]", "s32[5]"},
       {0},
       kLessByKey,
       "!sizes-must-match",
       "!sizes-must-match"},
      {{"f32[3]", "s32[3,1]"},
       {0},
       kLessByKey,
       "!operand-ranks-differ",
       "!operand-ranks-differ"},
      {{"f32[3]", "token[]"},
       {0},
       kLessByKey,
       "!operand-not-array",
       "!operand-not-array"},
      {{}, {0}, kLess, "!operand-count", "!operand-count"},
  };
  for (const SortCase& c : kCases) {
    SortAttributes sort;
    sort.dimensions = c.dimensions;
    const Query query = {Opcode::kSort, c.operands, sort, "", {c.comparator}};
    EXPECT_EQ(Ask(query), c.builder) << testing::PrintToString(c.operands);
    EXPECT_EQ(AskVerifier(query), c.verifier)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferTopKTest, Table) {
  struct {
    const char* operand;
    int64_t k;
    const char* answer;
  } const kCases[] = {
      {"f32[2,9]", 3, "(f32[2,3], s32[2,3])"},
      {"s8[9]", 9, "(s8[9], s32[9])"},
      {"f32[0]", 0, "(f32[0], s32[0])"},
      {"f32[?,<=9]", 3, "(f32[?,3], s32[?,3])"},
      {"f32[2..5]", 5, "(f32[5], s32[5])"},
      {"f32[*]", 5, "(f32[*], s32[*])"},
      {"f32[9]", 10, "!topk-range"},
      {"f32[9]", -1, "!topk-range"},
      {"f32[*]", -1, "!topk-range"},
      {"f32[2..5]", 6, "!topk-range"},
      {"f32[9,?]", 1, "!topk-range"},
      {"f32[]", 0, "!topk-scalar"},
      {"(f32[9])", 1, "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    TopKAttributes topk;
    topk.k = c.k;
    EXPECT_EQ(Ask({Opcode::kTopK, {c.operand}, topk}), c.answer)
        << c.operand << " " << c.k;
  }
}

}  // namespace
}  // namespace indim
