// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_serializer.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/append_record.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/proto/hlo_module/module_bytes.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// What is written: canonical, of the size foretold, and read again.
proto::HloModuleProto Written(const Module& module) {
  proto::HloModuleProto proto;
  const absl::StatusOr<std::string> bytes = SerializeModule(module);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return proto;
  EXPECT_TRUE(IsCanonical(WireMessage::kHloModuleProto, *bytes));
  EXPECT_EQ(SerializedSize(module), bytes->size());
  const absl::StatusOr<Module> again = ReadHloModuleProto(*bytes);
  EXPECT_TRUE(again.ok()) << again.status();
  if (again.ok()) {
    EXPECT_EQ(*SerializeModule(*again), *bytes);
  }
  EXPECT_TRUE(proto.ParseFromString(*bytes));
  return proto;
}

std::vector<std::string> InstructionNames(const proto::HloModuleProto& proto) {
  std::vector<std::string> names;
  for (const auto& computation : proto.computations()) {
    for (const auto& instruction : computation.instructions()) {
      names.push_back(instruction.name());
    }
  }
  return names;
}

TEST(WireWriterTest, WritesAGraph) {
  ModuleMaker maker;
  maker.data().name = "affine";
  maker.Computation("main");
  const uint32_t y = maker.Parameter(1, "f32[3]", "y");
  const uint32_t x = maker.Parameter(0, "f32[2,3]{0,1}", "x");
  maker.Add(Opcode::kAdd, "f32[2,3]", {x, y});
  proto::HloModuleProto want;
  ASSERT_TRUE(want.ParseFromString(ModuleBytes(R"(
      name: "affine" entry_computation_name: "main" entry_computation_id: 1
      computations { name: "main" id: 1 root_id: 3
        instructions { name: "y" opcode: "parameter" id: 1 parameter_number: 1
          shape { element_type: F32 dimensions: 3
                  is_dynamic_dimension: false } }
        instructions { name: "x" opcode: "parameter" id: 2
          shape { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false]
                  layout { minor_to_major: [0, 1]
                           tail_padding_alignment_in_elements: 1 } } }
        instructions { name: "add.3" opcode: "add" id: 3 operand_ids: [2, 1]
          shape { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false] } }
        program_shape {
          parameters { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false]
                  layout { minor_to_major: [0, 1]
                           tail_padding_alignment_in_elements: 1 } }
          parameters { element_type: F32 dimensions: 3
                  is_dynamic_dimension: false }
          result { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false] }
          parameter_names: ["x", "y"] } }
      host_program_shape {
        parameters { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false]
                  layout { minor_to_major: [0, 1]
                           tail_padding_alignment_in_elements: 1 } }
        parameters { element_type: F32 dimensions: 3
                  is_dynamic_dimension: false
                  layout { minor_to_major: 0
                           tail_padding_alignment_in_elements: 1 } }
        result { element_type: F32 dimensions: [2, 3]
                  is_dynamic_dimension: [false, false]
                  layout { minor_to_major: [1, 0]
                           tail_padding_alignment_in_elements: 1 } }
        parameter_names: ["x", "y"] })")));
  EXPECT_EQ(Written(maker.Make()).DebugString(), want.DebugString());
}

TEST(WireWriterTest, TheEmptyModule) {
  EXPECT_EQ(*SerializeModule(Module()), "");
  EXPECT_EQ(SerializedSize(Module()), 0u);
}

TEST(WireWriterTest, CallsAndComputationNames) {
  ModuleMaker maker;
  for (const char* name : {"f", "", "f"}) {
    maker.Computation(name);
    maker.Parameter(0, "f32[]");
  }
  maker.Computation("main");
  const uint32_t x = maker.Parameter(0, "f32[]");
  maker.Add(Opcode::kCall, "f32[]", {x}, "", {}, {2});
  maker.Add(Opcode::kConditional, "f32[]", {x, x, x}, "", {}, {0, 1});
  const proto::HloModuleProto proto = Written(maker.Make());
  ASSERT_EQ(proto.computations_size(), 4);
  EXPECT_EQ(proto.computations(0).name(), "f");
  EXPECT_EQ(proto.computations(1).name(), "computation.2");
  EXPECT_EQ(proto.computations(2).name(), "f.3");
  EXPECT_EQ(proto.entry_computation_name(), "main");
  EXPECT_EQ(proto.entry_computation_id(), 4);
  const auto& main = proto.computations(3);
  EXPECT_THAT(main.instructions(1).called_computation_ids(), ElementsAre(3));
  EXPECT_THAT(main.instructions(2).called_computation_ids(), ElementsAre(1, 2));
  EXPECT_EQ(main.root_id(), 6);
}

