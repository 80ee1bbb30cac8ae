// SPDX-License-Identifier: Apache-2.0
// Transpose, reverse, slice, pad, concatenate, iota, broadcast, reshape: tables
// of what is taken and what is refused. Against XLA's own answers:
// tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "indim/shape/ops/attributes.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

struct DimensionsCase {
  const char* operand;
  DimIndices dimensions;
  const char* answer;
};

TEST(InferTransposeTest, Table) {
  const DimensionsCase kCases[] = {
      {"f32[2,3,4]", {2, 0, 1}, "f32[4,2,3]"},
      {"s8[]", {}, "s8[]"},
      {"f32[<=2,?,2..5]", {2, 1, 0}, "f32[2..5,?,<=2]"},
      {"f32[2,3]{0,1}", {0, 1}, "f32[2,3]"},
      {"f32[*]", {1, 0}, "f32[?,?]"},
      {"f32[2,3]", {0}, "!not-a-permutation"},
      {"f32[2,3]", {0, 0}, "!not-a-permutation"},
      {"f32[2,3]", {0, 2}, "!not-a-permutation"},
      {"f32[2,3]", {-1, 0}, "!not-a-permutation"},
      {"f32[2]", {0, kHuge}, "!not-a-permutation"},
      {"f32[*]", {1, 1}, "!not-a-permutation"},
      {"(f32[2])", {0}, "!operand-not-array"},
      {"token[]", {}, "!operand-not-array"},
  };
  for (const DimensionsCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kTranspose, {c.operand}, Dimensions(c.dimensions)}),
              c.answer)
        << c.operand;
  }
}

TEST(InferReverseTest, Table) {
  const DimensionsCase kCases[] = {
      {"f32[2,<=3,?]", {2, 0}, "f32[2,<=3,?]"},
      {"pred[2]", {}, "pred[2]"},
      {"f32[*]", {7}, "f32[*]"},
      {"f32[2]", {1}, "!dim-index-range"},
      {"f32[2]", {-1}, "!dim-index-range"},
      {"f32[2,3]", {1, 1}, "!dim-index-repeated"},
      {"f32[*]", {-1}, "!dim-index-range"},
      {"()", {}, "!operand-not-array"},
  };
  for (const DimensionsCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kReverse, {c.operand}, Dimensions(c.dimensions)}),
              c.answer)
        << c.operand;
  }
}

TEST(InferShuffleTest, Table) {
  struct {
    const char* operand;
    DimIndices dimensions, shifts;
    const char* answer;
  } const kCases[] = {
      {"f32[2,<=3,?]", {2, 0}, {1, -2}, "f32[2,<=3,?]"},
      {"pred[0]", {0}, {9}, "pred[0]"},
      {"f32[*]", {7}, {1}, "f32[*]"},
      {"f32[2]", {1}, {1}, "!dim-index-range"},
      {"f32[2]", {-1}, {1}, "!dim-index-range"},
      {"f32[2,3]", {1, 1}, {1, 1}, "!dim-index-repeated"},
      {"f32[2,3]", {1, 0}, {1}, "!window-list-count"},
      {"f32[2,3]", {1}, {1, 2}, "!window-list-count"},
      {"f32[2]", {}, {}, "!attribute-range"},
      {"()", {}, {}, "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kShuffle,
                   {c.operand},
                   ShuffleAttributes{c.dimensions, c.shifts}}),
              c.answer)
        << c.operand;
  }
}

struct SliceCase {
  const char* operand;
  DimIndices starts, limits, strides;
  const char* answer;
};

