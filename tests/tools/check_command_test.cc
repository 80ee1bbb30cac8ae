// SPDX-License-Identifier: Apache-2.0
// indim check: its formats, and the flags that decide what is reported and what
// the exit status is.

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Modules by name: FINE has nothing wrong, WARNS a warning (IND0900), FAILS an
// error (IND0105) and a warning, BAD can't be read in line 4.
struct Files {
  std::string folder = Temp("check, 100%");
  std::string fine = folder + "/fine.hlo", warns = folder + "/warns.hlo",
              fails = folder + "/fails.hlo", bad = folder + "/bad.hlo";

  Files() {
    EXPECT_EQ(system(absl::StrCat("mkdir -p '", folder, "'").c_str()), 0);
    const std::string begin =
        "HloModule m\n\nENTRY e {\n  x = f32[2]{0} parameter(0)\n";
    Write(fine, begin + "  ROOT y = f32[2]{0} negate(x)\n}\n");
    Write(warns, begin + "  ROOT y = f32[2]{0} shift-left(x, x)\n}\n");
    Write(fails, begin +
                     "  y = f32[3]{0} negate(x), metadata={op_name=\"y\" "
                     "source_file=\"model, v2.py\" source_line=8}\n"
                     "  w = f32[2]{0} shift-left(x, x)\n"
                     "  ROOT t = (f32[3]{0}, f32[2]{0}) tuple(y, w)\n}\n");
    Write(bad, "HloModule m\n\nENTRY e {\n  ROOT x = f32[2]{0} ad(x)\n}\n");
  }

  // The arguments with the files for their names.
  std::string Arguments(absl::string_view text) const {
    return absl::StrReplaceAll(text, {{"FINE", "'" + fine + "'"},
                                      {"WARNS", "'" + warns + "'"},
                                      {"FAILS", "'" + fails + "'"},
                                      {"BAD", "'" + bad + "'"}});
  }
  Outcome Check(absl::string_view arguments) const {
    return Indim("check " + Arguments(arguments));
  }

 private:
  static void Write(const std::string& path, const std::string& text) {
    EXPECT_TRUE(WriteFile(path, text).ok()) << path;
  }
};

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

Struct Object(const std::string& json) {
  Struct object;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &object).ok())
      << json;
  return object;
}

// The value at a path such as "runs/0/tool/driver/name"; null where there is
// none.
Value At(const Struct& object, absl::string_view path) {
  Value value;
  *value.mutable_struct_value() = object;
  for (const absl::string_view step : absl::StrSplit(path, '/')) {
    const Value before = value;
    const bool is_number =
        step.find_first_not_of("0123456789") == absl::string_view::npos;
    value = Value();
    if (is_number) {
      const int index = std::stoi(std::string(step));
      if (index < before.list_value().values_size()) {
        value = before.list_value().values(index);
      }
    } else if (before.struct_value().fields().count(std::string(step)) > 0) {
      value = before.struct_value().fields().at(std::string(step));
    }
  }
  return value;
}

std::string TextAt(const Struct& object, absl::string_view path) {
  return At(object, path).string_value();
}

// In all formats alike.
// MLIR takes it, and XLA passes over it.
TEST(CheckCommand, WhatMeansNothingIsSaid) {
  const std::string file = Written(
      "nothing.mlir",
      "func.func @main(%x: tensor<8xf32> {mhlo.sharding = \"nonsense\"}) -> "
      "tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n");
  const Outcome said = Indim("check " + file);
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.out,
              HasSubstr("warning: line 1: mhlo.sharding \"nonsense\" isn't a "
                        "sharding: it means nothing, and the graph is made "
                        "without it  [IND0815]"));
  EXPECT_EQ(Indim("check --werror " + file).exit, 1);
  EXPECT_THAT(Indim("check --disable=means-nothing " + file).out,
              Not(HasSubstr("IND0815")));
  const Outcome converted =
      Indim("convert " + file + " -o " + Temp("nothing.hlo"));
  EXPECT_EQ(converted.exit, 0);
  EXPECT_THAT(converted.err, HasSubstr("IND0815"));
}

