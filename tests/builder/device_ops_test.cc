// SPDX-License-Identifier: Apache-2.0
// Calls between devices and to the host: what they record, step by step, and
// what they refuse.

#include <string>
#include <utility>
#include <vector>

#include "indim/builder/sharding.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The opcodes of the entry, parameters left out.
std::vector<std::string> EntryOpcodes(const Module& module) {
  std::vector<std::string> ops;
  for (const Instruction& i : module.entry().instructions()) {
    if (i.opcode() != Opcode::kParameter) ops.emplace_back(i.opcode_name());
  }
  return ops;
}

CollectiveAttributes Lists() {
  CollectiveAttributes pairs;
  pairs.replica_groups.groups = {{0, 1}, {2, 3}};
  return pairs;
}
CollectiveAttributes Formula() {
  CollectiveAttributes pairs;
  pairs.replica_groups.iota_groups = 2;
  pairs.replica_groups.iota_group_size = 2;
  pairs.replica_groups.iota = {{2, 2}, {1, 0}};
  return pairs;
}
CollectiveAttributes Axes() {
  MeshAxes mesh;
  mesh.mesh.axes = {{"x", 2}, {"y", 2}};
  mesh.axes = {{1, {}}};
  CollectiveAttributes pairs;
  pairs.replica_groups.mesh = mesh;
  return pairs;
}

Layout ColumnMajor() {
  Layout layout;
  layout.minor_to_major = {0, 1};
  return layout;
}

TEST(DeviceOpsTest, Reductions) {
  const auto reduce = [](TestBuilder& b, Ops p) {
    return b.AllReduce(p[0], AddScalars());
  };
  const auto reduce_two = [](TestBuilder& b, Ops p) {
    return b.AllReduce(p, AddScalars());
  };
  const auto laid_out = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) {
      return b.AllReduce(p[0], AddScalars(), Lists(), ShapeArg(shape));
    };
  };
  const auto sum = [](TestBuilder& b, Ops p) {
    return b.CrossReplicaSum(p[0], Lists().replica_groups);
  };
  const auto scatter = [](TestBuilder& b, Ops p) {
    return b.ReduceScatter(p[0], AddScalars(), 0, 2, {}, ColumnMajor());
  };
  const auto halves = [](TestBuilder& b, Ops p) {
    return b.AllReduceDone(b.AllReduceStart(p, AddScalars()));
  };
  const auto by_axis = [](int64_t axis) {
    return [=](TestBuilder& b, Ops p) {
      CollectiveAttributes axes = Axes();
      axes.replica_groups.mesh->axes = {{axis, {}}};
      return b.AllReduce(p[0], AddScalars(), axes);
    };
  };
  CheckCalls({
      {"several", Of({"f32[2]", "f32[3]"}, reduce_two), "(f32[2], f32[3])"},
      {"a tuple", Of({"(f32[2], f32[3])"}, reduce), "(f32[2], f32[3])"},
      {"a tuple of one", Of({"(f32[2])"}, reduce), "(f32[2])"},
      {"by an axis", Of({"f32[2]"}, by_axis(1)), "f32[2]"},
      {"by no such axis", Of({"f32[2]"}, by_axis(2)), "IND0797"},
      {"an empty tuple", Of({"()"}, reduce), "IND0518"},
      {"types mix", Of({"(f32[2], s32[3])"}, reduce), "IND0517"},
      {"layout", Of({"f32[2,3]"}, laid_out("f32[2,3]{0,1}")), "f32[2,3]{0,1}"},
      {"another shape", Of({"f32[2,3]"}, laid_out("f32[3,2]{0,1}")), "IND0105"},
      {"no shape", Of({"f32[2,3]"}, laid_out("f32[")), "IND0604"},
      {"sum", Of({"f32[2]"}, sum), "f32[2]"},
      {"sum of pred", Of({"pred[2]"}, sum), "pred[2]"},
      {"sum of a tuple", Of({"(s32[2], s32[3])"}, sum), "(s32[2], s32[3])"},
      {"sum of a token", Of({"token[]"}, sum), "IND0101"},
      {"scatter", Of({"f32[2,3]"}, scatter), "f32[1,3]{0,1}"},
      {"scatter, rank", Of({"f32[2]"}, scatter), "IND0630"},
      {"scatter of a tuple of one", Of({"(f32[2,3])"}, scatter),
       "f32[1,3]{0,1}"},
      {"scatter, types mix", Of({"(f32[2,3], f16[2,3])"}, scatter), "IND0517"},
      {"halves", Of({"f32[2]", "f32[3]"}, halves), "(f32[2], f32[3])"},
  });
}

