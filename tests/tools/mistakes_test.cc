// SPDX-License-Identifier: Apache-2.0
// What the command says of mistakes that people make with it: the reason, once,
// and what would have worked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Mistakes, OfCommandsAndFlags) {
  struct Row {
    const char* arguments;
    const char* expected;
  };
  for (const Row& row :
       {Row{"chck x.pb", "did you mean check? expected check, infer"},
        Row{"check --frm=pb x",
            "takes no flag --frm; did you mean --from? it "
            "takes --format, --json, --quiet"},
        Row{"check -x y.pb", "takes no flag -x; it takes"},
        Row{"check -q y.pb", "takes no flag -q; did you mean --quiet? it"},
        Row{"model.hlo",
            "no command is called 'model.hlo'; did you mean indim check "
            "model.hlo? expected check, "},
        Row{"--json check x.pb",
            "'--json' stands where a command is expected: flags follow the "
            "command, but for --help and --version; expected check, "},
        Row{"list dot examples/recorded.pbtxt",
            "expected an opcode in 'examples/recorded.pbtxt'; the pattern is "
            "the last argument"},
        Row{"help patern", "expected check, infer, "},
        Row{"help patern", "version, or pattern"},
        Row{"check --disable=IND9999 x.pb",
            "no code has this number or name; indim explain codes lists them"},
        Row{"convert x.pb --to -o y.hlo",
            "--to needs a value, but -o follows: format of the output"},
        Row{"run x.pb --plugin --zeros",
            "--plugin needs a value, but --zeros follows"},
        Row{"infer --set x.pb -o y.pb",
            "no argument given (x.pb is the value of --set, y.pb is the value "
            "of --output); usage: indim infer IN"},
        Row{"infer x.pb --check -o y.pb",
            "--check writes nothing; expected it or -o FILE, not both"},
        Row{"eval x.pb --max-steps=-1",
            "--max-steps=-1 can't be read: expected a whole number in "
            "0..9223372036854775807"},
        Row{"expect x.pb dot --count=-1", "--count=-1 can't be read"},
        Row{"cost x.pb --rows=99999999999999999999",
            "--rows=99999999999999999999 can't be read: expected a whole "
            "number in 0..9223372036854775807"},
        Row{"print x.pb --max-body-mib=3000000000",
            "expected a whole number in 0..2147483647"},
        Row{"eval examples/recorded.pbtxt --random-inputs=-1",
            "--random-inputs=-1 can't be read: expected a whole number in 0.."},
        Row{"dot examples/recorded.pbtxt foo",
            "examples/recorded.pbtxt: no computation is called foo; there is "},
        Row{"grad examples/recorded.pbtxt --wrt=99 -o x.pb",
            "examples/recorded.pbtxt: --wrt=99: there are parameters 0 to 2, "},
        Row{"extract examples/recorded.pbtxt biass -o x.pb",
            "examples/recorded.pbtxt: no instruction is called %biass; did "
            "you mean %bias?"},
        Row{"check --expand y.pb", "takes no flag --expand; it takes"},
        Row{"query --json", "takes no flag --json; it takes --quiet"},
        Row{"man --json", "takes no flag --json; it takes none"},
        Row{"check --json=maybe x.pb",
            "--json=maybe can't be read: expected "
            "true or false"},
        Row{"eval x.pb --max-steps=many",
            "--max-steps=many can't be read: "
            "expected a whole number"},
        Row{"diff x.pb", "1 argument given; usage"},
        Row{"convert x.pb y.mlir",
            "2 arguments given; did you mean -o y.mlir? usage: "},
        Row{"print examples/recorded.pbtx",
            "can't open examples/recorded.pbtx: No such file or directory; did "
            "you mean examples/recorded.pbtxt?"},
        Row{"explain examples/recordd.pbtxt",
            "; did you mean examples/recorded.pbtxt?"},
        Row{"explain nowhere.hlo", "can't open nowhere.hlo: No such file"},
        Row{"explain examples", "examples: this is a folder; a question"},
        Row{"list examples/recorded.pbtxt mul", "did you mean multiply?"},
        Row{"check - -", "standard input (-) can be read once"},
        Row{"explain ad", "did you mean add?"},
        Row{"explain ranks-difer", "did you mean ranks-differ?"},
        Row{"eval examples/recorded.pbtxt x.npy --random-inputs=1",
            "--random-inputs makes up all inputs"},
        Row{"eval examples/recorded.pbtxt x.npy --zeros",
            "--zeros gives all inputs"},
        Row{"eval examples/recorded.pbtxt --zeros --random-inputs=1",
            "--zeros gives all inputs"},
        Row{"query tests", "can't read tests: Is a directory"},
        Row{"query /nonexistent", "No such file or directory"},
        Row{"convert examples/recorded.pbtxt -o -",
            "standard output has no name that tells the format; expected "
            "--to=pb|pbtxt|hlo"},
        Row{"eval examples/recorded.pbtxt",
            "an .npy file for each parameter, x f32[8,784], w "
            "f32[784,10], bias f32[10]; given are 0"}}) {
    const Outcome run = Indim(row.arguments);
    EXPECT_EQ(run.exit, 2) << row.arguments;
    EXPECT_THAT(run.err, HasSubstr(row.expected)) << row.arguments;
  }
}

