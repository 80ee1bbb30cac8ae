// SPDX-License-Identifier: Apache-2.0
// `indim extract` and `indim reduce`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kModule[] =
    R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }

f {
  x = f32[8,4]{1,0} parameter(0)
  ROOT y = f32[8,4]{1,0} tanh(x)
}

ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  q = f32[8,4]{1,0} parameter(1)
  e = f32[8,4]{1,0} exponential(x), metadata={op_name="e"}
  l = f32[8,4]{1,0} log(e)
  c = f32[8,4]{1,0} call(l), to_apply=f
  m = f32[8,4]{1,0} multiply(c, q)
  ROOT t = (f32[8,4]{1,0}, f32[8,4]{1,0}) tuple(l, m)
}
)";

// --- extract -----------------------------------------------------------------

struct ExtractCase {
  std::string arguments;  // after the file
  int exit;
  std::string entry;  // the text's instructions
  std::string err;    // a part of it
};

TEST(ExtractCommand, Table) {
  const std::string dropped = "input_output_alias of parameter 0 is dropped";
  const ExtractCase cases[] = {
      {"l", 0,
       "  %x.1 = f32[8,4]{1,0} parameter(0)\n"
       "  %e = f32[8,4]{1,0} exponential(%x.1), metadata={op_name=\"e\"}\n"
       "  ROOT %l = f32[8,4]{1,0} log(%e)\n",
       dropped},
      {"%l --inputs=e", 0,
       "  %e = f32[8,4]{1,0} parameter(0)\n"
       "  ROOT %l = f32[8,4]{1,0} log(%e)\n",
       dropped},
      {"l --inputs=e --keep_parameters", 0,
       "  %x.1 = f32[8,4]{1,0} parameter(0)\n"
       "  %q = f32[8,4]{1,0} parameter(1)\n"
       "  %e = f32[8,4]{1,0} parameter(2)\n"
       "  ROOT %l = f32[8,4]{1,0} log(%e)\n",
       dropped},
      {"frob", 2, "",
       "extract.hlo: no instruction is called %frob; there are %"},
      {"x", 2, "",
       "2 instructions are called %x; name one with its computation: "},
      {"l y", 1, "", "IND1002"},
      {"l --inputs=y", 1, "", "IND1002"},
      {"l --inputs=frob", 2, "", "no instruction is called %frob"},
  };
  const std::string file = Written("extract.hlo", kModule);
  const std::string out = Temp("part.hlo");
  for (const ExtractCase& c : cases) {
    SCOPED_TRACE(c.arguments);
    Shell(absl::StrCat("rm -f ", out));
    const Outcome run =
        Indim(absl::StrCat("extract ", file, " ", c.arguments, " -o ", out));
    EXPECT_EQ(run.exit, c.exit) << run.err;
    EXPECT_THAT(run.err, HasSubstr(c.err));
    if (c.exit != 0) {
      EXPECT_FALSE(ReadFile(out).ok());
      continue;
    }
    const std::string text = Contents(out);
    EXPECT_THAT(text, HasSubstr(absl::StrCat(" {\n", c.entry, "}\n")));
    EXPECT_EQ(Indim(absl::StrCat("check ", out)).exit, 0);
  }
}

// What is in a called computation becomes an entry of its own.
TEST(ExtractCommand, OfACalledComputation) {
  const std::string file = Written("called.hlo", kModule);
  const Outcome run =
      Indim(absl::StrCat("extract ", file, " f/y --to=hlo -o -"));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("ENTRY %f "), HasSubstr("tanh(%x)"),
                             Not(HasSubstr("main"))));
}

TEST(ExtractCommand, Files) {
  const std::string file = Written("files.hlo", kModule);
  EXPECT_EQ(Indim("extract nowhere.hlo l --to=hlo -o -").exit, 2);
  EXPECT_EQ(Indim(absl::StrCat("extract ", file, " --to=hlo -o -")).exit, 2);
  EXPECT_EQ(
      Indim(absl::StrCat("extract ", file, " l -o /nowhere/out.hlo")).exit, 2);
  const std::string bytes = Temp("part.pb");
  EXPECT_EQ(Indim(absl::StrCat("extract ", file, " l -o ", bytes)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("check ", bytes)).exit, 0);
}

// --- reduce ------------------------------------------------------------------

TEST(ReduceCommand, KeepsWhatTheTestLooksFor) {
  const std::string file = Written("reduce.hlo", kModule);
  const std::string out = Temp("small.hlo");
  const Outcome run = Indim(absl::StrCat(
      "reduce ", file, " --test='! grep -q tanh' --quiet -o ", out));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  const std::string text = Contents(out);
  EXPECT_THAT(text, AllOf(HasSubstr("ROOT %y = f32[1,1]{1,0} tanh(%"),
                          Not(HasSubstr("alias")), Not(HasSubstr("call("))));
  EXPECT_EQ(Indim(absl::StrCat("check ", out)).exit, 0);
  // The file that is tried goes again.
  EXPECT_FALSE(ReadFile(Temp("trial.small.hlo")).ok());
}

