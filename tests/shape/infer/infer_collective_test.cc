// SPDX-License-Identifier: Apache-2.0
// Collectives: what joins or splits arrays of many devices. Against XLA's own
// answers: xla_oracle_test.cc.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "indim/shape/infer/builder_forms.h"
#include "indim/tests/parsed_shape.h"
#include "indim/tests/shape/infer/infer_testing.h"
#include "indim/tools/query/hlo_spelling.h"

namespace indim {
namespace {

CollectiveAttributes Along(DimIndices dimensions,
                           std::optional<int64_t> shard_count = {}) {
  CollectiveAttributes attributes;
  attributes.dimensions = std::move(dimensions);
  attributes.shard_count = shard_count;
  return attributes;
}

CollectiveAttributes WithGroups(CollectiveAttributes attributes,
                                const std::string& groups) {
  absl::StatusOr<ReplicaGroups> read = ReadReplicaGroups(groups);
  EXPECT_TRUE(read.ok()) << read.status();
  if (read.ok()) attributes.replica_groups = *read;
  return attributes;
}

TEST(InferCollectiveTest, AllReduce) {
  struct {
    std::vector<std::string> operands;
    const char* reducer;
    const char* answer;
  } const kCases[] = {
      {{"f32[2,3]"}, kSum, "f32[2,3]"},
      {{"f32[<=2,?]"}, kSum, "f32[<=2,?]"},
      {{"f32[*]"}, kSum, "f32[*]"},
      {{"f32[2]", "bf16[3]"}, kSum, "(f32[2], bf16[3])"},
      {{"f32[2]", "token[]"}, kSum, "!operand-not-array"},
      {{"(f32[2])"}, kSum, "!operand-not-array"},
      {{}, kSum, "!operand-count"},
      // XLA does not look at the computation (warnings_test.cc).
      {{"f32[2]"}, "s32[] s32[] -> s32[]", "f32[2] ~collective-reducer-odd"},
      {{"f32[2]"}, "f32[] -> f32[]", "f32[2] ~collective-reducer-odd"},
  };
  for (Opcode opcode : {Opcode::kAllReduce, Opcode::kAllReduceStart}) {
    for (const auto& c : kCases) {
      EXPECT_EQ(
          Ask({opcode, c.operands, CollectiveAttributes(), "", {c.reducer}}),
          c.answer);
    }
  }
  EXPECT_EQ(Ask({Opcode::kAllReduceDone, {"f32[2]"}}), "f32[2]");
}

struct ShardCase {
  std::vector<std::string> operands;
  CollectiveAttributes attributes;
  const char* declared;
  const char* answer;
};

TEST(InferCollectiveTest, AllGather) {
  const ShardCase kCases[] = {
      // A builder says how many.
      {{"f32[2,3]"}, Along({0}, 4), "", "f32[8,3]"},
      {{"f32[2]", "s8[5]"}, Along({0}, 2), "", "(f32[4], s8[10])"},
      {{"f32[<=2]"}, Along({0}, 4), "", "f32[<=8]"},
      {{"f32[?]"}, Along({0}, 4), "", "f32[?]"},
      {{"f32[2..3]"}, Along({0}, 4), "", "f32[8..12]"},
      {{"f32[0]"}, Along({0}, 4), "", "f32[0] ~nothing-gathered"},
      {{"f32[*]"}, Along({3}, 4), "", "f32[*]"},
      {{"f32[2]"}, Along({0}, -1), "", "!attribute-range"},
      {{"f32[2]"}, Along({0}, 0), "", "!attribute-range"},
      {{"f32[9223372036854775807]"}, Along({0}, 2), "", "!size-overflow"},
      // A recorded result does.
      {{"f32[2,3]"}, Along({0}), "f32[8,3]", "f32[8,3]"},
      {{"f32[2]", "s8[5]"}, Along({0}), "(f32[4], s8[10])", "(f32[4], s8[10])"},
      {{"f32[2]"}, Along({0}), "f32[7]", "f32[8]"},
      {{"f32[0]"}, Along({0}), "f32[0]", "f32[0] ~nothing-gathered"},
      {{"f32[?]"}, Along({0}), "f32[8]", "f32[8]"},
      // Groups do.
      {{"f32[2]"}, WithGroups(Along({0}), "{{0,1},{2,3}}"), "", "f32[4]"},
      {{"f32[2]"}, WithGroups(Along({0}), "[2,4]<=[8]"), "", "f32[8]"},
      // Nobody does.
      {{"f32[2]"}, Along({0}), "", "!shard-count-unknown"},
      {{"f32[2]"},
       WithGroups(Along({0}), "{{0,1},{2}}"),
       "",
       "!shard-count-unknown"},
      {{"f32[2]"}, Along({1}, 2), "", "!dim-index-range"},
      {{"f32[2]"}, Along({-1}, 2), "", "!dim-index-range"},
      {{"f32[2]", "f32[]"}, Along({0}, 2), "", "!dim-index-range"},
      {{"f32[2]"}, Along({}, 2), "", "!dimensions-count"},
      {{"f32[2]"}, Along({0, 0}, 2), "", "!dimensions-count"},
      {{"token[]"}, Along({0}, 2), "", "!operand-not-array"},
  };
  for (const ShardCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kAllGather, c.operands, c.attributes, c.declared}),
              c.answer)
        << c.operands[0] << " " << c.declared;
  }
}

