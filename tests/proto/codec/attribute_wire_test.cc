// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/attribute_wire.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/data_files.h"
#include "indim/tests/proto/codec/attribute_samples.h"
#include "indim/tests/proto/wire/attribute_bytes_samples.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

Attributes Decode(Opcode opcode, const OwnedAttributeBytes& attribute_bytes) {
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(opcode, attribute_bytes.view());
  EXPECT_TRUE(attributes.ok()) << attributes.status();
  return attributes.ok() ? *std::move(attributes) : Attributes();
}

Attributes DecodeText(Opcode opcode, const std::string& text) {
  return Decode(opcode, AttributeBytesOf(FromText(text)));
}

std::string EncodeText(Opcode opcode, const Attributes& attributes) {
  return ToText(Parse(EncodeAttributes(opcode, attributes)));
}

TEST(AttributeWireTest, EveryStructComesBackAsItWasWritten) {
  Random random(1);
  for (const OpInfo& op : AllOps()) {
    for (int i = 0; i < 60; ++i) {
      const Attributes written = RandomAttributes(op.opcode, &random);
      const OwnedAttributeBytes attribute_bytes =
          EncodeAttributes(op.opcode, written);
      ASSERT_TRUE(IsCanonicalAttributeBytes(attribute_bytes)) << op.wire;
      const Attributes read = Decode(op.opcode, attribute_bytes);
      ASSERT_TRUE(SameAttributes(written, read))
          << op.wire << ": " << ToText(Parse(attribute_bytes));
      ASSERT_TRUE(AttributeBytesOf(Parse(attribute_bytes)) == attribute_bytes)
          << op.wire;
    }
  }
}

// Whatever the numbers: IsCanonical isn't asked about these.
TEST(AttributeWireTest, NumbersAreCanonicalWithoutACheck) {
  constexpr int64_t kNumbers[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
  for (const int64_t number : kNumbers) {
    GetTupleElementAttributes element;
    element.index = number;
    EXPECT_TRUE(IsCanonicalAttributeBytes(
        EncodeAttributes(Opcode::kGetTupleElement, element)));
    ParameterAttributes parameter;
    parameter.number = number;
    EXPECT_TRUE(IsCanonicalAttributeBytes(
        EncodeAttributes(Opcode::kParameter, parameter)));
    DimensionsAttributes dimensions;
    dimensions.dimensions = {number, number};
    EXPECT_TRUE(IsCanonicalAttributeBytes(
        EncodeAttributes(Opcode::kTranspose, dimensions)));
  }
  for (const Opcode opcode :
       {Opcode::kGetTupleElement, Opcode::kParameter, Opcode::kTranspose,
        Opcode::kConcatenate, Opcode::kAdd}) {
    EXPECT_TRUE(AttributesHoldNumbers(opcode)) << Name(opcode);
  }
  // Texts, bytes and shapes.
  for (const Opcode opcode : {Opcode::kCustomCall, Opcode::kInfeed,
                              Opcode::kOutfeed, Opcode::kAllReduce}) {
    EXPECT_FALSE(AttributesHoldNumbers(opcode)) << Name(opcode);
  }
}

// Attribute bytes of everything: what no struct shows must survive every
// replacement.
TEST(AttributeWireTest, ReplacingChangesOnlyItsOwnFields) {
  Random random(2);
  for (const OpInfo& op : AllOps()) {
    for (int i = 0; i < 20; ++i) {
      proto::HloInstructionProto before;
      FillAtRandom(2, &random, &before);
      const OwnedAttributeBytes attribute_bytes = AttributeBytesOf(before);
      const Attributes wanted = RandomAttributes(op.opcode, &random);
      const OwnedAttributeBytes replaced =
          ReplaceAttributes(op.opcode, attribute_bytes.view(), wanted);
      ASSERT_TRUE(IsCanonicalAttributeBytes(replaced)) << op.wire;
      ASSERT_TRUE(SameAttributes(wanted, Decode(op.opcode, replaced)))
          << op.wire << ": " << ToText(Parse(replaced));
      // What other ops' structs show is untouched.
      if (op.attributes != AttributesKind::kSort &&
          op.attributes != AttributesKind::kTopK) {
        ASSERT_EQ(Parse(replaced).is_stable(),
                  Parse(attribute_bytes).is_stable());
      }
      ASSERT_EQ(ToText(Parse(replaced).sharding()),
                ToText(Parse(attribute_bytes).sharding()));
      // Once more with the same: nothing to do.
      ASSERT_TRUE(ReplaceAttributes(op.opcode, replaced.view(), wanted) ==
                  replaced);
    }
  }
}

TEST(AttributeWireTest, RealInstructionsKeepEveryByte) {
  int instructions = 0;
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const std::string bytes = *ReadFile(file);
    proto::HloModuleProto module;
    ASSERT_TRUE(module.ParseFromString(bytes));
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation.instructions()) {
        const std::optional<Opcode> opcode =
            OpcodeFromName(instruction.opcode());
        ASSERT_TRUE(opcode) << instruction.opcode();
        const OwnedAttributeBytes attribute_bytes =
            AttributeBytesOf(instruction);
        const absl::StatusOr<Attributes> attributes =
            DecodeAttributes(*opcode, attribute_bytes.view());
        ASSERT_TRUE(attributes.ok())
            << instruction.name() << ": " << attributes.status();
        ASSERT_TRUE(ReplaceAttributes(*opcode, attribute_bytes.view(),
                                      *attributes) == attribute_bytes)
            << instruction.name();
        // Written from the struct alone it says the same.
        ASSERT_TRUE(SameAttributes(
            *attributes,
            Decode(*opcode, EncodeAttributes(*opcode, *attributes))))
            << instruction.name();
        ++instructions;
      }
    }
  }
  EXPECT_GT(instructions, 3000);
}

