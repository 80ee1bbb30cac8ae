// SPDX-License-Identifier: Apache-2.0
// The header of HLO text and the tables of frames, through ParseHloText.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::string_view kBody =
    "\nENTRY e { a = f32[2] parameter(0) b = f32[3]{0} parameter(1) ROOT t = "
    "tuple(a, b) }";

absl::StatusOr<Module> WithHeader(absl::string_view attributes) {
  return ParseHloText(absl::StrCat("HloModule m", attributes, kBody));
}

// Field `number` of the HloModuleProto.
std::string Field(absl::string_view attributes, uint32_t number) {
  const absl::StatusOr<Module> m = WithHeader(attributes);
  EXPECT_TRUE(m.ok()) << m.status().message();
  if (!m.ok()) return "";
  FieldList fields(WireMessage::kHloModuleProto);
  EXPECT_TRUE(fields.Append(internal::DataOf(*m).other_fields));
  return std::string(fields.Text(number));
}

TEST(HloHeaderTest, NoAttributes) {
  const absl::StatusOr<Module> m = WithHeader("");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(internal::DataOf(*m).config, "");
  // input_output_alias, buffer_donor, frontend_attributes: there and empty.
  EXPECT_EQ(internal::DataOf(*m).other_fields,
            absl::string_view("\x42\0\x92\x01\0\x9a\x01\0", 8));
}

TEST(HloHeaderTest, TheNameMayHaveAColon) {
  for (const char* header : {"HloModule m:", "HloModule m: ", "HloModule m"}) {
    const absl::StatusOr<Module> m = ParseHloText(absl::StrCat(header, kBody));
    ASSERT_TRUE(m.ok()) << m.status().message();
    EXPECT_EQ(m->name(), "m") << header;
  }
}

TEST(HloHeaderTest, TheEntrysLayout) {
  const absl::StatusOr<Module> m = WithHeader(
      ", entry_computation_layout={(f32[2], f32[3]{0:T(8)})->(f32[2], "
      "f32[3])}");
  ASSERT_TRUE(m.ok()) << m.status().message();
  const absl::StatusOr<ProgramShape> shape =
      ParseProgramShapeProto(internal::DataOf(*m).host_program_shape);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->parameters[1].ToString(), "f32[3]{0:T(8)}");
  EXPECT_THAT(shape->names, ElementsAre("p0", "p1"));
  EXPECT_EQ(shape->result.ToString(), "(f32[2]{0}, f32[3]{0})");
  // Without it, that of the instructions.
  EXPECT_EQ(ParseProgramShapeProto(
                internal::DataOf(*WithHeader("")).host_program_shape)
                ->result.ToString(),
            "(f32[2]{0}, f32[3]{0})");
}

TEST(HloHeaderTest, AliasesAndDonors) {
  // Entries by output: {0}: (1, {}, may), {1}: (0, {2}, must).
  EXPECT_EQ(Field(", input_output_alias={ {1}: (0, {2}, must-alias), {0}: (1, "
                  "{}) }",
                  8),
            absl::string_view("\x0a\x07\x0a\x01\0\x10\x01\x20\x01"
                              "\x0a\x08\x0a\x01\x01\x1a\x01\x02\x20\x02",
                              19));
  EXPECT_EQ(Field(", buffer_donor={ (1, {}), (0, {3,4}), (1, {}) }", 18),
            absl::string_view("\x0a\x04\x12\x02\x03\x04\x0a\x02\x08\x01"));
  const absl::StatusOr<Module> m =
      WithHeader(", input_output_alias={ {2}: (0, {}) }");
  EXPECT_THAT(std::string(m.status().message()),
              HasSubstr("text:1:35: error: the result, (f32[2]{0}, f32[3]{0}), "
                        "has no such part"));
}

TEST(HloHeaderTest, Configuration) {
  const auto config = [](absl::string_view attributes) {
    return internal::DataOf(*WithHeader(attributes)).config;
  };
  EXPECT_EQ(config(", replica_count=1, num_partitions=1"), "");
  EXPECT_EQ(config(", replica_count=2, num_partitions=4"),
            absl::string_view("\x20\x02\x28\x04\x38\x01"));
  EXPECT_EQ(config(", alias_passthrough_params=true"),
            absl::string_view("\x88\x01\x01"));
  EXPECT_EQ(
      config(", allow_spmd_sharding_propagation_to_output=true, "
             "allow_spmd_sharding_propagation_to_parameters={true,false}"),
      absl::string_view("\xda\x01\x01\x01\x8a\x02\x02\x01\0", 9));
}