TEST(InferCollectiveTest, AllGatherInTwoHalves) {
  constexpr Opcode kStart = Opcode::kAllGatherStart;
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, Along({0}, 4)}), "(f32[2], f32[8])");
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, Along({0}), "(f32[2], f32[8])"}),
            "(f32[2], f32[8])");
  EXPECT_EQ(Ask({kStart, {"f32[2]", "s8[3]"}, Along({0}, 2)}),
            "((f32[2], s8[3]), (f32[4], s8[6]))");
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, Along({0}), "f32[8]"}), "!declared-shape");
  EXPECT_EQ(Ask({Opcode::kAllGatherDone, {"(f32[2], f32[8])"}}), "f32[8]");
  EXPECT_EQ(Ask({Opcode::kAllGatherDone, {"(f32[2])"}}), "!operand-shape");
  EXPECT_EQ(Ask({Opcode::kAllGatherDone, {"f32[2]"}}), "!operand-shape");
}

TEST(InferCollectiveTest, ReduceScatter) {
  const ShardCase kCases[] = {
      {{"f32[8,3]"}, Along({0}, 4), "", "f32[2,3]"},
      {{"f32[8]", "f32[4]"}, Along({0}, 4), "", "(f32[2], f32[1])"},
      {{"f32[0]"}, Along({0}, 4), "", "f32[0]"},
      {{"f32[7]"}, Along({0}, 4), "", "!shards-divide"},
      // XLA forgets a bound, and takes an unknown size for -2^63.
      {{"f32[<=8]"}, Along({0}, 4), "", "f32[?]"},
      {{"f32[<=8]"}, Along({0}, 1), "", "f32[?]"},
      {{"f32[<=7]"}, Along({0}, 4), "", "!shards-divide"},
      {{"f32[?]"}, Along({0}, 4), "", "f32[?]"},
      {{"f32[?]"}, Along({0}, 3), "", "!shards-divide"},
      {{"f32[3..8]"}, Along({0}, 4), "", "f32[1..2]"},
      {{"f32[5..7]"}, Along({0}, 4), "", "!shards-divide"},
      {{"f32[*]"}, Along({0}, 4), "", "f32[*]"},
      {{"f32[8]"}, Along({0}), "f32[2]", "f32[2]"},
      {{"f32[8]"}, Along({0}), "f32[3]", "!shards-divide"},
      {{"f32[8]"}, WithGroups(Along({0}), "{{0,1}}"), "", "f32[4]"},
      {{"f32[8]"}, Along({0}), "", "!shard-count-unknown"},
      {{"f32[8]"}, Along({0}, -1), "", "!attribute-range"},
      {{"f32[8]"}, Along({1}, 2), "", "!dim-index-range"},
      {{"()"}, Along({0}, 2), "", "!operand-not-array"},
  };
  for (const ShardCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kReduceScatter,
                   c.operands,
                   c.attributes,
                   c.declared,
                   {kSum}}),
              c.answer)
        << c.operands[0] << " " << c.declared;
  }
}

