// SPDX-License-Identifier: Apache-2.0
// Where instructions stand in the text that they were read from.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/text/parse/parse_hlo_text.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// "x 3:5" of each instruction, computations in the module's order.
std::vector<std::string> PlacesOf(const Module& module) {
  std::vector<std::string> places;
  for (const Computation computation : module.computations()) {
    for (const Instruction i : computation.instructions()) {
      const SourceLocation at = i.text_location();
      places.push_back(absl::StrCat(i.name(), " ", at.line, ":", at.column));
    }
  }
  return places;
}

struct PlaceCase {
  const char* what;
  const char* text;
  std::vector<std::string> places;
};

TEST(TextPlacesTest, EveryInstructionHasItsLineAndColumn) {
  for (
      const PlaceCase& test : std::vector<PlaceCase>{
          {"as printed",
           "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n"
           "  y = f32[2] add(x, x)\n  ROOT z = f32[2] add(x, x)\n}\n",
           {"x 4:3", "y 5:3", "z 6:3"}},
          {"alike, in several computations",
           "f {\n  a = f32[2] parameter(0)\n  b = f32[2] negate(a)\n"
           "  c = f32[2] negate(b)\n}\n\n\ng {\n  d = f32[2] parameter(0)\n"
           "  e = f32[2] negate(d)\n}\nENTRY h {\n"
           "  i = f32[2] parameter(0)\n"
           "  ROOT j = f32[2] call(i), to_apply=f\n}\n",
           {"a 2:3", "b 3:3", "c 4:3", "d 9:3", "e 10:3", "i 13:3", "j 14:3"}},
          {"one line",
           "ENTRY e { x = f32[2] parameter(0) y = f32[2] add(x, x) "
           "ROOT z = f32[2] add(x, y) }",
           {"x 1:11", "y 1:35", "z 1:56"}},
          {"comments, blank lines, tabs, carriage returns",
           "ENTRY e {\r\n  // one\r\n\r\n\tx = f32[2] parameter(0)\r\n"
           "  /* two\n lines */ y = f32[2] add(x, x)\r\n"
           "    ROOT z = f32[2] add(x, x)\r\n}",
           {"x 4:2", "y 6:11", "z 7:5"}},
          {"over several lines",
           "ENTRY e {\n  x = f32[2,2] parameter(0)\n  y = f32[2,2] constant({\n"
           "    {1, 2},\n    {3, 4}\n  })\n  t = f32[2,2] transpose(x),\n"
           "    dimensions={1,0}\n  ROOT\n  z = f32[2,2] add(t,\n y)\n}",
           {"x 2:3", "y 3:3", "t 7:3", "z 9:3"}},
          {"a body inside",
           "ENTRY e {\n  x = f32[2] parameter(0)\n"
           "  y = f32[2] call(x), to_apply={\n    p = f32[2] parameter(0)\n"
           "    ROOT q = f32[2] negate(p)\n  }\n  ROOT z = f32[2] add(x, y)\n}",
           {"p 4:5", "q 5:5", "x 2:3", "y 3:3", "z 7:3"}},
          {"operands that are instructions",
           "ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, "
           "f32[2] negate(x))\n}",
           {"x 2:3", "negate.anon 3:26", "y 3:3"}},
          {"elements of a tuple",
           "ENTRY e {\n  t = (f32[2], f32[]) parameter(0)\n"
           "  ROOT y = f32[2] negate(\n    t#0)\n}",
           {"t 2:3", "t_0 4:5", "y 3:3"}},
          {"what async sugar makes",
           "ENTRY e {\n  x = f32[2] parameter(0)\n"
           "  s = ((f32[2]), f32[2], s32[]) negate-start(x)\n"
           "  ROOT d = f32[2] negate-done(s)\n}",
           {"async_param 3:3", "negate 3:3", "x 2:3", "s 3:3", "d 4:3"}},
          {"an instruction alone",
           " f32[2] add(f32[2] x,\n f32[2] y)",
           {"x 1:13", "y 2:2", "_ 1:2"}},
      }) {
    ParseOptions options;
    options.file = "m.hlo";
    const absl::StatusOr<Module> module = ParseHloText(test.text, options);
    ASSERT_TRUE(module.ok()) << test.what << ": " << module.status().message();
    EXPECT_THAT(PlacesOf(*module), ElementsAreArray(test.places)) << test.what;
    EXPECT_EQ(module->entry().root().text_location().file, "m.hlo");
  }
}

