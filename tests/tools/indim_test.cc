// SPDX-License-Identifier: Apache-2.0
// The command as people run it: exit status, what goes where, what it writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/hlo_config.pb.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Indim, HelpAndVersion) {
  EXPECT_THAT(Indim("--version").out, StartsWith("indim 0."));
  const Outcome help = Indim("--help");
  EXPECT_EQ(help.exit, 0);
  for (const char* command :
       {"check", "infer", "convert", "print", "diff", "query", "explain"}) {
    EXPECT_THAT(help.out, HasSubstr(absl::StrCat("indim ", command)));
    EXPECT_EQ(Indim(absl::StrCat("help ", command)).exit, 0);
    for (const char* flag : {" --help", " -h", " x.pb --frm=y -h"}) {
      const Outcome asked = Indim(absl::StrCat(command, flag));
      EXPECT_EQ(asked.exit, 0) << command << flag;
      EXPECT_EQ(asked.out, Indim(absl::StrCat("help ", command)).out);
    }
  }
}

TEST(Indim, UsageErrorsExitWith2AndSayWhatWasExpected) {
  struct Row {
    const char* arguments;
    const char* expected;
  };
  for (const Row& row :
       {Row{"", "usage: indim"}, Row{"chek x.pb", "expected check"},
        Row{"check", "usage: indim check"},
        Row{"check --mode=loose x.pb", "expected lenient, strict or mlir"},
        Row{"check --frm=pb x", "takes no flag --frm"},
        Row{"check --from", "needs a value"}, Row{"infer x.pb", "-o FILE"},
        Row{"infer a.pb b.pb -o c.pb", "usage"},
        Row{"convert --from=hlos x -o y.pb", "expected pb, pbtxt, hlo or mlir"},
        Row{"convert x.pb -o y.foo", "expected .pb, .pbtxt, .hlo"},
        Row{"print x.pb --color=red", "expected always, never or auto"},
        Row{"diff x.pb", "usage: indim diff"}, Row{"diff x.pb y.pb", "x.pb"},
        Row{"explain 'f32[2]'", "a question looks like"},
        Row{"explain --rule=x 'f32[2]+f32[2]'", "expected xla"},
        Row{"query /nonexistent", "can't open"}}) {
    const Outcome run = Indim(row.arguments);
    EXPECT_EQ(run.exit, 2) << row.arguments;
    EXPECT_THAT(run.err, HasSubstr(row.expected)) << row.arguments;
    EXPECT_THAT(run.out, IsEmpty()) << row.arguments;
  }
}

TEST(Indim, CheckARealModule) {
  const Outcome run = Indim(absl::StrCat("check ", kJaxModule));
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr(kJaxModule), HasSubstr(": ok: ")));
  const Outcome json = Indim(absl::StrCat("check --json ", kJaxModule));
  EXPECT_THAT(json.out, AllOf(StartsWith("{\"version\":1,\"file\":\""),
                              HasSubstr("\"inferred\":"),
                              HasSubstr("\"errors\":[],\"warnings\":[]}")));
}

TEST(Indim, AFolderStandsForTheModulesInIt) {
  const Outcome all = Indim("check --json tests/data/jax");
  EXPECT_EQ(all.exit, 0) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr("tests/data/jax/dt_bitcast.hlo.pb"));
  const int64_t lines = std::count(all.out.begin(), all.out.end(), '\n');
  EXPECT_GT(lines, 30);
  const Outcome twice = Indim("check --json tests/data/jax tests/data/jax");
  EXPECT_EQ(std::count(twice.out.begin(), twice.out.end(), '\n'), 2 * lines);
  const Outcome none = Indim("check builder");
  EXPECT_EQ(none.exit, 2);
  const std::string empty = Temp("empty");
  ASSERT_EQ(system(absl::StrCat("mkdir -p ", empty).c_str()), 0);
  EXPECT_THAT(Indim(absl::StrCat("check ", empty)).out,
              StartsWith(absl::StrCat(empty, ": error: no .pb, ")));
}

