// SPDX-License-Identifier: Apache-2.0
// The command on HLO text whose sizes have names, as people run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLayer[] = R"(HloModule layer

relu {
  a = f32[n,6] parameter(0)
  z = f32[] constant(0)
  zb = f32[n,6] broadcast(z), dimensions={}
  ROOT r = f32[n,6] maximum(a, zb)
}

ENTRY main {
  x = f32[n,4] parameter(0)
  w = f32[4,6] parameter(1)
  y = f32[m,6] parameter(2)
  d = f32[n,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[n,6] call(d), to_apply=relu
  ROOT c = f32[n+m,6] concatenate(h, y), dimensions={0}
}
)";

TEST(SymbolsTest, WhatIsSetBecomesStatic) {
  const std::string file = Written("layer.hlo", kLayer);
  struct Row {
    const char* set;
    const char* result;
  };
  for (const Row& row :
       {Row{"--set n=8", "ROOT %c = f32[m+8,6]"},
        Row{"--set n=8 --set m=2", "ROOT %c = f32[10,6]"},
        Row{"--set n=8,m=2", "ROOT %c = f32[10,6]"},
        Row{"--set 'x=f32[8,4], m=2'", "ROOT %c = f32[10,6]"},
        Row{"--set 'x=f32[8,4],y=f32[3,6]'", "ROOT %c = f32[11,6]"},
        Row{"--set m=2*n", "ROOT %c = f32[3*n,6]"},
        Row{"--set 'y=f32[2*n,6]'", "ROOT %c = f32[3*n,6]"},
        Row{"--set 'n>=1,n%8==0'", "indim.facts=\"n>=8; n%8==0\""}}) {
    const Outcome run =
        Indim(absl::StrCat("infer ", row.set, " ", file, " -o - --to=hlo"));
    EXPECT_EQ(run.exit, 0) << row.set << run.err;
    EXPECT_THAT(run.out, HasSubstr(row.result)) << row.set;
  }
}

// A size that has no name gets its value through a parameter's shape.
TEST(SymbolsTest, WhereNoSizeHasANameTheShapeIsToBeSet) {
  const std::string command = absl::StrCat(
      "infer ",
      Written("unknown.hlo",
              "HloModule unknown\n\nENTRY main {\n  w = f32[4] parameter(0)\n"
              "  ROOT x = f32[?,4] parameter(1)\n}\n"),
      " -o - --to=hlo --set ");
  const Outcome wrong = Indim(command + "n=8");
  EXPECT_EQ(wrong.exit, 2);
  const std::string fix = "to fix: give a parameter its shape: ";
  const size_t start = wrong.err.find(fix);
  ASSERT_NE(start, std::string::npos) << wrong.err;
  std::string setting = wrong.err.substr(start + fix.size());
  setting = setting.substr(0, setting.find_last_not_of('\n') + 1);
  EXPECT_EQ(setting, "x=f32[8,4]");
  EXPECT_THAT(Indim(command + "'" + setting + "'").out,
              HasSubstr("ROOT %x = f32[8,4]"));
}

// Implicit broadcasts to a named size become dynamic ones.
TEST(SymbolsTest, ARecordedGraphBecomesStableHlo) {
  const std::string program = Temp("recorded.mlir");
  const Outcome written = Indim(absl::StrCat(
      "convert -o ", program, " ",
      Written("recorded.hlo",
              "HloModule recorded, recorded=true\n\nENTRY main {\n"
              "  x = f32[n,4] parameter(0)\n"
              "  b = f32[4] parameter(1)\n"
              "  ROOT y = f32[n,4] add(x, b), broadcast_dimensions={1}\n}\n")));
  ASSERT_EQ(written.exit, 0) << written.err;
  const Outcome print = Indim("print --stablehlo " + program);
  EXPECT_THAT(print.out, HasSubstr("stablehlo.dynamic_broadcast_in_dim"));
  EXPECT_THAT(print.out, HasSubstr("stablehlo.add %"));
  const Outcome set =
      Indim(absl::StrCat("infer --set d0=8 -o - --to=hlo ", program));
  EXPECT_EQ(set.exit, 0) << set.err;
  EXPECT_THAT(set.out, HasSubstr(" = f32[8,4]{1,0} add("));
}

TEST(SymbolsTest, ZerosOfEveryShape) {
  const Outcome run = Indim(absl::StrCat(
      "eval --zeros ",
      Written("zeros.hlo",
              "HloModule zeros\n\nENTRY main {\n"
              "  p = (f32[2], s32[], token[]) parameter(0)\n"
              "  x = bf16[2,1] parameter(1)\n"
              "  b = f32[<=3] parameter(2)\n"
              "  one = f32[] constant(1)\n"
              "  ones = f32[<=3] broadcast(one), dimensions={}\n"
              "  c = pred[<=3] compare(b, ones), direction=GE\n"
              "  ROOT t = ((f32[2], s32[], token[]), bf16[2,1], pred[<=3]) "
              "tuple(p, x, c)\n}\n")));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("( ( {0, 0}, 0, "));
  EXPECT_THAT(run.out, HasSubstr("{ {0}, {0} }"));
  EXPECT_THAT(run.out, Not(HasSubstr("{1")));
}

