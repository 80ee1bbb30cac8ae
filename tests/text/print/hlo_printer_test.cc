// SPDX-License-Identifier: Apache-2.0
// PrintHloText against what XLA (jaxlib 0.10.2) prints of the same modules.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/ir/module.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/tests/data_files.h"
#include "indim/tests/ir/module_maker.h"
#include "indim/tests/sample.h"
#include "indim/text/parse/parse_hlo_text.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kData[] = "tests/data/";

Module ReadModule(const std::string& file) {
  const absl::StatusOr<std::string> bytes = ReadFile(file);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
  EXPECT_TRUE(module.ok()) << file << ": " << module.status();
  return *module;
}

// Every X.hlo.pb with an X.hlo beside it is printed so.
int CompareFolder(const std::string& folder) {
  int compared = 0;
  for (const std::string& text_file : DataFiles(folder, ".hlo")) {
    const Module module = ReadModule(text_file + ".pb");
    EXPECT_EQ(PrintHloText(module, PrintOptions::LargeConstants()),
              *ReadFile(text_file))
        << text_file;
    ++compared;
  }
  return compared;
}

TEST(PrintHloText, RealModules) { EXPECT_GE(CompareFolder("jax"), 30); }

// Orders, schedules, frames, sugar: where order and numbers aren't the file's.
TEST(PrintHloText, ModulesMadeForIt) {
  EXPECT_EQ(CompareFolder("ir/hlo_text"), 4);
}

TEST(PrintHloText, EveryOption) {
  std::vector<std::pair<std::string, PrintOptions>> rows = {
      {"default", PrintOptions::Default()},
      {"short", PrintOptions::ShortParsable()},
      {"canonical", PrintOptions::Canonical()}};
  const auto row = [&rows](std::string name) {
    return &rows.emplace_back(std::move(name), PrintOptions()).second;
  };
  row("nopercent")->percent = false;
  row("noids")->ids = false;
  row("nometa")->metadata = false;
  row("opshape")->operand_shapes = true;
  row("nolayout")->layouts = false;
  row("noresult")->result_shape = false;
  row("noprogram")->program_shape = false;
  row("compact")->compact_operands = true;
  row("nobackend")->backend_config = false;
  row("noctrl")->control_predecessors = false;
  row("noextra")->extra_attributes = false;
  row("noopnames")->operand_names = false;
  row("indent")->indent = 2;
  PrintOptions* names = row("canonnames");
  names->canonical_names = true;
  names->percent = false;
  for (const char* file : {"order", "async_sugar"}) {
    const Module module =
        ReadModule(absl::StrCat(kData, "ir/hlo_text/", file, ".hlo.pb"));
    for (const auto& [name, options] : rows) {
      const std::string expected =
          absl::StrCat(kData, "ir/hlo_options/", file, ".", name, ".hlo");
      EXPECT_EQ(PrintHloText(module, options), *ReadFile(expected)) << expected;
    }
  }
}