TEST(Indim, LeftOutValuesAreReadUnlessForbidden) {
  const std::string path = Temp("elided.hlo");
  ASSERT_TRUE(
      WriteFile(path,
                "ENTRY e { ROOT c = f32[100000000000]{0} constant({...}) }")
          .ok());
  const Outcome refused =
      Indim(absl::StrCat("check --allow-elided-constants=false ", path));
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.out, HasSubstr("left out"));
  const Outcome allowed = Indim(absl::StrCat("check ", path));
  EXPECT_EQ(allowed.exit, 0) << allowed.out << allowed.err;
}

TEST(Indim, AFileThatCannotBeReadExitsWith2AndHasItsObject) {
  const Outcome run =
      Indim(absl::StrCat("check --json /nonexistent.pb ", kJaxModule));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.out,
              AllOf(StartsWith("{\"version\":1,\"file\":\"/nonexistent.pb\""),
                    HasSubstr("IND0800"), HasSubstr(kJaxModule)));
  std::ofstream(Temp("bad.pb")) << "no module";
  EXPECT_EQ(Indim(absl::StrCat("check ", Temp("bad.pb"))).exit, 2);
  // A folder without modules.
  const std::string folder = Temp("empty");
  ASSERT_EQ(system(absl::StrCat("mkdir -p ", folder).c_str()), 0);
  EXPECT_EQ(Indim(absl::StrCat("check --from=pb ", folder)).exit, 2);
}

// XLA's dumps of HLO text are called .txt, and other things are too.
TEST(Indim, CheckFindsTextByAnotherNameInAFolder) {
  const std::string folder = Temp("dumps");
  ASSERT_EQ(system(absl::StrCat("mkdir -p ", folder).c_str()), 0);
  std::ofstream(folder + "/module_0001.jit_f.before_optimizations.txt")
      << "HloModule jit_f\n\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n";
  std::ofstream(folder + "/notes.txt") << "What an HloModule is:\n";
  std::ofstream(folder + "/module_0001.jit_f-buffer-assignment.txt")
      << "BufferAssignment:\nallocation 0: 0x1, size 8, HloModule jit_f\n";
  const Outcome run = Indim(absl::StrCat("check ", folder));
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("before_optimizations.txt: ok"));
  EXPECT_THAT(run.out, Not(HasSubstr("notes")));
  EXPECT_THAT(run.out, Not(HasSubstr("buffer")));
}

// Constants in a file of their own, and back.
TEST(Indim, ExternalConstantsComeBack) {
  const std::string folder = Temp("outside");
  ASSERT_EQ(
      system(absl::StrCat("rm -rf ", folder, " && mkdir ", folder).c_str()), 0);
  const std::string text = folder + "/in.hlo", whole = folder + "/whole.pb",
                    split = folder + "/split.pb", back = folder + "/back.pb";
  ASSERT_TRUE(WriteFile(text,
                        "ENTRY e { a = s32[300]{0} iota(), iota_dimension=0\n"
                        "c = f32[4]{0} constant({1,2,3,4})\n"
                        "ROOT t = (s32[300]{0}, f32[4]{0}) tuple(a, c) }")
                  .ok());
  ASSERT_EQ(Indim(absl::StrCat("convert ", text, " -o ", whole)).exit, 0);
  // None is that large.
  EXPECT_EQ(Indim(absl::StrCat("convert ", whole, " -o ", split,
                               " --external-constants"))
                .exit,
            0);
  EXPECT_EQ(Contents(split), Contents(whole));
  EXPECT_EQ(Indim(absl::StrCat("convert ", whole, " -o ", split,
                               " --external-constants=16"))
                .exit,
            0);
  EXPECT_NE(Contents(split), Contents(whole));
  EXPECT_EQ(Indim(absl::StrCat("convert ", split, " -o ", back)).exit, 0);
  EXPECT_EQ(Contents(back), Contents(whole));
  EXPECT_EQ(Indim(absl::StrCat("check ", split)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("print --large-constants ", split)).out,
            Indim(absl::StrCat("print --large-constants ", whole)).out);
  EXPECT_EQ(Indim(absl::StrCat("diff ", split, " ", whole)).exit, 0);
  // Altered, then gone.
  ASSERT_EQ(system(absl::StrCat("printf x | dd of=$(echo ", folder,
                                "/*.data) conv=notrunc 2>", Temp("dd"))
                       .c_str()),
            0);
  for (const char* command : {"convert ", "check "}) {
    const Outcome run = Indim(absl::StrCat(
        command, split,
        absl::string_view(command) == "convert " ? " -o " + back : ""));
    EXPECT_NE(run.exit, 0);
    EXPECT_THAT(run.out + run.err, HasSubstr("was altered")) << command;
  }
  EXPECT_THAT(
      Indim(absl::StrCat("convert ", split, " -o ", folder, "/x.hlo")).err,
      HasSubstr("was altered"));
  EXPECT_EQ(Contents(back), Contents(whole));
  ASSERT_EQ(system(absl::StrCat("rm ", folder, "/*.data").c_str()), 0);
  EXPECT_THAT(Indim(absl::StrCat("check ", split)).out,
              AllOf(HasSubstr("\"c\""), HasSubstr("No such file")));
  for (const char* arguments :
       {" -o x.pbtxt --external-constants", " -o x.hlo --external-constants",
        " -o - --to=pb --external-constants",
        " -o x.pb --external-constants=k"}) {
    EXPECT_EQ(Indim(absl::StrCat("convert ", whole, arguments)).exit, 2);
  }
}