TEST(CheckCommand, ExitStatus) {
  struct Row {
    const char* arguments;
    int exit;
  };
  const Files files;
  for (const Row& row :
       {Row{"FINE", 0}, Row{"WARNS", 0}, Row{"--werror WARNS", 1},
        Row{"--werror FINE", 0}, Row{"--werrors FINE", 2}, Row{"FAILS", 1},
        Row{"--disable=IND0105 FAILS", 0},
        Row{"--disable=result-differs FAILS", 0},
        Row{"--disable=IND0900 FAILS", 1},
        Row{"--disable=IND0105 --werror FAILS", 1},
        Row{"--disable=IND0105,type-class-odd --werror FAILS", 0},
        Row{"--disable=IND0105 --disable=IND0900 --werror "
            "FAILS",
            0},
        Row{"BAD", 2}, Row{"FINE BAD FAILS", 2}, Row{"FINE FAILS WARNS", 1},
        Row{"--quiet FAILS", 1}}) {
    for (const char* format : {"text", "json", "sarif", "github", "junit"}) {
      const Outcome run =
          files.Check(absl::StrCat("--format=", format, " ", row.arguments));
      EXPECT_EQ(run.exit, row.exit) << row.arguments << " " << format;
    }
  }
}

TEST(CheckCommand, CommandLinesThatAreWrong) {
  struct Row {
    const char* arguments;
    const char* expected;
  };
  const Files files;
  for (const Row& row :
       {Row{"--format=xml FINE",
            "--format=xml: expected text, json, sarif, github or "
            "junit"},
        Row{"--format=jsn FINE", "--format=jsn: did you mean json? expected"},
        Row{"--json --format=sarif FINE", "--json is --format=json"},
        Row{"--disable=IND0106x FINE", "did you mean IND0106?"},
        Row{"--disable=result-difers FINE",
            "no code has this number or name; did you mean result-differs?"},
        Row{"--disable=zzzzzzzzzzzzzz FINE", "indim explain codes"},
        Row{"--disable=IND0900,x FINE", "--disable=x: no code"},
        Row{"--disable=IND0800 FINE", "can't be read is always an error"},
        Row{"--disable=file-unreadable FINE", "is always an error"}}) {
    const Outcome run = files.Check(row.arguments);
    EXPECT_EQ(run.exit, 2) << row.arguments;
    EXPECT_THAT(run.out, IsEmpty()) << row.arguments;
    EXPECT_THAT(run.err, HasSubstr(row.expected)) << row.arguments;
  }
}

TEST(CheckCommand, DisabledCodesAreNotReported) {
  const Files files;
  for (const char* format : {"text", "json", "sarif", "github", "junit"}) {
    const std::string out =
        files
            .Check(absl::StrCat("--format=", format,
                                " --disable=IND0900 FAILS WARNS"))
            .out;
    EXPECT_THAT(out, HasSubstr("IND0105")) << format;
    EXPECT_THAT(out, Not(HasSubstr("IND0900"))) << format;
  }
}

TEST(CheckCommand, TextAndQuiet) {
  const Files files;
  const std::string summary =
      ": 2 instructions: 1 inferred, 1 related, 0 unchecked; ";
  EXPECT_EQ(files.Check("FINE").out,
            absl::StrCat(files.fine, ": ok", summary, "1 broadcastable\n"));
  EXPECT_EQ(files.Check("--verbose --quiet FINE").out,
            "  e/%x: MLIR's trait Broadcastable doesn't apply to parameter: it "
            "has no operand\n");
  EXPECT_EQ(
      files.Check("--verbose FINE").out,
      files.Check("FINE").out + files.Check("--verbose --quiet FINE").out);
  EXPECT_EQ(files.Check("--quiet FINE").out, "");
  EXPECT_THAT(files.Check("WARNS").out,
              HasSubstr(absl::StrCat(files.warns, ": ok", summary)));
  EXPECT_THAT(files.Check("--werror WARNS").out,
              HasSubstr(absl::StrCat(files.warns, ": 1 warning", summary)));
  EXPECT_THAT(files.Check("--werror FAILS").out,
              HasSubstr(": 1 error, 1 warning: 4 instructions: "));
  const std::string quiet = files.Check("--quiet FINE FAILS BAD").out;
  EXPECT_THAT(quiet, StartsWith(files.fails + ":5:3: error: "));
  EXPECT_THAT(quiet,
              HasSubstr("\nmodel, v2.py:8: note: the program's line that made "
                        "it\n"));
  EXPECT_THAT(quiet, HasSubstr(files.bad + ":4:22: error: unknown op"));
  EXPECT_THAT(quiet, Not(HasSubstr("can't be read")));
  EXPECT_THAT(quiet, Not(HasSubstr(" inferred, ")));
}