TEST(HloHeaderTest, ASchedule) {
  EXPECT_EQ(Field("", 7), "");
  // Computation 0: instructions 0, 1, 2.
  EXPECT_EQ(Field(", is_scheduled=true", 7),
            absl::string_view("\x0a\x09\x08\0\x12\x05\x0a\x03\0\x01\x02", 11));
}

TEST(HloHeaderTest, OriginsAndDebugging) {
  EXPECT_EQ(Field(", debug_attributes={ {\"a\" {1}} : {log_mode=default, "
                  "callback_id=7}, {\"b\"}:({op_id=1},{partitioned=true}) }",
                  24),
            absl::string_view("\x0a\x06\x0a\x01"
                              "a\x12\x01\x01\x12\x04\x08\x01\x10\x07"));
  const std::string table = Field(
      ", origin_recovery_table={ {\"a\"} : {\"b\" {0}}, \"e { x = f32[] "
      "parameter(0) }\" {\"c\"} : {\"d\"} }",
      20);
  EXPECT_THAT(table, HasSubstr("module_e"));
  const absl::StatusOr<Module> wrong = WithHeader(
      ", origin_recovery_table={ {\"a\"} : {\"b\"}, \"e { x = f32[] what() }\" "
      "}");
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("error: in this module: text:1:15: error: unknown op "
                        "\"what\""));
}

// Newer XLA has them of a module and of a computation.
TEST(HloHeaderTest, BackendConfigs) {
  EXPECT_EQ(Field(", backend_config={\"a\": {\"b\":1}}", 25),
            "{\"a\": {\"b\":1}}");
  EXPECT_EQ(Field(", backend_config=\"\"", 25), "");
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}, "
      "backend_config={\"a\":1}\n\n"
      "%f (p: f32[4]) -> f32[4] {\n"
      "  ROOT %p = f32[4]{0} parameter(0)\n"
      "}, execution_thread=\"t\", backend_config=\"not JSON\"\n\n"
      "ENTRY %e (q: f32[4]) -> f32[4] {\n"
      "  ROOT %q = f32[4]{0} parameter(0)\n"
      "}, backend_config={\"b\":2}\n\n";
  const absl::StatusOr<Module> module = ParseHloText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PrintHloText(*module), text);
  PrintOptions without;
  without.backend_config = false;
  EXPECT_EQ(PrintHloText(*module, without).find("backend_config"),
            std::string::npos);
  EXPECT_THAT(std::string(ParseHloText("e { ROOT x = f32[] parameter(0) }, "
                                       "backend_config={}, backend_config={}")
                              .status()
                              .message()),
              HasSubstr("expected backend_config=, once"));
}

TEST(HloHeaderTest, WhatIsWrongWithIt) {
  const struct {
    absl::string_view attributes;
    absl::string_view error;
  } kCases[] = {
      {", is_scheduld=true",
       "unknown attribute of a module \"is_scheduld\", did you mean "
       "\"is_scheduled\"?"},
      {", is_scheduled=true, is_scheduled=true", "is_scheduled is given twice"},
      {", is_scheduled=1", "expected true or false, found \"1\""},
      {", replica_count=x", "expected an integer, found \"x\""},
      {", input_output_alias={ {0}: (-1, {}) }",
       "parameters are numbered from 0"},
      {", input_output_alias={ {0}: (0, {}, never) }",
       "expected may-alias or must-alias, found \"never\""},
      {", entry_computation_layout={(f32[2])}", "expected \"->\""},
      {", f32", "expected an attribute of the module, found \"f32\""},
  };
  for (const auto& [attributes, error] : kCases) {
    EXPECT_THAT(std::string(WithHeader(attributes).status().message()),
                HasSubstr(std::string(error)))
        << attributes;
  }
}