TEST(Mistakes, AFileIsNamedOnce) {
  const Outcome check = Indim("check /nonexistent.pb");
  EXPECT_EQ(check.out,
            "/nonexistent.pb: error: can't open it: No such file or directory  "
            "[IND0800]\n/nonexistent.pb: can't be read\n");
  EXPECT_THAT(check.err, IsEmpty());
  EXPECT_EQ(Indim("print /nonexistent.pb").err,
            "indim: can't open /nonexistent.pb: No such file or directory\n");
  const std::string nothing = Temp("nothing.pbtxt");
  ASSERT_TRUE(WriteFile(nothing, "name: \"m\"\n").ok());
  EXPECT_THAT(Indim(absl::StrCat("check ", nothing)).out,
              StartsWith(absl::StrCat(nothing,
                                      ": error: the module has no "
                                      "computation  [IND0800]\n")));
  EXPECT_THAT(Indim("check - </dev/null").out,
              StartsWith("-: error: the file is empty  [IND0800]\n"));
}

// The line and the code of an error outlast what is said of the file.
TEST(Mistakes, AnErrorKeepsItsPlace) {
  const std::string text = Temp("place.hlo");
  ASSERT_TRUE(
      WriteFile(text, "HloModule m\nENTRY e {\n  ROOT x = f33[] a()\n}\n")
          .ok());
  EXPECT_THAT(Indim("check - <" + text).out, StartsWith("-:3:12: error: "));
  EXPECT_THAT(Indim("check --format=github - <" + text).out,
              HasSubstr("line=3,col=12,title=IND0800"));
  EXPECT_THAT(Indim("check --from=mlir " + text).out,
              AllOf(StartsWith(text + ":1:1: error: "), HasSubstr("[IND1202]"),
                    HasSubstr("looks like HLO text")));
}

// Whatever is wrong with a file, the message begins with its name, once.
TEST(Mistakes, EveryErrorNamesTheFile) {
  const std::string open = Temp("open.hlo"), npy = Temp("x.npy");
  ASSERT_TRUE(WriteFile(open,
                        "HloModule m\n\nENTRY e {\n"
                        "  ROOT x = f32[n] parameter(0)\n}\n")
                  .ok());
  ASSERT_TRUE(WriteFile(npy, "no array").ok());
  const std::string empty = Temp("empty.pb");
  ASSERT_TRUE(WriteFile(empty, "").ok());
  struct Row {
    std::string arguments;
    std::string begin;
  };
  for (const Row& row : std::vector<Row>{
           {absl::StrCat("eval ", kRecordedModule), kRecordedModule},
           {absl::StrCat("eval ", kJaxModule, " ", npy, " y.npy z.npy"), npy},
           {absl::StrCat("eval ", empty), empty},
           {absl::StrCat("print ", empty), empty},
           {absl::StrCat("diff ", kJaxModule, " ", empty), empty},
           {absl::StrCat("convert ", empty, " -o ", Temp("x.pb")), empty},
           {absl::StrCat("test-return-types ", empty), empty},
           {absl::StrCat("infer --set=k=3 ", open, " -o ", Temp("x.pb")), open},
           {absl::StrCat("infer --set=k=3 - -o ", Temp("x.pb"), " <", open),
            "standard input"},
           {absl::StrCat("explain ", open, ":y --symbols"), open},
           {absl::StrCat("explain ", empty, ":y"), empty}}) {
    const Outcome run = Indim(row.arguments);
    EXPECT_EQ(run.exit, 2) << row.arguments;
    EXPECT_THAT(run.err, StartsWith(absl::StrCat("indim: ", row.begin, ": ")))
        << row.arguments;
    EXPECT_EQ(run.err.find(row.begin, 8), std::string::npos) << run.err;
  }
}