// The same exit status counts, and only it. `{}` is the file's name.
TEST(ReduceCommand, EndsAsOnTheWholeModule) {
  const std::string file = Written("status.hlo", kModule);
  const std::string out = Temp("status_small.hlo");
  const std::string script = Written(
      "status.sh",
      "grep -q 'log(' \"$2\" || exit 4\ngrep -q '8,4' \"$2\" || exit 5\n"
      "exit $1\n");
  const Outcome run = Indim(
      absl::StrCat("reduce ", file, " --test='sh ", script, " 3 {}' -o ", out));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr(" of 9 instructions\n"));
  EXPECT_THAT(Contents(out),
              AllOf(HasSubstr("f32[8,4]{1,0} log("), Not(HasSubstr("tanh"))));
  // By a signal.
  const Outcome killed = Indim(absl::StrCat(
      "reduce ", file, " --test='kill -SEGV $$;' --quiet -o ", out));
  EXPECT_EQ(killed.exit, 0) << killed.err;
}

TEST(ReduceCommand, Mistakes) {
  const std::string file = Written("mistakes.hlo", kModule);
  const std::string out = Temp("none.hlo");
  struct Case {
    std::string arguments;
    int exit;
    std::string err;
  };
  const Case cases[] = {
      {absl::StrCat(file, " --test=true -o ", out), 1,
       "the command doesn't fail on"},
      {absl::StrCat(file, " -o ", out), 2, "expected --test=COMMAND"},
      {absl::StrCat(file, " --test=false --to=hlo -o -"), 2,
       "expected -o FILE"},
      {absl::StrCat("nowhere.hlo --test=false -o ", out), 2, "nowhere.hlo"},
      {absl::StrCat(file, " --test=false -o /nowhere/out.hlo"), 2, "/nowhere"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.arguments);
    const Outcome run = Indim(absl::StrCat("reduce ", c.arguments));
    EXPECT_EQ(run.exit, c.exit) << run.err;
    EXPECT_THAT(run.err, HasSubstr(c.err));
    EXPECT_FALSE(ReadFile(out).ok());
  }
}

TEST(ReduceCommand, StopsAtTheLimit) {
  const std::string file = Written("limit.hlo", kModule);
  const std::string out = Temp("limit_small.hlo"), log = Temp("log");
  const Outcome run =
      Indim(absl::StrCat("reduce ", file, " --test='echo >> ", log,
                         "; false' --max_tests=3 -o ", out));
  EXPECT_EQ(run.exit, 0) << run.err;
  // One of them on the whole module.
  EXPECT_EQ(Contents(log), "\n\n\n\n");
}

// --- grad --------------------------------------------------------------------

TEST(GradCommand, Table) {
  const ExtractCase cases[] = {
      {"--wrt=0", 0, "  ROOT %multiply", ""},
      {"--wrt 0 --forward", 0, "  %t0 = f32[3] parameter(2)\n", ""},
      {"", 0, "(f32[3], s32[3], f32[3])->f32[3]", ""},
      {"--loops=states --loop-bound=9", 0, "  ROOT %multiply", ""},
      {"--explain", 0, "  ROOT %multiply",
       "forward to reverse: 12 bytes in 1 value\n  12: f32[3] cosine %"},
      {"--loops=none", 2, "", "residuals"},
      {"--wrt=1", 1, "", "parameter 1 is s32[3]"},
      {"--wrt=x", 0, "  ROOT %multiply", ""},
      {"--wrt=%x", 0, "  ROOT %multiply", ""},
      {"--wrt=i", 1, "", "parameter 1 is s32[3]"},
      {"--wrt=7", 2, "",
       "grad.hlo: --wrt=7: there are parameters 0 to 1, x, i"},
      {"--wrt=weights", 2, "",
       "grad.hlo: --wrt=weights: no parameter is called so; there are "
       "parameters 0 to 1, x, i"},
      {"--wrt=xs", 2, "", "no parameter is called so; there are"},
  };
  const std::string file = Written("grad.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  i = s32[3] parameter(1)
  ROOT r = f32[3] sine(x)
}
)");
  const std::string out = Temp("gradient.hlo");
  for (const ExtractCase& c : cases) {
    SCOPED_TRACE(c.arguments);
    Shell(absl::StrCat("rm -f ", out));
    const Outcome run =
        Indim(absl::StrCat("grad ", file, " ", c.arguments, " -o ", out));
    EXPECT_EQ(run.exit, c.exit);
    EXPECT_THAT(run.err, HasSubstr(c.err));
    if (c.exit != 0) continue;
    EXPECT_THAT(Contents(out), HasSubstr(c.entry));
    EXPECT_EQ(Indim(absl::StrCat("check ", out)).exit, 0);
  }
}

}  // namespace
}  // namespace indim
