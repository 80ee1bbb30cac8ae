// SPDX-License-Identifier: Apache-2.0
// Operations in two halves and their channels; who takes part in collectives.
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/passes/structure/cases.h"

namespace indim {

std::vector<StructureCase> PairCases() {
  return {
      {"a done without its start",
       {Code::kPairOperand, Code::kPairUsers},
       "gathering",
       "nothing uses it",
       [](Victim& v) { v["gathered"].set_operand_ids(0, 1); }},
      {"a start with two users",
       {Code::kPairUsers},
       "gathering",
       "must be finished once, by an all-gather-done, but it has 2 users",
       [](Victim& v) {
         v.Add("name: 'again' opcode: 'all-gather-done' operand_ids: 11");
       }},
      {"a start with a wrong user",
       {Code::kPairUsers},
       "gathering",
       "'gathered' is a negate",
       [](Victim& v) { v["gathered"].set_opcode("negate"); }},
      {"two channels in one pair",
       {Code::kChannelDiffers},
       "sent.done",
       "channel_id 7, but 'sent'",
       [](Victim& v) { v["sent.done"].set_channel_id(7); }},
      {"half a host transfer",
       {Code::kHostTransferDiffers},
       "sent.done",
       "'sent'",
       [](Victim& v) { v["sent.done"].set_is_host_transfer(true); }},
      {"the other half of one",
       {Code::kHostTransferDiffers},
       "got.done",
       "isn't a host transfer, but 'got', which it finishes, is one",
       [](Victim& v) { v["got.done"].clear_is_host_transfer(); }},
      {"a channel that the second half leaves out",
       {Code::kChannelDiffers},
       "sent.done",
       "channel_id 0, but 'sent'",
       [](Victim& v) { v["sent.done"].clear_channel_id(); }},
      {"halves of nothing in common, on no channel",
       {},
       "",
       "",
       [](Victim& v) {
         v["sent"].clear_channel_id();
         v["sent"].set_is_host_transfer(true);
       }},
      {"two shapes on one host channel",
       {Code::kHostChannelShapes},
       "other",
       "'got'",
       [](Victim& v) {
         auto& other = v.Add(absl::StrCat(
             "name: 'other' opcode: 'recv' operand_ids: 5 channel_id: 2"
             " is_host_transfer: true ",
             kSent));
         other.mutable_shape()->mutable_tuple_shapes(0)->set_dimensions(0, 3);
         v.Add(
             "name: 'other.done' opcode: 'recv-done' operand_ids: 100 id: 101"
             " channel_id: 2 is_host_transfer: true");
       }},
      {"two transfers on one host channel",
       {Code::kHostChannelDiffers},
       "other",
       "host channel 2 as 'got' does, but their frontend_attributes differ",
       [](Victim& v) {
         auto& other = v.Add(absl::StrCat(
             "name: 'other' opcode: 'recv' operand_ids: 5 channel_id: 2"
             " is_host_transfer: true frontend_attributes {"
             " map { key: 'a' value: 'b' } } ",
             kSent));
         v.Add(absl::StrCat(
             "name: 'other.done' opcode: 'recv-done' operand_ids: ", other.id(),
             " id: 101 channel_id: 2 is_host_transfer: true"));
       }},
      {"a fusion of another thread",
       {Code::kCalleeThread},
       "fused",
       "on thread 'main', but calls 'body' on thread 'side'",
       [](Victim& v) { v.Computation("body").set_execution_thread("side"); }},
      {"an async-done of nothing",
       {Code::kAsyncOperand, Code::kAsyncUsers},
       "finished",
       "its operand 'x' is a parameter, which doesn't start an asynchronous "
       "operation",
       [](Victim& v) { v["finished"].set_operand_ids(0, 1); }},
      {"two ends of one start",
       {Code::kAsyncUsers},
       "updated",
       "'finished' and 'again' both do",
       [](Victim& v) {
         v.Add(
             "name: 'again' opcode: 'async-done' operand_ids: 15 "
             "async_execution_thread: 'side'");
       }},
      {"a start that something else uses",
       {Code::kAsyncUsers},
       "updated",
       "'again', a negate",
       [](Victim& v) {
         v.Add("name: 'again' opcode: 'negate' operand_ids: 15");
       }},
      {"two computations in one chain",
       {Code::kAsyncCallee},
       "finished",
       "names computation 'callee', but 'started'",
       [](Victim& v) { v["finished"].set_called_computation_ids(0, 4); }},
      {"another thread",
       {Code::kComputationThreadOdd, Code::kAsyncThreadChanges},
       "updated",
       "on thread 'side', but 'started', which it continues, runs on 'main'",
       [](Victim& v) {
         v.module.clear_schedule();
         v["started"].clear_async_execution_thread();
       }},
      {"one computation on two threads",
       {Code::kAsyncThread},
       "started",
       "on thread 'side', but 'aside', which it starts, was moved to 'else' by "
       "'again'",
       [](Victim& v) {
         v.Computation("aside").set_execution_thread("else");
         auto& again = v.Add("name: 'again'");
         again.MergeFrom(v["started"]);
         again.set_name("again");
         again.set_id(100);
         again.set_async_execution_thread("else");
         v.Add(
             absl::StrCat("name: 'done' opcode: 'async-done' id: 101"
                          " operand_ids: 100 ",
                          kArray));
       }},
  };
}

std::vector<StructureCase> DeviceCases() {
  return {
      {"an empty group",
       {Code::kReplicaGroupEmpty},
       "reduced",
       "group 2",
       [](Victim& v) {
         v["reduced"].mutable_collective_device_list()->add_replica_groups();
       }},
      {"a replica that isn't there",
       {Code::kReplicaGroupIds},
       "reduced",
       "replica 7",
       [](Victim& v) { v.Group("reduced", 0).set_replica_ids(0, 7); }},
      {"a replica twice",
       {Code::kReplicaGroupTwice},
       "reduced",
       "replica 2",
       [](Victim& v) { v.Group("reduced", 0).set_replica_ids(0, 2); }},
      {"groups of two sizes",
       {Code::kReplicaGroupSizes},
       "gathering",
       "group 1 has 3 members and group 0 has 2",
       [](Victim& v) { v.Group("gathering", 1).add_replica_ids(4); }},
      {"global ids without a channel",
       {Code::kGlobalIdsChannel},
       "reduced",
       "channel_id",
       [](Victim& v) { v["reduced"].clear_channel_id(); }},
      {"global ids without groups",
       {Code::kGlobalIdsGroups},
       "reduced",
       "needs replica groups",
       [](Victim& v) { v["reduced"].clear_collective_device_list(); }},
      {"a target twice",
       {Code::kPermutePairs},
       "permuted",
       "1 is the target of 2 source_target_pairs, but may be of at most 1",
       [](Victim& v) {
         v["permuted"].mutable_source_target_pairs(1)->set_target(1);
       }},
      {"a negative source",
       {Code::kPermuteNegative},
       "permuted",
       "-3",
       [](Victim& v) {
         v["permuted"].mutable_source_target_pairs(1)->set_source(-3);
       }},
      {"layouts constrained here and there",
       {Code::kConstrainLayoutMixed},
       "reduced.2",
       "'reduced'",
       [](Victim& v) { v["reduced.2"].set_constrain_layout(true); }},
      {"parts that lie in memory in two ways",
       {Code::kOperandLayoutsDiffer},
       "new",
       "operand 1 is f32[4]{0}, but must have the layout of operand 0, f32[4]",
       [](Victim& v) {
         v["reduced.2"].mutable_shape()->mutable_layout()->add_minor_to_major(
             0);
         v.Add(
             "name: 'new' opcode: 'all-to-all' operand_ids: [1, 17] shape {"
             " element_type: TUPLE"
             " tuple_shapes { element_type: F32 dimensions: 4 }"
             " tuple_shapes { element_type: F32 dimensions: 4 } }");
       }},
      {"an exchange of nothing: its arity is inference's business",
       {},
       "",
       "",
       [](Victim& v) {
         v.Add(absl::StrCat("name: 'new' opcode: 'all-to-all' ", kArray));
       }},
      {"too few shardings",
       {Code::kShardingLeaves},
       "t",
       "has 1 part,",
       [](Victim& v) {
         v.Sharding("t").mutable_tuple_shardings()->RemoveLast();
       }},
      {"tiles of another rank",
       {Code::kShardingRank},
       "x",
       "splits 2 dims, but f32[4] has 1",
       [](Victim& v) { v.Sharding("x").add_tile_assignment_dimensions(1); }},
      {"fewer devices than tiles",
       {Code::kShardingTiles},
       "x",
       "3 tiles, but names 2",
       [](Victim& v) { v.Sharding("x").set_tile_assignment_dimensions(0, 3); }},
      {"a device twice",
       {Code::kShardingDevice},
       "x",
       "device 0 twice",
       [](Victim& v) { v.Sharding("x").set_tile_assignment_devices(0, 0); }},
      {"no tiles",
       {Code::kShardingForm},
       "x",
       "has no tiles",
       [](Victim& v) { v.Sharding("x").clear_tile_assignment_dimensions(); }},
      {"an axis that the mesh hasn't",
       {Code::kShardingForm},
       "x",
       "mesh",
       [](Victim& v) {
         v.Sharding("x")
             .mutable_named_sharding()
             ->add_dim_shardings()
             ->add_axes();
       }},
  };
}

}  // namespace indim
