// SPDX-License-Identifier: Apache-2.0
// Gather and scatter. Against XLA's own answers:
// tests/tools/query/query_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "indim/shape/ops/attributes.h"
#include "indim/tests/shape/infer/infer_testing.h"

namespace indim {
namespace {

// Rows of a matrix: f32[9,4] by s32[5] is f32[5,4].
GatherAttributes Rows() {
  GatherAttributes gather;
  gather.offset_dims = {1};
  gather.collapsed_slice_dims = {0};
  gather.start_index_map = {0};
  gather.index_vector_dim = 1;
  gather.slice_sizes = {1, 4};
  return gather;
}

std::string Gather(const char* operand, const char* indices,
                   const GatherAttributes& gather) {
  return Ask({Opcode::kGather, {operand, indices}, gather});
}

TEST(InferGatherTest, ShapesOfOperandAndIndices) {
  struct {
    const char* operand;
    const char* indices;
    const char* answer;
  } const kCases[] = {
      {"f32[9,4]", "s32[5]", "f32[5,4]"},
      {"f32[9,4]", "u8[5,1]", "f32[5,4]"},
      {"f32[9,4]", "s32[5,?]", "f32[5,4]"},
      {"f32[9,4]", "s32[<=5]", "f32[<=5,4]"},
      {"f32[9,4]", "s32[2..5]", "f32[2..5,4]"},
      {"f32[?,4]", "s32[?]", "f32[?,4]"},
      // All of a bounded dim stays bounded.
      {"f32[9,<=4]", "s32[5]", "f32[5,<=4]"},
      {"f32[9,<=5]", "s32[5]", "f32[5,4]"},
      {"f32[9,?]", "s32[5]", "f32[5,4]"},
      {"f32[9,2..5]", "s32[5]", "f32[5,4]"},
      {"f32[*]", "s32[5]", "f32[5,4]"},
      {"f32[9,4]", "s32[*]", "f32[*]"},
      {"f32[0,4]", "s32[5]", "!slice-size-range"},
      {"f32[9,3]", "s32[5]", "!slice-size-range"},
      {"f32[9,2..3]", "s32[5]", "!slice-size-range"},
      {"f32[9,4]", "s32[]", "!index-vector-dim"},
      {"f32[9,4]", "s32[5,2]", "!index-vector-length"},
      {"f32[9,4,1]", "s32[5]", "!slice-sizes-count"},
      {"f32[9]", "s32[5]", "!slice-sizes-count"},
      {"f32[9,4]", "f32[5]", "!operand-type-class"},
      {"f32[9,4]", "token[]", "!operand-not-array"},
      {"(f32[9,4])", "s32[5]", "!operand-not-array"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Gather(c.operand, c.indices, Rows()), c.answer)
        << c.operand << " " << c.indices;
  }
}

TEST(InferGatherTest, Lists) {
  const auto with = [](auto change) {
    GatherAttributes gather = Rows();
    change(&gather);
    return Gather("f32[9,4]", "s32[5]", gather);
  };
  using G = GatherAttributes;
  EXPECT_EQ(with([](G* g) { g->offset_dims = {0}; }), "f32[4,5]");
  EXPECT_EQ(with([](G* g) { g->offset_dims = {2}; }), "!dim-list-range");
  EXPECT_EQ(with([](G* g) { g->offset_dims = {-1}; }), "!dim-list-range");
  EXPECT_EQ(with([](G* g) { g->offset_dims = {1, 0}; }), "!dim-list-order");
  EXPECT_EQ(with([](G* g) { g->offset_dims = {1, 1}; }), "!dim-list-order");
  EXPECT_EQ(with([](G* g) { g->offset_dims = {}; }), "!window-rank");
  EXPECT_EQ(with([](G* g) { g->collapsed_slice_dims = {1}; }),
            "!slice-not-collapsible");
  EXPECT_EQ(with([](G* g) { g->collapsed_slice_dims = {2}; }),
            "!dim-list-range");
  EXPECT_EQ(with([](G* g) {
              g->collapsed_slice_dims = {1, 0};
            }),
            "!dim-list-order");
  EXPECT_EQ(with([](G* g) { g->start_index_map = {2}; }), "!dim-list-range");
  EXPECT_EQ(with([](G* g) { g->start_index_map = {}; }),
            "!index-vector-length");
  EXPECT_EQ(with([](G* g) { g->index_vector_dim = 2; }), "!index-vector-dim");
  EXPECT_EQ(with([](G* g) { g->index_vector_dim = -1; }), "!index-vector-dim");
  EXPECT_EQ(with([](G* g) { g->slice_sizes = {0, 4}; }), "f32[5,4]");
  EXPECT_EQ(with([](G* g) { g->slice_sizes = {-1, 4}; }), "!slice-size-range");
  EXPECT_EQ(with([](G* g) { g->slice_sizes = {1}; }), "!slice-sizes-count");
}

TEST(InferGatherTest, BatchingDims) {
  GatherAttributes gather;
  gather.offset_dims = {2};
  gather.collapsed_slice_dims = {1};
  gather.operand_batching_dims = {0};
  gather.start_index_map = {1};
  gather.start_indices_batching_dims = {0};
  gather.index_vector_dim = 2;
  gather.slice_sizes = {1, 1, 4};
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[2,5]", gather), "f32[2,5,4]");
  // XLA takes these; they make no sense.
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[3,5]", gather),
            "f32[3,5,4] ~batching-odd");
  GatherAttributes indexed = gather;
  indexed.start_index_map = {0};
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[2,5]", indexed),
            "f32[2,5,4] ~batching-odd");
  GatherAttributes unpaired = gather;
  unpaired.start_indices_batching_dims = {};
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[2,5]", unpaired), "!batching-counts");
  GatherAttributes far = gather;
  far.start_indices_batching_dims = {3};
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[2,5]", far), "!dim-list-range");
  GatherAttributes wide = gather;
  wide.slice_sizes = {2, 1, 4};
  EXPECT_EQ(Gather("f32[2,9,4]", "s32[2,5]", wide), "!slice-not-collapsible");
}