// An output that can't be completed leaves the old one.
TEST(Indim, AnOutputThatFailsLeavesTheOldOne) {
  const std::string out = Temp("kept.pb");
  ASSERT_TRUE(WriteFile(out, "old").ok());
  const auto convert = [&](absl::string_view before) {
    return system(absl::StrCat(before, " tools/indim convert ", kJaxModule,
                               " -o ", out, " >", Temp("out"), " 2>",
                               Temp("err"))
                      .c_str());
  };
  // 512 bytes, which the message doesn't need.
  EXPECT_EQ(WEXITSTATUS(convert("ulimit -f 1;")), 2);
  EXPECT_THAT(Contents(Temp("err")), HasSubstr(out));
  EXPECT_EQ(Contents(out), "old");
  EXPECT_EQ(
      Indim(absl::StrCat("convert ", kJaxModule, " -o ", Temp("none/x.pb")))
          .exit,
      2);
  EXPECT_EQ(
      Indim(absl::StrCat("convert ", kJaxModule, " -o /dev/full --to=pb")).exit,
      2);
  // Killed at some moment: the old file, or the new one.
  ASSERT_EQ(
      Indim(absl::StrCat("convert ", kJaxModule, " -o ", Temp("new.pb"))).exit,
      0);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(WriteFile(out, "old").ok());
    convert(absl::StrCat("timeout -s KILL 0.00", i));
    const std::string found = Contents(out);
    EXPECT_TRUE(found == "old" || found == Contents(Temp("new.pb"))) << i;
  }
}

TEST(Indim, InputsThatAreNoFiles) {
  const std::string folder = Temp("odd");
  ASSERT_EQ(system(absl::StrCat("rm -rf ", folder, " && mkdir -p ", folder,
                                "/folder.pb && mkfifo ", folder,
                                "/pipe.pb && : >", folder, "/empty.pb")
                       .c_str()),
            0);
  for (const char* name : {"/folder.pb", "/pipe.pb", "/empty.pb"}) {
    const Outcome run =
        Indim(absl::StrCat("convert ", folder, name, " -o ", Temp("x.pb")));
    EXPECT_EQ(run.exit, 2) << name;
    EXPECT_THAT(run.err, HasSubstr(name));
  }
}

// A format that neither the name nor the content tells.
TEST(Indim, AFileOfNoKnownFormat) {
  std::ofstream(Temp("no.format")) << "\x01\x02";
  for (const std::string& file :
       {Temp("no.format"), absl::StrCat("- <", Temp("no.format"))}) {
    const Outcome run = Indim(absl::StrCat("check ", file));
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.out, HasSubstr("--from=pb|pbtxt|hlo"));
  }
  EXPECT_THAT(Indim("print - </dev/null").err, HasSubstr("empty"));
}

TEST(Indim, OneIsNotMany) {
  std::ofstream(Temp("one.hlo"))
      << "ENTRY e { ROOT x = f32[4611686018427387904,3] parameter(0) }";
  EXPECT_THAT(Indim(absl::StrCat("check ", Temp("one.hlo"))).out,
              HasSubstr("one.hlo: 1 error: 1 instruction: "));
}

