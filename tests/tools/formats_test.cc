// SPDX-License-Identifier: Apache-2.0
// The command and files whose names say nothing, or something else than what is
// in them; what wraps a module; constants without values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kNegation[] =
    "HloModule m\n\nENTRY e {\n  x = f32[3] parameter(0)\n"
    "  ROOT y = f32[3] negate(x)\n}\n";

// Of f32[3]: a run of negate.
constexpr char kArguments[] = R"(
arguments {
  shape { element_type: F32 dimensions: 3 layout { minor_to_major: 0 } }
  f32s: [1, 2, 3]
}
execution_platform: "Host"
)";

std::string Result(absl::string_view values) {
  return absl::StrCat(
      "result { shape { element_type: F32 dimensions: 3 layout { "
      "minor_to_major: 0 } } f32s: [",
      values, "] }\n");
}

// kNegation as the text of a message.
std::string ModuleText() {
  const std::string text = Written("module.hlo", kNegation),
                    out = Temp("m.pbtxt");
  EXPECT_EQ(Indim(absl::StrCat("convert ", text, " -o ", out)).exit, 0);
  return Contents(out);
}

std::string SnapshotText(absl::string_view rest) {
  return absl::StrCat("hlo { hlo_module {\n", ModuleText(), "} }\n", rest);
}

TEST(Formats, ContentCountsNotTheName) {
  const std::string module = ModuleText();
  Written("m.pbtxt", module);
  ASSERT_EQ(
      Indim(absl::StrCat("convert ", Temp("m.pbtxt"), " -o ", Temp("m.pb")))
          .exit,
      0);
  const std::string pb = Contents(Temp("m.pb"));
  const std::string wanted =
      Indim(absl::StrCat("print ", Written("m.hlo", kNegation))).out;
  ASSERT_THAT(wanted, HasSubstr("negate(%x)"));
  const std::string contents[] = {
      kNegation,
      absl::StrCat("\xef\xbb\xbf", kNegation),
      absl::StrCat("// of yesterday\n", kNegation),
      module,
      absl::StrCat("\xef\xbb\xbf", module),
      absl::StrCat("goo.gle/debugstr   ", module),
      absl::StrCat("go/debugproto  ", module),
      absl::StrCat("# goo.gle/debugproto\n", module),
      absl::StrCat("hlo_module {\n", module, "}"),
      absl::StrCat("hlo { hlo_module {\n", module, "} }"),
      absl::StrCat("goo.gle/debugonly hlo_module {\n", module, "}"),
      absl::StrCat("hlo_module {\n", module, "}\nconfig { replica_count: 2 }"),
      absl::StrCat("hlo_module {\n", module, "}\nversion: 1"),
      pb};
  for (const std::string& content : contents) {
    for (const char* name : {"x.hlo", "x.txt", "x.pb", "x.pbtxt", "x"}) {
      const Outcome run = Indim(absl::StrCat("print ", Written(name, content)));
      EXPECT_EQ(run.exit, 0) << name << run.err << content.substr(0, 60);
      EXPECT_EQ(run.out, wanted) << name << content.substr(0, 60);
    }
  }
  // Every command does.
  const std::string file = Written("x.hlo", pb);
  for (const std::string& arguments :
       {absl::StrCat("check ", file), absl::StrCat("diff ", file, " ", file),
        absl::StrCat("infer ", file, " -o ", Temp("out.pb")),
        absl::StrCat("convert ", file, " -o ", Temp("out.hlo")),
        absl::StrCat("eval ", file, " --random-inputs=1"),
        absl::StrCat("test-return-types ", file)}) {
    EXPECT_EQ(Indim(arguments).exit, 0) << arguments;
  }
  // A flag counts more than the content.
  EXPECT_EQ(Indim(absl::StrCat("check --from=pbtxt ", file)).exit, 2);
}

TEST(Formats, AnErrorBehindAMarkHasItsColumn) {
  EXPECT_THAT(
      Indim(absl::StrCat("check ", Written("x.pbtxt",
                                           "goo.gle/debugstr name: \"m\" "
                                           "nam: 3")))
          .out,
      HasSubstr("line 1, column 31: "));
}