TEST(DeviceOpsTest, Gathers) {
  const auto gather = [](CollectiveAttributes groups) {
    return [=](TestBuilder& b, Ops p) { return b.AllGather(p, 0, 0, groups); };
  };
  const auto halves = [](TestBuilder& b, Ops p) {
    return b.AllGatherDone(b.AllGatherStart(p, 0, 2));
  };
  const auto done = [](TestBuilder& b, Ops p) { return b.AllGatherDone(p[0]); };
  CollectiveAttributes no_axis = Axes();
  no_axis.replica_groups.mesh->axes = {{2, {}}};
  CollectiveAttributes no_devices = Formula();
  no_devices.replica_groups.iota_group_size = 0;
  no_devices.shard_count = 2;
  CollectiveAttributes others = Formula();
  others.replica_groups.iota.reshape_dims = {2, 3};
  CheckCalls({
      {"lists", Of({"f32[3]"}, gather(Lists())), "f32[6]"},
      {"formula", Of({"f32[3]"}, gather(Formula())), "f32[6]"},
      {"axes", Of({"f32[3]"}, gather(Axes())), "f32[6]"},
      {"no such axis", Of({"f32[3]"}, gather(no_axis)), "IND0520"},
      {"a formula without devices", Of({"f32[3]"}, gather(no_devices)),
       "IND0797"},
      {"a formula for other devices", Of({"f32[3]"}, gather(others)),
       "IND0797"},
      {"of nobody knows how many", Of({"f32[3]"}, gather({})), "IND0520"},
      {"several", Of({"f32[3]", "s32[2]"}, gather(Lists())),
       "(f32[6], s32[4])"},
      {"a tuple", Of({"(f32[3], s32[2])"}, gather(Lists())),
       "(f32[6], s32[4])"},
      {"a tuple of one", Of({"(f32[3])"}, gather(Lists())), "f32[6]"},
      {"halves", Of({"f32[3]"}, halves), "f32[6]"},
      {"not started", Of({"f32[3]"}, done), "IND0410"},
  });
}

// Each encoding stands in a field of its own.
TEST(DeviceOpsTest, KeepsTheEncodingOfGroups) {
  const std::pair<CollectiveAttributes, int> cases[] = {
      {Lists(), 87}, {Formula(), 92}, {Axes(), 93}};
  for (const auto& [groups, field] : cases) {
    TestBuilder b("case");
    const absl::StatusOr<Module> module =
        b.Build(b.AllReduce(b.P("f32[3]"), AddScalars(), groups));
    ASSERT_TRUE(module.ok()) << module.status();
    for (int number : {87, 92, 93}) {
      bool present = false;
      AttributeBytesField(internal::AttributeBytesOf(module->entry().root()),
                          number, &present);
      EXPECT_EQ(present, number == field) << number;
    }
  }
}