struct FieldsCase {
  Opcode opcode;
  Attributes attributes;
  const char* fields;  // as libprotobuf prints them
};

TEST(AttributeWireTest, WritesWhatXlaWrites) {
  ElementwiseAttributes in_dim;
  in_dim.broadcast.dimensions = DimIndices{1};
  ElementwiseAttributes empty;
  empty.broadcast.dimensions = DimIndices{};
  ElementwiseAttributes pdpd;
  pdpd.broadcast.rule = BroadcastRule::kPdpd;
  pdpd.broadcast.axis = 0;
  ConvolutionAttributes convolution;
  convolution.window = {WindowDim()};
  CollectiveAttributes lists;
  lists.replica_groups.groups = {{0, 1}, {2}};
  CollectiveAttributes formula;
  formula.replica_groups.iota_groups = 2;
  formula.replica_groups.iota_group_size = 4;
  CollectivePermuteAttributes pairs;
  pairs.source_target_pairs = {{0, 1}};
  OutfeedAttributes outfeed;
  outfeed.outfeed_shape = Shape::Of(ElementType::kF32, {2});
  const FieldsCase cases[] = {
      {Opcode::kAbs, NoAttributes(), ""},
      {Opcode::kAdd, ElementwiseAttributes(), ""},
      {Opcode::kAdd, in_dim, "implicit_broadcast { broadcast_dimensions: 1 }"},
      {Opcode::kAdd, empty,
       "implicit_broadcast { has_broadcast_dimensions: true }"},
      {Opcode::kAdd, pdpd, "implicit_broadcast { rule: RULE_PDPD axis: 0 }"},
      {Opcode::kCompare, CompareAttributes(), "comparison_direction: \"EQ\""},
      {Opcode::kCompare,
       CompareAttributes{ComparisonDirection::kLt,
                         ComparisonType::kFloatTotalOrder, BroadcastSpec()},
       "comparison_direction: \"LT\" comparison_type: \"TOTALORDER\""},
      {Opcode::kCompare,
       CompareAttributes{ComparisonDirection::kLt, ComparisonType::kTotal,
                         BroadcastSpec()},
       "comparison_direction: \"LT\" comparison_order: \"TOTAL\""},
      {Opcode::kCompare,
       CompareAttributes{ComparisonDirection::kLt,
                         ComparisonType::kFloatWeakOrder, BroadcastSpec()},
       "comparison_direction: \"LT\" comparison_order: \"WEAK\""},
      {Opcode::kTranspose, DimensionsAttributes{{1, 0}},
       "dimensions: 1 dimensions: 0"},
      {Opcode::kSlice, SliceAttributes{{1}, {3}, {}},
       "slice_dimensions { start: 1 limit: 3 stride: 1 }"},
      {Opcode::kShuffle, ShuffleAttributes{{1}, {-2}},
       "dimensions: 1 shuffle_mode { rotate { shifts: -2 } }"},
      {Opcode::kShuffle, ShuffleAttributes(), "shuffle_mode { rotate { } }"},
      {Opcode::kPad, PadAttributes(), "padding_config { }"},
      {Opcode::kPad, PadAttributes{{{-1, 0, 2}}},
       "padding_config { dimensions { edge_padding_low: -1 interior_padding: "
       "2 } }"},
      {Opcode::kDot, DotAttributes(), "dot_dimension_numbers { }"},
      {Opcode::kScaledDot, DotAttributes{{1}, {0}, {}, {}, {}, {}},
       "dot_dimension_numbers { lhs_contracting_dimensions: 1 "
       "rhs_contracting_dimensions: 0 }"},
      {Opcode::kRaggedDot, DotAttributes{{}, {}, {}, {}, {2}, {}},
       "ragged_dot_dimension_numbers { dot_dimension_numbers { } "
       "lhs_ragged_dimensions: 2 }"},
      {Opcode::kReduceWindow, WindowAttributes(), "window { }"},
      {Opcode::kConvolution, convolution,
       "window { dimensions { size: 1 stride: 1 window_dilation: 1 "
       "base_dilation: 1 } } convolution_dimension_numbers { } "
       "feature_group_count: 1 batch_group_count: 1"},
      {Opcode::kGather, GatherAttributes(), "gather_dimension_numbers { }"},
      {Opcode::kScatter, ScatterAttributes(), "scatter_dimension_numbers { }"},
      {Opcode::kTopK, TopKAttributes{4, true, true},
       "is_stable: true k: 4 largest: true"},
      {Opcode::kFft, FftAttributes{FftType::kRfft, {8}},
       "fft_type: RFFT fft_length: 8"},
      {Opcode::kCholesky, CholeskyAttributes(), "cholesky_options { }"},
      {Opcode::kTriangularSolve, TriangularSolveAttributes(),
       "triangular_solve_options { }"},
      {Opcode::kReducePrecision, ReducePrecisionAttributes{5, 10},
       "exponent_bits: 5 mantissa_bits: 10"},
      {Opcode::kReducePrecision, ReducePrecisionAttributes{int64_t{1} << 40, 0},
       "exponent_bits: 2147483647"},
      {Opcode::kBatchNormTraining, BatchNormAttributes{0.5, 1},
       "epsilon: 0.5 feature_index: 1"},
      {Opcode::kAllReduce, CollectiveAttributes(), ""},
      {Opcode::kAllReduce, lists,
       "collective_device_list { replica_groups { replica_ids: 0 replica_ids: "
       "1 } replica_groups { replica_ids: 2 } }"},
      {Opcode::kAllGather, formula,
       "iota_collective_device_list { num_replica_groups: 2 "
       "num_devices_per_group: 4 iota_reshape_dims: 8 iota_transpose_perm: 0 "
       "}"},
      {Opcode::kCollectivePermute, pairs, "source_target_pairs { target: 1 }"},
      {Opcode::kCopyStart, CopyStartAttributes{0},
       "cross_program_prefetch_index: 0"},
      {Opcode::kOutfeed, outfeed,
       "outfeed_shape { element_type: F32 dimensions: 2 "
       "is_dynamic_dimension: false }"},
      {Opcode::kGetTupleElement, GetTupleElementAttributes{0}, ""},
      // A struct of another op counts as a default one.
      {Opcode::kDot, CholeskyAttributes{true}, "dot_dimension_numbers { }"},
  };
  for (const FieldsCase& c : cases) {
    EXPECT_EQ(EncodeText(c.opcode, c.attributes),
              *c.fields == 0 ? "" : absl::StrCat(c.fields, " "))
        << Name(c.opcode);
  }
}