TEST(InferCollectiveTest, AllToAll) {
  const auto builder = [](int64_t split, int64_t concat, int64_t count) {
    CollectiveAttributes attributes;
    attributes.split_dimension = split;
    attributes.concat_dimension = concat;
    attributes.shard_count = count;
    return attributes;
  };
  const ShardCase kCases[] = {
      {{"f32[8,3]"}, builder(0, 1, 4), "", "f32[2,12]"},
      {{"f32[8,3]"}, builder(0, 0, 4), "", "f32[8,3]"},
      {{"f32[?,3]"}, builder(0, 1, 3), "", "f32[?,9]"},
      {{"f32[8,3]"}, builder(1, 0, 4), "", "!shards-divide"},
      {{"f32[8,3]"}, builder(0, 1, 0), "", "!attribute-range"},
      {{"f32[8,3]"}, builder(2, 0, 4), "", "!dim-index-range"},
      {{"f32[8,3]"}, builder(0, -2, 4), "", "!dim-index-range"},
      {{"f32[8,3]"}, builder(0, 1, -1), "", "!attribute-range"},
      {{"f32[8,<=3]"}, builder(0, 0, 4), "", "!all-to-all-bounded"},
      {{"f32[2,9223372036854775807]"}, builder(0, 1, 2), "", "!size-overflow"},
      // One dim in HLO, and the groups.
      {{"f32[8,3]"}, Along({0}), "", "f32[8,3]"},
      {{"f32[8,3]"}, WithGroups(Along({1}), "{{0,1,2}}"), "", "f32[8,3]"},
      {{"f32[8,3]"}, WithGroups(Along({1}), "{{0,1}}"), "", "!shards-divide"},
      // An operand for each device.
      {{"f32[2]", "f32[2]"}, Along({}), "", "(f32[2], f32[2])"},
      {{"f32[2]"}, Along({}), "", "(f32[2])"},
      {{"f32[2]", "f32[3]"}, Along({}), "", "!operands-differ"},
      {{"f32[2]", "token[]"}, Along({}), "", "!operand-not-array"},
  };
  for (const ShardCase& c : kCases) {
    EXPECT_EQ(Ask({Opcode::kAllToAll, c.operands, c.attributes}), c.answer)
        << c.operands[0];
  }
}

TEST(InferCollectiveTest, RaggedAllToAll) {
  constexpr Opcode kOp = Opcode::kRaggedAllToAll;
  const auto ask = [](std::vector<std::string> operands) {
    return Ask({kOp, std::move(operands), CollectiveAttributes()});
  };
  EXPECT_EQ(
      ask({"f32[8,2]", "f32[9,2]", "s32[4]", "s32[4]", "s32[4]", "s32[4]"}),
      "f32[9,2]");
  EXPECT_EQ(
      ask({"f32[8]", "f32[9]", "s32[2,4]", "s32[2,4]", "s32[2,4]", "s32[2,4]"}),
      "f32[9]");
  EXPECT_EQ(ask({"f32[8]", "f32[9]", "s32[]", "s32[]", "s32[]", "s32[]"}),
            "!ragged-offsets");
  EXPECT_EQ(ask({"f32[8]", "f32[9]", "s32[4]", "s32[4]", "s32[5]", "s32[4]"}),
            "!operands-differ");
  EXPECT_EQ(ask({"f32[8]", "token[]", "s32[4]", "s32[4]", "s32[4]", "s32[4]"}),
            "!operand-not-array");
}