TEST(DeviceOpsTest, AllToAll) {
  const auto exchange = [](int64_t split, int64_t concat, int64_t count) {
    return [=](TestBuilder& b, Ops p) {
      return b.AllToAll(p[0], split, concat, count);
    };
  };
  const auto laid_out = [](TestBuilder& b, Ops p) {
    return b.AllToAll(p[0], 0, 1, 2, {}, ColumnMajor());
  };
  const auto tuple = [](TestBuilder& b, Ops p) { return b.AllToAllTuple(p); };
  CheckCalls({
      {"one dim", Of({"f32[4,3]"}, exchange(0, 0, 2)), "f32[4,3]"},
      {"two dims", Of({"f32[4,3]"}, exchange(0, 1, 2)), "f32[2,6]"},
      {"the other way", Of({"f32[3,4]"}, exchange(1, 0, 2)), "f32[6,2]"},
      {"one dim, unknown", Of({"f32[?,3]"}, exchange(0, 0, 2)), "f32[?,3]"},
      {"two dims, unknown", Of({"f32[?,3]"}, exchange(0, 1, 2)), "IND0611"},
      {"bounded", Of({"f32[<=4,3]"}, exchange(0, 0, 2)), "IND0512"},
      {"rest", Of({"f32[5,3]"}, exchange(0, 1, 2)), "IND0510"},
      {"from the end", Of({"f32[3,4]"}, exchange(-1, -2, 2)), "f32[6,2]"},
      {"no such dim", Of({"f32[4,3]"}, exchange(0, 2, 2)), "IND0111"},
      {"none from the end", Of({"f32[4,3]"}, exchange(0, -3, 2)), "IND0111"},
      {"no parts", Of({"f32[4,3]"}, exchange(0, 1, 0)), "IND0120"},
      {"layout", Of({"f32[4,3]"}, laid_out), "f32[2,6]"},
      {"tuple", Of({"f32[3]", "f32[3]"}, tuple), "(f32[3], f32[3])"},
      {"tuple, unequal", Of({"f32[3]", "f32[4]"}, tuple), "IND0513"},
  });
}

TEST(DeviceOpsTest, AllToAllAsXlaWritesIt) {
  TestBuilder b("case");
  const Module module = *b.Build(b.AllToAll(b.P("f32[4,3]"), 0, 1, 2));
  EXPECT_THAT(EntryOpcodes(module),
              ElementsAre("all-to-all", "reshape", "transpose", "reshape"));
  TestBuilder laid_out("case");
  const Op result =
      laid_out.AllToAll(laid_out.P("f32[4,3]"), 0, 1, 2, {}, ColumnMajor());
  EXPECT_THAT(EntryOpcodes(*laid_out.Build(result)),
              ElementsAre("slice", "slice", "all-to-all", "get-tuple-element",
                          "get-tuple-element", "concatenate"));
}

TEST(DeviceOpsTest, BroadcastsAndPermutes) {
  CollectiveAttributes dynamic = Lists();
  dynamic.has_dynamic_root = true;
  const auto broadcast = [](CollectiveAttributes groups) {
    return
        [=](TestBuilder& b, Ops p) { return b.CollectiveBroadcast(p, groups); };
  };
  const auto reduce = [](CollectiveAttributes groups) {
    return [=](TestBuilder& b, Ops p) {
      return b.CollectiveReduce(p, AddScalars(), groups);
    };
  };
  CollectivePermuteAttributes swap;
  swap.source_target_pairs = {{0, 1}, {1, 0}};
  CollectivePermuteAttributes in_place = swap;
  in_place.slice_sizes = {2};
  const auto permute = [](CollectivePermuteAttributes attributes) {
    return [=](TestBuilder& b, Ops p) {
      return b.CollectivePermute(p, attributes);
    };
  };
  const auto halves = [](CollectivePermuteAttributes attributes) {
    return [=](TestBuilder& b, Ops p) {
      return b.CollectivePermuteDone(b.CollectivePermuteStart(
          p, attributes, {Shape::Scalar(ElementType::kU32)}));
    };
  };
  const auto ragged = [](TestBuilder& b, Ops p) {
    return b.RaggedAllToAll(p[0], p[1], p[2], p[2], p[2], p[2]);
  };
  CheckCalls({
      {"broadcast", Of({"f32[3]"}, broadcast(Lists())), "f32[3]"},
      {"dynamic root", Of({"f32[3]", "s32[1]"}, broadcast(dynamic)), "f32[3]"},
      {"dynamic root, type", Of({"f32[3]", "f32[1]"}, broadcast(dynamic)),
       "IND0410"},
      {"several", Of({"f32[3]", "f32[4]"}, permute(swap)), "(f32[3], f32[4])"},
      {"in place",
       Of({"f32[3]", "f32[4]", "s32[]", "s32[]"}, permute(in_place)), "f32[4]"},
      {"in place, count", Of({"f32[3]", "f32[4]"}, permute(in_place)),
       "IND0100"},
      {"reduced", Of({"f32[3]"}, reduce(Lists())), "f32[3]"},
      {"reduced, several", Of({"f32[3]", "f32[4]"}, reduce(Lists())),
       "(f32[3], f32[4])"},
      {"reduced, root", Of({"f32[3]", "s32[1]"}, reduce(dynamic)), "f32[3]"},
      {"reduced, roots", Of({"f32[3]", "s32[2]"}, reduce(dynamic)), "IND0410"},
      {"halves", Of({"f32[3]"}, halves(swap)), "f32[3]"},
      {"halves of two", Of({"f32[3]", "f32[4]"}, halves(swap)),
       "(f32[3], f32[4])"},
      {"halves in place",
       Of({"f32[3]", "f32[4]", "s32[]", "s32[]"}, halves(in_place)), "f32[4]"},
      {"ragged", Of({"f32[4]", "f32[8]", "s32[2]"}, ragged), "f32[8]"},
      {"ragged, offsets", Of({"f32[4]", "f32[8]", "s32[]"}, ragged), "IND0514"},
  });
}

