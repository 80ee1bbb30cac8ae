// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_table.h"
#include "indim/tests/data_files.h"
#include "indim/tests/proto/hlo_module/module_bytes.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The property that everything here comes down to: what libprotobuf refuses is
// refused; what is read is written as libprotobuf writes it; and how bytes are
// spelled doesn't decide whether they are a module.
testing::AssertionResult Agrees(absl::string_view bytes) {
  const std::optional<std::string> judged =
      Judge(WireMessage::kHloModuleProto, bytes);
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  const absl::string_view error = module.status().message();
  if (!IsValidUtf8(error) || absl::StrContains(error, '\n')) {
    return testing::AssertionFailure() << "no line of text: " << error;
  }
  if (!judged.has_value()) {
    if (module.ok()) return testing::AssertionFailure() << "libprotobuf fails";
    if (module.status().code() != absl::StatusCode::kInvalidArgument) {
      return testing::AssertionFailure() << module.status();
    }
    return testing::AssertionSuccess();
  }
  const absl::StatusOr<Module> canonical = ReadHloModuleProto(*judged);
  if (module.ok() != canonical.ok()) {
    return testing::AssertionFailure()
           << module.status() << ", but canonical: " << canonical.status();
  }
  if (!module.ok()) {
    if (module.status().code() != absl::StatusCode::kInvalidArgument) {
      return testing::AssertionFailure() << module.status();
    }
    return testing::AssertionSuccess();
  }
  const absl::StatusOr<std::string> written = SerializeModule(*module);
  if (!written.ok()) return testing::AssertionFailure() << written.status();
  if (*written != *judged) {
    return testing::AssertionFailure() << "it is written differently";
  }
  if (SerializedSize(*module) != judged->size()) {
    return testing::AssertionFailure() << "the size differs";
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult ComesBack(const std::string& bytes) {
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  if (!module.ok()) return testing::AssertionFailure() << module.status();
  return Agrees(bytes);
}

TEST(WireReaderTest, ReadsAGraph) {
  const std::string bytes = ModuleBytes(R"(
      name: "affine" id: 5 entry_computation_id: 8589934592
      computations {
        name: "scale" id: 4294967296 root_id: 4294967298
        instructions { name: "p" opcode: "parameter" id: 4294967297
          shape { element_type: F32 } }
        instructions { name: "n" opcode: "negate" id: 4294967298
          shape { element_type: F32 } operand_ids: 4294967297 } }
      computations {
        name: "main" id: 8589934592 root_id: 8589934594
        instructions { name: "x" opcode: "parameter" id: 8589934593
          shape { element_type: F32 dimensions: 3 }
          metadata { source_file: "a.py" source_line: 7 } }
        instructions { name: "y" opcode: "map" id: 8589934594
          shape { element_type: F32 dimensions: 3 } dimensions: 0
          operand_ids: 8589934593 called_computation_ids: 4294967296 }
        instructions { name: "z" opcode: "frobnicate" id: 8589934595 } })");
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->name(), "affine");
  EXPECT_FALSE(module->is_recorded());
  EXPECT_EQ(module->instruction_count(), 5);
  ASSERT_EQ(module->computation_count(), 2);
  const Computation main = module->entry();
  EXPECT_EQ(main, module->computation(1));
  EXPECT_TRUE(main.is_entry());
  EXPECT_EQ(main.name(), "main");
  EXPECT_EQ(main.id(), int64_t{2} << 32);
  const Instruction y = main.root();
  EXPECT_EQ(y.name(), "y");
  EXPECT_EQ(y.opcode(), Opcode::kMap);
  EXPECT_EQ(y.index(), 1);
  EXPECT_EQ(y.id(), (int64_t{2} << 32) + 2);
  EXPECT_EQ(y.shape(), *ParseShape("f32[3]"));
  ASSERT_EQ(y.operand_count(), 1);
  EXPECT_EQ(y.operand(0), main.instruction(0));
  ASSERT_EQ(y.callee_count(), 1);
  EXPECT_EQ(y.callee(0), module->computation(0));
  EXPECT_EQ(y.operand(0).location().file, "a.py");
  EXPECT_EQ(y.operand(0).location().line, 7);
  EXPECT_TRUE(y.operand(0).has_given_name());
  EXPECT_EQ(main.instruction(2).opcode(), Opcode::kInvalid);
  EXPECT_EQ(main.instruction(2).opcode_name(), "frobnicate");
  EXPECT_TRUE(main.instruction(2).shape().is_none());
  const Signature signature = main.signature();
  ASSERT_EQ(signature.parameters.size(), 1u);
  EXPECT_EQ(signature.result, *ParseShape("f32[3]"));
}

TEST(WireReaderTest, ModulesOfJaxComeBack) {
  const std::vector<std::string> files = JaxModules();
  ASSERT_FALSE(files.empty());
  Random random(1);
  const WireMessageInfo& info =
      GetWireMessageInfo(WireMessage::kHloModuleProto);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string bytes = *ReadFile(file);
    ASSERT_TRUE(ComesBack(bytes));
    if (bytes.size() > 100000) continue;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(Agrees(Scramble(info, bytes, &random)));
      ASSERT_TRUE(Agrees(Damage(bytes, &random)));
    }
  }
}

