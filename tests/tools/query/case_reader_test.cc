// SPDX-License-Identifier: Apache-2.0
// Lines of JSON as cases: what is read, and that nothing malformed gets past.

#include "indim/tools/query/case_reader.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>

#include "indim/tests/oracle_cases.h"
#include "indim/tools/query/hlo_spelling.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

google::protobuf::Struct Json(const std::string& text) {
  google::protobuf::Struct line;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text, &line).ok())
      << text;
  return line;
}

// A case of one line; the line must be good.
Case Read(const std::string& text) {
  Case c;
  const absl::Status status = ReadCase(Json(text), &c);
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
  return c;
}

// An operation with attributes, `{...}` of them.
Case ReadOp(const std::string& op, const std::string& attributes) {
  return Read("{\"op\":\"" + op + "\",\"attributes\":" + attributes + "}");
}

TEST(CaseReaderTest, Defaults) {
  const Case c = Read(R"J({"op":"add","operands":["f32[2,<=3]","(s32[])"]})J");
  EXPECT_EQ(c.id, std::nullopt);
  EXPECT_EQ(c.rule, "xla");
  EXPECT_EQ(c.query, "infer");
  EXPECT_EQ(c.opcode, Opcode::kAdd);
  EXPECT_EQ(c.form, CaseForm::kOp);
  ASSERT_EQ(c.operands.size(), 2);
  EXPECT_EQ(c.operands[0].ToString(), "f32[2,<=3]");
  EXPECT_EQ(c.operands[1].ToString(), "(s32[])");
  EXPECT_EQ(As<ElementwiseAttributes>(c.attributes).broadcast.dimensions,
            std::nullopt);
  EXPECT_EQ(c.declared, std::nullopt);
  EXPECT_EQ(c.result, std::nullopt);
}

TEST(CaseReaderTest, OtherRules) {
  const Case c = Read(
      R"({"id":"q","rule":"pdpd","query":"broadcast","op":"Add","axis":-1,
          "operands":["f32[2..5]"],"target_shape":[3,-1,"?"]})");
  EXPECT_EQ(c.id, "q");
  EXPECT_EQ(c.rule, "pdpd");
  EXPECT_EQ(c.query, "broadcast");
  EXPECT_EQ(c.op, "Add");
  EXPECT_EQ(c.opcode, Opcode::kInvalid);
  EXPECT_EQ(c.axis, -1);
  ASSERT_TRUE(c.target_shape);
  EXPECT_THAT(*c.target_shape,
              ElementsAre(Dim::Static(3), Dim::Unknown(), Dim::Unknown()));
  EXPECT_THAT(*Read(R"({"rule":"explicit","query":"broadcast",
                        "operands":["f32[3]"],"target_shape":[3,2],
                        "axes_mapping":[0]})")
                   .axes_mapping,
              ElementsAre(0));
  const Case verified =
      Read(R"({"rule":"broadcastable","query":"verify","operands":["f32[2]"],
               "mode":"strict","result":"f32[*]"})");
  EXPECT_EQ(verified.mode, "strict");
  EXPECT_EQ(verified.result->ToString(), "f32[*]");
}

TEST(CaseReaderTest, CaseInputsPointIntoTheCase) {
  Case c = Read(R"({"op":"call","operands":["f32[2]"],"attributes":{
      "to_apply":{"parameters":["f32[2]"],"result":"s32[]"}}})");
  const CaseInputs inputs(c);
  EXPECT_EQ(inputs.inputs().operands[0], &c.operands[0]);
  EXPECT_EQ(inputs.inputs().callees[0], &c.callees[0]);
  EXPECT_EQ(inputs.inputs().attributes, &c.attributes);
  EXPECT_EQ(inputs.inputs().declared, nullptr);
  c.declared = Shape::Token();
  EXPECT_EQ(CaseInputs(c).inputs().declared, &*c.declared);
  c.result = Shape::Opaque();
  EXPECT_EQ(CaseInputs(c).inputs().declared, &*c.result);
}