TEST(AttributeWireTest, ReadsDefaultsAsXlaDoes) {
  const auto convolution = As<ConvolutionAttributes>(
      DecodeText(Opcode::kConvolution,
                 "window { } convolution_dimension_numbers { } "
                 "sparsity_config { lhs { block_size: 7 } rhs { block_size: 4 "
                 "num_non_zero: 2 } }"));
  EXPECT_EQ(convolution.feature_group_count, 1);
  EXPECT_EQ(convolution.batch_group_count, 1);
  EXPECT_EQ(convolution.rhs_sparsity.block_size, 4);
  EXPECT_FALSE(As<TopKAttributes>(DecodeText(Opcode::kTopK, "k: 2")).largest);
  EXPECT_EQ(As<CompareAttributes>(
                DecodeText(Opcode::kCompare, "comparison_direction: \"NE\""))
                .type,
            ComparisonType::kDefault);
  const auto comparison = [](const std::string& fields) {
    return As<CompareAttributes>(
               DecodeText(
                   Opcode::kCompare,
                   absl::StrCat("comparison_direction: \"NE\" ", fields)))
        .type;
  };
  EXPECT_EQ(comparison("comparison_order: \"TOTAL\""), ComparisonType::kTotal);
  EXPECT_EQ(comparison("comparison_order: \"PARTIAL\""),
            ComparisonType::kFloat);
  EXPECT_EQ(comparison("comparison_order: \"WEAK\""),
            ComparisonType::kFloatWeakOrder);
  // The order counts where both are there.
  EXPECT_EQ(comparison("comparison_type: \"FLOAT\" comparison_order: "
                       "\"TOTAL\""),
            ComparisonType::kTotal);
  EXPECT_EQ(
      As<CopyStartAttributes>(
          DecodeText(Opcode::kCopyStart, "is_cross_program_prefetch: true"))
          .cross_program_prefetch_index,
      0);
  EXPECT_EQ(As<CollectiveAttributes>(
                DecodeText(Opcode::kAllReduce, "all_reduce_id: 3"))
                .channel_id,
            3);
  EXPECT_EQ(
      As<CollectiveAttributes>(
          DecodeText(Opcode::kAllReduce, "channel_id: 2 all_reduce_id: 3"))
          .channel_id,
      2);
  EXPECT_EQ(As<ElementwiseAttributes>(
                DecodeText(Opcode::kAdd, "implicit_broadcast { }"))
                .broadcast,
            BroadcastSpec());
}

