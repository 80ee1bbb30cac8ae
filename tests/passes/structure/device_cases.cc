// SPDX-License-Identifier: Apache-2.0
// Shardings by axes of a mesh, of domains and of the module; what a module says
// of its devices; numbers in layouts.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/tests/passes/structure/cases.h"

namespace indim {
namespace {

using Change = std::function<void(Victim&)>;

// 'x', f32[4], by a NamedShardingProto over a mesh of axes a=2 and b=8.
Change Named(const std::string& uses, const std::string& mesh =
                                          "axes { name: 'a' size: 2 }"
                                          " axes { name: 'b' size: 8 }") {
  return [=](Victim& v) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        absl::StrCat("mesh { ", mesh, " } ", uses),
        v.Sharding("x").mutable_named_sharding()));
  };
}

std::string Axis(int index) {
  return absl::StrCat(" { mesh_axis_index: ", index, " }");
}
std::string Part(int index, int pre_size, int size) {
  return absl::StrCat(" { mesh_axis_index: ", index,
                      " sub_axis_info { pre_size: ", pre_size, " size: ", size,
                      " } }");
}
std::string Dim(const std::string& axes) {
  return absl::StrCat(" dim_shardings { ", axes, " }");
}

std::vector<StructureCase> AxisCases() {
  const std::string a = Dim("axes" + Axis(0));
  const auto wrong = [](const char* what, const char* message,
                        const Change& change) {
    return StructureCase{what, {Code::kShardingForm}, "x", message, change};
  };
  const auto right = [](const char* what, const Change& change) {
    return StructureCase{what, {}, "", "", change};
  };
  return {
      right("by an axis", Named(a)),
      right("by parts of one", Named(Dim("axes" + Part(1, 1, 2)) +
                                     " manual_axes" + Part(1, 4, 2))),
      right("by no axis, of any rank", Named(Dim("") + Dim("") + Dim(""))),
      right("by hand, of any rank",
            Named("manual_axes" + Axis(0) + " manual_axes" + Axis(1))),
      right("of all terms, an axis of size 1 left out",
            Named("unreduced_axes" + Axis(1),
                  "axes { name: 'a' size: 1 } axes { name: 'b' size: 8 }")),
      right("devices in another order",
            Named(a, "axes { name: 'a' size: 2 } device_ids: [1, 0]")),
      right("no mesh", Named("", "")),
      {"of another rank",
       {Code::kShardingRank},
       "x",
       "splits 2 dims, but f32[4] has 1",
       Named(a + Dim(""))},
      {"by hand, but not all of it",
       {Code::kShardingRank},
       "x",
       "splits 0 dims",
       Named("manual_axes" + Axis(1))},
      {"by hand, but out of one",
       {Code::kShardingRank},
       "x",
       "splits 0 dims",
       Named("manual_axes" + Axis(0) + " unreduced_axes" + Axis(1),
             "axes { name: 'a' size: 2 } axes { name: 'b' size: 8 }"
             " axes { name: 'c' size: 2 }")},
      wrong("an axis that the mesh hasn't", "axes that its mesh doesn't have",
            Named(Dim("axes" + Axis(2)))),
      wrong("an axis twice", "takes axis 0 twice",
            Named(a + " replicated_axes" + Axis(0))),
      wrong(
          "parts that overlap", "takes axis 1 twice",
          Named(Dim("axes" + Part(1, 1, 4)) + " manual_axes" + Part(1, 2, 4))),
      wrong("a part and the whole", "takes axis 1 twice",
            Named(Dim("axes" + Part(1, 1, 4)) + " manual_axes" + Axis(1))),
      wrong("parts that leave none between", "don't go together",
            Named(Dim("axes" + Part(0, 1, 2)) + " manual_axes" + Part(0, 3, 2),
                  "axes { name: 'a' size: 12 }")),
      wrong("parts that are one", "two parts of axis 1 that are one",
            Named(Dim("axes" + Part(1, 1, 2) + " axes" + Part(1, 2, 4)))),
      wrong("a part that doesn't divide", "part of axis 1 that doesn't divide",
            Named(Dim("axes" + Part(1, 1, 3)))),
      wrong("a part of size 1", "part of axis 1 that doesn't divide",
            Named(Dim("axes" + Part(1, 1, 1)))),
      wrong("a part that is all", "part of axis 1 that doesn't divide",
            Named(Dim("axes" + Part(1, 1, 8)))),
      wrong("axes out of order", "names axes out of order",
            Named(Dim("") + " replicated_axes" + Axis(1) + " replicated_axes" +
                  Axis(0))),
      wrong("parts out of order", "names axes out of order",
            Named(Dim("") + " manual_axes" + Part(1, 4, 2) + " manual_axes" +
                  Part(1, 1, 2))),
      wrong("two axes of one name", "of a mesh that has two axes 'a'",
            Named(a, "axes { name: 'a' size: 2 } axes { name: 'a' size: 2 }")),
      wrong("an axis without a size", "of a mesh that has an axis without",
            Named(a, "axes { name: 'a' }")),
      wrong("devices without axes", "of a mesh that has no axes, but 2 devices",
            Named("", "device_ids: [0, 1]")),
      wrong("a device twice", "doesn't name each of its 2 devices once",
            Named(a, "axes { name: 'a' size: 2 } device_ids: [1, 1]")),
      wrong("a list that says nothing", "in the order that they have without",
            Named(a, "axes { name: 'a' size: 2 } device_ids: [0, 1]")),
      wrong("a list and a formula", "lists devices and gives a formula",
            Named(a,
                  "axes { name: 'a' size: 2 } device_ids: [1, 0]"
                  " iota_transform { reshape_dims: 2 transpose_perm: 0 }")),
      wrong("a formula of other devices", "reshapes 2 devices to 4",
            Named(a,
                  "axes { name: 'a' size: 2 }"
                  " iota_transform { reshape_dims: 4 transpose_perm: 0 }")),
      {"groups by parts that are one",
       {Code::kGroupFormula},
       "new",
       "two parts of axis 0 that are one",
       [](Victim& v) {
         v.Add(absl::StrCat(
             "name: 'new' opcode: 'all-to-all' operand_ids: 1 dimensions: 0"
             " mesh_axes_replica_group_list { mesh {"
             " axes { name: 'a' size: 8 } } axes",
             Part(0, 1, 2), " axes", Part(0, 2, 2), " } ", kArray));
       }},
  };
}