TEST(InferSliceTest, Table) {
  const SliceCase kCases[] = {
      {"f32[10]", {2}, {9}, {3}, "f32[3]"},
      {"f32[10,4]", {0, 4}, {10, 4}, {1, 1}, "f32[10,0]"},
      {"f32[10]", {2}, {9}, {}, "f32[7]"},
      {"f32[]", {}, {}, {}, "f32[]"},
      // Bounded stays bounded, but for one element; unknown becomes static.
      {"f32[<=8]", {1}, {7}, {2}, "f32[<=3]"},
      {"f32[<=8]", {8}, {8}, {1}, "f32[<=0]"},
      {"f32[<=8]", {1}, {2}, {1}, "f32[1]"},
      {"f32[?]", {3}, {100}, {1}, "f32[97]"},
      {"f32[2..5]", {0}, {5}, {1}, "f32[5]"},
      {"f32[2..5]", {0}, {6}, {1}, "!slice-bounds"},
      {"f32[*]", {1, 0}, {3, 4}, {1, 2}, "f32[2,2]"},
      {"s8[?]", {0}, {kHuge}, {1}, "s8[9223372036854775807]"},
      {"f32[?]", {0}, {kHuge}, {1}, "!size-overflow"},
      {"f32[4]", {-1}, {2}, {1}, "!slice-bounds"},
      {"f32[4]", {3}, {2}, {1}, "!slice-bounds"},
      {"f32[4]", {0}, {5}, {1}, "!slice-bounds"},
      {"f32[4,4]", {0, 9}, {5, 9}, {1, 1}, "!slice-bounds slice-bounds"},
      {"f32[?]",
       {std::numeric_limits<int64_t>::min()},
       {kHuge},
       {1},
       "!slice-bounds"},
      {"f32[4]", {0}, {4}, {0}, "!slice-stride"},
      {"f32[4]", {0}, {4}, {-1}, "!slice-stride"},
      {"f32[4]", {0}, {4}, {kHuge}, "f32[1]"},
      {"f32[4]", {}, {}, {}, "!slice-list-length"},
      {"f32[4]", {0}, {4, 4}, {1}, "!slice-list-length"},
      {"f32[4]", {0}, {4}, {1, 1}, "!slice-list-length"},
      {"f32[*]", {0, 0}, {4}, {1}, "!slice-list-length"},
      {"token[]", {}, {}, {}, "!operand-not-array"},
  };
  for (const SliceCase& c : kCases) {
    SliceAttributes slice;
    slice.starts = c.starts;
    slice.limits = c.limits;
    slice.strides = c.strides;
    EXPECT_EQ(Ask({Opcode::kSlice, {c.operand}, slice}), c.answer) << c.operand;
  }
}

struct PadCase {
  const char* operand;
  const char* value;
  std::vector<PaddingDim> padding;
  const char* answer;
};

TEST(InferPadTest, Table) {
  const PadCase kCases[] = {
      {"f32[3]", "f32[]", {{1, 2, 3}}, "f32[12]"},
      {"f32[0,4]", "f32[]", {{0, 0, 5}, {-1, -3, 0}}, "f32[0,0]"},
      {"f32[]", "f32[]", {}, "f32[]"},
      {"bf16[2]", "f32[]", {{0, 0, 0}}, "f32[2] ~mixed-types-odd"},
      {"f32[<=4,?]", "f32[]", {{1, 0, 1}, {-9, 0, 0}}, "f32[<=8,?]"},
      {"f32[2..5,3..]", "f32[]", {{1, 1, 1}, {-2, 0, 0}}, "f32[5..11,1..]"},
      {"f32[2..5]", "f32[]", {{-3, 0, 0}}, "f32[<=2]"},
      {"f32[*]", "f32[]", {{1, 1, 0}}, "f32[?]"},
      {"f32[3]", "f32[*]", {{1, 1, 0}}, "f32[5]"},
      {"f32[3]", "f32[]", {}, "!pad-list-length"},
      {"f32[3]", "f32[]", {{0, 0, -1}}, "!pad-interior"},
      // What loses elements has some, so that there is room between them.
      {"f32[n]", "f32[]", {{-1, -2, 1}}, "f32[2*n-4]"},
      {"f32[n]", "f32[]", {{-1, 1, 1}}, "f32[max(n,2*n-1)]"},
      {"f32[3]", "f32[]", {{-4, 0, 0}}, "!pad-below-zero"},
      {"f32[<=3]", "f32[]", {{-2, -2, 0}}, "!pad-below-zero"},
      {"f32[1..3]", "f32[]", {{-2, -2, 0}}, "!pad-below-zero"},
      {"f32[3]", "f32[]", {{kHuge, 0, 0}}, "!size-overflow"},
      {"f32[3]", "f32[]", {{0, 0, kHuge}}, "!size-overflow"},
      {"f32[3]", "f32[]", {{kHuge, kHuge, 0}}, "!size-overflow"},
      {"f32[?]", "f32[]", {{kHuge, kHuge, kHuge}}, "f32[?]"},
      {"f32[3]", "f32[1]", {{0, 0, 0}}, "!operand-not-scalar"},
      {"f32[3]", "token[]", {{0, 0, 0}}, "!operand-not-scalar"},
      {"f32[3]", "s32[]", {{0, 0, 0}}, "!operand-types-differ"},
      {"f8e5m2[3]", "f8e5m2fnuz[]", {{0, 0, 0}}, "!no-common-type"},
      {"(f32[3])", "f32[]", {{0, 0, 0}}, "!operand-not-array"},
  };
  for (const PadCase& c : kCases) {
    PadAttributes pad;
    pad.padding = c.padding;
    EXPECT_EQ(Ask({Opcode::kPad, {c.operand, c.value}, pad}), c.answer)
        << c.operand;
  }
}