TEST(CaseReaderTest, AttributesOfEachKind) {
  EXPECT_THAT(
      *As<ElementwiseAttributes>(
           ReadOp("add", R"({"broadcast_dimensions":[-1,2]})").attributes)
           .broadcast.dimensions,
      ElementsAre(-1, 2));
  const auto compare = As<CompareAttributes>(
      ReadOp("compare", R"({"direction":"LT","type":"TOTALORDER"})")
          .attributes);
  EXPECT_EQ(compare.direction, ComparisonDirection::kLt);
  EXPECT_EQ(compare.type, ComparisonType::kFloatTotalOrder);
  EXPECT_THAT(As<SortAttributes>(ReadOp("sort", "{}").attributes).dimensions,
              ElementsAre(-1));
  EXPECT_THAT(
      As<DimensionsAttributes>(
          ReadOp("iota", R"({"shape":"s32[2]","iota_dimension":3})").attributes)
          .dimensions,
      ElementsAre(3));
  const auto dot = As<DotAttributes>(
      ReadOp("ragged-dot", R"({"lhs_contracting_dims":[1],"rhs_batch_dims":[0],
                               "lhs_ragged_dims":[2],"rhs_group_dims":[3]})")
          .attributes);
  EXPECT_THAT(dot.lhs_contracting_dims, ElementsAre(1));
  EXPECT_THAT(dot.rhs_batch_dims, ElementsAre(0));
  EXPECT_THAT(dot.lhs_ragged_dims, ElementsAre(2));
  EXPECT_THAT(dot.rhs_group_dims, ElementsAre(3));
  const auto scatter = As<ScatterAttributes>(
      ReadOp("scatter", R"({"update_window_dims":[1],"index_vector_dim":2,
                            "scatter_dims_to_operand_dims":[0]})")
          .attributes);
  EXPECT_THAT(scatter.update_window_dims, ElementsAre(1));
  EXPECT_THAT(scatter.scatter_dims_to_operand_dims, ElementsAre(0));
  EXPECT_EQ(scatter.index_vector_dim, 2);
  const auto solve = As<TriangularSolveAttributes>(
      ReadOp("triangular-solve",
             R"({"left_side":true,"transpose_a":"ADJOINT"})")
          .attributes);
  EXPECT_TRUE(solve.left_side);
  EXPECT_EQ(solve.transpose_a, TriangularSolveTranspose::kAdjoint);
  const auto norm = As<BatchNormAttributes>(
      ReadOp("batch-norm-grad", R"({"epsilon":0.5,"feature_index":-1})")
          .attributes);
  EXPECT_EQ(norm.epsilon, 0.5f);
  EXPECT_EQ(norm.feature_index, -1);
  EXPECT_EQ(
      As<OutfeedAttributes>(
          ReadOp("outfeed", R"J({"outfeed_shape":"(f32[2])"})J").attributes)
          .outfeed_shape.ToString(),
      "(f32[2])");
}

TEST(CaseReaderTest, Collectives) {
  const auto gather = As<CollectiveAttributes>(
      ReadOp("all-gather", R"({"dimensions":[1],"shard_count":4,
                               "replica_groups":"{{0,1},{2,3}}"})")
          .attributes);
  EXPECT_THAT(gather.dimensions, ElementsAre(1));
  EXPECT_EQ(gather.shard_count, 4);
  EXPECT_EQ(gather.split_dimension, std::nullopt);
  EXPECT_THAT(gather.replica_groups.groups,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  const auto all_to_all = As<CollectiveAttributes>(
      ReadOp("all-to-all", R"({"split_dimension":-1,"concat_dimension":0,
                               "split_count":2})")
          .attributes);
  EXPECT_EQ(all_to_all.split_dimension, -1);  // written, so not absent
  EXPECT_EQ(all_to_all.concat_dimension, 0);
  EXPECT_EQ(all_to_all.shard_count, 2);
  EXPECT_THAT(As<CollectivePermuteAttributes>(
                  ReadOp("collective-permute",
                         R"({"source_target_pairs":"{{0,1},{1,-2}}"})")
                      .attributes)
                  .source_target_pairs,
              ElementsAre(std::make_pair(0, 1), std::make_pair(1, -2)));
}