// A person sees some errors of a kind and a count; a program gets them all.
TEST(Indim, JsonHasEveryError) {
  std::ofstream file(Temp("many.pbtxt"));
  file << "recorded {}\nname: \"m\"\ncomputations {\n  name: \"main\"\n"
          "  instructions { name: \"p\" opcode: \"parameter\" shape { "
          "element_type: F32 dimensions: 3 } id: 1 }\n";
  for (int i = 0; i < 30; ++i) {
    file << "  instructions { name: \"n" << i
         << "\" opcode: \"negate\" operand_ids: 1 shape { element_type: F32 "
            "dimensions: 4 } id: "
         << i + 2 << " }\n";
  }
  file << "}\n";
  file.close();
  const Outcome text = Indim(absl::StrCat("check ", Temp("many.pbtxt")));
  EXPECT_EQ(text.exit, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("30 errors"));
  EXPECT_THAT(text.out, ::testing::Not(HasSubstr("%n25 = ")));
  const Outcome json = Indim(absl::StrCat("check --json ", Temp("many.pbtxt")));
  EXPECT_THAT(json.out, HasSubstr("\"instruction\":\"n25\""));
}

TEST(Indim, ConvertThereAndBackIsTheSameModule) {
  const std::string text = Temp("m.pbtxt"), back = Temp("m.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", text)).exit, 0);
  ASSERT_EQ(Indim(absl::StrCat("convert ", text, " -o ", back)).exit, 0);
  const std::string direct = Temp("direct.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", direct)).exit,
            0);
  EXPECT_TRUE(Contents(back) == Contents(direct));
  const Outcome pipe =
      Indim(absl::StrCat("convert --from=pb --to=pb - -o - <", kJaxModule));
  EXPECT_TRUE(pipe.out == Contents(direct));
}

// As --xla_dump_hlo_as_proto writes it: field 1 of an HloProto.
TEST(Indim, AWrappedModuleStaysWrapped) {
  const std::string direct = Temp("direct.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", direct)).exit,
            0);
  const std::string module = Contents(direct);
  std::string wrapped = "\n";
  for (size_t size = module.size(); size > 0; size >>= 7) {
    wrapped.push_back(static_cast<char>((size & 127) | (size > 127 ? 128 : 0)));
  }
  wrapped += module;
  const std::string file = Temp("wrapped.pb"), out = Temp("out.pb");
  std::ofstream(file, std::ios::binary) << wrapped;
  EXPECT_EQ(Indim(absl::StrCat("check ", file)).exit, 0);
  ASSERT_EQ(Indim(absl::StrCat("convert ", file, " -o ", out)).exit, 0);
  EXPECT_TRUE(Contents(out) == wrapped);
  ASSERT_EQ(Indim(absl::StrCat("infer --drop ", file, " -o ", out)).exit, 0);
  EXPECT_TRUE(Contents(out) == wrapped);
  ASSERT_EQ(Indim(absl::StrCat("convert --unwrap ", file, " -o ", out)).exit,
            0);
  EXPECT_TRUE(Contents(out) == module);
}

TEST(Indim, PrintsAsXlaDoes) {
  const std::string text = Contents(kJaxText);
  EXPECT_EQ(Indim(absl::StrCat("print --large-constants ", kJaxModule)).out,
            text);
  const Outcome elided = Indim(absl::StrCat("print ", kJaxModule));
  EXPECT_EQ(elided.exit, 0);
  EXPECT_THAT(elided.out, StartsWith("HloModule "));
  // No terminal, no colours.
  EXPECT_THAT(elided.out, ::testing::Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Indim(absl::StrCat("print --color=always ", kJaxModule)).out,
              HasSubstr("\x1b["));
  const Outcome bare = Indim(absl::StrCat(
      "print --short --noids --no-layouts --operand-shapes ", kJaxModule));
  EXPECT_THAT(bare.out, ::testing::Not(HasSubstr("%")));
}