struct ConcatenateCase {
  std::vector<std::string> operands;
  DimIndices dimensions;
  const char* answer;
};

TEST(InferConcatenateTest, Table) {
  const ConcatenateCase kCases[] = {
      {{"f32[2,3]", "f32[2,4]", "f32[2,0]"}, {1}, "f32[2,7]"},
      {{"f32[<=3]"}, {0}, "f32[<=3]"},
      {{"f32[2]", "f32[<=3]"}, {0}, "f32[<=5]"},
      {{"f32[<=2]", "f32[?]", "f32[3]"}, {0}, "f32[?]"},
      {{"f32[2..5]", "f32[3]"}, {0}, "f32[5..8]"},
      {{"f32[?,1]", "f32[4,1]", "f32[<=4,1]"}, {1}, "f32[<=4,3]"},
      {{"f32[2..9,1]", "f32[5..,1]"}, {1}, "f32[5..9,2]"},
      // The last pair decides the type.
      {{"f16[1]", "f32[1]", "f16[1]"}, {0}, "f16[3] ~mixed-types-odd"},
      {{"f16[1]", "f32[1]"}, {0}, "f32[2] ~mixed-types-odd"},
      {{"f32[*]", "f32[2,3]"}, {0}, "f32[?,3]"},
      {{"f32[*]", "f32[*]"}, {4}, "f32[*]"},
      {{}, {0}, "!operand-count"},
      {{"f32[2]", "f32[3]"}, {}, "!dimensions-count"},
      {{"f32[2]", "f32[3]"}, {0, 0}, "!dimensions-count"},
      {{"f32[2]", "f32[3]"}, {1}, "!dim-index-range"},
      {{"f32[2]", "f32[3]"}, {-1}, "!dim-index-range"},
      {{"f32[]", "f32[]"}, {0}, "!dim-index-range"},
      {{"f32[*]", "f32[*]"}, {-1}, "!dim-index-range"},
      {{"f32[2]", "f32[2,3]"}, {0}, "!operand-ranks-differ"},
      {{"f32[2,3]", "f32[2,4]"}, {0}, "!sizes-must-match"},
      // Both go with the unknown size, but not with each other.
      {{"f32[1,?]", "f32[1,3]", "f32[1,5]"}, {0}, "!sizes-must-match"},
      {{"f32[1,<=3]", "f32[1,<=5]"}, {0}, "!sizes-must-match"},
      {{"f32[1,2..3]", "f32[1,5..6]"}, {0}, "!sizes-must-match"},
      {{"f32[2]", "s32[2]"}, {0}, "!operand-types-differ"},
      {{"f32[2]", "(f32[2])"}, {0}, "!operand-not-array"},
      {{"f8e4m3[2]", "f8e4m3fnuz[2]"}, {0}, "!no-common-type"},
      {{"f32[9223372036854775807]", "f32[1]"}, {0}, "!size-overflow"},
      {{"f32[<=4611686018427387903]", "f32[1]"}, {0}, "!size-overflow"},
      // The largest size is a size, not the lack of an upper end.
      {{"s8[1,9223372036854775807]", "s8[1,9223372036854775807]"},
       {0},
       "!size-overflow"},
  };
  for (const ConcatenateCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kConcatenate, c.operands, Dimensions(c.dimensions)}),
              c.answer)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferConcatenateTest, SizesThatRunTimeDecidesAreConditions) {
  EXPECT_EQ(
      Conditions(
          {Opcode::kConcatenate, {"f32[1,?]", "f32[1,3]"}, Dimensions({0})}),
      "operand 0 dim 1 equals operand 1 dim 1");
  EXPECT_EQ(
      Conditions(
          {Opcode::kConcatenate, {"f32[1,3]", "f32[1,3]"}, Dimensions({0})}),
      "");
}