TEST(WireReaderTest, EveryTruncationAndEveryFlippedBit) {
  std::string smallest;
  for (const std::string& file : JaxModules()) {
    const std::string bytes = *ReadFile(file);
    if (smallest.empty() || bytes.size() < smallest.size()) smallest = bytes;
  }
  ASSERT_FALSE(smallest.empty());
  for (size_t i = 0; i < smallest.size(); ++i) {
    ASSERT_TRUE(Agrees(absl::string_view(smallest).substr(0, i))) << i;
    // Every bit's turn comes.
    const int step = SampleStep(3);
    for (int bit = static_cast<int>(i) % step; bit < 8; bit += step) {
      std::string flipped = smallest;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      ASSERT_TRUE(Agrees(flipped)) << i << " " << bit;
    }
  }
}

// Ways to say a module that must come back as they are.
TEST(WireReaderTest, SpellingsComeBack) {
  const char* const kShape = "shape { element_type: F32 }";
  const std::vector<std::string> kCases = {
      // Absent ids are 0; root_id too.
      "computations { instructions { opcode: 'iota' } }",
      // Names, opcodes, shapes absent; program shapes absent, empty.
      "computations { instructions { id: 1 } root_id: 1 program_shape { } }"
      " host_program_shape { }",
      "entry_computation_name: 'other' computations { name: 'c'"
      " instructions { name: 'a' id: 1 } root_id: 1 }",
      // Present but empty.
      "computations { instructions { metadata { } shape { } literal { }"
      " sharding { } frontend_attributes { } statistics_viz { } window { }"
      " backend_config_payload { } collective_device_list { } id: 3 }"
      " root_id: 3 } schedule { } input_output_alias { } buffer_donor { }"
      " stack_frame_index { } pjrt_id: 0",
      // One name twice, which only XLA refuses.
      "computations { instructions { name: 'a' id: 1 }"
      " instructions { name: 'a' id: 2 } root_id: 1 }",
      // The low 32 bits of ids count.
      absl::StrCat("computations { id: 1 root_id: 7",
                   " instructions { name: 'a' opcode: 'iota' id: 4294967303 ",
                   kShape, "} instructions { opcode: 'add' id: 4294967304",
                   " operand_ids: 7 operand_ids: 4294967303 } }",
                   " entry_computation_id: 1"),
      // Ids that are far apart, and in no order.
      "computations { root_id: 5 instructions { id: 2000000000 }"
      " instructions { id: 5 operand_ids: 2000000000 }"
      " instructions { id: 4000000000 operand_ids: 5 operand_ids: 5 } }",
      // The entry isn't last, computations share instruction ids.
      "computations { name: 'f' id: -5 root_id: 1 instructions { id: 1 } }"
      " computations { name: 'e' id: 9 root_id: 2 instructions { id: 1"
      " opcode: 'call' called_computation_ids: -5 } instructions { id: 2 } }"
      " computations { name: 'g' id: 3 root_id: 1 instructions { id: 1"
      " called_computation_ids: [9, -5, 9] } } entry_computation_id: 9",
      // Ids as our writer makes them.
      "computations { root_id: 2 instructions { id: 1 }"
      " instructions { id: 2 operand_ids: 1 control_predecessor_ids: 1 } }",
      // Every run of attribute bytes.
      "computations { root_id: 1 instructions { opcode: 'parameter' id: 1"
      " parameter_number: 4 dimensions: [1, -1] control_predecessor_ids: 77"
      " is_host_transfer: true implicit_broadcast { axis: 0 } } }",
      // Our mark.
      "recorded { } computations { instructions { id: 1 } root_id: 1 }",
      "recorded { version: 1 producer: 'x' } is_dynamic: true"
      " computations { instructions { id: 1 } root_id: 1 }",
      // Shapes in spellings that aren't ours.
      "computations { root_id: 1 instructions { id: 1 shape {"
      " element_type: F32 dimensions: 2 is_dynamic_dimension: false } }"
      " instructions { id: 2 shape { element_type: F32 dimensions: 2 } }"
      " instructions { id: 3 shape { element_type: F32 dimensions: 2 layout {"
      " minor_to_major: 0 dim_unique: true } } } }",
      // Execution thread, fusion flag.
      "computations { root_id: 1 instructions { id: 1 }"
      " is_fusion_computation: true execution_thread: 'sparse' }",
  };
  for (const std::string& text : kCases) {
    EXPECT_TRUE(ComesBack(ModuleBytes(text))) << text;
  }
}