// What is wrong with a text stands where all other errors do, in their form.
TEST(Mistakes, AnErrorOfATextIsAnErrorAsOthers) {
  const std::string path = Temp("syntax.hlo");
  ASSERT_TRUE(WriteFile(path,
                        "HloModule m\n\nENTRY e {\n"
                        "  x = f32[8] parameter(0)\n"
                        "  y = f32[8] ad(x, x)\n"
                        "  ROOT z = f32[8] add(x, q)\n}\n")
                  .ok());
  const Outcome run = Indim(absl::StrCat("check ", path));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(
      run.out,
      AllOf(StartsWith(absl::StrCat(path,
                                    ":5:14: error: unknown op \"ad\", did you "
                                    "mean \"add\"?  [IND0800]\n"
                                    "    y = f32[8] ad(x, x)\n")),
            HasSubstr(absl::StrCat("\n", path, ":6:26: error: ")),
            HasSubstr(absl::StrCat("\n", path, ": can't be read\n"))));
}

// Of a serialized module without metadata the file's name is all there is.
TEST(Mistakes, AnErrorBeginsWithAFile) {
  const std::string text = Temp("wrong.hlo");
  ASSERT_TRUE(WriteFile(text,
                        "HloModule m\n\nf {\n  i = f32[4] parameter(0)\n"
                        "  ROOT j = f32[4] negate(i)\n}\n\nENTRY e {\n"
                        "  i = f32[4] parameter(0)\n"
                        "  j = f32[5] negate(i)\n"
                        "  ROOT c = f32[4] call(j), to_apply=f\n}\n")
                  .ok());
  const std::string pb = Temp("wrong.pb");
  ASSERT_EQ(Indim(absl::StrCat("convert ", text, " -o ", pb)).exit, 0);
  const Outcome run = Indim(absl::StrCat("check ", pb));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, StartsWith(absl::StrCat(pb, ": m/e: error: ")));
  // Names are those of the text, though a module has each once.
  const Outcome of_text = Indim(absl::StrCat("check ", text));
  EXPECT_THAT(of_text.out,
              AllOf(StartsWith(absl::StrCat(text, ":10:3: error: ")),
                    HasSubstr("    %j = f32[5] negate(%i)"),
                    Not(HasSubstr("%i.1")), Not(HasSubstr("%j.1"))));
  EXPECT_THAT(
      Indim(absl::StrCat("check --json ", text)).out,
      HasSubstr("\"instruction\":\"j\",\"computation\":\"e\",\"line\":10"));
  // What infer and convert say of it too.
  const std::string open = Temp("open.pbtxt");
  ASSERT_TRUE(WriteFile(open,
                        "name: \"m\" entry_computation_name: \"e\" "
                        "computations { name: \"e\" id: 1 root_id: 2 "
                        "instructions { name: \"x\" opcode: \"parameter\" "
                        "id: 2 } }")
                  .ok());
  for (const char* command : {"infer ", "convert --expand "}) {
    EXPECT_THAT(Indim(absl::StrCat(command, open, " -o ", pb)).err,
                StartsWith(absl::StrCat(open, ": m/e: error: ")))
        << command;
  }
}

TEST(Mistakes, AFileOfAnotherKind) {
  struct Row {
    const char* from;
    const char* file;
    const char* expected;
  };
  for (const Row& row :
       {Row{"pb", kJaxText, "looks like HLO text (--from=hlo)"},
        Row{"pb", kRecordedModule, "(--from=pbtxt)"},
        Row{"hlo", kJaxModule, "(--from=pb)"},
        Row{"hlo", kRecordedModule, "(--from=pbtxt)"},
        Row{"pbtxt", kJaxText, "(--from=hlo)"},
        Row{"pbtxt", kJaxModule, "(--from=pb)"}}) {
    const Outcome run =
        Indim(absl::StrCat("check --from=", row.from, " ", row.file));
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.out, HasSubstr(row.expected)) << row.from << row.file;
  }
}

// A name is one line, and text, whatever is in it.
TEST(Mistakes, NamesThatAreNoText) {
  const std::string name = Temp("\xff\n.hlo");
  ASSERT_TRUE(WriteFile(name, "HloModule m\n").ok());
  const Outcome unread = Indim(absl::StrCat("check '", name, "'"));
  EXPECT_EQ(unread.exit, 2);
  EXPECT_THAT(unread.out, AllOf(HasSubstr("\\xff\\x0a.hlo:"),
                                HasSubstr("\\xff\\x0a.hlo: can't be read\n"),
                                Not(HasSubstr("\xff"))));
  ASSERT_TRUE(
      WriteFile(name, "ENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n").ok());
  const Outcome read = Indim(absl::StrCat("check '", name, "'"));
  EXPECT_EQ(read.exit, 0);
  EXPECT_THAT(read.out, AllOf(HasSubstr("\\xff\\x0a.hlo: ok: 1 instruction"),
                              Not(HasSubstr("\xff"))));
}