struct GivenCase {
  const char* declared;
  DimIndices dimensions;
  const char* builder;
  const char* verifier;
};

TEST(InferIotaTest, Table) {
  const GivenCase kCases[] = {
      {"s32[4,3]", {1}, "s32[4,3]", "s32[4,3]"},
      {"c64[4]", {0}, "c64[4]", "c64[4]"},
      {"pred[4]", {0}, "pred[4]", "!iota-type"},
      {"f32[4]", {1}, "f32[4] ~iota-dimension-odd", "!iota-dimension"},
      {"f32[4]", {-1}, "f32[4] ~iota-dimension-odd", "!iota-dimension"},
      {"f32[]", {0}, "f32[] ~iota-dimension-odd", "!iota-dimension"},
      {"f32[<=4]", {0}, "!iota-dynamic", "f32[<=4]"},
      {"f32[4,?]", {0}, "!iota-dynamic", "f32[4,?]"},
      {"f32[*]", {0}, "f32[*]", "f32[*]"},
      {"f32[4]", {}, "!dimensions-count", "!dimensions-count"},
      {"(f32[4])", {0}, "!result-not-array", "!result-not-array"},
      {"", {0}, "!result-shape-needed", "!result-shape-needed"},
  };
  for (const GivenCase& c : kCases) {
    const Query query = {
        Opcode::kIota, {}, Dimensions(c.dimensions), c.declared};
    EXPECT_EQ(Ask(query), c.builder) << c.declared;
    EXPECT_EQ(AskVerifier(query), c.verifier) << c.declared;
  }
}

struct RelationCase {
  const char* operand;
  DimIndices dimensions;
  const char* declared;
  const char* builder;
  const char* verifier;
};

TEST(InferBroadcastTest, Table) {
  const RelationCase kCases[] = {
      {"f32[3]", {1}, "f32[2,3]", "f32[2,3]", "f32[2,3]"},
      {"f32[]", {}, "f32[2,3]", "f32[2,3]", "f32[2,3]"},
      // The operand's type: the comparison with what is recorded tells.
      {"s32[3]", {0}, "f32[3]", "s32[3]", "s32[3]"},
      {"f32[2,3]", {1, 0}, "f32[3,2]", "!broadcast-map-increasing", "f32[3,2]"},
      {"f32[2,2]",
       {0, 0},
       "f32[2]",
       "!broadcast-map-increasing",
       "f32[2] ~broadcast-map-repeats"},
      {"f32[1]", {0}, "f32[3]", "!broadcast-map-size", "!broadcast-map-size"},
      {"f32[<=3]", {0}, "f32[<=3,2]", "f32[<=3,2]", "f32[<=3,2]"},
      {"f32[<=3]", {0}, "f32[3]", "!broadcast-map-size", "f32[3]"},
      {"f32[<=3]",
       {0},
       "f32[<=4]",
       "!broadcast-map-size",
       "!broadcast-map-size"},
      {"f32[?]", {0}, "f32[3]", "f32[3]", "f32[3]"},
      {"f32[2..5]", {0}, "f32[4]", "f32[4]", "f32[4]"},
      {"f32[2..5]",
       {0},
       "f32[6]",
       "!broadcast-map-size",
       "!broadcast-map-size"},
      {"f32[*]", {1}, "f32[2,3]", "f32[2,3]", "f32[2,3]"},
      {"f32[3]", {5}, "f32[*]", "f32[*]", "f32[*]"},
      {"f32[3]", {}, "f32[3]", "!broadcast-map-count", "!broadcast-map-count"},
      {"f32[3]", {1}, "f32[3]", "!broadcast-map-range", "!broadcast-map-range"},
      {"f32[3]",
       {-1},
       "f32[3]",
       "!broadcast-map-range",
       "!broadcast-map-range"},
      {"f32[3]", {0}, "token[]", "!result-not-array", "!result-not-array"},
      {"f32[3]", {0}, "", "!result-shape-needed", "!result-shape-needed"},
  };
  for (const RelationCase& c : kCases) {
    const Query query = {
        Opcode::kBroadcast, {c.operand}, Dimensions(c.dimensions), c.declared};
    EXPECT_EQ(Ask(query), c.builder) << c.operand << " to " << c.declared;
    EXPECT_EQ(AskVerifier(query), c.verifier)
        << c.operand << " to " << c.declared;
  }
}