TEST(WireWriterTest, NamesAreUnique) {
  ModuleMaker maker;
  maker.Computation("f");
  maker.Add(Opcode::kAbs, "f32[]", {}, "x");      // 1
  maker.Add(Opcode::kAbs, "f32[]");               // 2
  maker.Add(Opcode::kAbs, "f32[]", {}, "abs.2");  // 3
  maker.Add(Opcode::kAbs, "f32[]", {}, "abs.2.1");
  maker.Computation("g");
  maker.Add(Opcode::kAbs, "f32[]", {}, "x");      // 5
  maker.Add(Opcode::kAbs, "f32[]", {}, "x");      // 6
  maker.Add(Opcode::kAbs, "f32[]", {}, "x.6");    // 7
  maker.Add(Opcode::kAbs, "f32[]", {}, "b\xff");  // 8
  EXPECT_THAT(InstructionNames(Written(maker.Make())),
              ElementsAre("x", "abs.2.2", "abs.2", "abs.2.1", "x.5", "x.6.1",
                          "x.6", "b?.8"));
}

// Given names may end in a number without being what another is called.
TEST(WireWriterTest, NamesThatOnlyLookMade) {
  ModuleMaker maker;
  maker.Computation("f");
  maker.Add(Opcode::kAbs, "f32[]", {}, "x.2");     // 1
  maker.Add(Opcode::kAbs, "f32[]");                // 2
  maker.Add(Opcode::kAbs, "f32[]", {}, "abs.02");  // 3
  maker.Add(Opcode::kAbs, "f32[]", {}, "x.2");     // 4
  maker.Add(Opcode::kAbs, "f32[]", {}, "abs.6");   // 5
  maker.Add(Opcode::kNegate, "f32[]");             // 6
  EXPECT_THAT(
      InstructionNames(Written(maker.Make())),
      ElementsAre("x.2", "abs.2", "abs.02", "x.2.4", "abs.6", "negate.6"));
}

// What instructions have in common is written from memory.
TEST(WireWriterTest, ManyAlike) {
  ModuleMaker maker;
  maker.Computation("f");
  maker.Parameter(0, "f32[]");
  std::vector<uint32_t> operands;
  for (uint32_t i = 0; i < 3000; ++i) {
    const std::string shape = absl::StrCat("f32[", i % 7 == 0 ? i : 5, "]");
    operands.assign(i % 15, i);
    maker.Add(i % 3 == 0 ? Opcode::kTuple : Opcode::kAbs, shape.c_str(),
              operands, i % 5 == 0 ? absl::StrCat("x", i).c_str() : "");
  }
  const proto::HloModuleProto written = Written(maker.Make());
  for (uint32_t i = 0; i < 3000; ++i) {
    const auto& instruction =
        written.computations(0).instructions(static_cast<int>(i) + 1);
    const std::string opcode = i % 3 == 0 ? "tuple" : "abs";
    ASSERT_EQ(instruction.opcode(), opcode);
    ASSERT_EQ(instruction.name(), i % 5 == 0
                                      ? absl::StrCat("x", i)
                                      : absl::StrCat(opcode, ".", i + 2));
    ASSERT_EQ(instruction.id(), i + 2);
    ASSERT_EQ(instruction.operand_ids_size(), static_cast<int>(i % 15));
    for (const int64_t id : instruction.operand_ids()) ASSERT_EQ(id, i + 1);
    ASSERT_EQ(instruction.shape().dimensions(0), i % 7 == 0 ? i : 5);
  }
}

