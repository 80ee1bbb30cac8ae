// SPDX-License-Identifier: Apache-2.0
// The entry: its signature, aliasing, donors, schedules.
#include <vector>

#include "indim/tests/passes/structure/cases.h"

namespace indim {

namespace {

// Makes the result larger than parameter 0, with which it may or must share its
// memory.
void Grow(Victim& v, proto::Kind kind) {
  v["result"].set_operand_ids(0, 12);
  v["result"].mutable_shape()->set_dimensions(0, 8);
  v.module.mutable_host_program_shape()->mutable_result()->set_dimensions(0, 8);
  v.module.mutable_input_output_alias()->mutable_entries(0)->set_kind(kind);
}

}  // namespace

std::vector<StructureCase> EntryCases() {
  return {
      {"an alias of a parameter that isn't there",
       {Code::kAliasIndex},
       "",
       "input_output_alias entry 0: the entry has no part parameter 2",
       [](Victim& v) {
         v.module.mutable_input_output_alias()
             ->mutable_entries(0)
             ->set_parameter_number(2);
       }},
      {"a donor part that isn't there",
       {Code::kAliasIndex},
       "",
       "buffer_donor entry 0: parameter 1 has no part",
       [](Victim& v) {
         v.module.mutable_buffer_donor()
             ->mutable_entries(0)
             ->set_parameter_shape_index(0, 2);
       }},
      {"a token given away",
       {Code::kAliasNotArray},
       "",
       "token[]",
       [](Victim& v) {
         v.module.mutable_buffer_donor()
             ->mutable_entries(0)
             ->set_parameter_shape_index(0, 1);
       }},
      {"aliased and given away",
       {Code::kAliasTwice},
       "",
       "of parameter 0 is aliased by another entry",
       [](Victim& v) {
         auto* entry = v.module.mutable_buffer_donor()->mutable_entries(0);
         entry->clear_parameter_number();
         entry->clear_parameter_shape_index();
       }},
      {"one memory for two shapes",
       {Code::kAliasMustShape},
       "",
       "f32[4] as parameter and f32[8] in the result",
       [](Victim& v) { Grow(v, proto::MUST_ALIAS); }},
      {"one memory for two shapes, by default",
       {Code::kAliasMustShape},
       "",
       "f32[4] as parameter and f32[8] in the result",
       [](Victim& v) { Grow(v, proto::UNDEFINED_ALIAS); }},
      {"perhaps one memory for two shapes",
       {},
       "",
       "",
       [](Victim& v) { Grow(v, proto::MAY_ALIAS); }},
      {"a schedule of nothing",
       {Code::kScheduleComputation},
       "",
       "id 5",
       [](Victim& v) { v.Schedule(5); }},
      {"a computation without a schedule",
       {Code::kScheduleMissing},
       "",
       "'callee'",
       [](Victim& v) {
         v.module.mutable_schedule()->mutable_sequences()->erase(4);
       }},
      {"a schedule of other instructions",
       {Code::kScheduleInstruction},
       "",
       "lists 30",
       [](Victim& v) { v.Schedule(9).add_instruction_ids(30); }},
      {"an instruction scheduled twice",
       {Code::kScheduleTwice},
       "callee.p",
       "'callee'",
       [](Victim& v) { v.Schedule(4).add_instruction_ids(1); }},
      {"an instruction never scheduled",
       {Code::kScheduleLeavesOut},
       "result",
       "'main'",
       [](Victim& v) {
         v.Schedule(9).mutable_instruction_ids()->RemoveLast();
       }},
      {"an operand scheduled late",
       {Code::kScheduleOrder},
       "callee.n",
       "before its operand 'callee.p'",
       [](Victim& v) {
         v.Schedule(4).set_instruction_ids(0, 2);
         v.Schedule(4).set_instruction_ids(1, 1);
       }},
      {"a recorded graph with a schedule",
       {Code::kScheduleRecorded},
       "",
       "leave the schedule out",
       [](Victim& v) { v.module.mutable_recorded()->set_version(1); }},
  };
}

}  // namespace indim