Module FromText(absl::string_view text) {
  const absl::StatusOr<Module> module = ReadHloModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

constexpr char kShapeOfF32[] = "shape { element_type: F32 }";

// XLA prints sugar also where it reads another module from it.
TEST(PrintHloText, ExactSugarReadsBack) {
  const char* const kCalls[] = {
      // Sugar.
      "ROOT r = f32[4] negate(a)\n}\nENTRY e {\n x = f32[4] parameter(0)\n s "
      "= ((f32[4]), f32[4], s32[]) async-start(x), calls=async_wrapped\n",
      // An op of that name; another order of operands; aliases; attributes.
      "ROOT r = f32[4] copy(a)\n}\nENTRY e {\n x = f32[4] parameter(0)\n s = "
      "((f32[4]), f32[4], u32[]) async-start(x), calls=async_wrapped\n",
      "ROOT r = f32[4] add(a, a)\n}\nENTRY e {\n x = f32[4] parameter(0)\n s "
      "= ((f32[4]), f32[4], s32[]) async-start(x), calls=async_wrapped\n",
      "ROOT r = f32[4] negate(a)\n}\nENTRY e {\n x = f32[4] parameter(0)\n s "
      "= ((f32[4]), f32[4], s32[]) async-start(x), "
      "output_to_operand_aliasing={{1}: (0, {})}, calls=async_wrapped\n",
      "ROOT r = f32[4] negate(a), backend_config=\"b\"\n}\nENTRY e {\n x = "
      "f32[4] parameter(0)\n s = ((f32[4]), f32[4], s32[]) async-start(x), "
      "calls=async_wrapped\n"};
  for (const char* call : kCalls) {
    SCOPED_TRACE(call);
    const absl::StatusOr<Module> module = ParseHloText(absl::StrCat(
        "HloModule m\nasync_wrapped {\n a = f32[4] parameter(0)\n ", call,
        " ROOT d = f32[4] async-done(s)\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    PrintOptions exact = PrintOptions::LargeConstants();
    exact.exact_sugar = true;
    const std::string text = PrintHloText(*module, exact);
    const bool has_sugar = call == kCalls[0];
    EXPECT_EQ(absl::StrContains(text, "negate-start("), has_sugar) << text;
    const absl::StatusOr<Module> again = ParseHloText(text);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    // Names aside, the same.
    PrintOptions canonical = PrintOptions::Canonical();
    canonical.async_sugar = false;
    EXPECT_EQ(PrintHloText(*again, canonical),
              PrintHloText(*module, canonical));
  }
}

// The switches that jaxlib's HloPrintOptions hasn't got.
TEST(PrintHloText, OptionsBeyondJaxlib) {
  const Module module = FromText(absl::StrReplaceAll(
      R"(name: "m" entry_computation_id: 1 computations {
           name: "main" id: 1 root_id: 6
           instructions { name: "p" opcode: "parameter" id: 1
             shape { element_type: TUPLE tuple_shapes { element_type: F32 } } }
           instructions { name: "c" opcode: "constant" id: 2 SHAPE
             literal { SHAPE f32s: 1 } }
           instructions { name: "h" opcode: "constant" id: 3 SHAPE
             literal { SHAPE f32s: 0.5 } }
           instructions { name: "e" opcode: "get-tuple-element" id: 4 SHAPE
             operand_ids: 1 }
           instructions { name: "s" opcode: "add" id: 5 SHAPE
             operand_ids: 2 operand_ids: 3 }
           instructions { name: "r" opcode: "add" id: 6 SHAPE
             operand_ids: 4 operand_ids: 5
             metadata { op_name: "x" stack_frame_id: 1 } } }
         stack_frame_index { file_names: "f.py" function_names: "f"
           file_locations { file_name_id: 1 function_name_id: 1 line: 7 }
           stack_frames { file_location_id: 1 } })",
      {{"SHAPE", kShapeOfF32}}));
  PrintOptions options;
  options.compact_tuple_elements = true;
  EXPECT_THAT(PrintHloText(module, options),
              AllOf(HasSubstr("add(%p#0, %s)"), Not(HasSubstr("%e = "))));
  options = PrintOptions();
  options.essential_constants = true;
  EXPECT_THAT(PrintHloText(module, options),
              AllOf(HasSubstr("%c = f32[] constant(1)"),
                    HasSubstr("%h = f32[] constant({...})")));
  options = PrintOptions();
  options.parameter_numbers = false;
  EXPECT_THAT(PrintHloText(module, options), HasSubstr(" parameter()"));
  options = PrintOptions();
  options.metadata_only_op_name = true;
  EXPECT_THAT(PrintHloText(module, options),
              HasSubstr(", metadata={op_name=\"x\"}\n"));
  options = PrintOptions();
  options.inline_stack_frames = true;
  EXPECT_THAT(PrintHloText(module, options),
              AllOf(HasSubstr("source_file=\"f.py\" source_line=7"),
                    Not(HasSubstr("stack_frame_id"))));
  options = PrintOptions();
  options.name_after_brace = true;
  EXPECT_THAT(PrintHloText(module, options), HasSubstr("\n} // main\n"));
}

TEST(PrintHloText, ColorsAddNothingButEscapes) {
  const Module module =
      ReadModule(absl::StrCat(kData, "jax/ct_cond_switch.hlo.pb"));
  PrintOptions options;
  options.color = true;
  std::string text = PrintHloText(module, options);
  EXPECT_THAT(text, HasSubstr("\x1b[32m"));
  for (const char* code : {"0", "1", "2", "32", "35", "36"}) {
    text = absl::StrReplaceAll(text, {{absl::StrCat("\x1b[", code, "m"), ""}});
  }
  EXPECT_EQ(text, PrintHloText(module));
}

// What the header says beside HloModuleProto.
TEST(PrintHloText, Config) {
  const Module module = FromText(absl::StrReplaceAll(
      R"(name: "m" entry_computation_id: 1 computations {
           name: "main" id: 1 root_id: 1
           instructions { name: "p" opcode: "parameter" id: 1 SHAPE } }
         text_config: "\x20\x02\x28\x04\x88\x01\x01\xda\x01\x02\x01\x00")",
      {{"SHAPE", kShapeOfF32}}));
  EXPECT_THAT(
      PrintHloText(module),
      HasSubstr("HloModule m, alias_passthrough_params=true, "
                "entry_computation_layout={(f32[])->f32[]}, "
                "allow_spmd_sharding_propagation_to_output={true,false}, "
                "replica_count=2, num_partitions=4\n"));
}