// What a person edits comes before the line of the program that once wrote it.
TEST(CheckCommand, TheTextComesBeforeTheProgram) {
  const std::string mlir =
      Written("edited.mlir",
              "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
              "  %y = stablehlo.reduce_precision %x, format = e0m7 : "
              "tensor<2xf32> loc(\"net.py\":10:3)\n"
              "  return %y : tensor<2xf32>\n}\n");
  const std::string hlo = Written(
      "edited.hlo",
      "ENTRY e {\n  x = f32[2] parameter(0)\n"
      "  ROOT y = f32[2] reduce-precision(x), exponent_bits=0, "
      "mantissa_bits=7, metadata={source_file=\"net.py\" source_line=10}\n}\n");
  const std::string bytes = Temp("edited.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", hlo, " -o ", bytes)).exit, 0);
  const std::string note =
      "\nnet.py:10: note: the program's line that made it\n";
  for (const auto& [file, place] :
       {std::pair(mlir, mlir + ":2:8"), std::pair(hlo, hlo + ":3:3")}) {
    const std::string text = Indim("check " + file).out;
    EXPECT_THAT(text, StartsWith(place + ": error: reduce-precision"));
    EXPECT_THAT(text, HasSubstr(note));
    EXPECT_THAT(Indim("check --format=github " + file).out,
                HasSubstr("%0Amade by net.py:10"));
  }
  const std::string program = Indim("check " + bytes).out;
  EXPECT_THAT(program, StartsWith("net.py:10: error: reduce-precision"));
  EXPECT_THAT(program, Not(HasSubstr("note: ")));
}

TEST(CheckCommand, JsonIsAnObjectALine) {
  const Files files;
  const Outcome run = files.Check("--format=json FINE FAILS BAD");
  EXPECT_EQ(run.out, files.Check("--json FINE FAILS BAD").out);
  EXPECT_EQ(run.out, files.Check("--format=json --json FINE FAILS BAD").out);
  const std::vector<std::string> lines = Lines(run.out);
  ASSERT_EQ(lines.size(), 3u);
  const Struct fails = Object(lines[1]);
  EXPECT_EQ(At(fails, "version").number_value(), 1);
  EXPECT_EQ(TextAt(fails, "file"), files.fails);
  EXPECT_EQ(TextAt(fails, "errors/0/code"), "IND0105");
  EXPECT_EQ(TextAt(fails, "warnings/0/code"), "IND0900");
  const Struct bad = Object(lines[2]);
  EXPECT_EQ(At(bad, "version").number_value(), 1);
  EXPECT_EQ(TextAt(bad, "errors/0/code"), "IND0800");
  EXPECT_EQ(At(bad, "errors/0/line").number_value(), 4);
  EXPECT_EQ(At(bad, "instructions").number_value(), 0);
  EXPECT_EQ(
      Lines(files.Check("--format=json --quiet FINE FAILS BAD").out).size(),
      2u);
  // Each instruction has the trait or a reason.
  EXPECT_EQ(At(fails, "broadcastable").number_value(), 2);
  EXPECT_EQ(At(fails, "not_broadcastable/no-operand").number_value(), 1);
  EXPECT_EQ(At(fails, "not_broadcastable/several-results").number_value(), 1);
  EXPECT_TRUE(At(fails, "not_broadcastable_instructions")
                  .list_value()
                  .values()
                  .empty());
  const Struct verbose =
      Object(files.Check("--format=json --verbose FAILS").out);
  EXPECT_EQ(TextAt(verbose, "not_broadcastable_instructions/0/op"),
            "parameter");
  EXPECT_EQ(TextAt(verbose, "not_broadcastable_instructions/1/why"),
            "several-results");
}