std::string BytesField(uint32_t number, absl::string_view payload) {
  std::string field;
  AppendTag(number, WireType::kLengthDelimited, &field);
  AppendLengthDelimited(payload, &field);
  return field;
}
std::string NumberField(uint32_t number, uint64_t value) {
  std::string field;
  AppendTag(number, WireType::kVarint, &field);
  AppendVarint(value, &field);
  return field;
}
std::string MapEntry(absl::string_view key, absl::string_view value) {
  return BytesField(1, absl::StrCat(BytesField(1, key), BytesField(2, value)));
}
// A module of one computation of these, of which the root has the id 3.
std::string ModuleOfBytes(absl::string_view instructions) {
  return BytesField(3, absl::StrCat(instructions, NumberField(6, 3)));
}

// Records that no schema knows, in every message of a small module.
TEST(WireReaderTest, UnknownFieldsComeBack) {
  std::string unknown;
  AppendTag(4, WireType::kVarint, &unknown);
  AppendVarint(7, &unknown);
  AppendTag(999, WireType::kLengthDelimited, &unknown);
  AppendLengthDelimited("text", &unknown);
  AppendTag(2000, WireType::kStartGroup, &unknown);
  AppendTag(1, WireType::kFixed32, &unknown);
  AppendFixed32(1, &unknown);
  AppendTag(2000, WireType::kEndGroup, &unknown);
  // A known number with a wire type that it doesn't have.
  AppendTag(1, WireType::kFixed64, &unknown);
  AppendFixed64(1, &unknown);
  const std::string shape = std::string("\x10\x0b", 2) + unknown;
  const std::string instruction = BytesField(1, "a") + BytesField(3, shape) +
                                  BytesField(7, unknown) +
                                  BytesField(15, unknown) + unknown;
  const std::string computation =
      BytesField(2, instruction) + BytesField(4, unknown) + unknown;
  const std::string module = BytesField(3, computation) +
                             BytesField(4, unknown) + BytesField(7, unknown) +
                             BytesField(1000, unknown) + unknown;
  EXPECT_TRUE(ComesBack(module));
  EXPECT_TRUE(ReadHloModuleProto(module)->is_recorded());
  // Unknown fields first: only then are parts normalised.
  EXPECT_TRUE(ComesBack(unknown + module));
  EXPECT_TRUE(ComesBack(BytesField(3, unknown + computation)));
  EXPECT_TRUE(ComesBack(BytesField(3, BytesField(2, unknown + instruction))));
  EXPECT_TRUE(ComesBack(BytesField(7, unknown) + module));
}

// Unsorted maps, the one sin of real files, in an instruction and the module.
TEST(WireReaderTest, SortsMaps) {
  const auto entry = [](const std::string& key) {
    return absl::StrCat("\x0a\x05\x0a\x01", key, "\x12\x00",
                        absl::string_view("\0", 0));
  };
  std::string map;
  for (const char* key : {"b", "a", "b"}) map += MapEntry(key, entry(key));
  const std::string instruction =
      absl::StrCat(NumberField(35, 3), BytesField(68, map));
  const std::string module = ModuleOfBytes(BytesField(2, instruction));
  EXPECT_TRUE(ComesBack(module));
  EXPECT_TRUE(ComesBack(module + BytesField(19, map)));
}

// Each field alone is in another form, all else as it was. A writer that leaves
// room for a length, and fills it in later, makes one that isn't minimal.
TEST(WireReaderTest, OneFieldHasAnotherForm) {
  const WireMessageInfo& info =
      GetWireMessageInfo(WireMessage::kHloModuleProto);
  int changed = 0;
  for (const std::string& file : JaxModules()) {
    SCOPED_TRACE(file);
    const std::string bytes = *ReadFile(file);
    if (bytes.size() > (AsksAllCases() ? 4000 : 1400)) continue;
    for (const FieldChange change : kFieldChanges) {
      for (int number = 0;; ++number) {
        int place = number;
        const std::string other = ChangeOneField(info, bytes, change, &place);
        if (place >= 0) break;
        ASSERT_TRUE(Agrees(other))
            << "field " << number << ", change " << static_cast<int>(change);
        ++changed;
      }
    }
  }
  EXPECT_GT(changed, 800);
}