// What tokens and what holds nothing may have.
std::vector<StructureCase> LeafCases() {
  // 'token' or a new '()', by `text`, an OpSharding.
  const auto token = [](const char* text) -> Change {
    return [=](Victim& v) {
      EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
          text, &v.Sharding("token")));
    };
  };
  const auto nothing = [](const char* text) -> Change {
    return [=](Victim& v) {
      v.Add(
          absl::StrCat("name: 'new' opcode: 'tuple' shape {"
                       " element_type: TUPLE } sharding { ",
                       text, " }"));
    };
  };
  return {
      {"a token anywhere",
       {},
       "",
       "",
       token("type: OTHER tile_assignment_dimensions: [1, 2]"
             " tile_assignment_devices: [0, 0]")},
      {"a token nowhere",
       {Code::kShardingForm},
       "token",
       "of one device names 0",
       token("type: MAXIMAL")},
      {"a token in tiles, in a tuple",
       {Code::kShardingRank},
       "t",
       "splits 1 dim, but token[] has 0",
       [](Victim& v) {
         auto* part = v.Sharding("t").mutable_tuple_shardings(1);
         part->set_type(proto::OpSharding::OTHER);
         part->add_tile_assignment_dimensions(2);
         part->clear_tile_assignment_devices();
         part->add_tile_assignment_devices(0);
         part->add_tile_assignment_devices(1);
       }},
      {"a tuple's for an array",
       {Code::kShardingForm},
       "x",
       "is a tuple's, but the value is none",
       [](Victim& v) {
         EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
             "type: TUPLE tuple_shardings { }", &v.Sharding("x")));
       }},
      {"nothing for nothing", {}, "", "", nothing("type: TUPLE")},
      {"one for nothing",
       {},
       "",
       "",
       nothing("type: TUPLE tuple_shardings { type: OTHER"
               " tile_assignment_dimensions: 2"
               " tile_assignment_devices: [0, 1] }")},
      {"two for nothing",
       {Code::kShardingLeaves},
       "new",
       "has 2 parts, but () needs 0",
       nothing("type: TUPLE tuple_shardings { } tuple_shardings { }")},
      {"tiles for nothing",
       {},
       "",
       "",
       nothing("type: OTHER tile_assignment_dimensions: 2"
               " tile_assignment_devices: [0, 0]")},
  };
}