TEST(AttributeWireTest, ReadsFiveEncodingsOfReplicaGroups) {
  const auto groups = [](const std::string& text) {
    return As<CollectiveAttributes>(DecodeText(Opcode::kAllReduce, text))
        .replica_groups;
  };
  const std::vector<std::vector<int64_t>> lists = {{0, 2}, {1, 3}};
  EXPECT_EQ(groups("replica_groups { replica_ids: [0, 2] } "
                   "replica_groups { replica_ids: [1, 3] }")
                .groups,
            lists);
  EXPECT_EQ(groups("collective_device_list { replica_groups { replica_ids: "
                   "[0, 2] } replica_groups { replica_ids: [1, 3] } }")
                .groups,
            lists);
  // The newer encoding counts where both are there.
  EXPECT_TRUE(groups("replica_groups { replica_ids: 0 } "
                     "collective_device_list { }")
                  .groups.empty());
  const ReplicaGroups formula = groups(
      "iota_collective_device_list { num_replica_groups: 2 "
      "num_devices_per_group: 4 iota_reshape_dims: [4, 2] "
      "iota_transpose_perm: [1, 0] }");
  EXPECT_EQ(formula.iota_groups, 2);
  EXPECT_EQ(formula.iota_group_size, 4);
  // What jaxlib 0.4.31 to 0.9.0 wrote: the formula as field 2 of the list.
  proto::HloInstructionProto old = FromText("collective_device_list { }");
  proto::IotaReplicaGroupListProto of_old;
  of_old.set_num_replica_groups(1);
  of_old.set_num_devices_per_group(8);
  of_old.add_iota_reshape_dims(8);
  of_old.add_iota_transpose_perm(0);
  proto::CollectiveDeviceListProto* const list =
      old.mutable_collective_device_list();
  list->GetReflection()->MutableUnknownFields(list)->AddLengthDelimited(
      2, of_old.SerializeAsString());
  const ReplicaGroups read =
      As<CollectiveAttributes>(
          Decode(Opcode::kAllReduce, AttributeBytesOf(old)))
          .replica_groups;
  EXPECT_EQ(read.iota_groups, 1);
  EXPECT_EQ(read.iota_group_size, 8);
  const std::string mesh =
      "mesh { axes { name: 'x' size: 2 } axes { name: 'y' size: 12 } }";
  const ReplicaGroups whole =
      groups("mesh_axes_replica_group_list { " + mesh + " axes { } }");
  EXPECT_EQ(whole.iota_groups, 12);
  EXPECT_EQ(whole.iota_group_size, 2);
  const ReplicaGroups part = groups(
      "mesh_axes_replica_group_list { " + mesh +
      " axes { mesh_axis_index: 1 sub_axis_info { pre_size: 2 size: 3 } } }");
  EXPECT_EQ(part.iota_groups, 8);
  EXPECT_EQ(part.iota_group_size, 3);
}

