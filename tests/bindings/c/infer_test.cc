// SPDX-License-Identifier: Apache-2.0
// Inference of one operation through the C interface. Most rows restate cases
// of another front end's own inference (gomlx/go-xla, shapeinference_test.go
// and convolve_test.go at 8a8985a), in HLO's words; where the rules of
// StableHLO and of XLA's builder differ, the row says so.

#include <cstdint>
#include <indim.hpp>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/tests/bindings/c/things.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

struct InferCase {
  std::string opcode;
  std::vector<std::string> operands;
  std::string attributes;
  // A shape, or a part of the error ("error: ...").
  std::string answer;
  // The element type of the scalars that a reducer combines.
  std::string reducer = "";
};

std::vector<indim_api::Signature> ReducerOf(const std::string& type) {
  if (type.empty()) return {};
  const indim_api::Shape scalar(type + "[]");
  return {{{scalar, scalar}, scalar}};
}

std::string AnswerOf(const InferCase& c) {
  try {
    const std::vector<indim_api::Shape> operands(c.operands.begin(),
                                                 c.operands.end());
    return indim_api::Infer(c.opcode, operands, {c.attributes}, {},
                            ReducerOf(c.reducer))
        .text();
  } catch (const indim_api::Error& error) {
    return std::string("error: ") + error.what();
  }
}