TEST(Indim, ConvertsToTextAndBackWithNothingLost) {
  const std::string text = Temp("m.hlo"), pb = Temp("back.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", text)).exit, 0);
  EXPECT_EQ(Contents(text), Contents(kJaxText));
  ASSERT_EQ(Indim(absl::StrCat("convert ", text, " -o ", pb)).exit, 0);
  EXPECT_EQ(
      Indim(absl::StrCat("diff --compare-metadata ", kJaxModule, " ", pb)).exit,
      0);
  // XLA numbers frames by the order of the file, so the first text made of a
  // text may differ from it, and the next one doesn't.
  const std::string again = Temp("again.hlo");
  ASSERT_EQ(Indim(absl::StrCat("convert ", pb, " -o ", again)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("print --large-constants ", again)).out,
            Contents(again));
  // By content, whatever the name; from standard input.
  ASSERT_EQ(system(absl::StrCat("cp ", text, " ", Temp("odd.name")).c_str()),
            0);
  EXPECT_EQ(Indim(absl::StrCat("check ", Temp("odd.name"))).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("check - <", text)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("infer - -o ", Temp("i.hlo"), " <", text)).exit,
            0);
  EXPECT_EQ(Contents(Temp("i.hlo")), Contents(again));
}

TEST(Indim, ErrorsInATextNameTheirPlaceOnce) {
  const std::string bad = Temp("bad.hlo");
  std::ofstream(bad) << "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                        "  ROOT y = f32[2] ad(p, p)\n}\n";
  const Outcome run = Indim(absl::StrCat("print ", bad));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr(absl::StrCat("indim: ", bad, ":4:")));
  EXPECT_THAT(run.err, HasSubstr("add"));
}

// As it was recorded, or, for XLA, with its broadcasts made explicit.
TEST(Indim, ARecordedModuleIsTextToo) {
  const std::string text = Temp("r.hlo"), back = Temp("r.pb");
  EXPECT_EQ(Indim(absl::StrCat("convert ", kRecordedModule, " -o ", text)).exit,
            0);
  EXPECT_THAT(Contents(text), HasSubstr(", broadcast_dimensions={1}"));
  EXPECT_EQ(Indim(absl::StrCat("check ", text)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("convert ", text, " -o ", back)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("print ", back)).out,
            Indim(absl::StrCat("print ", kRecordedModule)).out);
  EXPECT_EQ(
      Indim(absl::StrCat("convert --expand ", kRecordedModule, " -o ", text))
          .exit,
      0);
  EXPECT_THAT(Contents(text), Not(HasSubstr("broadcast_dimensions")));
  EXPECT_EQ(Indim(absl::StrCat("check ", text)).exit, 0);
}

TEST(Indim, FingerprintIsALineForEachFile) {
  const Outcome run = Indim(
      absl::StrCat("fingerprint ", kRecordedModule, " ", kRecordedModule));
  EXPECT_EQ(run.exit, 0);
  const std::string line = run.out.substr(0, run.out.find('\n') + 1);
  EXPECT_EQ(line.substr(0, 2), "1:");
  EXPECT_EQ(run.out, line + line);
  EXPECT_EQ(Indim("fingerprint /nonexistent").exit, 2);
}

TEST(Indim, ExpectTellsWhatMatchesAPattern) {
  const std::string module = Temp("expect.hlo");
  std::ofstream(module) << "HloModule m\nENTRY main {\n"
                           "  p = f32[2] parameter(0)\n"
                           "  m = f32[2] multiply(p, p)\n"
                           "  ROOT a = f32[2] add(m, p), "
                           "metadata={source_file=\"f.py\" source_line=3}\n"
                           "}\n";
  const auto expect = [&](const std::string& rest) {
    return Indim(absl::StrCat("expect ", module, " ", rest));
  };
  EXPECT_EQ(expect("'add(multiply(?x, ?x), ?x)'").exit, 0);
  EXPECT_EQ(expect("multiply --count=1").exit, 0);
  EXPECT_EQ(expect("dot --count=0").exit, 0);
  const Outcome two = expect("add --count=2");
  EXPECT_EQ(two.exit, 1);
  EXPECT_THAT(two.out, HasSubstr("1 instruction matches add, expected 2\n"));
  EXPECT_THAT(two.out, HasSubstr("main: ROOT %a = f32[2]{0} add(%m, %p)"));
  const Outcome near = expect("'add(dot, *)'");
  EXPECT_EQ(near.exit, 1);
  EXPECT_THAT(near.out, HasSubstr("0 instructions match add(dot, *), expected "
                                  "some\nthese are of the same operation:\n"));
  EXPECT_THAT(near.out, HasSubstr("f.py:3\n    %m is no dot\n"));
  EXPECT_EQ(expect("'add('").exit, 2);
}

