// SPDX-License-Identifier: Apache-2.0
// What everything is called and shaped like; who calls what.
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/passes/structure/cases.h"

namespace indim {

std::vector<StructureCase> NameAndShapeCases() {
  return {
      {"no module name",
       {Code::kModuleNameMissing},
       "",
       "no name",
       [](Victim& v) { v.module.clear_name(); }},
      {"two computations of one name",
       {Code::kComputationNameTwice},
       "",
       "'sum'",
       [](Victim& v) { v.Computation("callee").set_name("sum"); }},
      {"two instructions of one name",
       {Code::kInstructionNameTwice},
       "body.n",
       "'body'",
       [](Victim& v) { v["a"].set_name("body.n"); }},
      {"an instruction without a name",
       {Code::kInstructionNameMissing},
       "negate.2",
       "instruction 1 of 'callee'",
       [](Victim& v) { v["callee.n"].clear_name(); }},
      {"a parameter too far",
       {Code::kParameterNumber},
       "t",
       "has number 2",
       [](Victim& v) { v["t"].set_parameter_number(2); }},
      {"one parameter twice",
       {Code::kParameterTwice},
       "b",
       "'a' is also parameter 0",
       [](Victim& v) { v["b"].clear_parameter_number(); }},
      {"a program shape that is none",
       {Code::kProgramShapeOdd},
       "",
       "program_shape of 'callee' can't be read",
       [](Victim& v) {
         v.Computation("callee")
             .mutable_program_shape()
             ->clear_parameter_names();
       }},
      {"a layout of the entry that is none",
       {Code::kProgramShapeUnreadable},
       "",
       "host_program_shape of 'main'",
       [](Victim& v) {
         v.module.mutable_host_program_shape()->add_parameter_names("y");
       }},
      {"a program shape of fewer parameters",
       {Code::kProgramShapeCount},
       "",
       "has 1 parameter, but the computation has 2",
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
       {Code::kProgramShapeOdd},
       "",
       "of 'callee' says f32[5] of parameter 0, which is f32[4]",
       [](Victim& v) {
         v.Computation("callee")
             .mutable_program_shape()
             ->mutable_parameters(0)
             ->set_dimensions(0, 5);
       }},
      {"another result shape",
       {Code::kProgramShapeOdd},
       "",
       "of 'body' says s8[4] of the root, which is f32[4]",
       [](Victim& v) {
         v.Computation("body")
             .mutable_program_shape()
             ->mutable_result()
             ->set_element_type(proto::S8);
       }},
      {"other parameters",
       {Code::kProgramShapeOdd},
       "",
       "of 'callee' has 2 parameters, not 1",
       [](Victim& v) {
         auto* shape = v.Computation("callee").mutable_program_shape();
         *shape->add_parameters() = shape->parameters(0);
         shape->add_parameter_names("q");
       }},
      {"another parameter in the entry's layout",
       {Code::kProgramShapeParameter},
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
       {Code::kProgramShapeResult},
       "result",
       "says s8[4]",
       [](Victim& v) {
         v.module.clear_input_output_alias();
         v.module.mutable_host_program_shape()
             ->mutable_result()
             ->set_element_type(proto::S8);
       }},
      {"no entry layout",
       {Code::kEntryLayoutMissing},
       "",
       "no host_program_shape",
       [](Victim& v) { v.module.clear_host_program_shape(); }},
      {"a control predecessor that isn't there",
       {Code::kControlMissing},
       "result",
       "77",
       [](Victim& v) { v["result"].add_control_predecessor_ids(77); }},
      {"a control predecessor that follows",
       {Code::kControlOrder, Code::kScheduleOrder},
       "fused",
       "'result'",
       [](Victim& v) { v["fused"].add_control_predecessor_ids(18); }},
  };
}

std::vector<StructureCase> CallCases() {
  return {
      {"a computation called and applied",
       {Code::kCalledTwoWays},
       "reduced",
       "'called'",
       [](Victim& v) { v["called"].set_called_computation_ids(0, 2); }},
      {"two fusions with one body",
       {Code::kFusionBodyShared},
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
       {Code::kFusionRootUsed, Code::kFusionUnused},
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
       {Code::kFusionUnused},
       "body.p",
       "'body'",
       [](Victim& v) {
         v["body.n"].clear_operand_ids();
         v["body.n"].set_opcode("iota");
       }},
      {"a call that aliases",
       {Code::kCallAliasing},
       "called",
       "can't",
       [](Victim& v) { v["called"].add_output_operand_aliasing(); }},
      {"an alias of an operand that isn't there",
       {Code::kAliasingIndex},
       "fused",
       "operand 1",
       [](Victim& v) {
         v["fused"].mutable_output_operand_aliasing(0)->set_operand_index(1);
       }},
      {"an alias of a part that isn't there",
       {Code::kAliasingIndex},
       "fused",
       "the result has no part",
       [](Victim& v) {
         v["fused"].mutable_output_operand_aliasing(0)->add_output_shape_index(
             0);
       }},
      {"an alias of two shapes",
       {Code::kAliasingShape},
       "fused",
       "f32[4] of the result and (f32[4], token[]) of operand 0",
       [](Victim& v) { v["fused"].set_operand_ids(0, 2); }},
      {"a composite without a name",
       {Code::kCompositeCall},
       "called",
       "composite.name is missing",
       [](Victim& v) {
         v["called"].mutable_frontend_attributes()->mutable_map()->erase(
             "composite.name");
       }},
      {"a composite of a strange version",
       {Code::kCompositeCall},
       "called",
       "composite.version is '-1'",
       [](Victim& v) {
         (*v["called"]
               .mutable_frontend_attributes()
               ->mutable_map())["composite.version"] = "-1";
       }},
      {"the entry as a fusion's body",
       {Code::kEntryIsFusion, Code::kProgramShapeCount},
       "",
       "host_program_shape",
       [](Victim& v) { v.module.set_entry_computation_id(1); }},
  };
}

}  // namespace indim
