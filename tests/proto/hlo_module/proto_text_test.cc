// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/proto_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/data_files.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

Module Read(absl::string_view text) {
  absl::StatusOr<Module> module = ReadHloModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *module : Module();
}

std::string Message(absl::string_view text) {
  const absl::StatusOr<Module> module = ReadHloModuleText(text);
  if (module.ok()) return "fine";
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(module.status().message());
}

TEST(ProtoTextTest, RealModulesComeBackAsTheyWere) {
  int count = 0;
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const absl::StatusOr<Module> module = ReadHloModuleProto(*ReadFile(file));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<std::string> text = WriteHloModuleText(*module);
    ASSERT_TRUE(text.ok()) << text.status();
    const Module read = Read(*text);
    EXPECT_EQ(SerializeModule(read).value(), SerializeModule(*module).value());
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(ProtoTextTest, ReadsTheExample) {
  const std::string text = *ReadFile("examples/recorded.pbtxt");
  const Module module = Read(text);
  ASSERT_EQ(module.computation_count(), 1);
  EXPECT_TRUE(module.is_recorded());
  const Computation main = module.entry();
  std::string lines;
  for (Instruction i : main.instructions()) {
    absl::StrAppend(&lines, InstructionText(i), "\n");
  }
  EXPECT_EQ(lines,
            "%x = f32[8,784] parameter(0)\n"
            "%w = f32[784,10] parameter(1)\n"
            "%bias = f32[10] parameter(2)\n"
            "%dot.4 = dot(%x, %w)\n"
            "%y = add(%dot.4, %bias)\n"
            "%zero = f32[] constant(0)\n"
            "%relu = maximum(%y, %zero)\n");
  EXPECT_EQ(main.root().name(), "relu");
  EXPECT_EQ(As<ElementwiseAttributes>(main.instruction(4).attributes())
                .broadcast.dimensions,
            DimIndices{1});
  // What is written is read as the same.
  const absl::StatusOr<std::string> again = WriteHloModuleText(module);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(*again, HasSubstr("implicit_broadcast {"));
  EXPECT_EQ(SerializeModule(Read(*again)).value(),
            SerializeModule(module).value());
}

// Parameters of no number and no id, called and calling computations.
constexpr char kByHand[] = R"(
    recorded {}
    computations {
      id: 7 name: "double"
      instructions { id: 3 opcode: "parameter" shape { element_type: F32 } }
      instructions { opcode: "add" operand_ids: [3, 3] }
    }
    computations {
      name: "unused"
      instructions { opcode: "parameter" shape { element_type: F32 } }
      instructions { opcode: "parameter" shape { element_type: S32 } }
      instructions { opcode: "constant" literal { s32s: 4
        shape { element_type: S32 dimensions: 1 } } }
    }
    computations {
      instructions { id: 1 opcode: "parameter" shape { element_type: F32 } }
      instructions { opcode: "call" operand_ids: 1 called_computation_ids: 7 }
    })";

TEST(ProtoTextTest, FillsInWhatFollows) {
  const Module module = Read(kByHand);
  ASSERT_EQ(module.computation_count(), 3);
  EXPECT_EQ(module.entry().index(), 2);
  EXPECT_EQ(module.computation(0).id(), 7);
  EXPECT_NE(module.computation(1).id(), module.computation(2).id());
  for (Computation c : module.computations()) {
    EXPECT_EQ(c.root().index(), c.instruction_count() - 1);
  }
  EXPECT_EQ(module.computation(0).root().opcode(), Opcode::kAdd);
  EXPECT_EQ(module.entry().root().callee(0), module.computation(0));
  const Computation unused = module.computation(1);
  EXPECT_EQ(As<ParameterAttributes>(unused.instruction(1).attributes()).number,
            1);
  EXPECT_EQ(unused.root().shape().ToString(), "s32[1]{0}");
  EXPECT_EQ(unused.root().literal()->ToString(), "{4}");
}

TEST(ProtoTextTest, ConstantsSayTheirShapeOnce) {
  // XLA wants the layout of a constant and that of its literal, both the same.
  for (const char* constant :
       {"shape { element_type: S32 dimensions: 1 } literal { s32s: 4 }",
        "literal { shape { element_type: S32 dimensions: 1 } s32s: 4 }"}) {
    const Module module = Read(absl::StrCat(
        "computations { instructions { opcode: 'constant' ", constant, " } }"));
    const Instruction root = module.entry().root();
    EXPECT_EQ(root.shape().ToString(), "s32[1]{0}");
    EXPECT_EQ(root.literal()->ToString(), "{4}");
    EXPECT_THAT(WriteHloModuleText(module).value(), HasSubstr("s32s: [4]"));
  }
}