std::vector<StructureCase> PartitionCases() {
  DeviceCounts four;
  four.partitions = 4;
  four.partitioned = true;
  DeviceCounts uncut = four;
  uncut.partitioned = false;
  const std::string b = Dim("axes" + Axis(1));
  const Change others = Named(b);
  const Change all = Named(b,
                           "axes { name: 'a' size: 2 } axes { name: 'b'"
                           " size: 2 }");
  const auto one = [](int device) {
    return Named("", absl::StrCat("device_ids: ", device));
  };
  return {
      {"a mesh of all partitions", {}, "", "", all, four},
      {"a mesh of others",
       {Code::kShardingForm},
       "x",
       "has 16 devices, but the module is compiled for 4",
       others,
       four},
      {"a mesh of others, of which nothing is said", {}, "", "", others},
      {"a mesh of others, but XLA doesn't cut", {}, "", "", others, uncut},
      {"a mesh of others, all alike", {}, "", "", Named(""), four},
      {"one of all partitions", {}, "", "", one(3), four},
      {"one of others",
       {Code::kShardingDevice},
       "x",
       "names device 4 of 4",
       one(4),
       four},
      {"tiles of others",
       {Code::kShardingForm},
       "x",
       "has 2 devices, but the module is compiled for 4",
       [](Victim&) {},
       four},
  };
}

// Of 't', (f32[4], token[]).
void Replicate(Victim& v, int count) {
  auto* replication = v["t"].mutable_parameter_replication();
  for (int i = 0; i < count; ++i) {
    replication->add_replicated_at_leaf_buffers(i == 0);
  }
}

std::vector<StructureCase> OtherDeviceCases() {
  return {
      {"a domain of nothing",
       {Code::kShardingForm},
       "new",
       "on exit of one device names 0",
       [](Victim& v) {
         v.Add(
             absl::StrCat("name: 'new' opcode: 'domain' operand_ids: 1"
                          " domain_entry_sharding { }"
                          " domain_exit_sharding { type: MAXIMAL } ",
                          kArray));
       }},
      {"a result that was cut into nothing",
       {Code::kModuleSharding},
       "",
       "spmd_output_sharding has no tiles",
       [](Victim& v) {
         v.module.mutable_spmd_output_sharding()->set_type(
             proto::OpSharding::OTHER);
       }},
      {"a parameter that was cut into others",
       {Code::kModuleSharding},
       "",
       "spmd_parameters_shardings has 2 tiles, but names 3 devices",
       [](Victim& v) {
         v.module.add_spmd_parameters_shardings();
         auto* tuple = v.module.add_spmd_parameters_shardings();
         tuple->set_type(proto::OpSharding::TUPLE);
         auto* part = tuple->add_tuple_shardings();
         part->set_type(proto::OpSharding::OTHER);
         part->add_tile_assignment_dimensions(2);
         for (int i = 0; i < 3; ++i) part->add_tile_assignment_devices(i);
       }},
      {"devices for all",
       {},
       "",
       "",
       [](Victim& v) {
         auto* assignment = v.module.mutable_device_assignment();
         assignment->set_replica_count(2);
         assignment->set_computation_count(1);
         assignment->add_computation_devices()->add_replica_device_ids(5);
         assignment->mutable_computation_devices(0)->add_replica_device_ids(3);
       }},
      {"devices for nobody",
       {Code::kDeviceAssignment},
       "",
       "is of 0 partitions of 0 replicas",
       [](Victim& v) { v.module.mutable_device_assignment(); }},
      {"a partition without devices",
       {Code::kDeviceAssignment},
       "",
       "is of 2 partitions, but has 1 lists",
       [](Victim& v) {
         auto* assignment = v.module.mutable_device_assignment();
         assignment->set_replica_count(1);
         assignment->set_computation_count(2);
         assignment->add_computation_devices()->add_replica_device_ids(0);
       }},
      {"a replica without a device",
       {Code::kDeviceAssignment},
       "",
       "names 1 device for 2 replicas of partition 0",
       [](Victim& v) {
         auto* assignment = v.module.mutable_device_assignment();
         assignment->set_replica_count(2);
         assignment->set_computation_count(1);
         assignment->add_computation_devices()->add_replica_device_ids(0);
       }},
      {"a broadcast by ids that it doesn't read",
       {},
       "",
       "",
       [](Victim& v) {
         v.Add(
             absl::StrCat("name: 'new' opcode: 'collective-broadcast'"
                          " operand_ids: 1 use_global_device_ids: true ",
                          kArray));
       }},
      {"a payload that isn't there",
       {Code::kPayloadMissing},
       "fused",
       "number 1, but the module has 1 payload",
       [](Victim& v) {
         v.module.add_payloads("{}");
         v["called"].mutable_backend_config_payload()->set_id(0);
         v["callee.n"].mutable_backend_config_payload()->set_value("{}");
         v["fused"].mutable_backend_config_payload()->set_id(1);
       }},
      {"replication of each array",
       {},
       "",
       "",
       [](Victim& v) { Replicate(v, 2); }},
      {"replication of fewer",
       {Code::kParameterReplication},
       "t",
       "has 1 element, but (f32[4], token[]) needs more",
       [](Victim& v) { Replicate(v, 1); }},
      {"replication of others",
       {Code::kParameterReplication},
       "t",
       "has 3 elements, but (f32[4], token[]) needs 2",
       [](Victim& v) { Replicate(v, 3); }},
      {"less than exact",
       {Code::kResultAccuracy},
       "callee.n",
       "has a negative tolerance",
       [](Victim& v) {
         v["body.n"].mutable_result_accuracy()->set_mode(
             proto::ResultAccuracy::HIGHEST);
         v["callee.n"].mutable_result_accuracy()->mutable_tolerance()->set_atol(
             -0.5);
       }},
  };
}