TEST(CaseReaderTest, CalleesInWireOrder) {
  const Case loop = Read(
      R"({"op":"while","operands":["f32[]"],"attributes":{
          "condition":{"parameters":["f32[]"],"result":"pred[]"},
          "body":{"parameters":["f32[]"],"result":"f32[]"}}})");
  ASSERT_EQ(loop.callees.size(), 2);
  EXPECT_EQ(loop.callees[0].result.ToString(), "f32[]");
  EXPECT_EQ(loop.callees[1].result.ToString(), "pred[]");
  const Case two = Read(
      R"({"op":"conditional","attributes":{
          "false_computation":{"parameters":[],"result":"s8[]"},
          "true_computation":{"parameters":[],"result":"u8[]"}}})");
  EXPECT_EQ(two.form, CaseForm::kTwoBranches);
  EXPECT_EQ(two.callees[0].result.ToString(), "u8[]");
  const Case many = Read(
      R"({"op":"conditional","attributes":{"branch_computations":[
          {"parameters":["f32[]"],"result":"s8[]"},
          {"parameters":[],"result":"u8[]"}]}})");
  EXPECT_EQ(many.form, CaseForm::kIndexedBranches);
  ASSERT_EQ(many.callees.size(), 2);
  EXPECT_EQ(many.callees[0].parameters.size(), 1);
}

TEST(CaseReaderTest, GivenResults) {
  EXPECT_EQ(
      ReadOp("convert", R"({"new_element_type":"bf16"})").declared->ToString(),
      "bf16[]");
  EXPECT_EQ(ReadOp("rng", R"({"shape":"u8[<=3]"})").declared->ToString(),
            "u8[<=3]");
  EXPECT_EQ(ReadOp("infeed", R"({"shape":"u8[3]"})").declared->ToString(),
            "(u8[3], token[])");
  EXPECT_EQ(Read(R"({"op":"rng-bit-generator","operands":["u64[2]"],
                     "attributes":{"shape":"u32[7]"}})")
                .declared->ToString(),
            "(u64[2], u32[7])");
}

TEST(CaseReaderTest, BuilderForms) {
  const Case sizes = ReadOp("broadcast", R"({"broadcast_sizes":[4,-1]})");
  EXPECT_EQ(sizes.form, CaseForm::kBroadcastSizes);
  EXPECT_THAT(sizes.sizes, ElementsAre(4, -1));
  const Case in_dim =
      ReadOp("broadcast-in-dim",
             R"({"out_dim_size":[4,"?"],"broadcast_dimensions":[1]})");
  EXPECT_EQ(in_dim.form, CaseForm::kBroadcastInDim);
  EXPECT_EQ(in_dim.opcode, Opcode::kBroadcast);
  EXPECT_THAT(in_dim.sizes, ElementsAre(4, Case::kUnknownSize));
  EXPECT_THAT(As<DimensionsAttributes>(in_dim.attributes).dimensions,
              ElementsAre(1));
  EXPECT_EQ(ReadOp("reshape", R"({"new_sizes":[2]})").form,
            CaseForm::kReshapeTo);
  const Case dynamic =
      ReadOp("dynamic-reshape",
             R"({"new_size_bounds":[2,3],"dims_are_dynamic":[true,false]})");
  EXPECT_EQ(dynamic.form, CaseForm::kDynamicReshapeTo);
  EXPECT_THAT(dynamic.dims_are_dynamic, ElementsAre(true, false));
  // A reshape of a graph: the shape is given.
  const Case op = ReadOp("reshape", R"({"shape":"f32[2]"})");
  EXPECT_EQ(op.form, CaseForm::kOp);
  EXPECT_EQ(op.declared->ToString(), "f32[2]");
}