// Equal ids in many computations: still unique, and in linear time.
TEST(WireWriterTest, MadeNamesOfEqualIds) {
  ModuleMaker maker;
  for (int i = 0; i < 20000; ++i) {
    maker.Computation("");
    maker.Parameter(0, "f32[]");
    maker.data().ids.push_back(7);
  }
  const std::vector<std::string> names =
      InstructionNames(Written(maker.Make()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 20000u);
  EXPECT_EQ(names[0], "parameter.7");
  EXPECT_EQ(names[1], "parameter.7.1");
  EXPECT_EQ(names[19999], "parameter.7.19999");
}

// A module that was read, with an instruction that a pass has added.
TEST(WireWriterTest, NamesOfAFileStay) {
  const Module read = *ReadHloModuleProto(ModuleOf(
      "instructions { name: 'a' id: 1 } instructions { name: 'a' id: 2 }"
      " instructions { id: 3 } instructions { name: 'add.10' id: 9 }"));
  std::shared_ptr<ModuleData> data = internal::TakeData(read);
  AppendRecord({}, {}, &data->operands, &data->instructions).opcode =
      Opcode::kAdd;
  data->ids.push_back(10);
  ++data->computations[0].count;
  EXPECT_THAT(InstructionNames(Written(internal::ModuleOf(data))),
              ElementsAre("a", "a", "", "add.10", "add.10.1"));
  data->ForgetSpellings();
  EXPECT_THAT(InstructionNames(Written(internal::ModuleOf(data))),
              ElementsAre("a", "a.2", "instruction.3", "add.10", "add.10.1"));
}

TEST(WireWriterTest, SpellingsAreForgotten) {
  const std::string bytes = ModuleBytes(
      "computations { id: 7 root_id: 1 instructions { opcode: 'parameter'"
      " id: 4294967297 shape { element_type: F32 } } instructions {"
      " opcode: 'negate' id: 4294967298 operand_ids: 1 } }"
      " entry_computation_id: 7");
  const Module read = *ReadHloModuleProto(bytes);
  EXPECT_EQ(*SerializeModule(read), bytes);
  std::shared_ptr<ModuleData> data = internal::TakeData(read);
  data->ForgetSpellings();
  const proto::HloModuleProto proto = Written(internal::ModuleOf(data));
  EXPECT_EQ(proto.entry_computation_name(), "computation.7");
  const auto& computation = proto.computations(0);
  EXPECT_EQ(computation.root_id(), 4294967297);
  EXPECT_THAT(computation.instructions(1).operand_ids(),
              ElementsAre(4294967297));
  EXPECT_EQ(computation.instructions(0).name(), "parameter.4294967297");
  ASSERT_EQ(computation.program_shape().parameters_size(), 1);
  EXPECT_EQ(computation.program_shape().parameter_names(0),
            "parameter.4294967297");
  EXPECT_TRUE(proto.host_program_shape().parameters(0).has_layout());
}

// An odd spelling of operands that don't fit any more isn't used.
TEST(WireWriterTest, StaleSpellingsAreIgnored) {
  std::shared_ptr<ModuleData> data = internal::TakeData(*ReadHloModuleProto(
      ModuleOf("instructions { id: 4294967297 } instructions { id: 4294967298 }"
               " instructions { id: 4294967305 operand_ids: 1 }")));
  ASSERT_EQ(data->operand_spellings.size(), 1u);
  ASSERT_EQ(data->root_spellings.size(), 1u);
  data->operands[0] = 1;
  data->computations[0].root = 0;
  const proto::HloModuleProto proto = Written(internal::ModuleOf(data));
  EXPECT_THAT(proto.computations(0).instructions(2).operand_ids(),
              ElementsAre(4294967298));
  EXPECT_EQ(proto.computations(0).root_id(), 4294967297);
}

TEST(WireWriterTest, MarksRecordedModules) {
  ModuleMaker maker;
  maker.Computation("main");
  maker.Add(Opcode::kIota, "f32[2]");
  EXPECT_FALSE(Written(maker.Make()).has_recorded());
  maker.data().recorded = true;
  EXPECT_EQ(Written(maker.Make()).recorded().version(), 1);

  // Between known and unknown fields, and gone after expansion.
  std::string bytes = ModuleBytes(
      "computations { instructions { id: 1 } root_id: 1 } is_dynamic: true"
      " recorded { version: 3 producer: 'someone' }");
  AppendTag(500, WireType::kVarint, &bytes);
  AppendVarint(1, &bytes);
  const Module read = *ReadHloModuleProto(bytes);
  EXPECT_TRUE(read.is_recorded());
  EXPECT_EQ(*SerializeModule(read), bytes);
  std::shared_ptr<ModuleData> data = internal::TakeData(read);
  data->recorded_mark.reset();
  EXPECT_EQ(Written(internal::ModuleOf(data)).recorded().version(), 1);
  data->recorded = false;
  const proto::HloModuleProto proto = Written(internal::ModuleOf(data));
  EXPECT_FALSE(proto.has_recorded());
  EXPECT_TRUE(proto.is_dynamic());
}

// Shapes that change make program shapes anew.
TEST(WireWriterTest, KeepsTheConfigOfTexts) {
  ModuleMaker maker;
  maker.Computation("main");
  maker.Add(Opcode::kIota, "f32[2]");
  EXPECT_EQ(Written(maker.Make()).text_config(), "");
  maker.data().config = "\x20\x02";  // replica_count: 2
  std::string bytes = *SerializeModule(maker.Make());
  // Unknown fields stand behind it.
  AppendTag(2000, WireType::kVarint, &bytes);
  AppendVarint(1, &bytes);
  const Module read = *ReadHloModuleProto(bytes);
  EXPECT_EQ(internal::DataOf(read).config, "\x20\x02");
  EXPECT_EQ(Written(read).text_config(), "\x20\x02");
  EXPECT_EQ(*SerializeModule(read), bytes);
}

TEST(WireWriterTest, ProgramShapesAreForgotten) {
  const Module read = *ReadHloModuleProto(ModuleBytes(
      "computations { root_id: 1 instructions { name: 'a' opcode: 'parameter'"
      " id: 1 shape { element_type: F32 } } program_shape { parameters {"
      " element_type: S32 } parameter_names: 'q' } }"));
  EXPECT_EQ(Written(read).computations(0).program_shape().parameter_names(0),
            "q");
  EXPECT_FALSE(Written(read).has_host_program_shape());
  std::shared_ptr<ModuleData> data = internal::TakeData(read);
  data->ForgetProgramShapes();
  const proto::HloModuleProto proto = Written(internal::ModuleOf(data));
  EXPECT_EQ(proto.computations(0).program_shape().parameter_names(0), "a");
  EXPECT_EQ(proto.host_program_shape().parameters(0).element_type(),
            proto::F32);
}

// Parameters whose numbers are no numbers of parameters don't disturb.
TEST(WireWriterTest, OddParameterNumbers) {
  ModuleMaker maker;
  maker.Computation("main");
  maker.Parameter(5, "f32[]", "a");
  maker.Parameter(0, "s32[]", "b");
  maker.Parameter(0, "s8[]", "c");
  maker.Parameter(-1, "s16[]", "d");
  const proto::HloModuleProto proto = Written(maker.Make());
  EXPECT_THAT(proto.computations(0).program_shape().parameter_names(),
              ElementsAre("b", "", "", ""));
}

// Sizes are 64-bit: 40 literals that share 64 MiB.
TEST(WireWriterTest, RefusesWhatXlaCannotRead) {
  ModuleMaker maker;
  maker.Computation("main");
  auto buffer = std::make_shared<std::string>((size_t{64} << 20) + 1000, '\0');
  ModuleData& data = maker.data();
  data.pools->KeepAlive(buffer);
  for (int i = 0; i < 40; ++i) {
    maker.Add(Opcode::kConstant, "f32[]", {}, absl::StrCat("c", i));
    // LiteralProto inside of which one field has what is left.
    const size_t start = static_cast<size_t>(i) * 20;
    const size_t size = (size_t{64} << 20) - start;
    std::string header;
    AppendTag(8, WireType::kLengthDelimited, &header);
    AppendVarint(size, &header);
    buffer->replace(start, header.size(), header);
    InstructionRecord& record = data.instructions.back();
    record.attribute_bytes = data.pools->AddAttributeBytesView(
        {absl::string_view(*buffer).substr(start, header.size() + size), "",
         ""});
  }
  EXPECT_GT(SerializedSize(maker.Make()), uint64_t{40} * (63 << 20));
  const absl::StatusOr<std::string> bytes = SerializeModule(maker.Make());
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(bytes.status().message()),
              AllOf(HasSubstr(absl::StrCat(SerializedSize(maker.Make()))),
                    HasSubstr("c0 (67108864 bytes), c1 (67108844 bytes), c2 "
                              "(67108824 bytes)"),
                    Not(HasSubstr("c3"))));
}

}  // namespace
}  // namespace indim