TEST(InferReshapeTest, Table) {
  const RelationCase kCases[] = {
      {"f32[2,3]", {}, "f32[6]", "f32[6]", "f32[6]"},
      {"f32[2,3]",
       {},
       "f32[7]",
       "!element-counts-differ",
       "!element-counts-differ"},
      {"s32[6]", {}, "f32[2,3]", "s32[2,3]", "s32[2,3]"},
      // The builder places bounded dims itself; a graph has them as recorded.
      {"f32[<=6]", {}, "f32[6]", "f32[<=6]", "f32[6] ~reshape-forgets-bound"},
      {"f32[6]", {}, "f32[<=6]", "f32[6]", "f32[<=6]"},
      {"f32[<=6]",
       {0},
       "f32[2,3]",
       "f32[<=2,3]",
       "f32[2,3] ~reshape-forgets-bound"},
      {"f32[<=6]",
       {1},
       "f32[2,3]",
       "f32[2,<=3]",
       "f32[2,3] ~reshape-forgets-bound"},
      {"f32[<=6]", {2}, "f32[2,3]", "!inferred-dimension-range", "f32[2,3]"},
      {"f32[?]", {}, "f32[6]", "f32[6]", "f32[6]"},
      // A graph has what is left for the only unknown size, where that is
      // known.
      {"f32[6]", {}, "f32[?]", "!result-size-unknown", "f32[6]"},
      {"f32[6]", {}, "f32[3,?]", "!result-size-unknown", "f32[3,2]"},
      {"f32[6]", {}, "f32[4,?]", "!result-size-unknown", "f32[4,?]"},
      {"f32[6]", {}, "f32[?,?]", "!result-size-unknown", "f32[?,?]"},
      {"f32[<=6]", {}, "f32[3,?]", "!result-size-unknown", "f32[3,?]"},
      {"f32[0]", {}, "f32[0,?]", "!result-size-unknown", "f32[0,?]"},
      {"f32[n,6]", {}, "f32[?]", "f32[6*n]", "f32[6*n]"},
      {"f32[n,6]", {}, "f32[n,?]", "f32[n,6]", "f32[n,6]"},
      {"f32[6]", {}, "f32[n,?]", "f32[n,?]", "f32[n,?]"},
      {"f32[2*n+1]",
       {},
       "f32[2,?]",
       "!reshape-remainder",
       "!reshape-remainder"},
      {"f32[2..3]",
       {},
       "f32[4]",
       "!element-counts-differ",
       "!element-counts-differ"},
      {"f32[2..3,2]", {}, "f32[5]", "f32[5]", "f32[5]"},
      {"f32[0,?]", {}, "f32[4]", "f32[4]", "!element-counts-differ"},
      {"f32[*]", {}, "f32[4]", "f32[4]", "f32[4]"},
      {"f32[4]", {}, "f32[*]", "f32[*]", "f32[*]"},
      {"f32[4]", {}, "(f32[4])", "!result-not-array", "!result-not-array"},
      {"f32[4]", {}, "", "!result-shape-needed", "!result-shape-needed"},
      {"f32[4294967296,4294967296]",
       {},
       "f32[4]",
       "!size-overflow",
       "!size-overflow"},
      {"f32[4294967296,0,4294967296]", {}, "f32[0]", "f32[0]", "f32[0]"},
  };
  for (const RelationCase& c : kCases) {
    const Query query = {
        Opcode::kReshape, {c.operand}, Dimensions(c.dimensions), c.declared};
    EXPECT_EQ(Ask(query), c.builder) << c.operand << " to " << c.declared;
    EXPECT_EQ(AskVerifier(query), c.verifier)
        << c.operand << " to " << c.declared;
  }
}

}  // namespace
}  // namespace indim