TEST(CaseReaderTest, MalformedLinesNameTheField) {
  struct Bad {
    const char* line;
    const char* message;
  };
  const Bad cases[] = {
      {"{}", "op: is missing"},
      {R"({"op":7})", "op"},
      {R"({"op":"substract"})", "did you mean \"subtract\""},
      {R"({"op":"add","operands":"f32[]"})", "operands"},
      {R"({"op":"add","operands":[1]})", "operands"},
      {R"({"op":"add","operands":["f33[]"]})", "operands"},
      {R"({"op":"add","operands":["f32[-1]"]})", "operands"},
      {R"({"op":"add","attributes":[]})", "attributes"},
      {R"({"op":"add","result":"f32["})", "result"},
      {R"({"id":[7],"op":"add"})", "id"},
      {R"({"id":0.5,"op":"add"})", "id"},
      {R"({"rule":[],"op":"add"})", "rule"},
      {R"({"rule":"numpy","axis":1.5})", "axis"},
      {R"({"rule":"numpy","axis":1e300})", "axis"},
      {R"({"rule":"numpy","axis":"NaN"})", "axis"},
      {R"({"rule":"numpy","target_shape":[-2]})", "target_shape"},
      {R"({"rule":"numpy","target_shape":["x"]})", "target_shape"},
      {R"({"op":"add","attributes":{"broadcast_dimensions":[0.5]}})",
       "broadcast_dimensions"},
      {R"({"op":"compare","attributes":{"direction":"lt"}})",
       "direction: unknown name \"lt\"; expected EQ, NE, GE, GT, LE, LT"},
      {R"({"op":"convert","attributes":{"new_element_type":"token"}})",
       "new_element_type"},
      {R"({"op":"convert","attributes":{"new_element_type":"float16"}})",
       "did you mean 'f16'"},
      {R"({"op":"convert","attributes":{"new_element_type":"F33"}})",
       "unknown element type \"F33\"; did you mean 'f32'?"},
      {R"({"op":"call","attributes":{"to_apply":7}})", "to_apply"},
      {R"({"op":"call","attributes":{"to_apply":{"parameters":[]}}})",
       "result"},
      {R"({"op":"call","attributes":{"to_apply":{"result":"f32[]",
          "parameters":["f"]}}})",
       "parameters"},
      {R"({"op":"conditional","attributes":{"branch_computations":{}}})",
       "branch_computations"},
      {R"({"op":"sort","attributes":{"is_stable":1}})", "is_stable"},
      {R"({"op":"pad","attributes":{"padding":"1"}})",
       "padding: \"1\" is no padding; expected low_high"},
      {R"({"op":"slice","attributes":{"slice":"[0:1]"}})",
       "expected [start:limit]"},
      {R"({"op":"convolution","attributes":{"dim_labels":"bf"}})",
       "dim_labels"},
      {R"({"op":"reduce-window","attributes":{"window":"size"}})", "window"},
      {R"({"op":"all-reduce","attributes":{"replica_groups":"{{"}})",
       "replica_groups"},
      {R"({"op":"broadcast-in-dim","attributes":{}})", "out_dim_size"},
      {R"({"op":"dynamic-reshape","attributes":{"new_size_bounds":[1],
          "dims_are_dynamic":[1]}})",
       "dims_are_dynamic"},
  };
  for (const Bad& bad : cases) {
    Case c;
    const absl::Status status = ReadCase(Json(bad.line), &c);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.line;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message))
        << bad.line;
  }
}

TEST(CaseReaderTest, IdAndRuleStayWhereTheRestIsBad) {
  Case c;
  EXPECT_FALSE(
      ReadCase(Json(R"({"id":"x","rule":"numpy","operands":["f"]})"), &c).ok());
  EXPECT_EQ(c.id, "x");
  EXPECT_EQ(c.rule, "numpy");
}

// Every recorded line but those with symbolic sizes can be read.
TEST(CaseReaderTest, RecordedLines) {
  for (const char* file :
       {"xla_dev.jsonl", "xla_today_dev.jsonl", "xla_crashes.jsonl",
        "mlir_dev.jsonl", "openvino_dev.jsonl", "numpy_dev.jsonl"}) {
    int lines = 0;
    int odd = 0;
    for (const OracleCase& oracle : LoadOracleCases(file)) {
      Case c;
      const absl::Status status = ReadCase(oracle.line, &c);
      ++lines;
      if (!status.ok()) {
        // XLA's own refusal: a window whose lists have different lengths.
        ++odd;
        EXPECT_THAT(std::string(status.message()), HasSubstr("window"))
            << file << " " << oracle.id;
      }
    }
    EXPECT_GT(lines, 50) << file;
    EXPECT_LT(odd, 40) << file;
  }
}

// --- HLO's spelling ----------------------------------------------------------