// What XLA prints: the line of each instruction begins with its name.
TEST(TextPlacesTest, RealModules) {
  int64_t checked = 0;
  for (const char* name : {"ct_callbacks.opt.hlo", "ct_cond_switch.hlo",
                           "ct_while_fori.hlo", "dt_dot_algorithms.hlo"}) {
    const absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat("tests/data/jax/", name));
    ASSERT_TRUE(text.ok()) << text.status();
    const std::vector<std::string> lines = absl::StrSplit(*text, '\n');
    ParseOptions options;
    options.allow_elided_constants = true;
    const absl::StatusOr<Module> module = ParseHloText(*text, options);
    ASSERT_TRUE(module.ok()) << module.status().message();
    for (const Computation computation : module->computations()) {
      for (const Instruction i : computation.instructions()) {
        const SourceLocation at = i.text_location();
        EXPECT_EQ(at.file, "text");
        ASSERT_LE(at.line, static_cast<int>(lines.size()));
        absl::string_view line = lines[static_cast<size_t>(at.line) - 1];
        line.remove_prefix(static_cast<size_t>(at.column) - 1);
        absl::ConsumePrefix(&line, "ROOT ");
        absl::ConsumePrefix(&line, "%");
        EXPECT_THAT(std::string(line), StartsWith(i.name() + " = "));
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(TextPlacesTest, AModuleFromBytesHasNone) {
  const absl::StatusOr<Module> module =
      ParseHloText("ENTRY e { ROOT x = f32[2] parameter(0) }");
  ASSERT_TRUE(module.ok());
  const absl::StatusOr<std::string> bytes = SerializeModule(*module);
  ASSERT_TRUE(bytes.ok());
  const absl::StatusOr<Module> read = ReadHloModuleProto(*bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(internal::DataOf(*read).places, nullptr);
  EXPECT_EQ(read->entry().root().text_location().file, "");
  EXPECT_EQ(PlaceText(read->entry().root()), "");
}

// The text's place comes first, since that is what a person edits, and the
// metadata's is a note; the lines have both.
TEST(TextPlacesTest, ReportsNameTheLine) {
  ParseOptions options;
  options.file = "dir/m.hlo";
  const absl::StatusOr<Module> module = ParseHloText(
      "ENTRY e {\n  x = f32[2] parameter(0), metadata={source_file=\"n.py\" "
      "source_line=12}\n  y = f32[3] parameter(1)\n"
      "  ROOT z = f32[2] add(x, y)\n}",
      options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  ModuleDiagnostic d;
  d.diagnostic.code = Code::kDimsDiffer;
  d.diagnostic.operand = 0;
  d.diagnostic.dim = 0;
  d.diagnostic.other_operand = 1;
  d.diagnostic.other_dim = 0;
  d.instruction = 2;
  const std::string text = RenderDiagnostic(*module, d);
  EXPECT_THAT(text, StartsWith("dir/m.hlo:4:3: error: add can't match f32[2]"));
  EXPECT_THAT(text,
              HasSubstr("    %x = f32[2] parameter(0)        m.hlo:2:3, "
                        "n.py:12\n"
                        "    %y = f32[3] parameter(1)        m.hlo:3:3\n"));
  EXPECT_THAT(text, Not(HasSubstr("note:")));
  d.instruction = 0;
  EXPECT_THAT(
      RenderDiagnostic(*module, d),
      AllOf(StartsWith("dir/m.hlo:2:3: error: "),
            EndsWith("\nn.py:12: note: the program's line that made it\n")));
  const std::optional<Instruction> at = InstructionAt(*module, d);
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(at->location().line, 12);
  EXPECT_EQ(at->text_location().line, 2);
  d.instruction = 3;
  EXPECT_FALSE(InstructionAt(*module, d).has_value());
}

// Neighbours on lines that follow each other share one entry.
TEST(TextPlacesTest, PlacesTakeLittle) {
  std::string text = "ENTRY e {\n  x0 = f32[2] parameter(0)\n";
  for (int i = 1; i < 1000; ++i) {
    absl::StrAppend(&text, "  x", i, " = f32[2] add(x", i - 1, ", x", i - 1,
                    ")\n");
  }
  const absl::StatusOr<Module> module = ParseHloText(text + "}\n");
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_NE(internal::DataOf(*module).places, nullptr);
  EXPECT_EQ(internal::DataOf(*module).places->runs().size(), 1);
  EXPECT_EQ(module->entry().root().text_location().line, 1001);
}

}  // namespace
}  // namespace indim