const InferCase kCases[] = {
    // Binary operations.
    {"and", {"f32[]", "f32[]"}, "", "error:"},
    {"multiply", {"pred[1]", "pred[1]"}, "", "pred[1]"},  // XLA: "and"
    {"xor", {"f32[1]", "f32[1]"}, "", "error:"},
    {"exponential", {"f32[]", "f32[]"}, "", "error:"},
    {"or", {"s8[3,3]", "s8[3,3]"}, "", "s8[3,3]"},
    {"add", {"f32[]", "f32[]"}, "", "f32[]"},
    {"add", {"f32[]", "f32[2,3]"}, "", "f32[2,3]"},  // XLA: implicitly
    {"add", {"f32[2,1,3]", "f32[1,4,3]"}, "", "f32[2,4,3]"},
    {"add", {"f32[2,3]", "f32[]"}, "", "f32[2,3]"},
    {"add", {"f32[2,3]", "f32[3,2]"}, "", "error:"},
    // Unary operations.
    {"not", {"f32[]"}, "", "error:"},
    {"not", {"c64[]"}, "", "error:"},
    {"negate", {"pred[]"}, "", "error:"},
    {"add", {"f32[]"}, "", "error:"},
    {"negate", {"u64[]"}, "", "u64[]"},  // XLA: two's complement
    {"not", {"pred[2,3]"}, "", "pred[2,3]"},
    {"not", {"s8[3,3]"}, "", "s8[3,3]"},
    {"exponential", {"f32[2,3]"}, "", "f32[2,3]"},
    {"negate", {"f32[2,3]"}, "", "f32[2,3]"},
    {"is-finite", {"f64[2,3]"}, "", "pred[2,3]"},
    {"is-finite", {"pred[]"}, "", "error:"},
    {"is-finite", {"s32[]"}, "", "error:"},
    // StableHLO's names.
    {"stablehlo.is_finite", {"f64[2,3]"}, "", "pred[2,3]"},
    {"stablehlo.add", {"f32[2]", "f32[2]"}, "", "f32[2]"},
    // Gather.
    {"gather",
     {"f32[4,3,2,2]", "s8[3,3,2]"},
     "offset_dims={0,3}, collapsed_slice_dims={0,2}, start_index_map={0,2,3}, "
     "index_vector_dim=1, slice_sizes={1,3,1,1}",
     "f32[3,3,2,1]"},
    {"gather",
     {"f32[3,4,5,6]", "u64[7,3,8]"},
     "offset_dims={1,2}, collapsed_slice_dims={1,2}, start_index_map={1,2,3}, "
     "index_vector_dim=1, slice_sizes={3,1,1,1}",
     "f32[7,3,1,8]"},
    {"gather",
     {"f32[8,16]", "u64[8,1]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1,16}",
     "f32[8,16]"},
    {"gather",
     {"f32[2,3,4,2]", "s64[2,2,3,2]"},
     "offset_dims={3,4}, collapsed_slice_dims={1}, start_index_map={2,1}, "
     "operand_batching_dims={0}, start_indices_batching_dims={1}, "
     "index_vector_dim=3, slice_sizes={1,1,2,2}",
     "f32[2,2,3,2,2]"},
    // Scatter.
    {"scatter",
     {"f32[4,5]", "s8[2,1]", "f32[2,5]"},
     "update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
     "f32[4,5]",
     "f32"},
    {"scatter",
     {"f32[10,9,8]", "s32[2,3,2]", "f32[2,3,8]"},
     "update_window_dims={2}, inserted_window_dims={0,1}, "
     "scatter_dims_to_operand_dims={0,1}, index_vector_dim=2",
     "f32[10,9,8]",
     "f32"},
    {"scatter",
     {"f32[10,9,8]", "s32[2,2,3]", "f32[8,2,3]"},
     "update_window_dims={0}, inserted_window_dims={1,2}, "
     "scatter_dims_to_operand_dims={1,2}, index_vector_dim=1",
     "f32[10,9,8]",
     "f32"},
    {"scatter",
     {"f32[10,9]", "s32[6]", "f32[6,9]"},
     "update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1",
     "f32[10,9]",
     "f32"},
    {"scatter",
     {"f32[2,5,2]", "s32[2,2]", "f32[5,2]"},
     "update_window_dims={0}, inserted_window_dims={0,2}, "
     "scatter_dims_to_operand_dims={0,2}, index_vector_dim=1",
     "f32[2,5,2]",
     "f32"},
    // Slice.
    {"slice", {"f32[10]"}, "slice={[2:8]}", "f32[6]"},
    {"slice", {"s32[5,6]"}, "slice={[1:4], [2:5]}", "s32[3,3]"},
    {"slice", {"s8[7]"}, "slice={[0:7:2]}", "s8[4]"},
    {"slice", {"f32[10,5]"}, "slice={[1:8]}", "error:"},
    {"slice", {"f32[10,5]"}, "slice={[1:8], [1:4:0]}", "error:"},
    {"slice", {"f32[10,5]"}, "slice={[1:8:-1], [1:4]}", "error:"},
    {"slice", {"f32[10,5]"}, "slice={[-1:8], [1:4]}", "error:"},
    {"slice", {"f32[10,5]"}, "slice={[1:0], [1:4]}", "error:"},
    {"slice", {"f32[10,5]"}, "slice={[1:11], [1:4]}", "error:"},
    // Windows.
    {"reduce-window",
     {"f32[10]", "f32[]"},
     "window={size=1}",
     "f32[10]",
     "f32"},
    {"reduce-window",
     {"f32[10]", "f32[]"},
     "window={size=3 stride=3}",
     "f32[3]",
     "f32"},
    {"reduce-window",
     {"f32[10]", "f32[]"},
     "window={size=1 stride=2}",
     "f32[5]",
     "f32"},
    {"reduce-window",
     {"f32[10]", "f32[]"},
     "window={size=1 pad=1_1}",
     "f32[12]",
     "f32"},
    {"reduce-window",
     {"f32[5]", "f32[]"},
     "window={size=3 lhs_dilate=2}",
     "f32[7]",
     "f32"},
    {"reduce-window",
     {"f32[10]", "f32[]"},
     "window={size=3 rhs_dilate=2}",
     "f32[6]",
     "f32"},
    {"reduce-window",
     {"s32[10,12]", "s32[]"},
     "window={size=3x4 stride=2x3 pad=1_1x0_2 lhs_dilate=2x1 rhs_dilate=1x2}",
     "s32[10,3]",
     "s32"},
    {"reduce-window",
     {"f32[1,20,22,3]", "f32[]"},
     "window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_0x0_1x0_0}",
     "f32[1,10,11,3]",
     "f32"},
    // XLA: a window that is larger gives no elements.
    {"reduce-window", {"f32[5]", "f32[]"}, "window={size=6}", "f32[0]", "f32"},
    {"reduce-window",
     {"f32[5]", "f32[]"},
     "window={size=2 stride=0}",
     "error:",
     "f32"},
    {"reduce-window", {"f32[5]", "f32[]"}, "window={size=0}", "error:", "f32"},
    {"reduce-window",
     {"f32[5]", "f32[]"},
     "window={size=2 lhs_dilate=0}",
     "error:",
     "f32"},
    {"reduce-window",
     {"f32[5]", "f32[]"},
     "window={size=2 rhs_dilate=0}",
     "error:",
     "f32"},
    // Dot, pad.
    {"dot",
     {"f32[2,3,4,5]", "f32[5,1,2,3]"},
     "lhs_batch_dims={3,0}, lhs_contracting_dims={1}, rhs_batch_dims={0,2}, "
     "rhs_contracting_dims={3}",
     "f32[5,2,4,1]"},
    {"pad", {"f32[5]", "f32[]"}, "padding=2_3", "f32[10]"},
    {"pad", {"f32[3,4]", "f32[]"}, "padding=1_0_1x0_2_1", "f32[6,9]"},
    {"pad", {"f32[2,3,2]", "f32[]"}, "padding=1_1x2_0x0_1", "f32[4,5,3]"},
    {"pad", {"f32[3]", "s32[]"}, "padding=1_1", "error:"},
    {"pad", {"f32[3]", "f32[1]"}, "padding=1_1", "error:"},
    {"pad", {"f32[3]", "f32[]"}, "padding=1_1x0_1", "error:"},
    {"pad", {"f32[3]", "f32[]"}, "padding=-1_-1", "f32[1]"},
    {"pad", {"f32[3]", "f32[]"}, "padding=0_0_-1", "error:"},
    // Collectives.
    {"all-gather",
     {"f32[2,4]"},
     "replica_groups={{0,1},{2,3}}, dimensions={1}",
     "f32[2,8]"},
    {"all-gather",
     {"f32[2,4]"},
     "replica_groups={{0,1},{2,3}}, dimensions={2}",
     "error:"},
    {"all-to-all",
     {"f32[2,4]"},
     "replica_groups={{0,1},{2,3}}, dimensions={1}",
     "f32[2,4]"},
    {"collective-permute",
     {"f32[2,4]"},
     "source_target_pairs={{0,1}}",
     "f32[2,4]"},
    // Convolutions.
    {"convolution",
     {"f32[2,3,5]", "f32[3,4,2]"},
     "window={size=2 stride=2 pad=0_1}, dim_labels=bf0_io0->bf0",
     "f32[2,4,3]"},
    {"convolution",
     {"f32[1,2,6]", "f32[2,3,2]"},
     "window={size=2 stride=2}, dim_labels=bf0_io0->bf0",
     "f32[1,3,3]"},
    {"convolution",
     {"f32[1,2,4]", "f32[2,3,2]"},
     "window={size=2 lhs_dilate=2}, dim_labels=bf0_io0->bf0",
     "f32[1,3,6]"},
    {"convolution",
     {"f32[1,2,6]", "f32[2,3,2]"},
     "window={size=2 rhs_dilate=2}, dim_labels=bf0_io0->bf0",
     "f32[1,3,4]"},
    {"convolution",
     {"f32[1,6,5]", "f32[3,4,2]"},
     "window={size=2}, dim_labels=bf0_io0->bf0, feature_group_count=2",
     "f32[1,4,4]"},
    {"convolution",
     {"f32[4,2,5]", "f32[2,4,2]"},
     "window={size=2}, dim_labels=bf0_io0->bf0, batch_group_count=2",
     "f32[2,4,4]"},
    {"convolution",
     {"f32[1,3,4,4]", "f32[3,2,2,2]"},
     "window={size=2x2}, dim_labels=bf01_io01->bf01",
     "f32[1,2,3,3]"},
    {"convolution",
     {"f32[1,2,4,4,4]", "f32[2,2,2,2,2]"},
     "window={size=2x2x2}, dim_labels=bf012_io012->bf012",
     "f32[1,2,3,3,3]"},
    {"convolution",
     {"f32[1,3,4,5]", "f32[3,2,2,2]"},
     "window={size=2x2}, dim_labels=bf01_io01->f1b0",
     "f32[2,4,1,3]"},
    // Attributes that aren't.
    {"transpose", {"f32[2,3]"}, "dimensions={1,0}, to_apply=%f", "error:"},
    {"reduce",
     {"f32[2]", "f32[]"},
     "dimensions={0}, to_apply=%f",
     "error:",
     "f32"},
    {"call", {"f32[2]"}, "to_apply=%f", "error:"},
    {"transpose", {"f32[2,3]"}, "dimensions={1,0", "error:"},
    {"transpose", {"f32[2,3]"}, "dimension={1,0}", "did you mean"},
    {"add", {"f32[2]", "f32[2]"}, "metadata={op_name=\"x\"}", "error:"},
};

TEST(InferTest, Cases) {
  for (const InferCase& c : kCases) {
    std::string operands;
    for (const std::string& operand : c.operands) operands += operand + " ";
    SCOPED_TRACE(c.opcode + " " + operands + c.attributes);
    const std::string answer = AnswerOf(c);
    if (c.answer.find('[') != std::string::npos) {
      EXPECT_EQ(answer, c.answer);
    } else {
      EXPECT_THAT(answer, HasSubstr(c.answer));
    }
  }
}

TEST(InferTest, FastFormsSayTheSame) {
  indim_api::Attributes attributes;
  attributes.dimensions = {1, 0};
  EXPECT_EQ(indim_api::Infer("transpose", {"f32[2,3]"}, attributes).text(),
            "f32[3,2]");
  indim_api::Attributes broadcast;
  broadcast.broadcast_dimensions = {1};
  EXPECT_EQ(indim_api::Infer("add", {"f32[8,10]", "f32[10]"}, broadcast).text(),
            "f32[8,10]");
  indim_api::Attributes numpy;
  numpy.rule = INDIM_BROADCAST_NUMPY;
  EXPECT_EQ(indim_api::Infer("add", {"f32[8,10]", "f32[10]"}, numpy).text(),
            "f32[8,10]");
  indim_api::Attributes twice;
  twice.text = "dimensions={1,0}";
  twice.dimensions = {1, 0};
  EXPECT_THROW(indim_api::Infer("transpose", {"f32[2,3]"}, twice),
               indim_api::Error);
}

TEST(InferTest, AnErrorHasItsParts) {
  try {
    indim_api::Infer("add", {"f32[8,10]", "f32[10]"});
    FAIL();
  } catch (const indim_api::Error& error) {
    EXPECT_EQ(error.status(), INDIM_INVALID_ARGUMENT);
    ASSERT_EQ(error.diagnostics().size(), 1);
    const indim_api::Diagnostic& d = error.diagnostics()[0];
    EXPECT_EQ(d.code, 7);
    EXPECT_TRUE(d.is_error);
    EXPECT_THAT(d.message, HasSubstr("ranks differ"));
    EXPECT_THAT(d.fix, HasSubstr("{1}"));
    EXPECT_THAT(d.text, HasSubstr("[IND0007]"));
  }
}

TEST(InferTest, GivenResultsAndWarnings) {
  EXPECT_EQ(indim_api::Infer("reshape", {"f32[2,3]"}, {}, {"f32[6]"}).text(),
            "f32[6]");
  EXPECT_THROW(indim_api::Infer("reshape", {"f32[2,3]"}, {}, {"f32[7]"}),
               indim_api::Error);
  indim_api::Diagnostics warnings;
  EXPECT_EQ(
      indim_api::Infer("add", {"f32[2]", "bf16[2]"}, {}, {}, {}, &warnings)
          .text(),
      "f32[2]");
  EXPECT_EQ(warnings.size(), 1);
}

TEST(BroadcastTest, PlansOfTheRules) {
  indim_shape *a = nullptr, *b = nullptr;
  ASSERT_NO_ERROR(Parse("f32[4]", &a));
  ASSERT_NO_ERROR(Parse("f32[1,2]", &b));
  indim_broadcast_options options = Sized<indim_broadcast_options>();
  const int64_t zero[] = {0};
  options.dimensions = zero;
  options.dimensions_count = 1;
  const indim_shape* const operands[] = {a, b};
  indim_plan* plan = nullptr;
  ASSERT_NO_ERROR(indim_broadcast(&options, operands, 2, &plan));
  int64_t sizes[4];
  int32_t kinds[4];
  ASSERT_EQ(indim_plan_dims(plan, sizes, kinds, 4), 2);
  EXPECT_EQ(sizes[0], 4);
  EXPECT_EQ(sizes[1], 2);
  EXPECT_EQ(kinds[0], INDIM_DIM_STATIC);
  ASSERT_EQ(indim_plan_places(plan, 0, sizes, 4), 1);
  EXPECT_EQ(sizes[0], 0);
  EXPECT_EQ(indim_plan_condition_count(plan), 0);
  indim_plan_release(plan);

  options = Sized<indim_broadcast_options>();
  options.rule = INDIM_BROADCAST_NUMPY;
  indim_shape* c = nullptr;
  ASSERT_NO_ERROR(Parse("f32[3,1]", &c));
  const indim_shape* const others[] = {a, c};
  ASSERT_NO_ERROR(indim_broadcast(&options, others, 2, &plan));
  ASSERT_EQ(indim_plan_dims(plan, sizes, nullptr, 2), 2);
  EXPECT_EQ(sizes[0], 3);
  EXPECT_EQ(sizes[1], 4);
  indim_plan_release(plan);

  indim_shape* unknown = nullptr;
  ASSERT_NO_ERROR(Parse("f32[?]", &unknown));
  ASSERT_NO_ERROR(indim_broadcast_to(&options, unknown, a, &plan));
  ASSERT_EQ(indim_plan_condition_count(plan), 1);
  EXPECT_THAT(indim_plan_condition(plan, 0, nullptr), HasSubstr("operand 0"));
  indim_plan_release(plan);
  for (indim_shape* shape : {a, b, c, unknown}) indim_shape_release(shape);
}

TEST(QuestionsTest, JsonAndWords) {
  EXPECT_EQ(
      indim_api::Query(R"({"op":"add","operands":["f32[2,1]","f32[2,3]"]})"),
      R"({"id":null,"shape":"f32[2,3]"})");
  EXPECT_THAT(indim_api::Query("{"), HasSubstr("error"));
  EXPECT_THAT(indim_api::Explain("f32[4] + f32[1,2] {0}"),
              HasSubstr("f32[4,2]"));
  EXPECT_THAT(indim_api::Explain("IND0007"), HasSubstr("ranks"));
  EXPECT_THAT(indim_api::Explain("transpose"), HasSubstr("transpose"));
}

}  // namespace
}  // namespace indim
