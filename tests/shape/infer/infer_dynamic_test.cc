// SPDX-License-Identifier: Apache-2.0
// Dynamic slices, dynamic-reshape, get- and set-dimension-size. Against XLA's
// own answers: tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/shape/ops/attributes.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

struct OperandsCase {
  std::vector<std::string> operands;
  DimIndices numbers;  // slice sizes or dimensions
  const char* answer;
};

TEST(InferDynamicSliceTest, Table) {
  const OperandsCase kCases[] = {
      {{"f32[8,9]", "s32[]", "s32[]"}, {3, 9}, "f32[3,9]"},
      {{"f32[8,9]", "u8[2]"}, {3, 0}, "f32[3,0] ~start-index-array"},
      {{"f32[]"}, {}, "f32[]"},
      // All of a bounded dim of more than one element stays bounded.
      {{"f32[<=8]", "s32[]"}, {8}, "f32[<=8]"},
      {{"f32[<=8]", "s32[]"}, {7}, "f32[7]"},
      {{"f32[<=1]", "s32[]"}, {1}, "f32[1]"},
      {{"f32[?]", "s32[]"}, {7}, "f32[7]"},
      {{"f32[2..5]", "s32[]"}, {5}, "f32[5]"},
      {{"f32[*]", "s32[]", "s32[]"}, {7, 2}, "f32[7,2]"},
      {{"f32[8]", "s32[*]"}, {2}, "f32[2]"},
      {{"f32[8]", "s32[]"}, {9}, "!slice-size-range"},
      {{"f32[2..5]", "s32[]"}, {6}, "!slice-size-range"},
      {{"f32[8]", "s32[]"}, {-1}, "!slice-size-range"},
      {{"f32[8]", "s32[]"}, {}, "!slice-sizes-count"},
      {{"f32[8]"}, {2}, "!start-index-count"},
      {{"f32[8]", "s32[2]"}, {2}, "!start-index-count"},
      {{"f32[8]", "s32[?]"}, {2}, "!start-index-count"},
      {{"f32[8,8]", "s32[2]", "s32[]"}, {2, 2}, "!operand-not-scalar"},
      {{"f32[8]", "f32[]"}, {2}, "!operand-type-class"},
      {{"f32[8]", "pred[]"}, {2}, "!operand-type-class"},
      {{"f32[8]", "token[]"}, {2}, "!operand-not-array"},
      {{"f32[8,8]", "s32[]", "s64[]"}, {2, 2}, "!operand-types-differ"},
      {{"(f32[8])", "s32[]"}, {2}, "!operand-not-array"},
  };
  for (const OperandsCase& c : kCases) {
    DynamicSliceAttributes slice;
    slice.slice_sizes = c.numbers;
    EXPECT_EQ(Ask({Opcode::kDynamicSlice, c.operands, slice}), c.answer)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferDynamicUpdateSliceTest, Table) {
  struct {
    std::vector<std::string> operands;
    const char* builder;
    const char* verifier;
  } const kCases[] = {
      {{"f32[8,9]", "f32[2,9]", "s32[]", "s32[]"}, "f32[8,9]", "f32[8,9]"},
      {{"f32[8]", "bf16[2]", "s32[1]"},
       "f32[8] ~mixed-types-odd ~start-index-array",
       "!mixed-float-types"},
      {{"f32[]", "f32[]"}, "f32[]", "f32[]"},
      {{"b(f32[8])", "f32[2]", "s32[]"}, "b(f32[8])", "b(f32[8])"},
      // A bounded update of all makes the result bounded.
      {{"f32[8]", "f32[<=8]", "s32[]"}, "f32[<=8]", "f32[<=8]"},
      {{"f32[8]", "f32[<=7]", "s32[]"}, "f32[8]", "f32[8]"},
      {{"f32[<=8]", "f32[?]", "s32[]"}, "f32[<=8]", "f32[<=8]"},
      {{"f32[?]", "f32[?]", "s32[]"}, "f32[?]", "f32[?]"},
      {{"f32[?]", "f32[2]", "s32[]"}, "!update-too-large", "f32[?]"},
      {{"f32[8]", "f32[2..9]", "s32[]"}, "f32[8]", "f32[8]"},
      {{"f32[8]", "f32[9..12]", "s32[]"},
       "!update-too-large",
       "!update-too-large"},
      {{"f32[*]", "f32[9]", "s32[]"}, "f32[*]", "f32[*]"},
      {{"f32[8]", "f32[*]", "s32[]"}, "f32[8]", "f32[8]"},
      {{"f32[*]", "f32[*]", "s32[]", "s32[]"}, "f32[*]", "f32[*]"},
      {{"f32[8]", "f32[9]", "s32[]"}, "!update-too-large", "!update-too-large"},
      {{"f32[8]", "f32[2,2]", "s32[]"},
       "!operand-ranks-differ",
       "!operand-ranks-differ"},
      {{"f32[8]", "s32[2]", "s32[]"},
       "!operand-types-differ",
       "!operand-types-differ"},
      {{"f32[8]", "f32[2]"}, "!start-index-count", "!start-index-count"},
      {{"f32[8]", "f32[2]", "c64[]"},
       "!operand-type-class",
       "!operand-type-class"},
      {{"token[]", "f32[2]", "s32[]"},
       "!operand-not-array",
       "!operand-not-array"},
      {{"f32[8]", "b(f32[2])", "s32[]"},
       "!operand-not-array",
       "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    const Query query = {Opcode::kDynamicUpdateSlice, c.operands};
    EXPECT_EQ(Ask(query), c.builder) << testing::PrintToString(c.operands);
    EXPECT_EQ(AskVerifier(query), c.verifier)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferDynamicReshapeTest, Table) {
  struct {
    std::vector<std::string> operands;
    const char* declared;
    const char* answer;
  } const kCases[] = {
      {{"f32[6]", "s32[]", "s32[]"}, "f32[<=2,3]", "f32[<=2,3]"},
      {{"s8[<=6]", "s32[]"}, "f32[6]", "s8[6]"},
      {{"f32[?]", "s32[]"}, "f32[<=6]", "f32[<=6]"},
      {{"f32[*]", "s32[]"}, "f32[<=6]", "f32[<=6]"},
      {{"f32[6]", "s32[]"}, "f32[*]", "f32[*]"},
      {{"f32[6]", "s32[]"}, "f32[<=7]", "!element-counts-differ"},
      {{"f32[6]"}, "f32[6]", "!dynamic-sizes-count"},
      {{"f32[6]", "s64[]"}, "f32[6]", "!dynamic-size-not-s32"},
      {{"f32[6]", "s32[1]"}, "f32[6]", "!dynamic-size-not-s32"},
      {{"f32[6]", "token[]"}, "f32[6]", "!dynamic-size-not-s32"},
      {{"token[]", "s32[]"}, "f32[6]", "!operand-not-array"},
      {{"f32[6]", "s32[]"}, "(f32[6])", "!result-not-array"},
      {{"f32[6]", "s32[]"}, "", "!result-shape-needed"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(
        Ask({Opcode::kDynamicReshape, c.operands, NoAttributes(), c.declared}),
        c.answer)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferGetDimensionSizeTest, Table) {
  const OperandsCase kCases[] = {
      {{"f32[2,<=3]"}, {1}, "s32[]"},
      {{"f32[?]"}, {0}, "s32[]"},
      {{"f32[*]"}, {5}, "s32[]"},
      {{"f32[2147483647]"}, {0}, "s32[]"},
      {{"f32[2147483648,2]"}, {1}, "s32[]"},
      {{"f32[2147483648]"}, {0}, "!size-not-int32"},
      {{"f32[<=2147483648]"}, {0}, "!size-not-int32"},
      {{"f32[2]"}, {1}, "!dim-index-range"},
      {{"f32[2]"}, {-1}, "!dim-index-range"},
      {{"f32[]"}, {0}, "!dim-index-range"},
      {{"f32[2]"}, {}, "!dimensions-count"},
      {{"(f32[2])"}, {0}, "!operand-not-array"},
      {{"token[]"}, {0}, "!operand-not-array"},
  };
  for (const OperandsCase& c : kCases) {
    EXPECT_EQ(
        Ask({Opcode::kGetDimensionSize, c.operands, Dimensions(c.numbers)}),
        c.answer)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferSetDimensionSizeTest, Table) {
  const OperandsCase kCases[] = {
      {{"f32[2,3]", "s32[]"}, {1}, "f32[2,<=3]"},
      {{"f32[<=2]", "s32[]"}, {0}, "f32[<=2]"},
      {{"f32[?]", "s32[]"}, {0}, "f32[?]"},
      {{"f32[2..5]", "s32[]"}, {0}, "f32[2..5]"},
      {{"f32[0]", "s32[]"}, {0}, "f32[<=0]"},
      {{"f32[*]", "s32[]"}, {3}, "f32[*]"},
      {{"f32[3]", "s32[*]"}, {0}, "f32[<=3]"},
      {{"f32[3]", "s64[]"}, {0}, "!dynamic-size-not-s32"},
      {{"f32[3]", "s32[1]"}, {0}, "!dynamic-size-not-s32"},
      {{"f32[3]", "(s32[])"}, {0}, "!dynamic-size-not-s32"},
      {{"f32[3]", "s32[]"}, {1}, "!dim-index-range"},
      {{"f32[3]", "s32[]"}, {0, 1}, "!dimensions-count"},
      {{"f32[2147483648]", "s32[]"}, {0}, "!size-not-int32"},
      {{"token[]", "s32[]"}, {0}, "!operand-not-array"},
  };
  for (const OperandsCase& c : kCases) {
    EXPECT_EQ(
        Ask({Opcode::kSetDimensionSize, c.operands, Dimensions(c.numbers)}),
        c.answer)
        << testing::PrintToString(c.operands);
  }
}

}  // namespace
}  // namespace indim