// Into rows of a matrix: f32[9,4], s32[5], f32[5,4].
ScatterAttributes IntoRows() {
  ScatterAttributes scatter;
  scatter.update_window_dims = {1};
  scatter.inserted_window_dims = {0};
  scatter.scatter_dims_to_operand_dims = {0};
  scatter.index_vector_dim = 1;
  return scatter;
}

Query ScatterQuery(std::vector<std::string> operands,
                   const ScatterAttributes& scatter,
                   const char* reducer = kSum) {
  return {Opcode::kScatter, std::move(operands), scatter, "", {reducer}};
}

TEST(InferScatterTest, ShapesOfOperands) {
  struct {
    std::vector<std::string> operands;
    const char* answer;
  } const kCases[] = {
      {{"f32[9,4]", "s32[5]", "f32[5,4]"}, "f32[9,4]"},
      {{"f32[<=9,4]", "s32[5,1]", "f32[5,2]"}, "f32[<=9,4]"},
      {{"f32[9,<=4]", "s32[?]", "f32[5,?]"}, "f32[9,<=4]"},
      {{"f32[9,?]", "s32[5]", "f32[5,?]"}, "f32[9,?]"},
      {{"f32[9,2..5]", "s32[5]", "f32[5,5..8]"}, "f32[9,2..5]"},
      {{"f32[*]", "s32[5]", "f32[5,4]"}, "f32[*]"},
      {{"f32[9,4]", "s32[*]", "f32[5,4]"}, "f32[9,4]"},
      {{"f32[9,4]", "s32[5]", "f32[*]"}, "f32[9,4]"},
      {{"f32[9,4]", "s32[5]", "f32[5,5]"}, "!update-too-large"},
      {{"f32[9,?]", "s32[5]", "f32[5,4]"}, "!update-too-large"},
      {{"f32[9,4]", "s32[5]", "f32[5,5..8]"}, "!update-too-large"},
      {{"f32[9,4]", "s32[5]", "f32[6,4]"}, "!sizes-must-match"},
      {{"f32[9,4]", "s32[5]", "f32[5]"}, "!updates-rank"},
      {{"f32[9,4]", "s32[5,2]", "f32[5,4]"}, "!index-vector-length"},
      {{"f32[9,4]", "s32[]", "f32[4]"}, "!index-vector-dim"},
      {{"f32[9,4,1]", "s32[5]", "f32[5,4]"}, "!window-rank"},
      {{"f32[9,4]", "f32[5]", "f32[5,4]"}, "!operand-type-class"},
      {{"f32[9,4]", "s32[5]", "token[]"}, "!operand-not-array"},
      {{"f32[9,4]", "s32[5]", "f32[5,4]", "f32[5,4]"},
       "!scatter-operands-even"},
      {{"s32[9,4]", "s32[5]", "f32[5,4]"}, "!reducer-init"},
      {{"f32[9,4]", "s32[5]", "s32[5,4]"}, "!reducer-input"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Ask(ScatterQuery(c.operands, IntoRows())), c.answer)
        << testing::PrintToString(c.operands);
  }
}

