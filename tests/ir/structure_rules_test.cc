// For each rule of a module's structure: what one change to a module that
// fulfils all of them is told.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/report.h"
#include "indim/ir/structure.h"
#include "indim/ir/wire_reader.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/ir/structure_cases.h"
#include "indim/tests/ir/structure_victim.h"
#include "indim/tests/ir/wire_oracle.h"

namespace indim {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

StructureResult Verify(const proto::HloModuleProto& proto, DeviceCounts devices,
                       Module* module) {
  const absl::StatusOr<Module> read =
      ReadHloModuleProto(DeterministicBytes(proto));
  EXPECT_TRUE(read.ok()) << read.status();
  if (read.ok()) *module = *read;
  return VerifyStructure(*module, Report::kMaxPerRule, devices);
}

using Case = StructureCase;

std::vector<Case> NameAndShapeCases() {
  return {
      {"no module name",
       {Rule::kModuleNameMissing},
       "",
       "no name",
       [](Victim& v) { v.module.clear_name(); }},
      {"two computations of one name",
       {Rule::kComputationNameTwice},
       "",
       "'sum'",
       [](Victim& v) { v.Computation("callee").set_name("sum"); }},
      {"two instructions of one name",
       {Rule::kInstructionNameTwice},
       "body.n",
       "'body'",
       [](Victim& v) { v["a"].set_name("body.n"); }},
      {"an instruction without a name",
       {Rule::kInstructionNameMissing},
       "negate.2",
       "instruction 1 of 'callee'",
       [](Victim& v) { v["callee.n"].clear_name(); }},
      {"a parameter too far",
       {Rule::kParameterNumber},
       "t",
       "has number 2",
       [](Victim& v) { v["t"].set_parameter_number(2); }},
      {"one parameter twice",
       {Rule::kParameterTwice},
       "b",
       "'a' is parameter 0 too",
       [](Victim& v) { v["b"].clear_parameter_number(); }},
      {"a program shape that is none",
       {Rule::kProgramShapeOdd},
       "",
       "program_shape of 'callee' can't be read",
       [](Victim& v) {
         v.Computation("callee")
             .mutable_program_shape()
             ->clear_parameter_names();
       }},
      {"a layout of the entry that is none",
       {Rule::kProgramShapeUnreadable},
       "",
       "host_program_shape of 'main'",
       [](Victim& v) {
         v.module.mutable_host_program_shape()->add_parameter_names("y");
       }},
      {"a program shape of fewer parameters",
       {Rule::kProgramShapeCount},
       "",
       "has 1 parameters, but the computation has 2",
       [](Victim& v) {
         v.module.mutable_host_program_shape()
             ->mutable_parameters()
             ->RemoveLast();
         v.module.mutable_host_program_shape()
             ->mutable_parameter_names()
             ->RemoveLast();
         v.module.clear_buffer_donor();
       }},
      {"another parameter shape",
       {Rule::kProgramShapeOdd},
       "",
       "of 'callee' says f32[5] of parameter 0, which is f32[4]",
       [](Victim& v) {
         v.Computation("callee")
             .mutable_program_shape()
             ->mutable_parameters(0)
             ->set_dimensions(0, 5);
       }},
      {"another result shape",
       {Rule::kProgramShapeOdd},
       "",
       "of 'body' says s8[4] of the root, which is f32[4]",
       [](Victim& v) {
         v.Computation("body")
             .mutable_program_shape()
             ->mutable_result()
             ->set_element_type(proto::S8);
       }},
      {"other parameters",
       {Rule::kProgramShapeOdd},
       "",
       "of 'callee' has 2 parameters, not 1",
       [](Victim& v) {
         auto* shape = v.Computation("callee").mutable_program_shape();
         *shape->add_parameters() = shape->parameters(0);
         shape->add_parameter_names("q");
       }},
      {"another parameter in the entry's layout",
       {Rule::kProgramShapeParameter},
       "x",
       "parameter 0 is f32[4], but the host_program_shape of 'main' says "
       "f32[5]",
       [](Victim& v) {
         v.module.clear_input_output_alias();
         v.module.mutable_host_program_shape()
             ->mutable_parameters(0)
             ->set_dimensions(0, 5);
       }},
      {"another result in the entry's layout",
       {Rule::kProgramShapeResult},
       "result",
       "says s8[4]",
       [](Victim& v) {
         v.module.clear_input_output_alias();
         v.module.mutable_host_program_shape()
             ->mutable_result()
             ->set_element_type(proto::S8);
       }},
      {"no entry layout",
       {Rule::kEntryLayoutMissing},
       "",
       "no host_program_shape",
       [](Victim& v) { v.module.clear_host_program_shape(); }},
      {"a control predecessor that isn't there",
       {Rule::kControlMissing},
       "result",
       "77",
       [](Victim& v) { v["result"].add_control_predecessor_ids(77); }},
      {"a control predecessor that follows",
       {Rule::kControlOrder, Rule::kScheduleOrder},
       "fused",
       "'result'",
       [](Victim& v) { v["fused"].add_control_predecessor_ids(18); }},
  };
}

std::vector<Case> CallCases() {
  return {
      {"a computation called and applied",
       {Rule::kCalledTwoWays},
       "reduced",
       "'called'",
       [](Victim& v) { v["called"].set_called_computation_ids(0, 2); }},
      {"two fusions with one body",
       {Rule::kFusionBodyShared},
       "other",
       "'fused'",
       [](Victim& v) {
         v.Add(
             absl::StrCat("name: 'other' opcode: 'fusion' fusion_kind: 'kLoop' "
                          "operand_ids: 1"
                          " called_computation_ids: 1 ",
                          kArray));
       }},
      {"a fusion root with a user",
       {Rule::kFusionRootUsed, Rule::kFusionUnused},
       "body.n",
       "'more'",
       [](Victim& v) {
         auto* more = v.Computation("body").add_instructions();
         *more = v["body.n"];
         more->set_name("more");
         more->set_id(3);
         more->set_operand_ids(0, 2);
       }},
      {"a fusion that doesn't use its parameter",
       {Rule::kFusionUnused},
       "body.p",
       "'body'",
       [](Victim& v) {
         v["body.n"].clear_operand_ids();
         v["body.n"].set_opcode("iota");
       }},
      {"a call that aliases",
       {Rule::kCallAliasing},
       "called",
       "can't",
       [](Victim& v) { v["called"].add_output_operand_aliasing(); }},
      {"an alias of an operand that isn't there",
       {Rule::kAliasingIndex},
       "fused",
       "operand 1",
       [](Victim& v) {
         v["fused"].mutable_output_operand_aliasing(0)->set_operand_index(1);
       }},
      {"an alias of a part that isn't there",
       {Rule::kAliasingIndex},
       "fused",
       "the result has no part",
       [](Victim& v) {
         v["fused"].mutable_output_operand_aliasing(0)->add_output_shape_index(
             0);
       }},
      {"an alias of two shapes",
       {Rule::kAliasingShape},
       "fused",
       "f32[4] of the result and (f32[4], token[]) of operand 0",
       [](Victim& v) { v["fused"].set_operand_ids(0, 2); }},
      {"a composite without a name",
       {Rule::kCompositeCall},
       "called",
       "composite.name is missing",
       [](Victim& v) {
         v["called"].mutable_frontend_attributes()->mutable_map()->erase(
             "composite.name");
       }},
      {"a composite of a strange version",
       {Rule::kCompositeCall},
       "called",
       "composite.version is '-1'",
       [](Victim& v) {
         (*v["called"]
               .mutable_frontend_attributes()
               ->mutable_map())["composite.version"] = "-1";
       }},
      {"the entry as a fusion's body",
       {Rule::kEntryIsFusion, Rule::kProgramShapeCount},
       "",
       "host_program_shape",
       [](Victim& v) { v.module.set_entry_computation_id(1); }},
  };
}

std::vector<Case> PairCases() {
  return {
      {"a done without its start",
       {Rule::kPairOperand, Rule::kPairUsers},
       "gathering",
       "nothing uses it",
       [](Victim& v) { v["gathered"].set_operand_ids(0, 1); }},
      {"a start with two users",
       {Rule::kPairUsers},
       "gathering",
       "one user, a all-gather-done, but it has 2",
       [](Victim& v) {
         v.Add("name: 'again' opcode: 'all-gather-done' operand_ids: 11");
       }},
      {"a start with a wrong user",
       {Rule::kPairUsers},
       "gathering",
       "'gathered' is a negate",
       [](Victim& v) { v["gathered"].set_opcode("negate"); }},
      {"two channels in one pair",
       {Rule::kChannelDiffers},
       "sent.done",
       "channel_id 7, but 'sent'",
       [](Victim& v) { v["sent.done"].set_channel_id(7); }},
      {"half a host transfer",
       {Rule::kHostTransferDiffers},
       "sent.done",
       "'sent'",
       [](Victim& v) { v["sent.done"].set_is_host_transfer(true); }},
      {"the other half of one",
       {Rule::kHostTransferDiffers},
       "got.done",
       "isn't a host transfer, but 'got' that it finishes is one",
       [](Victim& v) { v["got.done"].clear_is_host_transfer(); }},
      {"a channel that the second half leaves out",
       {Rule::kChannelDiffers},
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
       {Rule::kHostChannelShapes},
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
       {Rule::kHostChannelDiffers},
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
       {Rule::kCalleeThread},
       "fused",
       "on thread 'main', but calls 'body' on thread 'side'",
       [](Victim& v) { v.Computation("body").set_execution_thread("side"); }},
      {"an async-done of nothing",
       {Rule::kAsyncOperand, Rule::kAsyncUsers},
       "finished",
       "its operand 'x' is a parameter, which starts nothing",
       [](Victim& v) { v["finished"].set_operand_ids(0, 1); }},
      {"two ends of one start",
       {Rule::kAsyncUsers},
       "updated",
       "'finished' and 'again' both do",
       [](Victim& v) {
         v.Add(
             "name: 'again' opcode: 'async-done' operand_ids: 15 "
             "async_execution_thread: 'side'");
       }},
      {"a start that something else uses",
       {Rule::kAsyncUsers},
       "updated",
       "'again', a negate",
       [](Victim& v) {
         v.Add("name: 'again' opcode: 'negate' operand_ids: 15");
       }},
      {"two computations in one chain",
       {Rule::kAsyncCallee},
       "finished",
       "names computation 'callee', but 'started'",
       [](Victim& v) { v["finished"].set_called_computation_ids(0, 4); }},
      {"another thread",
       {Rule::kComputationThreadOdd, Rule::kAsyncThreadChanges},
       "updated",
       "on thread 'side', but 'started' that it continues on 'main'",
       [](Victim& v) {
         v.module.clear_schedule();
         v["started"].clear_async_execution_thread();
       }},
      {"one computation on two threads",
       {Rule::kAsyncThread},
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

std::vector<Case> DeviceCases() {
  return {
      {"an empty group",
       {Rule::kReplicaGroupEmpty},
       "reduced",
       "group 2",
       [](Victim& v) {
         v["reduced"].mutable_collective_device_list()->add_replica_groups();
       }},
      {"a replica that isn't there",
       {Rule::kReplicaGroupIds},
       "reduced",
       "replica 7",
       [](Victim& v) { v.Group("reduced", 0).set_replica_ids(0, 7); }},
      {"a replica twice",
       {Rule::kReplicaGroupTwice},
       "reduced",
       "replica 2",
       [](Victim& v) { v.Group("reduced", 0).set_replica_ids(0, 2); }},
      {"groups of two sizes",
       {Rule::kReplicaGroupSizes},
       "gathering",
       "group 1 has 3 members and group 0 has 2",
       [](Victim& v) { v.Group("gathering", 1).add_replica_ids(4); }},
      {"global ids without a channel",
       {Rule::kGlobalIdsChannel},
       "reduced",
       "channel_id",
       [](Victim& v) { v["reduced"].clear_channel_id(); }},
      {"global ids without groups",
       {Rule::kGlobalIdsGroups},
       "reduced",
       "needs replica groups",
       [](Victim& v) { v["reduced"].clear_collective_device_list(); }},
      {"a target twice",
       {Rule::kPermutePairs},
       "permuted",
       "1 is the target of 2 source_target_pairs, but may be of 1",
       [](Victim& v) {
         v["permuted"].mutable_source_target_pairs(1)->set_target(1);
       }},
      {"a negative source",
       {Rule::kPermuteNegative},
       "permuted",
       "-3",
       [](Victim& v) {
         v["permuted"].mutable_source_target_pairs(1)->set_source(-3);
       }},
      {"layouts constrained here and there",
       {Rule::kConstrainLayoutMixed},
       "reduced.2",
       "'reduced'",
       [](Victim& v) { v["reduced.2"].set_constrain_layout(true); }},
      {"too few shardings",
       {Rule::kShardingLeaves},
       "t",
       "has 1 parts",
       [](Victim& v) {
         v.Sharding("t").mutable_tuple_shardings()->RemoveLast();
       }},
      {"tiles of another rank",
       {Rule::kShardingRank},
       "x",
       "splits 2 dims, but f32[4] has 1",
       [](Victim& v) { v.Sharding("x").add_tile_assignment_dimensions(1); }},
      {"fewer devices than tiles",
       {Rule::kShardingTiles},
       "x",
       "3 tiles, but names 2",
       [](Victim& v) { v.Sharding("x").set_tile_assignment_dimensions(0, 3); }},
      {"a device twice",
       {Rule::kShardingDevice},
       "x",
       "device 0 twice",
       [](Victim& v) { v.Sharding("x").set_tile_assignment_devices(0, 0); }},
      {"no tiles",
       {Rule::kShardingForm},
       "x",
       "has no tiles",
       [](Victim& v) { v.Sharding("x").clear_tile_assignment_dimensions(); }},
      {"an axis that the mesh hasn't",
       {Rule::kShardingForm},
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

// Makes the result larger than parameter 0, with which it may or must share its
// memory.
void Grow(Victim& v, proto::Kind kind) {
  v["result"].set_operand_ids(0, 12);
  v["result"].mutable_shape()->set_dimensions(0, 8);
  v.module.mutable_host_program_shape()->mutable_result()->set_dimensions(0, 8);
  v.module.mutable_input_output_alias()->mutable_entries(0)->set_kind(kind);
}

std::vector<Case> EntryCases() {
  return {
      {"an alias of a parameter that isn't there",
       {Rule::kAliasIndex},
       "",
       "input_output_alias entry 0: the entry has no part parameter 2",
       [](Victim& v) {
         v.module.mutable_input_output_alias()
             ->mutable_entries(0)
             ->set_parameter_number(2);
       }},
      {"a donor part that isn't there",
       {Rule::kAliasIndex},
       "",
       "buffer_donor entry 0: parameter 1 has no part",
       [](Victim& v) {
         v.module.mutable_buffer_donor()
             ->mutable_entries(0)
             ->set_parameter_shape_index(0, 2);
       }},
      {"a token given away",
       {Rule::kAliasNotArray},
       "",
       "token[]",
       [](Victim& v) {
         v.module.mutable_buffer_donor()
             ->mutable_entries(0)
             ->set_parameter_shape_index(0, 1);
       }},
      {"aliased and given away",
       {Rule::kAliasTwice},
       "",
       "of parameter 0 is aliased by another entry",
       [](Victim& v) {
         auto* entry = v.module.mutable_buffer_donor()->mutable_entries(0);
         entry->clear_parameter_number();
         entry->clear_parameter_shape_index();
       }},
      {"one memory for two shapes",
       {Rule::kAliasMustShape},
       "",
       "f32[4] as parameter and f32[8] in the result",
       [](Victim& v) { Grow(v, proto::MUST_ALIAS); }},
      {"one memory for two shapes, by default",
       {Rule::kAliasMustShape},
       "",
       "f32[4] as parameter and f32[8] in the result",
       [](Victim& v) { Grow(v, proto::UNDEFINED_ALIAS); }},
      {"perhaps one memory for two shapes",
       {},
       "",
       "",
       [](Victim& v) { Grow(v, proto::MAY_ALIAS); }},
      {"a schedule of nothing",
       {Rule::kScheduleComputation},
       "",
       "id 5",
       [](Victim& v) { v.Schedule(5); }},
      {"a computation without a schedule",
       {Rule::kScheduleMissing},
       "",
       "'callee'",
       [](Victim& v) {
         v.module.mutable_schedule()->mutable_sequences()->erase(4);
       }},
      {"a schedule of other instructions",
       {Rule::kScheduleInstruction},
       "",
       "lists 30",
       [](Victim& v) { v.Schedule(9).add_instruction_ids(30); }},
      {"an instruction scheduled twice",
       {Rule::kScheduleTwice},
       "callee.p",
       "'callee'",
       [](Victim& v) { v.Schedule(4).add_instruction_ids(1); }},
      {"an instruction never scheduled",
       {Rule::kScheduleLeavesOut},
       "result",
       "'main'",
       [](Victim& v) {
         v.Schedule(9).mutable_instruction_ids()->RemoveLast();
       }},
      {"an operand scheduled late",
       {Rule::kScheduleOrder},
       "callee.n",
       "before its operand 'callee.p'",
       [](Victim& v) {
         v.Schedule(4).set_instruction_ids(0, 2);
         v.Schedule(4).set_instruction_ids(1, 1);
       }},
  };
}

std::vector<Case> Cases() {
  std::vector<Case> all;
  for (const auto& cases : {NameAndShapeCases(), CallCases(), PairCases(),
                            DeviceCases(), EntryCases(), AttributeCases(),
                            BufferCases(), DevicesAndLayoutCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

TEST(StructureRulesTest, EachChangeIsFound) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    Victim victim;
    c.change(victim);
    Module module;
    const StructureResult result = Verify(victim.module, c.devices, &module);
    std::set<Rule> rules;
    for (const ModuleDiagnostic& d : result.report.diagnostics()) {
      rules.insert(d.diagnostic.rule);
    }
    const std::string report = RenderReport(module, result.report);
    EXPECT_EQ(rules, c.rules) << report;
    EXPECT_THAT(report, Not(ContainsRegex("[{][a-z]"))) << "a placeholder";
    if (result.report.diagnostics().empty()) continue;
    const ModuleDiagnostic& first = result.report.diagnostics().front();
    EXPECT_THAT(MessageText(module, first), HasSubstr(c.message));
    const std::string place =
        first.instruction == kNowhere
            ? ""
            : module.computation(static_cast<int>(first.computation))
                  .instruction(static_cast<int>(first.instruction))
                  .name();
    EXPECT_EQ(place, c.instruction) << report;
  }
}

TEST(StructureRulesTest, EveryRuleHasACase) {
  // Those of structure_test.cc first.
  std::set<Rule> seen = {Rule::kNoEntry, Rule::kOperandOrder,
                         Rule::kCalleeOrder, Rule::kNoRoot};
  for (const Case& c : Cases()) seen.insert(c.rules.begin(), c.rules.end());
  for (const RuleInfo& info : AllRules()) {
    const int number = static_cast<int>(info.rule);
    if (number < 710 || number > 799) continue;
    EXPECT_EQ(seen.count(info.rule), 1u) << info.slug;
  }
  EXPECT_GT(StructureChecks().size(), 15u);
}

}  // namespace
}  // namespace indim