TEST(Formats, StablehloIsRead) {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %y = stablehlo.add %x, %x : tensor<2xf32>\n"
      "  return %y : tensor<2xf32>\n}\n";
  EXPECT_EQ(Indim(absl::StrCat("check ", Written("x.mlir", text))).exit, 0);
  // The content tells, whatever the name.
  EXPECT_EQ(Indim(absl::StrCat("check ", Written("x.hlo", text))).exit, 0);
  const Outcome wrong =
      Indim(absl::StrCat("check ", Written("w.mlir",
                                           "func.func @main() {\n"
                                           "  stablehlo.anything\n}\n")));
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.out, HasSubstr("w.mlir:2:3: error"));
  EXPECT_THAT(wrong.out, HasSubstr("  [IND1201]\n"));
  EXPECT_THAT(wrong.out, HasSubstr("  ^~~~~~~~~~~~~~~~~~\n"));
  // Each form of output has the code.
  EXPECT_THAT(Indim(absl::StrCat("check --json ", Temp("w.mlir"))).out,
              HasSubstr("{\"code\":\"IND1201\",\"name\":\"mlir-operation\","
                        "\"severity\":\"error\",\"instruction\":\"\","
                        "\"line\":2,\"column\":3,"));
  EXPECT_THAT(Indim(absl::StrCat("check --format=sarif ", Temp("w.mlir"))).out,
              HasSubstr("\"ruleId\":\"IND1201\""));
  const Outcome cut =
      Indim(absl::StrCat("check ", Written("b.mlirbc", "ML\xefR\x01")));
  EXPECT_EQ(cut.exit, 2);
  EXPECT_THAT(cut.out, HasSubstr("byte 5 of the artifact: "));
  EXPECT_THAT(cut.out, HasSubstr("  [IND1221]\n"));
  EXPECT_EQ(Indim("check --disable=IND1221 x.hlo").exit, 2);
}

TEST(Formats, WhatStablehloHasNoPlaceForIsSaid) {
  const std::string plain =
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] "
      "negate(x)\n  ROOT z = f32[2] negate(y)";
  const std::string out = Temp("lost.mlir");
  const Outcome nothing = Indim(absl::StrCat(
      "convert ", Written("kept.hlo", absl::StrCat(plain, "\n}\n")), " -o ",
      out));
  EXPECT_EQ(nothing.exit, 0);
  EXPECT_THAT(nothing.err, IsEmpty());
  const Outcome lost = Indim(absl::StrCat(
      "convert ",
      Written("lost.hlo", absl::StrCat(plain,
                                       ", control-predecessors={x}, "
                                       "backend_config=\"a\"\n}\n")),
      " -o ", out));
  EXPECT_EQ(lost.exit, 0);
  EXPECT_THAT(
      lost.err,
      HasSubstr("lost.mlir has no place for control dependencies of 1 "
                "instruction (z), backend_config of 1 instruction (z)"));
  // A field of another version: a .pb keeps it.
  const std::string newer = Temp("newer.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ",
                               Written("n.hlo", absl::StrCat(plain, "\n}\n")),
                               " -o ", newer))
                .exit,
            0);
  Written("newer.pb", absl::StrCat(Contents(newer), "\xd0\x3e\x01"));
  for (const char* to : {"n.mlir", "n2.hlo"}) {
    EXPECT_THAT(
        Indim(absl::StrCat("convert ", newer, " -o ", Temp(to))).err,
        HasSubstr("has no place for 1 field that this version doesn't know"));
  }
  EXPECT_THAT(Indim(absl::StrCat("convert ", newer, " -o ", Temp("n2.pb"))).err,
              IsEmpty());
  const Outcome read = Indim(absl::StrCat(
      "convert ",
      Written(
          "notes.mlir",
          "func.func @main(%x: tensor<2xf32> {my.note}) -> tensor<2xf32> {\n"
          "  return %x : tensor<2xf32>\n}\n"),
      " -o ", Temp("notes.pb")));
  EXPECT_EQ(read.exit, 0);
  EXPECT_THAT(read.err, HasSubstr("HLO has no place for my.note of 1 argument "
                                  "of "));
}