TEST(Indim, DiffTellsWhatDiffers) {
  const std::string a = Temp("a.hlo"), b = Temp("b.hlo"), c = Temp("c.hlo");
  std::ofstream(a) << "HloModule a\nENTRY main {\n  p = f32[] parameter(0)\n"
                      "  c = f32[] constant(1)\n  x = f32[] add(p, c)\n"
                      "  ROOT y = f32[] multiply(x, p)\n}\n";
  std::ofstream(b) << "HloModule b\nENTRY e {\n  q = f32[] parameter(0)\n"
                      "  one = f32[] constant(1)\n  s = f32[] add(q, one)\n"
                      "  ROOT t = f32[] multiply(s, q)\n}\n";
  std::ofstream(c) << "HloModule b\nENTRY e {\n  q = f32[] parameter(0)\n"
                      "  one = f32[] constant(2)\n  s = f32[] add(q, one)\n"
                      "  ROOT t = f32[] multiply(s, q)\n}\n";
  const Outcome equal = Indim(absl::StrCat("diff ", a, " ", b));
  EXPECT_EQ(equal.exit, 0);
  EXPECT_THAT(equal.out, IsEmpty());
  const Outcome first = Indim(absl::StrCat("diff --first ", a, " ", c));
  EXPECT_EQ(first.exit, 1);
  EXPECT_THAT(first.out, HasSubstr("- %c = f32[] constant(1)  "
                                   "+ %one = f32[] constant(2)\n"));
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 1);
  const Outcome differ = Indim(absl::StrCat("diff ", a, " ", c));
  EXPECT_EQ(differ.exit, 1);
  EXPECT_THAT(differ.out, AllOf(HasSubstr("-  %c = f32[] constant(1)\n"
                                          "+  %one = f32[] constant(2)\n"),
                                ::testing::Not(HasSubstr("-  %x")),
                                ::testing::Not(HasSubstr("+  %s"))));
  EXPECT_EQ(Indim(absl::StrCat("diff ", a, " /nonexistent.hlo")).exit, 2);
}

// The counts of devices stand beside the module, in the configuration.
TEST(Indim, CheckKnowsTheDevicesOfAConfiguration) {
  const std::string text = Temp("groups.hlo"), bare = Temp("groups.pb");
  std::ofstream(text)
      << "HloModule m\nsum {\n  a = f32[] parameter(0)\n"
         "  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
         "ENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] "
         "all-reduce(x), replica_groups={{0,1}}, to_apply=sum\n}\n";
  ASSERT_EQ(Indim(absl::StrCat("convert ", text, " -o ", bare)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("check ", bare)).exit, 0);
  proto::HloModuleProtoWithConfig file;
  ASSERT_TRUE(file.mutable_hlo_module()->ParseFromString(Contents(bare)));
  struct Row {
    int64_t replicas;
    int exit;
    const char* said;
  };
  for (const Row& row :
       {Row{2, 0, ": ok: 5 instructions"}, Row{4, 1, "groups of 2 in all"}}) {
    file.mutable_config()->set_replica_count(row.replicas);
    const std::string with_config = Temp("with_config.pb");
    ASSERT_TRUE(WriteFile(with_config, file.SerializeAsString()).ok());
    const Outcome run = Indim(absl::StrCat("check ", with_config));
    EXPECT_EQ(run.exit, row.exit) << run.out;
    EXPECT_THAT(run.out, HasSubstr(row.said));
    // Unwrapped, nothing is known of devices.
    const std::string unwrapped = Temp("unwrapped.pb");
    Indim(absl::StrCat("convert --unwrap ", with_config, " -o ", unwrapped));
    EXPECT_EQ(Contents(unwrapped), Contents(bare));
  }
}

TEST(Indim, CheckFindsWrongStructure) {
  const std::string text = Temp("m.pbtxt"), bad = Temp("structure.pbtxt");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", text)).exit, 0);
  std::ofstream(bad) << absl::StrReplaceAll(
      Contents(text),
      {{"buffer_donor {", "buffer_donor { entries { parameter_number: 99 }"}});
  const Outcome run = Indim(absl::StrCat("check ", bad));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr("[IND0780]"));
  EXPECT_THAT(Indim(absl::StrCat("check --json ", bad)).out,
              HasSubstr("\"code\":\"IND0780\",\"name\":\"alias-index\","
                        "\"severity\":\"error\","
                        "\"instruction\":\"\""));
}

