// SPDX-License-Identifier: Apache-2.0
// Windows: reduce-window, select-and-scatter, convolution. Against XLA's own
// answers: xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/tests/shape/infer/infer_testing.h"
#include "indim/tools/query/hlo_spelling.h"

namespace indim {
namespace {

constexpr char kMaxPair[] = "f32[] s32[] f32[] s32[] -> (f32[],s32[])";

std::vector<WindowDim> Window(const std::string& text) {
  absl::StatusOr<std::vector<WindowDim>> window = ReadWindow(text);
  EXPECT_TRUE(window.ok()) << window.status();
  return window.ok() ? *window : std::vector<WindowDim>();
}

struct WindowCase {
  std::vector<std::string> operands;
  const char* window;
  const char* reducer;
  const char* answer;
};

std::string AskReduceWindow(const WindowCase& c) {
  WindowAttributes attributes;
  attributes.window = Window(c.window);
  return Ask({Opcode::kReduceWindow, c.operands, attributes, "", {c.reducer}});
}

TEST(InferWindowTest, Positions) {
  const WindowCase kCases[] = {
      {{"f32[5]", "f32[]"}, "size=2", kSum, "f32[4]"},
      {{"f32[5]", "f32[]"}, "size=2 stride=2", kSum, "f32[2]"},
      {{"f32[5]", "f32[]"}, "size=5", kSum, "f32[1]"},
      // Larger than its base: no position, and no error.
      {{"f32[5]", "f32[]"}, "size=6", kSum, "f32[0]"},
      {{"f32[5]", "f32[]"}, "size=6 pad=1_0", kSum, "f32[1]"},
      {{"f32[0]", "f32[]"}, "size=1", kSum, "f32[0]"},
      {{"f32[0]", "f32[]"}, "size=1 pad=1_1", kSum, "f32[2]"},
      {{"f32[5]", "f32[]"}, "size=2 lhs_dilate=3", kSum, "f32[12]"},
      {{"f32[5]", "f32[]"}, "size=2 rhs_dilate=3", kSum, "f32[2]"},
      {{"f32[5]", "f32[]"}, "size=2 pad=-1_-1", kSum, "f32[2]"},
      {{"f32[5]", "f32[]"}, "size=1 pad=-5_0", kSum, "f32[0]"},
      {{"f32[5]", "f32[]"}, "size=1 pad=-6_0", kSum, "!pad-below-zero"},
      {{"f32[2,3]", "f32[]"}, "size=1x3 stride=1x2", kSum, "f32[2,1]"},
      {{"f32[]", "f32[]"}, "", kSum, "f32[]"},
      // Sizes that are not known.
      {{"f32[<=5,?]", "f32[]"}, "size=2x2", kSum, "f32[<=4,?]"},
      {{"f32[3..5]", "f32[]"}, "size=2", kSum, "f32[2..4]"},
      {{"f32[1..5]", "f32[]"}, "size=2", kSum, "f32[<=4]"},
      {{"f32[3..]", "f32[]"}, "size=2", kSum, "f32[2..]"},
      {{"f32[*]", "f32[]"}, "size=2", kSum, "f32[*]"},
      // Numbers.
      {{"f32[5]", "f32[]"}, "size=0", kSum, "!window-number"},
      {{"f32[5]", "f32[]"}, "size=-1", kSum, "!window-number"},
      {{"f32[5]", "f32[]"}, "size=1 stride=0", kSum, "!window-number"},
      {{"f32[5]", "f32[]"}, "size=1 lhs_dilate=0", kSum, "!window-number"},
      {{"f32[5]", "f32[]"}, "size=1 rhs_dilate=0", kSum, "!window-number"},
      {{"f32[?]", "f32[]"}, "size=1 stride=0", kSum, "!window-number"},
      {{"f32[5]", "f32[]"}, "size=1x1", kSum, "!window-dim-count"},
      {{"f32[5]", "f32[]"}, "", kSum, "!window-dim-count"},
  };
  for (const WindowCase& c : kCases) {
    EXPECT_EQ(AskReduceWindow(c), c.answer) << c.operands[0] << " " << c.window;
  }
}

// Every number is checked before it is used.
TEST(InferWindowTest, Overflow) {
  const WindowCase kCases[] = {
      {{"f32[5]", "f32[]"},
       "size=1 pad=9223372036854775807_1",
       kSum,
       "!size-overflow"},
      {{"f32[5]", "f32[]"},
       "size=1 pad=-9223372036854775808_-1",
       kSum,
       "!size-overflow"},
      {{"f32[5]", "f32[]"},
       "size=1 pad=9223372036854775807_0",
       kSum,
       "!size-overflow"},
      {{"f32[5]", "f32[]"},
       "size=1 lhs_dilate=9223372036854775807",
       kSum,
       "!size-overflow"},
      {{"f32[5]", "f32[]"},
       "size=3 rhs_dilate=9223372036854775807",
       kSum,
       "!size-overflow"},
      {{"f32[5]", "f32[]"},
       "size=9223372036854775807 stride=9223372036854775807",
       kSum,
       "f32[0]"},
      {{"f32[<=5]", "f32[]"},
       "size=1 pad=4611686018427387904_0",
       kSum,
       "!size-overflow"},
  };
  for (const WindowCase& c : kCases) {
    EXPECT_EQ(AskReduceWindow(c), c.answer) << c.window;
  }
}

TEST(InferWindowTest, ReduceWindow) {
  const WindowCase kCases[] = {
      {{"f32[4]", "s32[4]", "f32[]", "s32[]"},
       "size=2",
       kMaxPair,
       "(f32[3], s32[3])"},
      // Each input keeps what it says about a size.
      {{"f32[<=4]", "s32[?]", "f32[]", "s32[]"},
       "size=2",
       kMaxPair,
       "(f32[<=3], s32[?])"},
      {{"f32[*]", "s32[4]", "f32[]", "s32[]"},
       "size=2",
       kMaxPair,
       "(f32[3], s32[3])"},
      {{"f32[4]", "s32[5]", "f32[]", "s32[]"},
       "size=2",
       kMaxPair,
       "!sizes-must-match"},
      {{"f32[4]", "s32[4,1]", "f32[]", "s32[]"},
       "size=2",
       kMaxPair,
       "!operand-ranks-differ"},
      {{"f32[4]", "s32[4]", "f32[]"},
       "size=2",
       kMaxPair,
       "!reduce-operands-odd"},
      // The result has the type of the initial value.
      {{"bf16[4]", "f64[]"}, "size=2", kSum, "f64[3]"},
      {{"f32[4]", "f32[]"}, "size=2", "f32[] f32[] -> (f32[])", "(f32[3])"},
      {{"f32[4]", "s32[]"}, "size=2", kSum, "!reducer-init"},
      {{"s32[4]", "f32[]"}, "size=2", kSum, "!reducer-input"},
      {{"f32[4]", "f32[]"},
       "size=2",
       "f32[] f32[] f32[] -> f32[]",
       "!reducer-parameters"},
      {{"f32[4]", "f32[]"},
       "size=2",
       "f32[] f32[] -> f32[1]",
       "!reducer-result"},
      {{"token[]", "f32[]"}, "size=2", kSum, "!operand-not-array"},
      {{"f32[4]", "token[]"}, "size=2", kSum, "!reducer-init"},
  };
  for (const WindowCase& c : kCases) {
    EXPECT_EQ(AskReduceWindow(c), c.answer)
        << c.operands[0] << " " << c.reducer;
  }
}

TEST(InferWindowTest, SelectAndScatter) {
  struct {
    std::vector<std::string> operands;
    const char* window;
    const char* select;
    const char* scatter;
    const char* answer;
  } const kCases[] = {
      {{"f32[4]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "f32[4]"},
      {{"f32[<=4]", "f32[<=2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "f32[<=4]"},
      {{"f32[?]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "f32[?]"},
      {{"f32[*]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "f32[*]"},
      {{"f32[4]", "f32[*]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "f32[4]"},
      {{"f32[4]", "f32[3]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "!source-shape"},
      {{"f32[4]", "token[]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "!operand-not-array"},
      {{"()", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "!operand-not-array"},
      {{"f32[4]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] -> pred[]",
       kSum,
       "!select-signature"},
      {{"f32[4]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> f32[]",
       kSum,
       "!select-signature"},
      {{"f32[4]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] s32[] -> pred[]",
       kSum,
       "!select-parameter"},
      {{"f32[4]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       "f32[] f32[] -> pred[]",
       "!reducer-accumulator reducer-init reducer-mixes-types"},
      {{"f32[4,1]", "f32[2]", "f32[]"},
       "size=2 stride=2",
       "f32[] f32[] -> pred[]",
       kSum,
       "!window-dim-count"},
  };
  for (const auto& c : kCases) {
    WindowAttributes attributes;
    attributes.window = Window(c.window);
    const std::string answer = Ask({Opcode::kSelectAndScatter,
                                    c.operands,
                                    attributes,
                                    "",
                                    {c.select, c.scatter}});
    if (std::string(c.answer).rfind("!reducer", 0) == 0) {
      EXPECT_EQ(answer.rfind("!reducer", 0), 0u) << answer;
      continue;
    }
    EXPECT_EQ(answer, c.answer) << c.operands[0] << " " << c.select;
  }
}

struct ConvolutionCase {
  std::vector<std::string> operands;
  const char* window;
  const char* labels;
  int64_t feature_groups;
  int64_t batch_groups;
  const char* answer;
};

Query ConvolutionQuery(const ConvolutionCase& c) {
  ConvolutionAttributes attributes;
  attributes.window = Window(c.window);
  absl::StatusOr<ConvolutionDims> dims = ReadDimLabels(c.labels);
  EXPECT_TRUE(dims.ok()) << dims.status();
  if (dims.ok()) attributes.dims = *dims;
  attributes.feature_group_count = c.feature_groups;
  attributes.batch_group_count = c.batch_groups;
  return {Opcode::kConvolution, c.operands, attributes};
}

TEST(InferConvolutionTest, Table) {
  const ConvolutionCase kCases[] = {
      {{"f32[8,3,9,7]", "f32[16,3,3,3]"},
       "size=3x3",
       "bf01_oi01->bf01",
       1,
       1,
       "f32[8,16,7,5]"},
      {{"f32[8,9,7,3]", "f32[3,3,3,16]"},
       "size=3x3 stride=2x2 pad=1_1x1_1",
       "b01f_01io->b01f",
       1,
       1,
       "f32[8,5,4,16]"},
      {{"f32[8,9,7,3]", "f32[3,3,3,16]"},
       "size=3x3",
       "b01f_01io->f01b",
       1,
       1,
       "f32[16,7,5,8]"},
      {{"f32[8,3]", "f32[3,16]"}, "", "bf_io->bf", 1, 1, "f32[8,16]"},
      // Groups of features, of the batch.
      {{"f32[8,6,9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       2,
       1,
       "f32[8,4,8]"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       4,
       "f32[2,4,8]"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       2,
       2,
       "!two-group-counts"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       0,
       1,
       "!attribute-range"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       -1,
       "!attribute-range"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       3,
       "!groups-divide"},
      {{"f32[9,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       3,
       "!groups-divide"},
      {{"f32[8,6,9]", "f32[3,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       2,
       1,
       "!groups-divide"},
      {{"f32[8,5,9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       2,
       1,
       "!groups-divide"},
      {{"f32[8,6,9]", "f32[4,6,2]"},
       "size=2",
       "bf0_oi0->bf0",
       2,
       1,
       "!kernel-features"},
      // Sizes that are not known.
      {{"f32[?,3,<=9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "f32[?,4,<=8]"},
      {{"f32[8,3,3..9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "f32[8,4,2..8]"},
      {{"f32[8,3,9]", "f32[4,3,<=2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "f32[8,4,<=8]"},
      {{"f32[8,3,9]", "f32[4,3,?]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!kernel-window"},
      {{"f32[8,3,9]", "f32[<=4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!kernel-output-dynamic"},
      {{"f32[8,?,9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!kernel-features"},
      {{"f32[?,3,9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       2,
       "!groups-divide"},
      {{"f32[*]", "f32[4,3,2]"}, "size=2", "bf0_oi0->bf0", 1, 1, "f32[?,4,?]"},
      {{"f32[8,3,9]", "f32[*]"}, "size=2", "bf0_oi0->bf0", 1, 1, "f32[8,?,8]"},
      // Windows, ranks and labels.
      {{"f32[8,3,9]", "f32[4,3,3]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!kernel-window"},
      {{"f32[8,3,9]", "f32[4,3]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!convolution-rank"},
      {{"f32[8,3,9,9]", "f32[4,3,2,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!convolution-rank"},
      {{"f32[8,3,9]", "f32[4,3,2]"},
       "size=2",
       "bf_oi0->bf0",
       1,
       1,
       "!convolution-labels"},
      {{"f32[8,3,9]", "f32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf01",
       1,
       1,
       "!convolution-labels"},
      {{"f32[8,3,2]", "f32[4,3,2]"},
       "size=2 pad=-2_-1",
       "bf0_oi0->bf0",
       1,
       1,
       "!pad-below-zero"},
      {{"f32[8,3,9]", "token[]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!operand-not-array"},
      {{"f32[8,3,9]", "f32[4,3,2]", "()"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!operand-not-array"},
      // Any two element types, except two that have no order.
      {{"bf16[8,3,9]", "s32[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "bf16[8,4,8] ~mixed-types-odd"},
      {{"f8e5m2[8,3,9]", "f8e5m2fnuz[4,3,2]"},
       "size=2",
       "bf0_oi0->bf0",
       1,
       1,
       "!no-common-type"},
  };
  for (const ConvolutionCase& c : kCases) {
    EXPECT_EQ(Ask(ConvolutionQuery(c)), c.answer)
        << c.operands[0] << " " << c.operands[1] << " " << c.labels;
  }
}

TEST(InferConvolutionTest, TypeMayBeGiven) {
  Query query = ConvolutionQuery(
      {{"bf16[8,3,9]", "bf16[4,3,2]"}, "size=2", "bf0_oi0->bf0", 1, 1, ""});
  query.declared = "f32[]";
  EXPECT_EQ(Ask(query), "f32[8,4,8]");
  query.declared = "f32[*]";
  EXPECT_EQ(Ask(query), "f32[8,4,8]");
}

TEST(InferConvolutionTest, SparseKernelStoresOneOfEachBlock) {
  Query query = ConvolutionQuery({{"f32[8,6,9]", "f32[4,3,2]", "u8[4,3,2]"},
                                  "size=2",
                                  "bf0_oi0->bf0",
                                  1,
                                  1,
                                  ""});
  std::get<ConvolutionAttributes>(query.attributes).rhs_sparsity.block_size = 2;
  EXPECT_EQ(Ask(query), "f32[8,4,8]");
}

}  // namespace
}  // namespace indim