// However long a name is, it stands where a short one would: lines that are
// alike, as four sums and three tuples are here, are put together in a buffer
// that has to be large enough.
TEST(PrintHloText, LongNames) {
  std::string text =
      "HloModule m\n\nENTRY %e {\n  %NAME = f32[2]{0} parameter(0)";
  std::string last = "%NAME";
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "\n  %NAME.", i, " = f32[2]{0} add(", last,
                    ", %NAME)", ", metadata={op_name=\"same\"}");
    last = absl::StrCat("%NAME.", i);
  }
  for (const char* tuple : {"%t", "%u", "ROOT %r"}) {
    absl::StrAppend(&text, "\n  ", tuple,
                    " = (f32[2]{0}, f32[2]{0}, f32[2]{0}) tuple(", last,
                    ", %NAME, %NAME.2)");
  }
  text += "\n}\n\n";
  const auto print = [&text](const std::string& name) {
    const absl::StatusOr<Module> module =
        ParseHloText(absl::StrReplaceAll(text, {{"NAME", name}}));
    EXPECT_TRUE(module.ok()) << module.status();
    return PrintHloText(*module);
  };
  const std::string expected = print("NAME");
  EXPECT_THAT(expected,
              HasSubstr("%NAME.3 = f32[2]{0} add(%NAME.2, %NAME), metadata="));
  for (const size_t size :
       {1, 31, 32, 33, 120, 126, 127, 128, 129, 4096, 100000}) {
    const std::string name(size, 'n');
    EXPECT_TRUE(print(name) == absl::StrReplaceAll(expected, {{"NAME", name}}))
        << size;
  }
}

// Names that text can't spell, as XLA reads them from a file (its own
// sanitized names; the last ones it refuses, being equal then).
// XLA's text reader takes these words for something else.
TEST(PrintHloText, ModulesNamedLikeTypes) {
  for (const std::string name : {"s4", "f32", "pred", "ENTRY", "nan", "s4_"}) {
    const absl::StatusOr<Module> module = ParseHloText(
        absl::StrCat("HloModule ", name,
                     "\n\nENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string printed = PrintHloText(*module);
    const std::string first = printed.substr(0, printed.find(','));
    EXPECT_EQ(first,
              absl::StrCat("HloModule ", name, name == "s4_" ? "" : "_"));
  }
}

TEST(PrintHloText, NamesThatTextCannotSpell) {
  struct Case {
    std::string name;
    std::string printed;
  };
  const std::vector<Case> cases = {
      {"a b", "a_b"},
      {"quote\"", "quote_"},
      {"%x", "_x"},
      {"line\nbreak", "line_break"},
      {"1st", "_st"},
      {"f32", "f32_"},
      {"__mine", "a_mine"},
      {"tab\t{}=,()", "tab_______"},
      {"caf\xc3\xa9", "caf__"},
      {"a(b", "a_b.1"},
      {"a)b", "a_b.2"},
  };
  std::string instructions;
  for (size_t i = 0; i < cases.size(); ++i) {
    absl::StrAppend(
        &instructions, "instructions { name: \"", absl::CEscape(cases[i].name),
        "\" id: ", i + 1, " SHAPE opcode: ",
        i == 0 ? "\"parameter\"" : absl::StrCat("\"negate\" operand_ids: ", i),
        " }");
  }
  const Module module = FromText(absl::StrReplaceAll(
      absl::StrCat(
          R"(name: "my module" entry_computation_id: 1 computations {
               name: "the \"entry\"" id: 1 root_id: )",
          cases.size(), " ", instructions, "}"),
      {{"SHAPE", kShapeOfF32}}));
  const std::string text = PrintHloText(module);
  EXPECT_THAT(text, HasSubstr("HloModule my_module,"));
  EXPECT_THAT(text, HasSubstr("ENTRY %the__entry_ (a_b: f32[]) -> f32[] {"));
  for (const Case& c : cases) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat(" %", c.printed, " = ")));
  }
  const absl::StatusOr<Module> back = ParseHloText(text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(PrintHloText(*back), text);
  // The file keeps its own.
  EXPECT_EQ(module.entry().instruction(1).name(), "quote\"");
}