TEST(AttributeWireTest, KeepsTheEncodingOfUnchangedGroups) {
  const char* const kEncodings[] = {
      "replica_groups { replica_ids: 1 }",
      "collective_device_list { replica_groups { replica_ids: 1 } }",
      "iota_collective_device_list { num_replica_groups: 2 "
      "num_devices_per_group: 4 iota_reshape_dims: [4, 2] "
      "iota_transpose_perm: [1, 0] }",
      "mesh_axes_replica_group_list { mesh { axes { size: 2 } } axes { } }",
      "channel_id: 5 all_reduce_id: 5",
  };
  for (const char* text : kEncodings) {
    const OwnedAttributeBytes attribute_bytes =
        AttributeBytesOf(FromText(text));
    Attributes attributes = Decode(Opcode::kAllGather, attribute_bytes);
    EXPECT_TRUE(ReplaceAttributes(Opcode::kAllGather, attribute_bytes.view(),
                                  attributes) == attribute_bytes);
    // An edit beside them doesn't touch them.
    std::get<CollectiveAttributes>(attributes).dimensions = {3};
    proto::HloInstructionProto expected = FromText(text);
    expected.add_dimensions(3);
    EXPECT_EQ(ToText(Parse(ReplaceAttributes(
                  Opcode::kAllGather, attribute_bytes.view(), attributes))),
              ToText(expected));
    // An edit of them leaves one encoding.
    auto& collective = std::get<CollectiveAttributes>(attributes);
    collective.replica_groups = ReplicaGroups();
    collective.replica_groups.groups = {{7, 8}};
    collective.channel_id = 9;
    EXPECT_EQ(ToText(Parse(ReplaceAttributes(
                  Opcode::kAllGather, attribute_bytes.view(), attributes))),
              "dimensions: 3 channel_id: 9 collective_device_list { "
              "replica_groups { replica_ids: 7 replica_ids: 8 } } ");
  }
}

TEST(AttributeWireTest, EditsInsideAMessageKeepItsOtherFields) {
  const OwnedAttributeBytes attribute_bytes = AttributeBytesOf(
      FromText("window { } convolution_dimension_numbers { } sparsity_config { "
               "lhs { idx: 3 } rhs { block_size: 4 num_non_zero: 2 } }"));
  Attributes attributes = Decode(Opcode::kConvolution, attribute_bytes);
  std::get<ConvolutionAttributes>(attributes).rhs_sparsity.block_size = 8;
  EXPECT_EQ(ToText(Parse(ReplaceAttributes(
                Opcode::kConvolution, attribute_bytes.view(), attributes))),
            "window { } convolution_dimension_numbers { } sparsity_config { "
            "lhs { idx: 3 } rhs { num_non_zero: 2 block_size: 8 } } ");
}