// A constraint of StableHLO is an error in the module, and the rest is checked.
TEST(CheckCommand, OfStablehloItChecksAllOfAllModules) {
  const std::string path = Written("wrong.mlir", R"(module {
  func.func @main(%a: tensor<f32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "chlo.erfc"(%a) : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %b : tensor<4xf32>
    %2 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 4>,
      start_indices = array<i64: 5>, strides = array<i64: 1>}>
      : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
module @other {
  func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
}
)");
  const Outcome run = Indim("check " + path);
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr(":3:10: error: 'chlo.erfc' op inferred type"));
  EXPECT_THAT(run.out, HasSubstr("[IND1240]"));
  EXPECT_THAT(run.out, HasSubstr(":5:10: error: slice"));
  EXPECT_THAT(run.out, HasSubstr(": module 1 of 2 (main): 2 errors: "));
  EXPECT_THAT(run.out, HasSubstr(": module 2 of 2 (other): ok: 1 instruction"));
  const std::vector<std::string> lines =
      Lines(Indim("check --json " + path).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(TextAt(Object(lines[0]), "errors/0/code"), "IND1240");
  EXPECT_EQ(At(Object(lines[0]), "errors").list_value().values_size(), 2);
  EXPECT_EQ(At(Object(lines[1]), "errors").list_value().values_size(), 0);
  EXPECT_EQ(TextAt(Object(lines[1]), "module"), "other");
  EXPECT_EQ(At(Object(lines[1]), "module_number").number_value(), 2);
  EXPECT_EQ(Lines(Indim("check --disable=IND1240 --quiet " + path).out)[0].find(
                "chlo.erfc"),
            std::string::npos);
}

// A shape that doesn't fit is an error of the module, with what HLO text has:
// the operand, the dim, the place, a fix.
TEST(CheckCommand, ShapesOfStablehloThatDontFit) {
  const struct {
    const char* body;
    const char* error;
    int operand;
  } kCases[] = {
      {"%0 = stablehlo.add %x, %b : tensor<2x3xf32>",
       R"("line":2,"column":28,"operand":1,)", 1},
      {"%0 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<3xf32>) -> "
       "tensor<2x3xf32>",
       R"("fix":"dims = [1]")", 0},
      {"%0 = stablehlo.add %x, %x : tensor<3xf32>", R"("operand":0,)", 0},
      {"%0 = \"stablehlo.if\"(%p) ({ stablehlo.return %x : tensor<3xf32> }, { "
       "stablehlo.return %b : tensor<3xf32> }) : (tensor<i1>) -> tensor<3xf32>",
       "expected a value of type tensor<3xf32>, found one of tensor<2x3xf32>",
       0},
  };
  for (const auto& c : kCases) {
    const std::string path = Written(
        "shapes.mlir",
        absl::StrCat("func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xf32>, "
                     "%p: tensor<i1>) {\n    ",
                     c.body, "\n    return\n}\n"));
    const Outcome run = Indim("check --json " + path);
    EXPECT_EQ(run.exit, 1) << run.out;
    EXPECT_THAT(run.out, HasSubstr(c.error));
    EXPECT_EQ(At(Object(Lines(run.out)[0]), "errors/0/operand").number_value(),
              c.operand)
        << run.out;
    // Who wants the module gets none.
    EXPECT_EQ(Indim("print " + path).exit, 2);
  }
  const std::string path =
      Written("shapes.mlir",
              "func.func @main(%x: tensor<2x3xf32>, %b: tensor<3xf32>) {\n"
              "  %0 = stablehlo.add %x, %b : tensor<2x3xf32>\n  return\n}\n");
  EXPECT_THAT(Indim("check " + path).out,
              HasSubstr("to fix: stablehlo.broadcast_in_dim %b, dims = [1] : "
                        "(tensor<3xf32>) -> tensor<2x3xf32> as operand 1"));
}