// A command that isn't there doesn't fail on a module.
TEST(Mistakes, ATestThatCannotBeRun) {
  const std::string out = Temp("small.pb");
  const Outcome run = Indim(absl::StrCat(
      "reduce examples/recorded.pbtxt --test=no-such-command -o ", out));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err,
              HasSubstr("--test=no-such-command can't be run: a shell ends "
                        "with 127, there is no such command"));
  EXPECT_FALSE(ReadFile(out).ok());
}

// The graph's error has its place once.
TEST(Mistakes, AGraphWithoutADerivative) {
  const std::string text = Temp("underivable.hlo");
  ASSERT_TRUE(WriteFile(text,
                        "HloModule m\nENTRY e {\n"
                        "  x = f32[4] parameter(0)\n"
                        "  ROOT y = f32[5] negate(x)\n}\n")
                  .ok());
  const Outcome run = Indim(absl::StrCat("grad ", text, " -o -  --to=hlo"));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.err, StartsWith(absl::StrCat(text, ":4:3: error: ")));
}

// An answer that nobody got is no success.
TEST(Mistakes, OutputThatCannotBeWritten) {
  for (const std::string& arguments :
       {absl::StrCat("check ", kJaxModule),
        absl::StrCat("check --json ", kJaxModule),
        absl::StrCat("print ", kJaxModule),
        absl::StrCat("diff ", kJaxModule, " ", kRecordedModule),
        absl::StrCat("test-return-types ", kJaxModule),
        std::string("help check"), std::string("explain add"),
        std::string("--version")}) {
    for (const char* nowhere : {">/dev/full", ">&-"}) {
      const Outcome run =
          Shell(absl::StrCat("tools/indim ", arguments, " ", nowhere));
      EXPECT_EQ(run.exit, 2) << arguments << nowhere;
      EXPECT_THAT(run.err, HasSubstr("can't write to standard output"))
          << arguments << nowhere;
    }
  }
}

TEST(Mistakes, JsonHasAnObjectForAFolderOfNothing) {
  const Outcome run =
      Indim(absl::StrCat("check --json tests/tools ", kJaxModule));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.out,
              AllOf(StartsWith("{\"version\":1,\"file\":\"tests/tools\","),
                    HasSubstr("is in this folder"),
                    HasSubstr(absl::StrCat("\"file\":\"", kJaxModule))));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST(Mistakes, JsonSaysWhichOperandAndDimensionAndWhatWouldWork) {
  const std::string path = Temp("dot.hlo");
  ASSERT_TRUE(WriteFile(path,
                        "HloModule m\n\nENTRY e {\n"
                        "  p = f32[4,8] parameter(0)\n"
                        "  i = f32[4,8] parameter(1)\n"
                        "  ROOT q = f32[4,4] dot(p, i), "
                        "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                        "}\n")
                  .ok());
  const Outcome run = Indim(absl::StrCat("check --json ", path));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("\"code\":\"IND0203\",\"name\":\"sizes-must-match\","
                      "\"severity\":\"error\",\"instruction\":\"q\","
                      "\"computation\":\"e\",\"line\":6,\"column\":3,"
                      "\"operand\":1,\"dimension\":0,\"other_operand\":0,"
                      "\"other_dimension\":1,\"message\":\"dot: dim 0 of "),
            HasSubstr("\"fix\":\"dot(p, i), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={1} matches dim 1 of p with dim 1 "
                      "of i (8 = 8)\"}")));
}

TEST(Mistakes, JsonHasEveryErrorOfATextWithItsPlace) {
  const std::string path = Temp("two.hlo");
  ASSERT_TRUE(WriteFile(path,
                        "HloModule m\n\nENTRY e {\n"
                        "  x = f32[8] parameter(0)\n"
                        "  y = f32[8] ad(x, x)\n"
                        "  ROOT z = f32[8] add(x, q)\n}\n")
                  .ok());
  const Outcome run = Indim(absl::StrCat("check --json ", path));
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("\"line\":5,\"column\":14,\"message\":\"unknown op "
                      "\\\"ad\\\", did you mean \\\"add\\\"?\\n"),
            HasSubstr("},{\"code\":\"IND0800\","),
            HasSubstr("\"line\":6,\"column\":26,\"message\":\"no ")));
}

// Input without an end, where memory has one.
TEST(Mistakes, AStreamThatNeverEnds) {
  if (Shell("ulimit -v 300000; tools/indim version").exit != 0) {
    GTEST_SKIP() << "a sanitizer needs more addresses";
  }
  for (const char* command : {"tools/indim check /dev/zero --from=pb",
                              "yes | tools/indim check - --from=hlo"}) {
    const Outcome run = Shell(absl::StrCat("ulimit -v 300000; ", command));
    EXPECT_EQ(run.exit, 2) << command;
    EXPECT_THAT(run.out, HasSubstr("don't fit into memory")) << command;
  }
}

}  // namespace
}  // namespace indim