// Sizes that are open get values, which are those of the result.
TEST(SymbolsTest, ZerosOfNamedSizes) {
  const Outcome run = Indim(
      absl::StrCat("eval --symbols --zeros ", Written("layer.hlo", kLayer)));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("^f32.[0-9]+,6. "));
  EXPECT_THAT(run.out, HasSubstr("{ 0, 0, 0, 0, 0, 0 }"));
}

TEST(SymbolsTest, WhatCannotBeSetIsSaid) {
  const std::string file = Written("layer.hlo", kLayer);
  struct Row {
    const char* set;
    int exit;
    const char* said;
  };
  for (const Row& row :
       {Row{"--set k=8", 2,
            "--set k=8: no size of the module is named k; these are: m, n"},
        Row{"--set n=8,k=8", 2, "--set k=8: no size of the module is named k"},
        Row{"--set 'k>=1'", 2, "no size of the module is named k"},
        // Another name is no value.
        Row{"--set n=abc", 2,
            "--set n=abc: n can't be set to abc: no size of the module is "
            "named abc; to fix: give a number, or an expression of m, n"},
        Row{"--set n=m+abc", 2, "no size of the module is named abc"},
        Row{"--set n==abc", 2, "no size of the module is named abc"},
        Row{"--set 'n<=abc'", 2, "no size of the module is named abc"},
        Row{"--set 'x=f32[abc,4]'", 2,
            "n can't be set to abc: no size of the module is named abc"},
        Row{"--set n=None", 2, "write ? for a size that isn't known"},
        Row{"--set n=-", 2, "--set n=-: "},
        Row{"--set x=8", 2,
            "--set x=8: x is a parameter: its shape is given as x=f32[2,3]"},
        Row{"--set n=-1", 2, "'n==-1' contradicts what is known already: n>=0"},
        Row{"--set n=8,n=9", 2,
            "--set n=9: 'n==9' contradicts what is known already: n==8"},
        Row{"--set 'n>=5,n=3'", 2,
            "'n==3' contradicts what is known already: n>=5"},
        Row{"--facts 'n>=5,n<=8' --set n=3", 2,
            "--set n=3: it contradicts what the module says: n>=5, n<=8"},
        Row{"--set q=f32[8]", 1, "the entry has no parameter q"},
        // At the op, with the chain.
        Row{"--set 'x=f32[8,5]'", 1,
            "layer.hlo:11:3: error: parameter x is f32[n,4], which can't be "
            "refined to "
            "f32[8,5]: dim 1 is 4, not 5"},
        Row{"--set 'w=f32[4,7]'", 1, "layer.hlo:12:3: error: "}}) {
    const Outcome run =
        Indim(absl::StrCat("infer ", row.set, " ", file, " -o - --to=hlo"));
    EXPECT_EQ(run.exit, row.exit) << row.set;
    EXPECT_THAT(run.err, HasSubstr(row.said)) << row.set;
    EXPECT_THAT(run.out, IsEmpty()) << row.set;
  }
}

// Each name once, with what gives it a value.
TEST(SymbolsTest, NamesThatXlaCannotReadAreToldOnce) {
  const std::string file = Written("layer.hlo", kLayer);
  const Outcome run = Indim(
      absl::StrCat("convert --symbols --expand ", file, " -o ", Temp("x.pb")));
  EXPECT_EQ(run.exit, 1);
  std::vector<std::string> told;
  for (const absl::string_view line : absl::StrSplit(run.err, '\n')) {
    if (absl::StrContains(line, "IND0624")) told.emplace_back(line);
  }
  ASSERT_EQ(told.size(), 2) << run.err;
  EXPECT_THAT(told[0], HasSubstr("n is the name of a size; to fix: give it a "
                                 "value (indim infer --set n=8), "));
  EXPECT_THAT(told[1], HasSubstr("layer.hlo:13:3: error: parameter is "
                                 "f32[m,6]"));
  EXPECT_THAT(told[1], HasSubstr("--set m=8), "));
}

TEST(SymbolsTest, Diff) {
  const std::string a = Written("a.hlo", kLayer);
  const std::string b = Written(
      "b.hlo", absl::StrReplaceAll(kLayer, {{"f32[m,6]", "f32[2*n,6]"},
                                            {"f32[n+m,6]", "f32[3*n,6]"}}));
  EXPECT_EQ(Indim(absl::StrCat("diff --symbols ", a, " ", a)).exit, 0);
  const Outcome differ = Indim(absl::StrCat("diff --symbols ", a, " ", b));
  EXPECT_EQ(differ.exit, 1) << differ.err;
  EXPECT_THAT(differ.out, AllOf(HasSubstr("-  %y = f32[m,6]"),
                                HasSubstr("+  %y = f32[2*n,6]")));
}

