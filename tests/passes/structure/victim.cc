// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/passes/structure/victim.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "indim/ir/report.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

constexpr char kScalar[] = "shape { element_type: F32 }";
constexpr char kAsync[] =
    "shape { element_type: TUPLE tuple_shapes { element_type: TUPLE"
    " tuple_shapes { element_type: F32 dimensions: 4 } }"
    " tuple_shapes { element_type: F32 dimensions: 4 } }";
constexpr char kArrayAndToken[] =
    "{ element_type: TUPLE tuple_shapes { element_type: F32 dimensions: 4 }"
    " tuple_shapes { element_type: TOKEN } }";
constexpr char kDevices[] =
    "collective_device_list { replica_groups { replica_ids: [0, 2] }"
    " replica_groups { replica_ids: [1, 3] } }";

// The instructions of the entry but for their ids, which count from 1.
std::vector<std::string> EntryInstructions() {
  return {
      absl::StrCat("name: 'x' opcode: 'parameter' ", kArray,
                   " sharding { type: OTHER tile_assignment_dimensions: 2"
                   " tile_assignment_devices: [1, 0] }"),
      absl::StrCat("name: 't' opcode: 'parameter' parameter_number: 1 shape ",
                   kArrayAndToken,
                   " sharding { type: TUPLE tuple_shardings { type: OTHER"
                   " tile_assignment_dimensions: [2, 2] iota_reshape_dims: 4"
                   " iota_transpose_perm: 0 last_tile_dims: REPLICATED }"
                   " tuple_shardings { type: MAXIMAL"
                   " tile_assignment_devices: 3 } }"),
      absl::StrCat("name: 'fused' opcode: 'fusion' fusion_kind: 'kLoop'"
                   " operand_ids: 1 called_computation_ids: 1"
                   " output_operand_aliasing { } ",
                   kArray),
      absl::StrCat("name: 'called' opcode: 'call' operand_ids: 1"
                   " called_computation_ids: 4 is_composite: true"
                   " frontend_attributes {"
                   " map { key: 'composite.name' value: 'a.b' }"
                   " map { key: 'composite.version' value: '2' } } ",
                   kArray),
      "name: 'token' opcode: 'get-tuple-element' operand_ids: 2"
      " tuple_index: 1 shape { element_type: TOKEN }",
      absl::StrCat("name: 'sent' opcode: 'send' operand_ids: [1, 5]"
                   " channel_id: 1 ",
                   kSent),
      "name: 'sent.done' opcode: 'send-done' operand_ids: 6 channel_id: 1"
      " shape { element_type: TOKEN }",
      absl::StrCat("name: 'got' opcode: 'recv' operand_ids: 5 channel_id: 2"
                   " is_host_transfer: true ",
                   kSent),
      absl::StrCat("name: 'got.done' opcode: 'recv-done' operand_ids: 8"
                   " channel_id: 2 is_host_transfer: true shape ",
                   kArrayAndToken),
      absl::StrCat("name: 'reduced' opcode: 'all-reduce' operand_ids: 1"
                   " called_computation_ids: 2 channel_id: 3"
                   " use_global_device_ids: true ",
                   kDevices, kArray),
      absl::StrCat("name: 'gathering' opcode: 'all-gather-start' operand_ids: 1"
                   " dimensions: 0 shape { element_type: TUPLE tuple_shapes {"
                   " element_type: F32 dimensions: 4 } tuple_shapes {"
                   " element_type: F32 dimensions: 8 } }",
                   kDevices),
      "name: 'gathered' opcode: 'all-gather-done' operand_ids: 11"
      " shape { element_type: F32 dimensions: 8 }",
      absl::StrCat("name: 'permuted' opcode: 'collective-permute'"
                   " operand_ids: 1 source_target_pairs { target: 1 }"
                   " source_target_pairs { source: 1 } ",
                   kArray),
      absl::StrCat("name: 'started' opcode: 'async-start' operand_ids: 1"
                   " called_computation_ids: 3 async_execution_thread: 'side' ",
                   kAsync),
      absl::StrCat("name: 'updated' opcode: 'async-update' operand_ids: 14"
                   " async_execution_thread: 'side' ",
                   kAsync),
      absl::StrCat("name: 'finished' opcode: 'async-done' operand_ids: 15"
                   " called_computation_ids: 3 async_execution_thread: 'side' ",
                   kArray),
      absl::StrCat("name: 'reduced.2' opcode: 'all-reduce' operand_ids: 10"
                   " called_computation_ids: 2 ",
                   kArray),
      absl::StrCat("name: 'result' opcode: 'negate' operand_ids: 17"
                   " control_predecessor_ids: [7, 16] ",
                   kArray),
  };
}

}  // namespace