TEST(InferCollectiveTest, Broadcast) {
  constexpr Opcode kOp = Opcode::kCollectiveBroadcast;
  CollectiveAttributes rooted;
  rooted.has_dynamic_root = true;
  EXPECT_EQ(Ask({kOp, {"f32[2]"}, CollectiveAttributes()}), "f32[2]");
  EXPECT_EQ(Ask({kOp, {"f32[2]", "f32[3]"}, CollectiveAttributes()}), "f32[2]");
  EXPECT_EQ(Ask({kOp, {"f32[2]", "s32[1]"}, rooted}), "f32[2]");
  EXPECT_EQ(Ask({kOp, {"f32[2]", "f32[3]", "s32[2]"}, rooted}),
            "(f32[2], f32[3])");
  EXPECT_EQ(Ask({kOp, {"f32[2]", "s32[2]"}, rooted}), "!operand-shape");
  EXPECT_EQ(Ask({kOp, {"s32[0]"}, rooted}), "!operand-shape");
  EXPECT_EQ(Ask({kOp, {"()"}, CollectiveAttributes()}), "!operand-not-array");
}

TEST(InferCollectiveTest, Reduce) {
  const auto ask = [](std::vector<std::string> operands, bool rooted) {
    CollectiveAttributes attributes;
    attributes.has_dynamic_root = rooted;
    Query query = {Opcode::kCollectiveReduce, std::move(operands), attributes};
    query.callees = {"f32[] f32[] -> f32[]"};
    return Ask(query);
  };
  EXPECT_EQ(ask({"f32[2]"}, false), "f32[2]");
  EXPECT_EQ(ask({"f32[2]", "f32[3]"}, false), "(f32[2], f32[3])");
  EXPECT_EQ(ask({"f32[2]", "s32[1]"}, true), "f32[2]");
  EXPECT_EQ(ask({"f32[2]", "f32[3]", "s32[2]"}, true), "(f32[2], f32[3])");
  EXPECT_EQ(ask({"f32[2]", "f32[3]", "s32[1]"}, true), "!operand-shape");
  EXPECT_EQ(ask({"f32[2]", "u32[1]"}, true), "!operand-shape");
  EXPECT_EQ(ask({"f32[2]", "s32[]"}, true), "!operand-shape");
  EXPECT_EQ(ask({"s32[0]"}, true), "!operand-shape");
  EXPECT_EQ(ask({"()"}, false), "!operand-not-array");
}

TEST(InferCollectiveTest, ShardsAreAsManyAsAGroupHasDevices) {
  Query query = {Opcode::kAllGather,
                 {"f32[2]"},
                 WithGroups(Along({0}), "{{0,1},{2,3}}"),
                 "f32[4]"};
  EXPECT_EQ(AskVerifier(query), "f32[4]");
  query.declared = "f32[8]";
  EXPECT_EQ(AskVerifier(query), "!shard-group-size");
  // Groups of replicas, whose partitions take part as well.
  std::get<CollectiveAttributes>(query.attributes).channel_id = 1;
  EXPECT_EQ(AskVerifier(query), "f32[8]");
  query = {Opcode::kAllToAll,
           {"f32[2]", "f32[2]"},
           WithGroups(Along({}), "{{0,1,2}}")};
  EXPECT_EQ(AskVerifier(query), "!shard-group-size");
}

TEST(InferCollectiveTest, Permute) {
  constexpr Opcode kOp = Opcode::kCollectivePermute;
  CollectivePermuteAttributes pairs;
  pairs.source_target_pairs = {{0, 1}, {1, 0}};
  EXPECT_EQ(Ask({kOp, {"f32[2]"}, pairs}), "f32[2]");
  EXPECT_EQ(Ask({kOp, {"f32[<=2]", "s8[3]"}, pairs}), "(f32[<=2], s8[3])");
  EXPECT_EQ(Ask({kOp, {"()"}, pairs}), "!operand-not-array");
  EXPECT_EQ(Ask({kOp, {"f32[2]", "token[]"}, pairs}), "!operand-not-array");
  CollectivePermuteAttributes in_place = pairs;
  in_place.slice_sizes = {1};
  EXPECT_EQ(Ask({kOp, {"f32[2]", "f32[3]", "(s32[])", "(s32[])"}, in_place}),
            "f32[3]");
  EXPECT_EQ(Ask({kOp, {"f32[2]"}, in_place}), "!operand-count");
}