TEST(Indim, TheRecordedExample) {
  EXPECT_EQ(Indim(absl::StrCat("check ", kRecordedModule)).exit, 0);
  const std::string inferred = Temp("inferred.pbtxt");
  ASSERT_EQ(
      Indim(absl::StrCat("infer ", kRecordedModule, " -o ", inferred)).exit, 0);
  EXPECT_THAT(Contents(inferred), HasSubstr("implicit_broadcast"));
  EXPECT_EQ(Indim(absl::StrCat("check ", inferred)).exit, 0);
  const std::string expanded = Temp("expanded.pbtxt");
  const Outcome run = Indim(
      absl::StrCat("convert --expand ", kRecordedModule, " -o ", expanded));
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(Contents(expanded),
              ::testing::Not(HasSubstr("implicit_broadcast")));
  EXPECT_THAT(Contents(expanded), HasSubstr("opcode: \"broadcast\""));
}

// Those of checks too, which are added after.
TEST(Indim, WhatIsExpandedHasALayoutOnEveryArray) {
  const std::string expanded = Temp("laid_out.pbtxt");
  const Outcome run = Indim(absl::StrCat("convert --expand --checks=pred ",
                                         kRecordedModule, " -o ", expanded));
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::vector<std::string> lines =
      absl::StrSplit(Contents(expanded), '\n');
  int arrays = 0, layouts = 0;
  for (const std::string& line : lines) {
    arrays += absl::StrContains(line, "element_type: ") &&
              !absl::StrContains(line, "TUPLE");
    layouts += absl::StrContains(line, "layout {");
  }
  EXPECT_GE(arrays, 15);
  EXPECT_EQ(layouts, arrays);
}

TEST(Indim, AFailedRunLeavesTheOldFileWhole) {
  const std::string old = Temp("old.pb");
  std::ofstream(old) << "precious";
  std::ofstream(Temp("bad.pbtxt")) << "computations { instructions { ";
  EXPECT_EQ(
      Indim(absl::StrCat("convert ", Temp("bad.pbtxt"), " -o ", old)).exit, 2);
  EXPECT_EQ(Contents(old), "precious");
}

TEST(Indim, DropAndInferGivesTheSameModule) {
  const std::string direct = Temp("direct.pb"), dropped = Temp("dropped.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", kJaxModule, " -o ", direct)).exit,
            0);
  ASSERT_EQ(
      Indim(absl::StrCat("infer --drop ", kJaxModule, " -o ", dropped)).exit,
      0);
  EXPECT_TRUE(Contents(direct) == Contents(dropped));
}

TEST(Indim, QueryAnswersLineByLine) {
  std::ofstream(Temp("questions"))
      << "{\"id\":\"a\",\"op\":\"add\",\"operands\":[\"f32[2]\",\"f32[]\"]}\n"
      << "nonsense\n"
      << "{\"id\":\"b\",\"op\":\"negate\",\"operands\":[\"f32[2]\"]}\n";
  const Outcome run = Indim(absl::StrCat("query <", Temp("questions")));
  EXPECT_EQ(run.exit, 0);
  EXPECT_THAT(run.out, StartsWith("{\"id\":\"a\",\"shape\":\"f32[2]\"}\n"
                                  "{\"id\":null,\"error\":"));
  EXPECT_THAT(run.out, HasSubstr("{\"id\":\"b\",\"shape\":\"f32[2]\"}\n"));
}

TEST(Indim, ExplainExitsWith1WhereOperandsDontMatch) {
  EXPECT_EQ(Indim("explain 'f32[4] + f32[1,2] {0}'").exit, 0);
  const Outcome run = Indim("explain 'f32[4] + f32[1,2]'");
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr("IND0007"));
  EXPECT_THAT(Indim("explain IND0007").out, HasSubstr("ranks-differ"));
}

TEST(Indim, ExplainTellsWhatOperationsDeclare) {
  EXPECT_THAT(Indim("explain cholesky").out,
              HasSubstr("the last two dims of operand 0 are equal  [IND0371]"));
  const Outcome all = Indim("explain --json ops");
  EXPECT_EQ(all.exit, 0);
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 137);
  EXPECT_THAT(all.out, StartsWith("{\"op\":\"abs\",\"min_operands\":1,"));
}

}  // namespace
}  // namespace indim