TEST(AttributeWireTest, SaysWhatItDoesNotUnderstand) {
  struct Case {
    Opcode opcode;
    const char* fields;
    const char* message;
  };
  const Case cases[] = {
      {Opcode::kCompare, "", "compare: field 63 is \"\""},
      {Opcode::kCompare, "comparison_direction: \"XX\"",
       "must be one of EQ NE GE GT LE LT"},
      {Opcode::kCompare,
       "comparison_direction: \"EQ\" comparison_type: \"BOOL\"", "BOOL"},
      {Opcode::kCompare,
       "comparison_direction: \"EQ\" comparison_order: \"ANY\"",
       "must be one of  PARTIAL TOTAL"},
      {Opcode::kDot, "", "field 30 (DotDimensionNumbers) is missing"},
      {Opcode::kRaggedDot, "dot_dimension_numbers { }", "field 90"},
      {Opcode::kGather, "", "field 33"},
      {Opcode::kScatter, "", "field 48"},
      {Opcode::kPad, "", "field 21"},
      {Opcode::kConvolution, "convolution_dimension_numbers { }", "field 15"},
      {Opcode::kConvolution, "window { }", "field 16"},
      {Opcode::kAdd, "implicit_broadcast { rule: 17 }", "unknown rule 17"},
      {Opcode::kFft, "fft_type: 9", "its enum ends at 3"},
      {Opcode::kRng, "distribution: -1", "field 23 is -1"},
      {Opcode::kTriangularSolve, "triangular_solve_options { transpose_a: 4 }",
       "field 4 is 4"},
      {Opcode::kOutfeed, "outfeed_shape { element_type: 99 }", "field 29"},
      {Opcode::kCustomCall,
       "operand_shapes_with_layout { element_type: F32 dimensions: -5 }",
       "field 57"},
      {Opcode::kAllReduce,
       "iota_collective_device_list { num_replica_groups: 2 }",
       "can't be 2 of 0"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: 2 } } axes { "
       "mesh_axis_index: 1 } }",
       "axes that their mesh doesn't have"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: "
       "9223372036854775807 } axes { size: 2 } } }",
       "axes that their mesh doesn't have"},
      {Opcode::kAllReduce,
       "mesh_axes_replica_group_list { mesh { axes { size: 4 } } axes { "
       "sub_axis_info { size: 3 } } }",
       "axes that their mesh doesn't have"},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Attributes> attributes =
        DecodeAttributes(c.opcode, AttributeBytesOf(FromText(c.fields)).view());
    ASSERT_FALSE(attributes.ok()) << Name(c.opcode) << " " << c.fields;
    EXPECT_EQ(attributes.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(attributes.status().message()),
                HasSubstr(c.message));
  }
  // Half of the bytes.
  EXPECT_FALSE(DecodeAttributes(Opcode::kSort, {"\x72\x05", "", ""}).ok());
}

// Any bytes are read without harm.
TEST(AttributeWireTest, DamagedAttributeBytesAreSafe) {
  Random random(3);
  for (int i = 0; i < 4000; ++i) {
    proto::HloInstructionProto message;
    FillAtRandom(2, &random, &message);
    const std::string bytes = Damage(DeterministicBytes(message), &random);
    const OpInfo& op = AllOps()[Below(AllOps().size(), &random)];
    const AttributeBytesView view{bytes, "", ""};
    const absl::StatusOr<Attributes> attributes =
        DecodeAttributes(op.opcode, view);
    ReplaceAttributes(op.opcode, view,
                      attributes.ok() ? *attributes : Attributes());
    AttributeBytesField(view, 43);
  }
}

}  // namespace
}  // namespace indim