// 'callee.n', f32[4], in a layout of minor_to_major {0} and `rest`.
Change Layout(const std::string& rest) {
  return [=](Victim& v) {
    auto* layout = v["callee.n"].mutable_shape()->mutable_layout();
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        absl::StrCat("minor_to_major: 0 ", rest), layout));
  };
}

std::vector<StructureCase> LayoutCases() {
  const auto wrong = [](const char* what, const char* message,
                        const char* rest) {
    return StructureCase{
        what, {Code::kLayoutNumbers}, "callee.n", message, Layout(rest)};
  };
  return {
      {"a layout with all that there is",
       {},
       "",
       "",
       Layout("tiles { dimensions: [2, -9223372036854775808] }"
              " element_size_in_bits: 4 tail_padding_alignment_in_elements: 8"
              " split_configs { split_indices: [1, 3] }")},
      wrong("bits below 0", "has elements of -1 bits",
            "element_size_in_bits: -1"),
      wrong("padding below 0", "pads to a multiple of -2",
            "tail_padding_alignment_in_elements: -2"),
      wrong("an empty tile", "has an empty tile", "tiles { }"),
      wrong("a split of what isn't there", "splits dim 1, which isn't there",
            "split_configs { dimension: 1 }"),
      wrong("a dim split twice", "splits dim 0 twice",
            "split_configs { } split_configs { }"),
      wrong("a split at the end", "splits dim 0 at 4",
            "split_configs { split_indices: 4 }"),
      wrong("splits out of order", "splits dim 0 at 1",
            "split_configs { split_indices: [2, 1] }"),
      {"bits below 0, fed out",
       {Code::kLayoutNumbers},
       "new",
       "has elements of -2 bits",
       [](Victim& v) {
         v.Add(
             "name: 'new' opcode: 'outfeed' operand_ids: [1, 5]"
             " shape { element_type: TOKEN } outfeed_shape { element_type: F32"
             " dimensions: 4 layout { minor_to_major: 0"
             " element_size_in_bits: -2 } }");
       }},
  };
}

}  // namespace

std::vector<StructureCase> DevicesAndLayoutCases() {
  std::vector<StructureCase> all;
  for (const auto& cases : {AxisCases(), LeafCases(), PartitionCases(),
                            OtherDeviceCases(), LayoutCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace indim