TEST(Formats, AWrapperStaysInATextAndWhatIsLostIsSaid) {
  const std::string text = SnapshotText(kArguments + Result("-1, -2, -3"));
  const std::string in = Written("s.pbtxt", text), pb = Temp("s.pb"),
                    back = Temp("back.pbtxt"), hlo = Temp("s.hlo");
  EXPECT_THAT(Indim(absl::StrCat("convert ", in, " -o ", pb)).err, IsEmpty());
  EXPECT_THAT(Indim(absl::StrCat("convert ", pb, " -o ", back)).err, IsEmpty());
  EXPECT_THAT(Contents(back),
              AllOf(HasSubstr("execution_platform: \"Host\""),
                    HasSubstr("f32s: [1, 2, 3]"), HasSubstr("result {")));
  ASSERT_EQ(Indim(absl::StrCat("convert ", back, " -o ", Temp("b.pb"))).exit,
            0);
  EXPECT_TRUE(Contents(Temp("b.pb")) == Contents(pb));
  for (const char* command : {"convert ", "infer "}) {
    const Outcome lost = Indim(absl::StrCat(command, pb, " -o ", hlo));
    EXPECT_EQ(lost.exit, 0);
    EXPECT_THAT(
        lost.err,
        HasSubstr("s.hlo has no place for 1 argument, the result and the "
                  "platform \"Host\" of the HloSnapshot; .pb and .pbtxt have"))
        << command;
  }
  // Who asks for the module alone loses nothing.
  EXPECT_THAT(Indim(absl::StrCat("convert --unwrap ", pb, " -o ", hlo)).err,
              IsEmpty());
  EXPECT_EQ(Indim(absl::StrCat("convert --unwrap ", pb, " -o ", back)).exit, 0);
  EXPECT_THAT(Contents(back), Not(HasSubstr("execution_platform")));
}

TEST(Formats, ASnapshotIsRunAgain) {
  struct Row {
    std::string rest;
    int exit;
    const char* said;
  };
  for (const Row& row :
       {Row{kArguments, 0, ""},
        Row{kArguments + Result("-1, -2, -3"), 0, "result: equal\n"},
        Row{kArguments + Result("-1, -2, -3.0000003"), 0,
            "result: equal but for rounding: 1 of 3 elements, by"},
        Row{kArguments + Result("-1, -5, -3"), 1,
            "result: differs: [1] is -2 here, -5 there; 1 of 3 elements"},
        Row{kArguments + Result("-1, nan, -3"), 1, "[1] is -2 here, nan"}}) {
    const Outcome run = Indim(
        absl::StrCat("eval ", Written("s.pbtxt", SnapshotText(row.rest))));
    EXPECT_EQ(run.exit, row.exit) << row.rest;
    EXPECT_EQ(run.out, "f32[3] {-1, -2, -3}\n");
    EXPECT_THAT(run.err, HasSubstr(row.said));
  }
  // Inputs that are given count; then there is nothing to compare.
  const Outcome made =
      Indim(absl::StrCat("eval --random-inputs=1 ", Temp("s.pbtxt")));
  EXPECT_EQ(made.exit, 0);
  EXPECT_THAT(made.err, IsEmpty());
}

constexpr char kElided[] =
    "HloModule m\n\nENTRY e {\n  x = f32[16] parameter(0)\n"
    "  c = f32[16] constant({...})\n  t = (f32[16], s32[]) constant({...})\n"
    "  g = f32[16] get-tuple-element(t), index=0\n"
    "  s = f32[] constant({...})\n  ROOT y = f32[16] add(x, g)\n}\n";

TEST(Formats, ConstantsWithoutValuesAreReadAndNamed) {
  const std::string file = Written("elided.hlo", kElided);
  const char* const kSaid =
      "warning: constant: its values (and those of 2 more) were left out";
  const Outcome check = Indim(absl::StrCat("check ", file));
  EXPECT_EQ(check.exit, 0);
  EXPECT_THAT(check.out, AllOf(HasSubstr(kSaid), HasSubstr("[IND0812]"),
                               HasSubstr("--xla_dump_large_constants"),
                               HasSubstr("elided.hlo: ok: ")));
  EXPECT_THAT(Indim(absl::StrCat("check --json ", file)).out,
              AllOf(HasSubstr("\"errors\":[]"), HasSubstr("IND0812")));
  for (const std::string& arguments :
       {absl::StrCat("print ", file), absl::StrCat("diff ", file, " ", file),
        absl::StrCat("infer ", file, " -o ", Temp("o.pb")),
        absl::StrCat("convert ", file, " -o ", Temp("o.hlo"))}) {
    const Outcome run = Indim(arguments);
    EXPECT_EQ(run.exit, 0) << arguments;
    EXPECT_THAT(run.err, HasSubstr(kSaid)) << arguments;
  }
  // What isn't known stays so in every format.
  const std::string text = Contents(Temp("o.hlo"));
  std::string last = Temp("o.hlo");
  for (const char* next : {"p.pbtxt", "p.pb", "q.hlo"}) {
    ASSERT_EQ(Indim(absl::StrCat("convert ", last, " -o ", Temp(next))).exit,
              0);
    last = Temp(next);
  }
  EXPECT_EQ(Contents(last), text);
  EXPECT_THAT(text, HasSubstr("(f32[16]{0}, s32[]) constant({...})"));
  // Who needs them says which.
  const Outcome expand =
      Indim(absl::StrCat("convert --expand ", file, " -o ", Temp("x.pb")));
  EXPECT_EQ(expand.exit, 1);
  EXPECT_THAT(expand.err, AllOf(HasSubstr("but XLA needs them"),
                                HasSubstr("%c = f32[16] constant()"),
                                HasSubstr("[IND0813]")));
  const Outcome eval = Indim(absl::StrCat("eval ", file, " --random-inputs=1"));
  EXPECT_EQ(eval.exit, 1);
  EXPECT_THAT(eval.err,
              AllOf(HasSubstr("but evaluation needs them"), HasSubstr("%t = "),
                    HasSubstr("--xla_dump_large_constants")));
  // And who wants none of it says so.
  const Outcome refused =
      Indim(absl::StrCat("check --allow-elided-constants=false ", file));
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.out, HasSubstr("--xla_dump_large_constants"));
  EXPECT_EQ(Indim(absl::StrCat("check --allow-elided-constants ", file)).exit,
            0);
}