TEST(HloSpellingTest, Window) {
  const auto window = *ReadWindow(
      "size=2x3 stride=1x2 pad=0_1x-1_0 lhs_dilate=1x2 rhs_dilate=2x1 "
      "rhs_reversal=0x1");
  ASSERT_EQ(window.size(), 2);
  EXPECT_EQ(window[0].size, 2);
  EXPECT_EQ(window[1].size, 3);
  EXPECT_EQ(window[1].stride, 2);
  EXPECT_EQ(window[0].padding_high, 1);
  EXPECT_EQ(window[1].padding_low, -1);
  EXPECT_EQ(window[1].base_dilation, 2);
  EXPECT_EQ(window[0].window_dilation, 2);
  EXPECT_FALSE(window[0].window_reversal);
  EXPECT_TRUE(window[1].window_reversal);
  EXPECT_TRUE(ReadWindow("")->empty());
  const auto defaults = *ReadWindow("size=5");
  EXPECT_EQ(defaults[0].stride, 1);
  EXPECT_EQ(defaults[0].padding_low, 0);
  EXPECT_EQ(defaults[0].base_dilation, 1);
  for (const char* bad :
       {"size", "size=", "size=x", "size=1x", "stride=1", "size=1 stride=1x1",
        "size=1 size=1", "size=1 pad=1", "size=1 pad=1_2_3", "size=1 wide=1",
        "size=1_1", "size=99999999999999999999", "size=1 =1"}) {
    EXPECT_FALSE(ReadWindow(bad).ok()) << bad;
  }
}

TEST(HloSpellingTest, PaddingAndSlice) {
  const auto padding = *ReadPadding("1_-3x2_2_5");
  ASSERT_EQ(padding.size(), 2);
  EXPECT_EQ(padding[0].low, 1);
  EXPECT_EQ(padding[0].high, -3);
  EXPECT_EQ(padding[0].interior, 0);
  EXPECT_EQ(padding[1].interior, 5);
  EXPECT_TRUE(ReadPadding("")->empty());
  for (const char* bad : {"1", "1_2_3_4", "x", "1_2x", "a_b"}) {
    EXPECT_FALSE(ReadPadding(bad).ok()) << bad;
  }
  const auto slice = *ReadSlice("{[2:5], [1:7:2]}");
  EXPECT_THAT(slice.starts, ElementsAre(2, 1));
  EXPECT_THAT(slice.limits, ElementsAre(5, 7));
  EXPECT_THAT(slice.strides, ElementsAre(1, 2));
  EXPECT_TRUE(ReadSlice("{}")->starts.empty());
  for (const char* bad : {"", "[1:2]", "{[1]}", "{[1:2:3:4]}", "{[1:2] [3:4]}",
                          "{[1:2],}", "{1:2}", "{[1:2}", "{[a:2]}"}) {
    EXPECT_FALSE(ReadSlice(bad).ok()) << bad;
  }
}

TEST(HloSpellingTest, DimLabels) {
  const auto dims = *ReadDimLabels("b1f0_10io->bf");
  EXPECT_EQ(dims.input_batch, 0);
  EXPECT_EQ(dims.input_feature, 2);
  EXPECT_THAT(dims.input_spatial, ElementsAre(3, 1));
  EXPECT_THAT(dims.kernel_spatial, ElementsAre(1, 0));
  EXPECT_EQ(dims.kernel_input_feature, 2);
  EXPECT_EQ(dims.kernel_output_feature, 3);
  EXPECT_EQ(dims.output_batch, 0);
  EXPECT_TRUE(dims.output_spatial.empty());
  for (const char* bad :
       {"", "bf", "bf_io", "bf->io_bf", "bb_io->bf", "bf_io->bo",
        "b2f_0io->b0f", "b00f_01io->b01f", "_->", "b_i->b"}) {
    EXPECT_FALSE(ReadDimLabels(bad).ok()) << bad;
  }
}

TEST(HloSpellingTest, GroupsAndPairs) {
  EXPECT_TRUE(ReadReplicaGroups("{}")->groups.empty());
  EXPECT_THAT(ReadReplicaGroups("{{0,-1}, {2}}")->groups,
              ElementsAre(ElementsAre(0, -1), ElementsAre(2)));
  const auto iota = *ReadReplicaGroups("[2,4]<=[4,2]T(1,0)");
  EXPECT_EQ(iota.iota_groups, 2);
  EXPECT_EQ(iota.iota_group_size, 4);
  for (const char* bad :
       {"", "{", "{{0,1}", "{0,1}", "{{0,1},}", "{{x}}", "[2]<=[2]", "<=[2]"}) {
    EXPECT_FALSE(ReadReplicaGroups(bad).ok()) << bad;
  }
  EXPECT_TRUE(ReadPairs("{}")->empty());
  for (const char* bad : {"", "{{0}}", "{{0,1,2}}", "{{0,1}"}) {
    EXPECT_FALSE(ReadPairs(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace indim