TEST(DeviceOpsTest, Feeds) {
  const auto infeed = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) {
      return b.InfeedWithToken(p[0], shape, "config");
    };
  };
  const auto outfeed = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) {
      return b.OutfeedWithToken(p[0], p[1], shape);
    };
  };
  CheckCalls({
      {"infeed", Of({"token[]"}, infeed("f32[2,3]")),
       "(f32[2,3]{1,0}, token[])"},
      {"infeed, layout", Of({"token[]"}, infeed("f32[2,3]{0,1}")),
       "(f32[2,3]{0,1}, token[])"},
      {"infeed, no token", Of({"f32[]"}, infeed("f32[2,3]")), "IND0110"},
      {"infeed, no shape", Of({"token[]"}, infeed("f32[2")), "IND0604"},
      {"outfeed", Of({"f32[3]", "token[]"}, outfeed("f32[3]")), "token[]"},
      {"outfeed, shape", Of({"f32[3]", "token[]"}, outfeed("f32[4]")),
       "IND0410"},
      {"outfeed, no shape", Of({"f32[3]", "token[]"}, outfeed("f32")),
       "IND0604"},
  });
}

// A text is what many will try; the error says what makes the bytes.
TEST(DeviceOpsTest, AShardingIsBytesNotText) {
  TestBuilder b("case");
  b.set_sharding("{replicated}");
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("IND0640"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("ReplicateSharding()"));
  EXPECT_THAT(b.DiagnosticsText(), HasSubstr("\"{replicated}\""));
}

