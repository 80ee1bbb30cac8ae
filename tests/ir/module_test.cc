// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/ir/proto_modules.h"
#include "indim/tests/parsed_shape.h"

namespace indim {
namespace {

using ::testing::ElementsAre;

TEST(ModuleTest, ARecordIsSmall) { EXPECT_LE(sizeof(InstructionRecord), 32u); }

TEST(ModuleTest, TheEmptyModule) {
  const Module module;
  EXPECT_EQ(module.name(), "");
  EXPECT_EQ(module.computation_count(), 0);
  EXPECT_EQ(module.instruction_count(), 0);
  for (Computation c : module.computations()) FAIL() << c.name();
}

TEST(ModuleTest, Reading) {
  ModuleMaker maker;
  maker.data().name = "m";
  maker.Computation("f");
  maker.Parameter(1, "s32[]");
  maker.Parameter(0, "f32[2]");
  maker.Computation("main");
  const uint32_t x = maker.Parameter(0, "f32[2]", "x");
  const uint32_t y = maker.Add(Opcode::kAdd, "f32[2]", {x, x});
  maker.Add(Opcode::kTranspose, "", {y}, "t", DimensionsAttributes{{0}});
  const uint32_t call = maker.Add(Opcode::kCall, "f32[2]", {x, y}, "", {}, {0});
  const Module module = maker.Make();

  std::vector<std::string> lines;
  for (Computation c : module.computations()) {
    for (Instruction i : c.instructions()) {
      std::string line =
          absl::StrCat(c.name(), ": ", i.name(), " = ", i.shape().ToString(),
                       " ", i.opcode_name(), "(");
      for (Instruction operand : i.operands()) {
        absl::StrAppend(&line, operand.name(), ";");
      }
      lines.push_back(line);
    }
  }
  EXPECT_THAT(lines, ElementsAre("f: parameter.1 = s32[] parameter(",
                                 "f: parameter.2 = f32[2] parameter(",
                                 "main: x = f32[2] parameter(",
                                 "main: add.4 = f32[2] add(x;x;",
                                 "main: t = none transpose(add.4;",
                                 "main: call.6 = f32[2] call(x;add.4;"));
  const Computation main = module.entry();
  EXPECT_EQ(module.instruction_count(), 6);
  EXPECT_FALSE(module.computation(0).is_entry());
  EXPECT_EQ(main.root().index(), static_cast<int>(call));
  EXPECT_EQ(main.root().callee(0), module.computation(0));
  EXPECT_EQ(main.root().computation(), main);
  EXPECT_EQ(
      As<DimensionsAttributes>(main.instruction(2).attributes()).dimensions,
      DimIndices({0}));
  EXPECT_FALSE(main.instruction(1).has_given_name());
  // Parameters by number.
  const Signature signature = module.computation(0).signature();
  EXPECT_THAT(signature.parameters, ElementsAre(S("f32[2]"), S("s32[]")));
  EXPECT_EQ(signature.result, S("f32[2]"));
}

TEST(ModuleTest, Literals) {
  ModuleMaker maker;
  maker.Computation("main");
  const uint32_t x = maker.Parameter(0, "f32[]");
  const uint32_t c = maker.Add(Opcode::kConstant, "f32[2]");
  std::string attribute_bytes = SerializeLiteralProto(Literal::Vector({1, 2}));
  maker.data().instructions[c].attribute_bytes =
      maker.data().pools->AddAttributeBytes(
          WithField({}, 8, attribute_bytes).view());
  const Module module = maker.Make();
  EXPECT_EQ(*module.entry().instruction(static_cast<int>(c)).literal(),
            Literal::Vector({1, 2}));
  EXPECT_EQ(
      module.entry().instruction(static_cast<int>(x)).literal().status().code(),
      absl::StatusCode::kNotFound);
}

TEST(ModuleTest, Locations) {
  const Module module = ModuleOfProtoText(R"(
      computations { root_id: 1
        instructions { id: 1 metadata { source_file: "a.cc" source_line: 3 } }
        instructions { id: 2 metadata { stack_frame_id: 2 } }
        instructions { id: 3 metadata { stack_frame_id: 9 } }
        instructions { id: 4 metadata { stack_frame_id: -1 } }
        instructions { id: 5 metadata { } }
        instructions { id: 6 }
        instructions { id: 7 metadata { stack_frame_id: 3 } } }
      stack_frame_index {
        file_names: ["b.py", "c.py"]
        file_locations { file_name_id: 1 line: 7 }
        file_locations { file_name_id: 2 line: 8 }
        stack_frames { file_location_id: 1 }
        stack_frames { file_location_id: 2 parent_frame_id: 1 }
        stack_frames { file_location_id: 99 } })");
  std::vector<std::string> places;
  for (Instruction i : module.entry().instructions()) {
    places.push_back(absl::StrCat(i.location().file, ":", i.location().line));
  }
  EXPECT_THAT(places,
              ElementsAre("a.cc:3", "c.py:8", ":0", ":0", ":0", ":0", ":0"));
}

TEST(ModuleTest, TakeReusesWhatNobodyElseHolds) {
  ModuleMaker maker;
  maker.Computation("main");
  maker.Parameter(0, "f32[]");
  const ModuleData* original = &maker.data();
  Module module = maker.Make();
  {
    // The maker holds it too.
    std::shared_ptr<ModuleData> copy = internal::TakeData(module);
    EXPECT_NE(copy.get(), original);
    EXPECT_EQ(copy->instructions.size(), 1u);
    EXPECT_EQ(copy->pools, original->pools);
    Pools* shared = copy->pools.get();
    EXPECT_NE(&copy->MutablePools(), shared);
    EXPECT_EQ(&copy->MutablePools(), copy->pools.get());
  }
  maker = ModuleMaker();
  std::shared_ptr<ModuleData> same = internal::TakeData(std::move(module));
  EXPECT_EQ(same.get(), original);
  EXPECT_EQ(&same->MutablePools(), same->pools.get());
}

TEST(ModuleTest, TakingTheEmptyModuleGivesACopy) {
  std::shared_ptr<ModuleData> data = internal::TakeData(Module());
  data->name = "changed";
  EXPECT_EQ(Module().name(), "");
}

}  // namespace
}  // namespace indim
