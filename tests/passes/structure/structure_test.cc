// SPDX-License-Identifier: Apache-2.0
// The structure of modules: what is right stays unsaid, real modules are right,
// and nothing that can be read makes the checks fail. What is wrong:
// codes_test.cc.
#include "indim/passes/structure/structure.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/tests/data_files.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/passes/structure/victim.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

// Nothing in it is worth a word.
TEST(StructureTest, GoodModuleIsGood) {
  Module module;
  const StructureResult result = Verify(GoodModule(), &module);
  EXPECT_TRUE(result.in_order);
  EXPECT_EQ(RenderReport(module, result.report), "");
}

struct Fine {
  const char* what;
  std::function<void(Victim&)> change;
};

// Changes after which nothing is wrong.
TEST(StructureTest, WhatIsFine) {
  const std::vector<Fine> kCases = {
      {"a send that a loop's state carries on",
       [](Victim& v) {
         v.Add("name: 'state' opcode: 'tuple' operand_ids: 6 id: 100");
         v.Add(
             "name: 'part' opcode: 'get-tuple-element' operand_ids: 100"
             " id: 101");
         v["sent.done"].set_opcode("after-all");
         v["sent.done"].clear_operand_ids();
         v.Add("name: 'end' opcode: 'send-done' operand_ids: 101 id: 102");
       }},
      {"async halves that name their computation, and a default thread",
       [](Victim& v) {
         v["updated"].add_called_computation_ids(3);
         v.Computation("aside").set_execution_thread("main");
         for (const char* name : {"started", "updated", "finished"}) {
           v[name].clear_async_execution_thread();
         }
         v.module.clear_schedule();
       }},
      {"async halves that leave their thread to the start",
       [](Victim& v) {
         v["updated"].clear_async_execution_thread();
         v["finished"].clear_async_execution_thread();
       }},
      {"all-reduce in groups of several sizes",
       [](Victim& v) { v.Group("reduced", 0).add_replica_ids(4); }},
      {"a broadcast to some devices only",
       [](Victim& v) {
         v["permuted"].set_opcode("collective-broadcast");
         v["permuted"].clear_source_target_pairs();
         v["permuted"]
             .mutable_collective_device_list()
             ->add_replica_groups()
             ->add_replica_ids(7);
       }},
      {"groups by a formula",
       [](Victim& v) {
         auto* list = v["gathering"].mutable_iota_collective_device_list();
         list->set_num_replica_groups(2);
         list->set_num_devices_per_group(2);
         list->add_iota_reshape_dims(4);
         list->add_iota_transpose_perm(0);
       }},
      {"a sharding of one device is none",
       [](Victim& v) {
         v.Sharding("x").clear_tile_assignment_dimensions();
         v.Sharding("x").mutable_tile_assignment_devices()->RemoveLast();
       }},
      {"one sharding for a whole tuple",
       [](Victim& v) {
         v.Sharding("t").Clear();
         v.Sharding("t").set_type(proto::OpSharding::MANUAL);
       }},
      {"a sharding by axes",
       [](Victim& v) {
         auto* named = v.Sharding("x").mutable_named_sharding();
         named->mutable_mesh()->add_axes()->set_size(2);
         named->add_dim_shardings()->add_axes();
       }},
      {"a buffer made of an operand",
       [](Victim& v) {
         auto& pin = v["fused"];
         pin.set_opcode("custom-call");
         pin.set_custom_call_target("Pin");
         pin.clear_called_computation_ids();
         pin.clear_fusion_kind();
         const proto::ShapeProto array = pin.shape();
         pin.mutable_shape()->Clear();
         pin.mutable_shape()->set_element_type(proto::BUFFER);
         *pin.mutable_shape()->add_tuple_shapes() = array;
         v.Schedule(1).add_instruction_ids(1);
         v.Schedule(1).add_instruction_ids(2);
       }},
      {"a fusion with a side effect that nobody uses",
       [](Victim& v) {
         auto* more = v.Computation("body").add_instructions();
         more->set_name("more");
         more->set_opcode("custom-call");
         more->set_custom_call_has_side_effect(true);
         more->set_id(3);
       }},
      {"a schedule by the low 32 bits of ids",
       [](Victim& v) {
         v.Schedule(4).set_instruction_ids(0, (int64_t{4} << 32) + 1);
       }},
      {"a parameter of known size where the layout bounds it",
       [](Victim& v) {
         v.module.clear_input_output_alias();
         v.module.mutable_host_program_shape()
             ->mutable_parameters(0)
             ->add_is_dynamic_dimension(true);
       }},
  };
  for (const Fine& fine : kCases) {
    SCOPED_TRACE(fine.what);
    Victim victim;
    fine.change(victim);
    Module module;
    const StructureResult result = Verify(victim.module, &module);
    EXPECT_EQ(RenderReport(module, result.report), "");
  }
}