TEST(HloHeaderTest, FramesAsTheyStandInTheText) {
  constexpr absl::string_view kText = R"(HloModule m
FileNames
1 "a"
2 "b"
FunctionNames
1 "f"
FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=2 column=3 end_column=4}
2 {file_name_id=2 function_name_id=1 line=5 end_line=6 column=7 end_column=8}
StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
e { x = f32[] constant(1), metadata={stack_frame_id=2}
    y = f32[] constant(1), metadata={stack_frame_id=7} }
)";
  const absl::StatusOr<Module> m = ParseHloText(kText);
  ASSERT_TRUE(m.ok()) << m.status().message();
  FieldList fields(WireMessage::kHloModuleProto);
  ASSERT_TRUE(fields.Append(internal::DataOf(*m).other_fields));
  FieldList tables(WireMessage::kStackFrameIndexProto);
  ASSERT_TRUE(tables.Append(fields.Text(17)));
  EXPECT_THAT(tables.Texts(1), ElementsAre("a", "b"));
  EXPECT_EQ(tables.Texts(3).size(), 2);
  EXPECT_EQ(tables.Texts(4).size(), 2);
  // stack_frame_id 2, and none.
  EXPECT_EQ(m->entry().instruction(0).metadata(),
            absl::string_view("\x78\x02"));
  EXPECT_EQ(m->entry().instruction(1).metadata(), "");
  const absl::StatusOr<Module> wrong = ParseHloText(
      "HloModule m\nFileNames\n1 \"a\"\nFileLocations\ne { x = f32[] "
      "constant(1) }");
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("expected \"FunctionNames\", found \"FileLocations\""));
}

// What becomes of a module with the rows `locations` and `frames`: its fields,
// or the error without its place.
std::string WithRows(absl::string_view locations, absl::string_view frames) {
  const absl::StatusOr<Module> m = ParseHloText(absl::StrCat(
      "HloModule m\nFileNames\n1 \"a\"\nFunctionNames\n1 \"f\"\n"
      "FileLocations\n",
      locations, "StackFrames\n", frames, "e { x = f32[] constant(1) }"));
  if (m.ok()) return absl::StrCat("read: ", internal::DataOf(*m).other_fields);
  const std::string message(m.status().message());
  const size_t place = message.find("error: ");
  return message.substr(place, message.find('\n', place) - place);
}

// Rows as printers write them are read without the grammar, which a comment
// leads back to: that must not show.
TEST(HloHeaderTest, RowsOfFramesWithAndWithoutTheGrammar) {
  int64_t read = 0;
  for (const char* row :
       {"1 {file_location_id=1 parent_frame_id=1}",
        "1 {file_location_id=0 parent_frame_id=0}",
        "1 {parent_frame_id=3 file_location_id=2}",
        "1 {file_location_id=1  parent_frame_id=1}",
        "1 {file_location_id=999999999 parent_frame_id=1000000000}",
        "1 {file_location_id=2147483647 parent_frame_id=1}",
        "1 {file_location_id=2147483648 parent_frame_id=1}",
        "1 {file_location_id=-1 parent_frame_id=-1}",
        "1 {file_location_id=007 parent_frame_id=1}",
        "1 {file_location_id=1}",
        "1 {file_location_id=1 parent_frame_id=}",
        "1 {file_location_id=1 parent_frame_id=1",
        "1 {}",
        "1",
        "1 {",
        "1 {file_location_id=1 parent_frame_id=1 line=2}",
        "1 {file_location_id=1 parent_frame_id=1, line=2}",
        "1 {file_location_id=1 parent_frame_id=x}",
        "1 {file_location=1 parent_frame_id=1}",
        "99999999999999999999 {file_location_id=1 parent_frame_id=1}",
        "1 {file_location_id=1 parent_frame_id=1} 2 {file_location_id=2 "
        "parent_frame_id=1}"}) {
    const std::string plain = WithRows("", absl::StrCat(row, "\n", row, "\n"));
    EXPECT_EQ(plain,
              WithRows("", absl::StrCat("/**/", row, "\n", "/**/", row, "\n")))
        << row;
    read += plain.substr(0, 5) == "read:";
  }
  EXPECT_EQ(read, 10);
  for (const char* row :
       {"1 {file_name_id=1 function_name_id=2 line=3 end_line=4 column=5 "
        "end_column=6}",
        "1 {file_name_id=1 function_name_id=2 line=0 end_line=0 column=0 "
        "end_column=0}",
        "1 {file_name_id=1 function_name_id=2 line=3 column=4 end_line=5 "
        "end_column=6}",
        "1 {file_name_id=1 function_name_id=2 line=3 end_line=4 column=5}"}) {
    const std::string plain = WithRows(absl::StrCat(row, "\n"), "");
    EXPECT_EQ(plain, WithRows(absl::StrCat("/**/", row, "\n"), "")) << row;
  }
}

}  // namespace
}  // namespace indim