TEST(InferCollectiveTest, PermuteInTwoHalves) {
  constexpr Opcode kStart = Opcode::kCollectivePermuteStart;
  CollectivePermuteAttributes pairs;
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, pairs, "(f32[2], f32[2], u32[], u32[])"}),
            "(f32[2], f32[2], u32[], u32[])");
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, pairs, "(f32[2], f32[2])"}),
            "(f32[2], f32[2])");
  EXPECT_EQ(Ask({kStart,
                 {"f32[2]", "s8[1]"},
                 pairs,
                 "((f32[2], s8[1]), (f32[2], s8[1]))"}),
            "((f32[2], s8[1]), (f32[2], s8[1]))");
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, pairs, "f32[2]"}), "!declared-shape");
  EXPECT_EQ(Ask({kStart, {"f32[2]"}, pairs}), "!result-shape-needed");
  EXPECT_EQ(Ask({Opcode::kCollectivePermuteDone, {"(f32[2], f32[3], u32[])"}}),
            "f32[3]");
  pairs.slice_sizes = {1};
  EXPECT_EQ(Ask({kStart,
                 {"f32[2]", "f32[3]", "(s32[])", "(s32[])"},
                 pairs,
                 "(f32[2], f32[3], u32[])"}),
            "(f32[2], f32[3], u32[])");
}

// The builder's form: one tuple instead of its elements.
TEST(InferCollectiveTest, OfATuple) {
  struct {
    Opcode opcode;
    const char* operand;
    const char* answer;
  } const kCases[] = {
      {Opcode::kAllReduce, "(f32[2], f32[4])", "(f32[2], f32[4])"},
      {Opcode::kAllReduce, "(f32[2])", "(f32[2])"},
      {Opcode::kAllReduce, "f32[2]", "f32[2]"},
      {Opcode::kAllReduce, "(f32[2], s32[4])", "!tuple-mixes-types"},
      {Opcode::kAllReduce, "()", "!tuple-empty"},
      {Opcode::kAllGather, "(f32[2], s32[4])", "(f32[4], s32[8])"},
      // As in XLA's builder, which gives an all-reduce alone its tuple back.
      {Opcode::kAllGather, "(f32[2])", "f32[4]"},
      {Opcode::kAllGather, "(token[])", "!operand-not-array"},
      {Opcode::kReduceScatter, "(f32[2], f32[4])", "(f32[1], f32[2])"},
      {Opcode::kReduceScatter, "(f32[2])", "f32[1]"},
      {Opcode::kReduceScatter, "(f32[2], f16[4])", "!tuple-mixes-types"},
      {Opcode::kReduceScatter, "()", "!tuple-empty"},
  };
  const Signature sum = {{S("f32[]"), S("f32[]")}, S("f32[]")};
  for (const auto& c : kCases) {
    const Shape operand = S(c.operand);
    const std::vector<const Shape*> operands = {&operand};
    std::vector<const Signature*> callees;
    if (c.opcode != Opcode::kAllGather) callees.push_back(&sum);
    const Attributes attributes = Along({0}, 2);
    OpInputs inputs;
    inputs.opcode = c.opcode;
    inputs.operands = operands;
    inputs.callees = callees;
    inputs.attributes = &attributes;
    InferContext context;
    const std::optional<Shape> shape = InferCollectiveOfTuple(&context, inputs);
    EXPECT_EQ(AnswerText(context, shape), c.answer) << c.operand;
  }
}

}  // namespace
}  // namespace indim