TEST(SymbolsTest, ErrorsNameTheLineAndJsonHasIt) {
  const std::string file =
      Written("bad.hlo",
              "HloModule bad\n\nENTRY e {\n  x = f32[8] parameter(0), "
              "metadata={source_file=\"net.py\" source_line=7}\n"
              "  y = f32[n] parameter(1)\n  ROOT z = f32[4] negate(x)\n}\n");
  const Outcome text = Indim(absl::StrCat("check --symbols ", file));
  EXPECT_EQ(text.exit, 1);
  EXPECT_THAT(text.out,
              AllOf(StartsWith(absl::StrCat(file, ":6:3: error: negate")),
                    HasSubstr("        bad.hlo:4:3, net.py:7\n")));
  const Outcome json = Indim(absl::StrCat("check --json --symbols ", file));
  EXPECT_THAT(json.out, HasSubstr("\"instruction\":\"z\",\"computation\":\"e\","
                                  "\"line\":6,\"column\":3,"));
  const Outcome infer =
      Indim(absl::StrCat("infer --set x=f32[9] ", file, " -o - --to=hlo"));
  EXPECT_EQ(infer.exit, 1);
  EXPECT_THAT(
      infer.err,
      StartsWith(absl::StrCat(
          file,
          ":4:3: error: parameter x is f32[8], which can't be refined to "
          "f32[9]: dim 0 is 8, not 9")));
}

// What is made up meets what the graph needs.
TEST(SymbolsTest, RandomSizesMeetConditions) {
  const std::string file =
      Written("needs.hlo",
              "ENTRY e {\n  x = f32[n] parameter(0)\n"
              "  y = f32[k] parameter(1)\n  z = f32[m,m] parameter(2)\n"
              "  s = f32[9] slice(x), slice={[0:9]}\n"
              "  d = f32[] dot(x, y), lhs_contracting_dims={0}, "
              "rhs_contracting_dims={0}\n"
              "  r = f32[?,3] reshape(x)\n  q = f32[4,m] reshape(z)\n"
              "  ROOT t = (f32[9], f32[], f32[?,3], f32[4,m]) "
              "tuple(s, d, r, q)\n}\n");
  for (int seed = 1; seed <= 5; ++seed) {
    const Outcome run =
        Indim(absl::StrCat("eval --symbols --random-inputs=", seed, " ", file));
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("f32[4,4]"));
  }
}

// The inputs say what open sizes are.
TEST(SymbolsTest, EvaluatesWithTheSizesOfTheInputs) {
  const std::string file = Written("layer.hlo", kLayer);
  const Outcome random =
      Indim(absl::StrCat("eval --symbols --random-inputs=3 ", file));
  EXPECT_EQ(random.exit, 0) << random.err;
  EXPECT_THAT(random.out, StartsWith("f32["));
  // Made by another module: f32[3,4], f32[4,6], f32[2,6], f32[2,5].
  const std::string made =
      Written("made.hlo",
              "ENTRY e {\n  a = f32[3,4] iota(), iota_dimension=0\n"
              "  b = f32[4,6] iota(), iota_dimension=1\n"
              "  c = f32[2,6] iota(), iota_dimension=0\n"
              "  d = f32[2,5] iota(), iota_dimension=0\n"
              "  ROOT t = (f32[3,4], f32[4,6], f32[2,6], f32[2,5]) "
              "tuple(a, b, c, d)\n}\n");
  ASSERT_EQ(Indim(absl::StrCat("eval ", made, " -o ", Temp("in.npy"))).exit, 0);
  const std::string inputs =
      absl::StrCat(" ", Temp("in.0.npy"), " ", Temp("in.1.npy"), " ");
  const Outcome good =
      Indim(absl::StrCat("eval --symbols ", file, inputs, Temp("in.2.npy")));
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_THAT(good.out, StartsWith("f32[5,6]"));
  // One flag for each does too.
  const Outcome flags = Indim(absl::StrCat(
      "eval --symbols ", file, " --input ", Temp("in.0.npy"),
      " --input=", Temp("in.1.npy"), " --input=", Temp("in.2.npy")));
  EXPECT_EQ(flags.out, good.out) << flags.err;
  const Outcome bad =
      Indim(absl::StrCat("eval --symbols ", file, inputs, Temp("in.3.npy")));
  EXPECT_EQ(bad.exit, 1);
  EXPECT_THAT(
      bad.err,
      AllOf(
          StartsWith(absl::StrCat(file, ":13:3: error: ")),
          HasSubstr("which can't be refined to f32[2,5]: dim 1 is 6, not 5")));
}

}  // namespace
}  // namespace indim