// What comes last in instructions, canonical or not, in every order of three.
TEST(WireReaderTest, WhatComesLastIsMadeCanonical) {
  const auto map = [](std::vector<absl::string_view> keys) {
    std::string entries;
    for (const absl::string_view key : keys) entries += MapEntry(key, "");
    return BytesField(68, entries);
  };
  const std::string late_name("\x0a\x01x", 3);
  const std::string late_nothing("\x12\x00", 2);  // takes the opcode away
  const std::string late_control("\xaa\x02\x01\x03", 4);
  const std::string unknown("\x20\x05", 2);
  const std::vector<std::string> rests = {
      "",
      map({"a", "b"}),
      map({"b", "a"}),
      map({"c", "b"}),
      map({"b", "a"}) + late_name,
      map({"b", "a"}) + late_control,
      map({"b", "a"}) + late_nothing,
      late_nothing + map({"b", "a"}),
      map({"b", "a"}) + unknown,
      unknown + map({"b", "a"}),
      unknown,
      map({"b", "\xff"}),
      map({"b", "a"}) + std::string("\xa0\x04", 2),
  };
  const auto instruction = [](uint64_t id, absl::string_view rest) {
    return BytesField(
        2, absl::StrCat(BytesField(2, "tuple"), NumberField(35, id), rest));
  };
  for (const std::string& first : rests) {
    for (const std::string& second : rests) {
      for (const std::string& third : rests) {
        ASSERT_TRUE(Agrees(ModuleOfBytes(absl::StrCat(instruction(3, first),
                                                      instruction(4, second),
                                                      instruction(5, third)))));
      }
    }
  }
}

// Of two names of a computation the last one counts, also if it is empty.
TEST(WireReaderTest, NamesBehindTheInstructions) {
  const std::string instruction =
      BytesField(2, absl::StrCat(BytesField(2, "tuple"), NumberField(35, 3)));
  const std::string none("\x0a\x00", 2);
  for (const std::string& first : {none, BytesField(1, "a"), std::string()}) {
    for (const std::string& last : {none, BytesField(1, "b"), std::string()}) {
      EXPECT_TRUE(
          Agrees(ModuleOfBytes(absl::StrCat(first, instruction, last))));
    }
  }
}

TEST(WireReaderTest, ErrorsNameThePlace) {
  const std::string kNine = " instructions { name: 'root' id: 9 }";
  const struct {
    std::string bytes;
    std::vector<const char*> parts;
  } kCases[] = {
      {ModuleOf("instructions { name: 'a' id: 1 operand_ids: 2 }"
                " instructions { name: 'b' id: 2 }" +
                kNine),
       {"computation \"main\"", "instruction \"a\"",
        "operand 0 has the id 2, no instruction before it has"}},
      {ModuleOf("instructions { name: 'a' id: 1 operand_ids: 1 }" + kNine),
       {"instruction \"a\"", "operand 0 has the id 1"}},
      {ModuleOf("instructions { id: 1 } instructions { id: 2"
                " operand_ids: [1, 99] }" +
                kNine),
       {"instruction #1", "operand 1 has the id 99"}},
      {ModuleOf("instructions { name: 'a' id: 1 }"
                " instructions { name: 'b' id: 4294967297 }" +
                kNine),
       {"instruction \"b\"", "another instruction has its id, 4294967297"}},
      {ModuleOf("instructions { name: 'a' } instructions { name: 'b' }" +
                kNine),
       {"instruction \"b\"", "another instruction has its id, 0"}},
      {ModuleOf("instructions { name: 'a' id: -3 }" + kNine),
       {"instruction \"a\"", "it has the id -3"}},
      {ModuleOf("instructions { name: 'a' id: 1 }"),
       {"computation \"main\"", "root_id 9 is the id of no instruction"}},
      {ModuleOf(""), {"computation \"main\"", "no instructions"}},
      {ModuleOf("instructions { name: 'a' id: 1 called_computation_ids: 1 }" +
                kNine),
       {"instruction \"a\"",
        "called computation 0 has the id 1, no computation before has"}},
      {ModuleOf("instructions { name: 'a' id: 1 shape { element_type: 99 } }" +
                kNine),
       {"computation \"main\"", "instruction \"a\"",
        "unknown element type 99"}},
      {ModuleBytes("computations { name: 'f' id: 4"
                   " instructions { id: 4294967295 } root_id: -1 }"),
       {"computation \"f\"", "root_id -1"}},
      {ModuleBytes("computations { name: 'f' id: 4 root_id: 1"
                   " instructions { id: 1 } }"
                   " computations { name: 'g' id: 4 root_id: 1"
                   " instructions { id: 1 } } entry_computation_id: 4"),
       {"computation \"g\"", "another computation has its id, 4"}},
      // A cycle: g calls f calls g.
      {ModuleBytes("computations { name: 'f' id: 4 root_id: 1 instructions {"
                   " name: 'call' id: 1 called_computation_ids: 5 } }"
                   " computations { name: 'g' id: 5 root_id: 1 instructions {"
                   " id: 1 called_computation_ids: 4 } }"
                   " entry_computation_id: 5"),
       {"computation \"f\"", "instruction \"call\"",
        "called computation 0 has the id 5"}},
      {ModuleBytes("computations { name: 'f' id: 4 root_id: 1"
                   " instructions { id: 1 } } entry_computation_id: 3"),
       {"entry_computation_id 3"}},
      {"", {"the module has no computation"}},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Module> module = ReadHloModuleProto(c.bytes);
    ASSERT_FALSE(module.ok()) << c.parts[0];
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
    for (const char* part : c.parts) {
      EXPECT_THAT(std::string(module.status().message()), HasSubstr(part));
    }
  }
}