// --- What no file can hold --------------------------------------------------

Code FirstCode(const ModuleMaker& maker) {
  const Module module = maker.Make();
  const StructureResult result = VerifyStructure(module);
  EXPECT_FALSE(result.in_order);
  EXPECT_NE(RenderReport(module, result.report), "");
  return result.report.diagnostics().empty()
             ? Code::kNone
             : result.report.diagnostics().front().diagnostic.code;
}

TEST(StructureTest, Order) {
  EXPECT_FALSE(VerifyStructure(Module()).in_order);
  ModuleMaker maker;
  maker.data().name = "m";
  maker.Computation("f");
  maker.Parameter(0, "f32[]");
  maker.Computation("main");
  maker.Parameter(0, "f32[]");
  maker.Add(Opcode::kCall, "f32[]", {0}, "c", {}, {0});
  EXPECT_TRUE(VerifyStructure(maker.Make()).in_order);
  maker.data().operands[0] = 1;
  EXPECT_EQ(FirstCode(maker), Code::kOperandOrder);
  maker.data().operands[0] = 0;
  for (uint32_t callee : {1, 2}) {
    maker.data().operands[1] = callee;
    EXPECT_EQ(FirstCode(maker), Code::kCalleeOrder);
  }
  maker.data().operands[1] = 0;
  maker.data().computations[1].root = 2;
  EXPECT_EQ(FirstCode(maker), Code::kNoRoot);
  maker.data().computations[1].root = 1;
  maker.data().entry = 2;
  EXPECT_EQ(FirstCode(maker), Code::kNoEntry);
}

// A builder's names may repeat: writers make them unique.
TEST(StructureTest, NamesOfABuilder) {
  ModuleMaker maker;
  maker.data().name = "m";
  maker.Computation("main");
  maker.Parameter(0, "f32[]", "x");
  maker.Parameter(1, "f32[]", "x");
  EXPECT_TRUE(VerifyStructure(maker.Make()).ok());
}

// Wherever two instructions of one name are, among few or many.
TEST(StructureTest, OneNameTwice) {
  for (const int count : {2, 3, 2048, 6000}) {
    for (const int repeated : {-1, 0, (count - 1) / 2, count - 2}) {
      SCOPED_TRACE(absl::StrCat(repeated, " of ", count));
      ModuleMaker maker;
      maker.data().name = "m";
      maker.data().names_as_read = true;
      maker.Computation("main");
      for (int i = 0; i + 1 < count; ++i) {
        maker.Parameter(i, "f32[]", absl::StrCat("x.", i));
      }
      maker.Parameter(count - 1, "f32[]",
                      repeated < 0 ? "y" : absl::StrCat("x.", repeated));
      const Module module = maker.Make();
      const StructureResult result = VerifyStructure(module);
      EXPECT_EQ(result.report.ok(), repeated < 0)
          << RenderReport(module, result.report);
      if (repeated < 0) continue;
      ASSERT_EQ(result.report.diagnostics().size(), 1u);
      EXPECT_EQ(result.report.diagnostics()[0].diagnostic.code,
                Code::kInstructionNameTwice);
    }
  }
}

TEST(StructureTest, RealModulesAreGood) {
  ASSERT_FALSE(JaxModules().empty());
  for (const std::string& file : JaxModules()) {
    const absl::StatusOr<Module> module = ReadHloModuleProto(*ReadFile(file));
    ASSERT_TRUE(module.ok());
    const StructureResult result = VerifyStructure(*module);
    EXPECT_EQ(RenderReport(*module, result.report), "") << file;
  }
}

// Whatever a reader takes in can be checked and reported.
TEST(StructureTest, DamagedModules) {
  Random random(11);
  std::vector<std::string> originals = {DeterministicBytes(GoodModule())};
  for (const std::string& file : JaxModules()) {
    std::string bytes = *ReadFile(file);
    if (bytes.size() < 20000) originals.push_back(std::move(bytes));
  }
  int read = 0;
  for (int i = 0; i < 6000; i += SampleStep(3)) {
    const std::string& original =
        originals[i < 3000 ? 0 : i % originals.size()];
    std::string bytes = original;
    for (uint64_t k = Below(3, &random) + 1; k > 0; --k) {
      bytes[Below(bytes.size(), &random)] =
          static_cast<char>(Below(2, &random) ? Below(20, &random) : random());
    }
    const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
    if (!module.ok()) continue;
    ++read;
    const StructureResult result = VerifyStructure(*module);
    EXPECT_TRUE(result.in_order);
    RenderReport(*module, result.report);
  }
  EXPECT_GT(read, 300 / SampleStep(3));
}

}  // namespace
}  // namespace indim