proto::HloModuleProto GoodModule() {
  std::string entry;
  std::string order;
  int id = 0;
  for (const std::string& instruction : EntryInstructions()) {
    absl::StrAppend(&entry, "instructions { id: ", ++id, " ", instruction, "}");
    absl::StrAppend(&order, "instruction_ids: ", id, " ");
  }
  const std::string array =
      absl::StrCat("{", absl::string_view(kArray).substr(7));
  const std::string unary = absl::StrCat(
      "instructions { name: '$0' opcode: 'parameter' id: 1 ", kArray,
      "} instructions { name: '$1' opcode: 'negate' id: 2 operand_ids: 1 ",
      kArray, "} root_id: 2 program_shape { parameters ", array,
      " parameter_names: 'p' result ", array, "}");
  const auto named = [&](const char* p, const char* n) {
    return absl::Substitute(unary, p, n);
  };
  const std::string text = absl::StrCat(
      "name: 'm' entry_computation_id: 9"
      " computations { name: 'body' id: 1 ",
      named("body.p", "body.n"),
      "} computations { name: 'sum' id: 2 root_id: 3"
      " instructions { name: 'a' opcode: 'parameter' id: 1 ",
      kScalar,
      "} instructions { name: 'b' opcode: 'parameter' id: 2"
      " parameter_number: 1 ",
      kScalar,
      "} instructions { name: 'a+b' opcode: 'add' id: 3 operand_ids: [1, 2] ",
      kScalar,
      "} } computations { name: 'aside' id: 3 execution_thread: 'side' ",
      named("aside.p", "aside.n"), "} computations { name: 'callee' id: 4 ",
      named("callee.p", "callee.n"), "} computations { name: 'main' id: 9 ",
      entry, "root_id: 18 } host_program_shape { parameters ", array,
      " parameters ", kArrayAndToken, " parameter_names: ['x', 't'] result ",
      array,
      "} input_output_alias { entries { kind: MUST_ALIAS } }"
      " buffer_donor { entries { parameter_number: 1"
      " parameter_shape_index: 0 } }"
      " schedule { sequences { key: 9 value { ",
      order,
      "} } sequences { key: 2 value { instruction_ids: [2, 1, 3] } }"
      " sequences { key: 4 value { instruction_ids: [1, 2] } } }");
  proto::HloModuleProto module;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &module))
      << text;
  return module;
}

proto::HloComputationProto& Victim::Computation(const std::string& name) {
  for (auto& c : *module.mutable_computations()) {
    if (c.name() == name) return c;
  }
  ADD_FAILURE() << name;
  return *module.mutable_computations(0);
}

proto::HloInstructionProto& Victim::operator[](const std::string& name) {
  for (auto& c : *module.mutable_computations()) {
    for (auto& i : *c.mutable_instructions()) {
      if (i.name() == name) return i;
    }
  }
  ADD_FAILURE() << name;
  return *module.mutable_computations(0)->mutable_instructions(0);
}

proto::HloInstructionProto& Victim::Add(const std::string& text) {
  module.clear_schedule();
  auto* added = Computation("main").add_instructions();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, added));
  if (added->id() == 0) added->set_id(100);
  return *added;
}

StructureResult Verify(const proto::HloModuleProto& proto, Module* module,
                       DeviceCounts devices) {
  const absl::StatusOr<Module> read =
      ReadHloModuleProto(DeterministicBytes(proto));
  EXPECT_TRUE(read.ok()) << read.status();
  if (read.ok()) *module = *read;
  return VerifyStructure(*module, Report::kMaxPerCode, devices);
}

}  // namespace indim