TEST(InferScatterTest, SeveralOperands) {
  const char* const kPair = "f32[] s32[] f32[] s32[] -> (f32[], s32[])";
  EXPECT_EQ(Ask(ScatterQuery(
                {"f32[9,4]", "s32[9,4]", "s32[5]", "f32[5,4]", "s32[5,4]"},
                IntoRows(), kPair)),
            "(f32[9,4], s32[9,4])");
  EXPECT_EQ(Ask(ScatterQuery(
                {"f32[9,4]", "s32[9,4]", "s32[5]", "f32[5,4]", "s32[5,5]"},
                IntoRows(), kPair)),
            "!update-too-large");
}

// As XLA's, which looks at the computation and at the operands, each alone.
TEST(InferScatterTest, TheVerifierTakesAComputationOfOtherFloats) {
  const struct {
    std::vector<std::string> operands;
    const char* computation;
    const char* answer;
  } kCases[] = {
      {{"f32[9,4]", "s32[5]", "f32[5,4]"}, "f64[] f32[] -> f64[]", "f32[9,4]"},
      {{"f32[9,4]", "s32[5]", "f32[5,4]"}, "f64[] f64[] -> f64[]", "f32[9,4]"},
      {{"bf16[9,4]", "s32[5]", "bf16[5,4]"},
       "f32[] f32[] -> f32[]",
       "bf16[9,4]"},
      {{"f32[9,4]", "s32[5]", "f32[5,4]"},
       "f64[] f32[] -> f32[]",
       "!reducer-accumulator"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(AskVerifier(ScatterQuery(c.operands, IntoRows(), c.computation)),
              c.answer)
        << c.computation;
  }
}

TEST(InferScatterTest, Lists) {
  const auto with = [](auto change) {
    ScatterAttributes scatter = IntoRows();
    change(&scatter);
    return Ask(ScatterQuery({"f32[9,4]", "s32[5]", "f32[5,4]"}, scatter));
  };
  using S = ScatterAttributes;
  EXPECT_EQ(with([](S* s) { s->update_window_dims = {2}; }), "!dim-list-range");
  EXPECT_EQ(with([](S* s) { s->update_window_dims = {}; }), "!updates-rank");
  EXPECT_EQ(with([](S* s) { s->inserted_window_dims = {2}; }),
            "!dim-list-range");
  EXPECT_EQ(with([](S* s) {
              s->inserted_window_dims = {1, 0};
            }),
            "!dim-list-order");
  EXPECT_EQ(with([](S* s) { s->inserted_window_dims = {}; }), "!window-rank");
  EXPECT_EQ(with([](S* s) { s->scatter_dims_to_operand_dims = {2}; }),
            "!dim-list-range");
  EXPECT_EQ(with([](S* s) {
              s->scatter_dims_to_operand_dims = {0, 0};
            }),
            "!index-vector-length");
  EXPECT_EQ(with([](S* s) { s->input_batching_dims = {0}; }), "!window-rank");
  EXPECT_EQ(with([](S* s) {
              s->inserted_window_dims = {};
              s->input_batching_dims = {0};
              s->scatter_indices_batching_dims = {0};
              s->scatter_dims_to_operand_dims = {1};
            }),
            "f32[9,4] ~batching-odd");
}

TEST(InferScatterTest, BatchingDims) {
  ScatterAttributes scatter;
  scatter.update_window_dims = {2};
  scatter.inserted_window_dims = {1};
  scatter.input_batching_dims = {0};
  scatter.scatter_indices_batching_dims = {0};
  scatter.scatter_dims_to_operand_dims = {1};
  scatter.index_vector_dim = 2;
  EXPECT_EQ(
      Ask(ScatterQuery({"f32[2,9,4]", "s32[2,5]", "f32[2,5,4]"}, scatter)),
      "f32[2,9,4]");
  scatter.scatter_indices_batching_dims = {};
  EXPECT_EQ(
      Ask(ScatterQuery({"f32[2,9,4]", "s32[2,5]", "f32[2,5,4]"}, scatter)),
      "!batching-counts");
}

}  // namespace
}  // namespace indim