// Fixes of a program of StableHLO name no instructions of HLO text.
TEST(CheckCommand, OfStablehloFixesAreInItsWords) {
  const std::string path = Written("mixed.mlir", R"(module {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) -> tensor<3x2xf32> {
    %0 = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
    %1 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  }
}
)");
  const std::string out = Indim("check " + path).out;
  EXPECT_THAT(out,
              HasSubstr("to fix: stablehlo.convert %b : (tensor<2x3xi32>) -> "
                        "tensor<2x3xf32> as operand 1"));
  EXPECT_THAT(out, HasSubstr("dimensions [1,1] must name"));
  EXPECT_THAT(out, HasSubstr("to fix: dims = [1, 0]"));
  EXPECT_THAT(out, Not(HasSubstr("to fix: dimensions")));
  EXPECT_THAT(out, Not(HasSubstr("convert(")));
  // Of HLO text behind it they do.
  const std::string hlo = Written("mixed.hlo", R"(HloModule m
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,3,4] broadcast(a), dimensions={1,2}
  ROOT t = f32[3,2] transpose(a), dimensions={1,1}
}
)");
  EXPECT_THAT(Indim("check " + path + " " + hlo).out,
              AllOf(HasSubstr("to fix: dimensions={1,0}"),
                    HasSubstr("to fix: dimensions={0,1}")));
}

// The schema's own test is //tests/tools:json_schemas_test.
TEST(CheckCommand, SarifHasWhatItsReadersShow) {
  const Files files;
  const Struct log = Object(files.Check("--format=sarif FINE FAILS BAD").out);
  struct Row {
    const char* path;
    std::string text;
  };
  const std::string folder = absl::StrReplaceAll(
      files.folder, {{",", "%2C"}, {" ", "%20"}, {"%", "%25"}});
  for (const Row& row : std::vector<Row>{
           {"version", "2.1.0"},
           {"runs/0/tool/driver/name", "indim"},
           {"runs/0/tool/driver/rules/0/id", "IND0105"},
           {"runs/0/tool/driver/rules/0/name", "result-differs"},
           {"runs/0/tool/driver/rules/0/defaultConfiguration/level", "error"},
           {"runs/0/tool/driver/rules/1/id", "IND0900"},
           {"runs/0/tool/driver/rules/1/defaultConfiguration/level", "warning"},
           {"runs/0/tool/driver/rules/2/id", "IND0800"},
           {"runs/0/results/0/ruleId", "IND0105"},
           {"runs/0/results/0/level", "error"},
           {"runs/0/results/0/message/text",
            "negate is recorded as f32[3], but its operands give f32[2]"},
           {"runs/0/results/0/locations/0/physicalLocation/artifactLocation/"
            "uri",
            absl::StrCat("file://", folder, "/fails.hlo")},
           {"runs/0/results/0/locations/0/logicalLocations/0/"
            "fullyQualifiedName",
            "e/y"},
           {"runs/0/results/0/relatedLocations/0/physicalLocation/"
            "artifactLocation/uri",
            "model%2C%20v2.py"},
           {"runs/0/results/1/ruleId", "IND0900"},
           {"runs/0/results/1/level", "warning"},
           {"runs/0/results/2/ruleId", "IND0800"},
           {"runs/0/results/2/message/text",
            "unknown op \"ad\", did you mean \"add\"?"}}) {
    EXPECT_EQ(TextAt(log, row.path), row.text) << row.path;
  }
  const std::string region = "/locations/0/physicalLocation/region/";
  for (const auto& [path, number] : std::vector<std::pair<std::string, int>>{
           {"runs/0/results/0/ruleIndex", 0},
           {"runs/0/results/1/ruleIndex", 1},
           {"runs/0/results/2/ruleIndex", 2},
           {"runs/0/results/0" + region + "startLine", 5},
           {"runs/0/results/0" + region + "startColumn", 3},
           {"runs/0/results/2" + region + "startLine", 4},
           {"runs/0/results/0/relatedLocations/0/physicalLocation/region/"
            "startLine",
            8},
           {"runs/0/invocations/0/exitCode", 2}}) {
    EXPECT_EQ(At(log, path).number_value(), number) << path;
  }
  EXPECT_EQ(At(log, "runs/0/results").list_value().values_size(), 3);
  EXPECT_FALSE(
      At(log, "runs/0/invocations/0/executionSuccessful").bool_value());
  const Struct fine = Object(files.Check("--format=sarif FINE").out);
  EXPECT_EQ(At(fine, "runs/0/results").list_value().values_size(), 0);
  EXPECT_TRUE(
      At(fine, "runs/0/invocations/0/executionSuccessful").bool_value());
}