// What `print` writes by default, `check` reads by default.
TEST(Formats, OurOwnElidedTextIsRead) {
  const std::string text = Temp("printed.hlo");
  ASSERT_TRUE(
      WriteFile(text, Indim("print tests/data/jax/dt_bitcast.hlo.pb").out)
          .ok());
  EXPECT_EQ(Indim(absl::StrCat("check ", text)).exit, 0);
}

// A shape that its operands don't give is an error of the graph, in all formats
// the same.
TEST(Formats, AReshapeOfAnotherCountIsNoMatterOfReading) {
  const std::string text =
      Written("bad.hlo",
              "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n"
              "  ROOT y = f32[5] reshape(x)\n}\n");
  std::string last = text;
  for (const char* next : {"bad.pbtxt", "bad.pb", "bad2.hlo"}) {
    const Outcome run = Indim(absl::StrCat("check ", last));
    EXPECT_EQ(run.exit, 1) << last;
    EXPECT_THAT(run.out, AllOf(HasSubstr("[IND0206]"), HasSubstr("to fix: "),
                               EndsWith("0 unchecked; 0 broadcastable\n")));
    ASSERT_EQ(Indim(absl::StrCat("convert ", last, " -o ", Temp(next))).exit,
              0);
    last = Temp(next);
  }
  EXPECT_EQ(Indim(absl::StrCat("check ", last)).exit, 1);
}

// Fields of another wire type than the schema's are unknown fields: they are
// kept, and say nothing.
TEST(Formats, FieldsOfAnotherWireTypeSayNothing) {
  // An alias of parameter 5, and behind it parameter_number as fixed32.
  const std::string alias = absl::HexStringToBytes(
      "0a016d1201651a90010a016512280a01701209706172616d657465721a10100b1a"
      "01022a060a01008001013201003a00a2040092050012360a017212036162731a10"
      "100b1a01022a060a01008001013201003a051203666f6f980201a2020100a20408"
      "0a060a016112013192050022270a10100b1a01022a060a01008001013201001210"
      "100b1a01022a060a01008001013201001a0170300122280a10100b1a01022a060a"
      "01008001013201001210100b1a01022a060a01008001013201001a02703042090a"
      "07100515050000009201009a0100");
  EXPECT_THAT(Indim("check " + Written("alias.pb", alias)).out,
              HasSubstr("[IND0780]"));
  // A frame of line 10, and behind it the line's number as bytes.
  const std::string frames = absl::HexStringToBytes(
      "0a016d1201651a92010a016512280a01701209706172616d657465721a10100b1a"
      "01022a060a01008001013201003a00a2040092050012380a017212036162731a10"
      "100b1a01022a060a01008001013201003a071203666f6f7801980201a2020100a2"
      "04080a060a016112013192050022270a10100b1a01022a060a0100800101320100"
      "1210100b1a01022a060a01008001013201001a0170300122280a10100b1a01022a"
      "060a01008001013201001210100b1a01022a060a01008001013201001a02703042"
      "009201009a01008a011f0a0766696c652e7079120366756e1a0b08011001180a20"
      "021a017822020801");
  EXPECT_THAT(Indim("print " + Written("frames.pb", frames)).out,
              HasSubstr("line=10"));
}

}  // namespace
}  // namespace indim