// Only "%" makes them names, so they keep it.
TEST(PrintHloText, NamesThatAreReservedWords) {
  for (const absl::string_view word :
       {"inf", "nan", "true", "ROOT", "manual"}) {
    const absl::StatusOr<Module> module = ParseHloText(absl::StrReplaceAll(
        R"(HloModule m
%f.1 {
  %x = f32[] parameter(0)
  ROOT %WORD = f32[] negate(%x)
}
ENTRY %WORD {
  %WORD = f32[] parameter(0)
  ROOT %WORD.1 = f32[] call(%WORD), to_apply=%f.1
})",
        {{"WORD", word}}));
    ASSERT_TRUE(module.ok()) << module.status();
    for (const PrintOptions& options :
         {PrintOptions(), PrintOptions::ShortParsable()}) {
      const std::string text = PrintHloText(*module, options);
      EXPECT_THAT(text, HasSubstr(absl::StrCat("%", word, " = ")));
      const absl::StatusOr<Module> back = ParseHloText(text);
      ASSERT_TRUE(back.ok()) << back.status() << "\n" << text;
      EXPECT_EQ(PrintHloText(*back, options), text);
    }
    const std::string canonical =
        PrintHloText(*module, PrintOptions::Canonical());
    EXPECT_THAT(canonical, Not(HasSubstr("%")));
  }
}

TEST(PrintHloText, IsTotal) {
  EXPECT_EQ(PrintHloText(Module()), "HloModule \n\n");
  // No names, no shapes, a while without its computations.
  ModuleMaker maker;
  maker.Computation("");
  const uint32_t p = maker.Parameter(3, "");
  maker.Add(Opcode::kWhile, "", {p});
  EXPECT_THAT(PrintHloText(maker.Make()), HasSubstr(" while("));
}

// A computation that is called twice by one that is called twice ... has 2^n
// copies when bodies are printed inside.
TEST(PrintHloText, InlineBodiesEnd) {
  ModuleMaker maker;
  constexpr uint32_t kDepth = 300;
  for (uint32_t c = 0; c < kDepth; ++c) {
    maker.Computation(absl::StrCat("c", c));
    const uint32_t p = maker.Parameter(0, "f32[]", absl::StrCat("p", c));
    if (c == 0) continue;
    uint32_t x = p;
    const uint32_t copies = c < 6 ? 2 : 1;
    for (uint32_t k = 0; k < copies; ++k) {
      x = maker.Add(Opcode::kCall, "f32[]", {x}, absl::StrCat("x", c, "_", k),
                    {}, {c - 1});
    }
  }
  PrintOptions options;
  options.subcomputations = PrintOptions::Subcomputations::kBodies;
  const Module module = maker.Make();
  const std::string whole = PrintHloText(module, options);
  EXPECT_THAT(whole, HasSubstr("to_apply=\n"));
  // Of 300 levels 200 are printed, which is said.
  std::string pieces;
  const auto sink = [&](absl::string_view text) {
    absl::StrAppend(&pieces, text);
  };
  const absl::Status status = PrintHloText(module, options, sink);
  EXPECT_EQ(pieces, whole);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("200 levels"));
}

// 2^30 bodies: what they may take is what they take, and a little more.
TEST(PrintHloText, InlineBodiesEndAtTheirLimit) {
  ModuleMaker maker;
  for (uint32_t c = 0; c < 30; ++c) {
    maker.Computation(absl::StrCat("c", c));
    uint32_t x = maker.Parameter(0, "f32[]", absl::StrCat("p", c));
    for (uint32_t k = 0; c > 0 && k < 2; ++k) {
      x = maker.Add(Opcode::kCall, "f32[]", {x}, absl::StrCat("x", c, "_", k),
                    {}, {c - 1});
    }
  }
  const Module module = maker.Make();
  PrintOptions options = PrintOptions::Canonical();
  options.max_body_text = 6 << 20;
  size_t size = 0;
  size_t largest = 0;
  const absl::Status status =
      PrintHloText(module, options, [&](absl::string_view text) {
        size += text.size();
        largest = std::max(largest, text.size());
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("6 MiB"));
  EXPECT_GT(size, options.max_body_text);
  EXPECT_LT(size, options.max_body_text + (1 << 20));
  EXPECT_LT(largest, size);
  EXPECT_EQ(PrintHloText(module, options).size(), size);
}

// Pieces are what the whole is, also where lines repeat what stood in a piece
// before.
TEST(PrintHloText, InPieces) {
  ModuleMaker maker;
  maker.Computation("e");
  uint32_t x = maker.Parameter(0, "f32[7,9]{1,0}", "x");
  for (int k = 0; k < 300000 / SampleStep(2); ++k) {
    x = maker.Add(k % 3 == 0 ? Opcode::kNegate : Opcode::kExp, "f32[7,9]{1,0}",
                  {x});
  }
  const Module module = maker.Make();
  std::string pieces;
  int count = 0;
  EXPECT_TRUE(PrintHloText(module, {}, [&](absl::string_view text) {
                absl::StrAppend(&pieces, text);
                ++count;
              }).ok());
  EXPECT_GT(count, 2);
  EXPECT_TRUE(pieces == PrintHloText(module));
}

}  // namespace
}  // namespace indim