TEST(CheckCommand, JunitHasACaseForEachFile) {
  const Files files;
  const std::string out = files.Check("--format=junit FINE FAILS BAD").out;
  EXPECT_THAT(Lines(out),
              AllOf(Contains("<testsuites name=\"indim check\" tests=\"3\" "
                             "failures=\"1\" errors=\"1\">"),
                    Contains("    <testcase classname=\"indim.check\" name=\"" +
                             files.folder + "/bad.hlo\">")));
  EXPECT_THAT(out, HasSubstr("<failure message=\"negate is recorded as f32[3], "
                             "but its operands give f32[2]\" "
                             "type=\"IND0105\">"));
  EXPECT_THAT(out, HasSubstr("<error message=\"unknown op &quot;ad&quot;, did "
                             "you mean &quot;add&quot;?\" "
                             "type=\"IND0800\">"));
  EXPECT_THAT(out, ContainsRegex("<system-out>[^<]*warning: shift-left"));
  EXPECT_THAT(files.Check("--format=junit --quiet FINE").out,
              Not(HasSubstr("<system-out>")));
}

// A path is bytes; a document in UTF-8 can't hold all of them.
TEST(CheckCommand, JunitIsUtf8WhateverAPathIs) {
  const Files files;
  const std::string path = files.folder + "/b\xff\xc3.hlo";
  ASSERT_TRUE(WriteFile(path, "HloModule m\n").ok());
  const std::string out = files.Check("--format=junit '" + path + "'").out;
  EXPECT_TRUE(IsValidUtf8(out)) << out;
  EXPECT_THAT(out, HasSubstr("/b\\xff\\xc3.hlo\">"));
  EXPECT_THAT(out, HasSubstr("/b\\xff\\xc3.hlo:2:1: error: "));
}

TEST(CheckCommand, GithubEscapesAsGithubReads) {
  const Files files;
  const std::string folder = absl::StrReplaceAll(
      files.folder, {{"%", "%25"}, {",", "%2C"}, {":", "%3A"}});
  const Outcome run = files.Check("--format=github --quiet FINE FAILS BAD");
  EXPECT_THAT(
      Lines(run.out),
      ElementsAre(
          absl::StrCat("::error file=", folder,
                       "/fails.hlo,line=5,col=3,title=IND0105 "
                       "result-differs::negate is recorded as f32[3], but its "
                       "operands give f32[2]%0Aat %25y of e%0Amade by model, "
                       "v2.py:8"),
          StartsWith(absl::StrCat("::warning file=", folder,
                                  "/fails.hlo,line=6,col=3,title=IND0900 "
                                  "type-class-odd::shift-left: ")),
          absl::StrCat("::error file=", folder,
                       "/bad.hlo,line=4,col=22,title=IND0800 "
                       "file-unreadable::unknown op \"ad\", did you mean "
                       "\"add\"?")));
  // A summary is never a command of GitHub's, whatever the file is called.
  for (const std::string& line :
       Lines(files.Check("--format=github FINE BAD").out)) {
    EXPECT_TRUE(absl::StartsWith(line, "indim: ") ||
                absl::StartsWith(line, "::error file="))
        << line;
  }
  EXPECT_THAT(files.Check("--format=github --quiet - <FAILS").out,
              StartsWith("::error line=5,col=3,title=IND0105 "));
}

}  // namespace
}  // namespace indim