TEST(DeviceOpsTest, FeedsWithoutTokensFollowEachOther) {
  TestBuilder b("case");
  b.set_sharding(MaximalSharding(1));
  const Op first = b.Infeed("f32[3]"), second = b.Infeed("f32[3]");
  b.set_sharding(std::nullopt);
  b.Outfeed(first, "f32[3]");
  const absl::StatusOr<Module> module = b.Build(b.Outfeed(second, "f32[3]"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(EntryOpcodes(*module),
              ElementsAre("after-all", "infeed", "get-tuple-element",
                          "get-tuple-element", "infeed", "get-tuple-element",
                          "get-tuple-element", "after-all", "outfeed", "tuple",
                          "outfeed", "tuple"));
  const Computation entry = module->entry();
  EXPECT_EQ(entry.instruction(4).operand(0).index(), 2);
  EXPECT_EQ(entry.instruction(10).operand(1).index(), 8);
  // Tokens are on device 0, whatever the sharding in scope.
  EXPECT_EQ(
      AttributeBytesField(internal::AttributeBytesOf(entry.instruction(0)), 40),
      MaximalSharding(0));
  EXPECT_EQ(
      AttributeBytesField(internal::AttributeBytesOf(entry.instruction(1)), 40),
      MaximalSharding(1));
}

TEST(DeviceOpsTest, Transfers) {
  const auto send = [](TestBuilder& b, Ops p) {
    return b.SendWithToken(p[0], p[1], 7);
  };
  const auto receive = [](const char* shape) {
    return
        [=](TestBuilder& b, Ops p) { return b.RecvWithToken(p[0], shape, 7); };
  };
  const auto to_host = [](const char* shape) {
    return [=](TestBuilder& b, Ops p) {
      return b.SendToHost(p[0], p[1], shape, 7);
    };
  };
  const auto from_host = [](const char* shape) {
    return
        [=](TestBuilder& b, Ops p) { return b.RecvFromHost(p[0], shape, 7); };
  };
  CheckCalls({
      {"send", Of({"f32[3]", "token[]"}, send), "token[]"},
      {"send, no token", Of({"f32[3]", "f32[]"}, send), "IND0110"},
      {"send alone",
       Of({"f32[3]"}, [](TestBuilder& b, Ops p) { return b.Send(p[0], 7); }),
       "token[]"},
      {"done of nothing",
       Of({"f32[3]"},
          [](TestBuilder& b, Ops p) { return b.SendDone(p[0], 7); }),
       "IND0410"},
      {"receive", Of({"token[]"}, receive("f32[3]")), "(f32[3], token[])"},
      {"receive, no shape", Of({"token[]"}, receive("f32")), "IND0604"},
      {"receive alone",
       Of({}, [](TestBuilder& b, Ops) { return b.Recv("f32[3]", 7); }),
       "f32[3]"},
      {"to host", Of({"f32[3]", "token[]"}, to_host("f32[3]")), "token[]"},
      {"to host, shape", Of({"f32[3]", "token[]"}, to_host("f32[4]")),
       "IND0105"},
      {"to host, a tuple", Of({"(f32[3])", "token[]"}, to_host("(f32[3])")),
       "IND0101"},
      {"from host", Of({"token[]"}, from_host("f32[2,3]")),
       "(f32[2,3]{1,0}, token[])"},
      {"from host, a tuple", Of({"token[]"}, from_host("(f32[3])")), "IND0411"},
  });
}

TEST(DeviceOpsTest, WorkInHalves) {
  const auto start = [](TestBuilder& b, Ops p) {
    return b.AsyncStart(p, AddScalars(), "thread",
                        {Shape::Scalar(ElementType::kU32)});
  };
  const auto done = [=](TestBuilder& b, Ops p) {
    return b.AsyncDone(b.AsyncUpdate(start(b, p)));
  };
  const auto copy = [](TestBuilder& b, Ops p) {
    return b.CopyDone(b.CopyStart(p[0], 3));
  };
  CheckCalls({
      {"start", Of({"f32[]", "f32[]"}, start),
       "((f32[], f32[]), f32[], u32[])"},
      {"start, arity", Of({"f32[]"}, start), "IND0401"},
      {"start, parameter", Of({"f32[]", "s32[]"}, start), "IND0402"},
      {"done", Of({"f32[]", "f32[]"}, done), "f32[]"},
      {"nothing to go on with",
       Of({"f32[]"}, [](TestBuilder& b, Ops p) { return b.AsyncUpdate(p[0]); }),
       "IND0410"},
      {"copy", Of({"f32[3]"}, copy), "f32[3]"},
      {"copy of nothing",
       Of({"f32[3]"}, [](TestBuilder& b, Ops p) { return b.CopyDone(p[0]); }),
       "IND0410"},
  });
}

}  // namespace
}  // namespace indim