TEST(ProtoTextTest, FillsInNothingForPrograms) {
  // With program shapes a missing id is the id 0.
  const Module module = Read(
      "host_program_shape {} computations { program_shape {} instructions { "
      "opcode: 'parameter' } instructions { id: 4 opcode: 'parameter' "
      "operand_ids: 0 } }");
  EXPECT_EQ(module.entry().instruction(0).id(), 0);
  EXPECT_EQ(module.entry().root().index(), 0);
  EXPECT_THAT(Message("host_program_shape {} computations { program_shape {} "
                      "instructions { opcode: 'parameter' } instructions { "
                      "opcode: 'parameter' } }"),
              HasSubstr("another instruction has its id, 0"));
  // Where 0 is referred to, it stays.
  EXPECT_THAT(Message("computations { instructions { opcode: 'parameter' } "
                      "instructions { opcode: 'abs' operand_ids: 0 } }"),
              HasSubstr("another instruction has its id, 0"));
}

TEST(ProtoTextTest, ErrorsNameLineAndColumn) {
  EXPECT_THAT(Message("name: \"m\"\ncomputations {\n  nam: \"x\"\n}"),
              HasSubstr("line 3, column 6: Message type "
                        "\"indim.proto.HloComputationProto\" has no field "
                        "named \"nam\""));
  EXPECT_THAT(Message("name: \"m"), HasSubstr("text format: line 1, column"));
  EXPECT_THAT(Message("id: 12x"), HasSubstr("line 1, column"));
  EXPECT_THAT(Message("name: 5"), HasSubstr("line 1, column"));
  EXPECT_THAT(Message("\x08\x01"), HasSubstr("line 1, column"));
  EXPECT_THAT(Message(""), HasSubstr("the module has no computation"));
}

TEST(ProtoTextTest, RefusesDeepNesting) {
  std::string known;
  std::string unknown = "computations { 777: {\n";
  for (int i = 0; i < 200000; ++i) {
    known += "original_value_recovery_table { entries { recovery_module {";
    unknown += "1 {";
  }
  EXPECT_THAT(Message(known), HasSubstr("line 1, column 2006: more than 100"));
  EXPECT_THAT(Message(unknown), HasSubstr("line 2, column 300: more than 100"));
  EXPECT_THAT(Message(std::string(100000, '{')), HasSubstr("more than 100"));
  // Brackets in strings and comments aren't nesting.
  EXPECT_NE(Message(absl::StrCat("name: \"", std::string(1000, '{'), "\\\"{\"",
                                 "#", std::string(1000, '['), "\n")),
            "");
  EXPECT_THAT(Message(absl::StrCat("name: \"", std::string(1000, '{'), "\\\"\"",
                                   "#", std::string(1000, '['), "\n")),
              HasSubstr("the module has no computation"));
}

TEST(ProtoTextTest, UnknownFieldsAreSkippedWhenReadByNumber) {
  const std::string text =
      "computations { instructions { id: 1 opcode: 'parameter' 4321: 5 4322 { "
      "1: \"x\" } } 999: \"a\" }";
  const Module module = Read(text);
  EXPECT_EQ(module.instruction_count(), 1);
  EXPECT_TRUE(internal::AttributeBytesOf(module.entry().root()).empty());
  // Known ones may be given by number too.
  EXPECT_EQ(Read("1: 'm' computations { instructions {} }").name(), "m");
}

TEST(ProtoTextTest, WritesUnknownFieldsByNumber) {
  // Field 2000 of the module, a varint.
  const Module module = Read(kByHand);
  const absl::StatusOr<Module> more = ReadHloModuleProto(
      absl::StrCat(SerializeModule(module).value(), "\x80\x7d\x05"));
  ASSERT_TRUE(more.ok()) << more.status();
  const std::string text = WriteHloModuleText(*more).value();
  EXPECT_THAT(text, HasSubstr("2000: 5"));
  EXPECT_EQ(SerializeModule(Read(text)).value(),
            SerializeModule(module).value());
}

}  // namespace
}  // namespace indim