TEST(WireReaderTest, MalformedBytesNameThePlaceToo) {
  std::string bytes = ModuleOf(
      "instructions { name: 'aaaa' opcode: 'add' id: 9"
      " frontend_attributes { map { key: 'k' value: 'vvvv' } } }");
  const size_t value = bytes.find("vvvv");
  ASSERT_NE(value, std::string::npos);
  bytes[value] = '\xff';  // not UTF-8
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()),
              AllOf(HasSubstr("main"), HasSubstr("aaaa")));
}

// Names that are no text stand in messages as what can be printed.
TEST(WireReaderTest, MalformedNamesAreEscaped) {
  std::string bytes = ModuleOf("instructions { name: 'aaaa' opcode: 'add' }");
  const size_t name = bytes.find("aaaa");
  ASSERT_NE(name, std::string::npos);
  bytes[name] = '\n';
  bytes[name + 1] = '\xff';
  const absl::StatusOr<Module> module = ReadHloModuleProto(bytes);
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("\"\\x0a\\xffaa\""));
}

// What follows the computations may replace what precedes them.
TEST(WireReaderTest, LateFieldsReplaceEarlierOnes) {
  const std::string module = ModuleBytes(
      "name: 'm' entry_computation_name: 'e' computations { name: 'c'"
      " instructions { id: 1 } root_id: 1 } is_dynamic: true id: 3");
  for (absl::string_view late :
       {absl::string_view("\x12\x00", 2), absl::string_view("\x28\x00", 2),
        absl::string_view("\x0a\x01x", 3), absl::string_view("\x22\x00", 2),
        absl::string_view("\x30\x00", 2),
        absl::string_view("\x92\x00\x00", 3)}) {
    EXPECT_TRUE(ComesBack(absl::StrCat(module, late)));
  }
}

// Ids decide nothing about memory or time.
TEST(WireReaderTest, IdsFarApart) {
  std::string instructions;
  for (int64_t i = 0; i < 3000; ++i) {
    const int64_t id = i == 2999 ? 9 : 4294967295 - i * 1000003;
    absl::StrAppend(&instructions, "instructions { id: ", id);
    if (i > 0) {
      absl::StrAppend(&instructions,
                      " operand_ids: ", 4294967295 - (i - 1) * 1000003);
    }
    absl::StrAppend(&instructions, " } ");
  }
  EXPECT_TRUE(ComesBack(ModuleOf(instructions)));
}

// The second overload keeps views into the caller's buffer, and the buffer.
TEST(WireReaderTest, KeepsTheOwner) {
  auto owner = std::make_shared<const std::string>(ModuleOf(
      "instructions { name: 'a_name_to_be_seen_in_the_buffer' id: 9 }"));
  std::optional<Module> module;
  {
    absl::StatusOr<Module> read = ReadHloModuleProto(*owner, owner);
    ASSERT_TRUE(read.ok()) << read.status();
    module = *read;
  }
  EXPECT_GT(owner.use_count(), 1);
  const absl::string_view name = internal::DataOf(*module).pools->name(
      internal::RecordOf(module->entry().instruction(0)).name);
  EXPECT_GE(name.data(), owner->data());
  EXPECT_LT(name.data(), owner->data() + owner->size());
  module.reset();
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace indim
