// SPDX-License-Identifier: Apache-2.0
// `indim run` and `indim devices` on the plugin of the tests (fake_plugin.h),
// whose programs give their first input back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/eval/values/npy.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/codec/literal.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPlugin[] = " --plugin=tests/run/libfake_plugin.so ";

// A module of that name, with this root, of two f32[2].
std::string ModuleWithRoot(const std::string& name, const std::string& root) {
  const std::string path = Temp(absl::StrCat(name, ".hlo"));
  EXPECT_TRUE(WriteFile(path, absl::StrCat("HloModule ", name,
                                           "\n\nENTRY e {\n  x = f32[2] "
                                           "parameter(0)\n  y = f32[2] "
                                           "parameter(1)\n  ROOT r = f32[2] ",
                                           root, "\n}\n"))
                  .ok());
  return path;
}

std::string Vector(const std::string& name, float a, float b) {
  const std::string path = Temp(name);
  EXPECT_TRUE(WriteNpyFile(Literal::Vector({a, b}), path).ok());
  return path;
}

TEST(RunCommand, GivesTheResultAsEvalDoes) {
  const std::string inputs =
      absl::StrCat(Vector("x.npy", 1, 2), " ", Vector("y.npy", 0, 0));
  const std::string copy = ModuleWithRoot("m", "copy(x)");
  const Outcome run = Indim(absl::StrCat("run", kPlugin, copy, " ", inputs));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "f32[2] {1, 2}\n");
  EXPECT_THAT(run.err, IsEmpty());
  const std::string out = Temp("out.npy");
  EXPECT_EQ(
      Indim(absl::StrCat("run", kPlugin, copy, " ", inputs, " -o ", out)).exit,
      0);
  EXPECT_EQ(ReadNpyFile(out).value().ToString(), "{1, 2}");
}

TEST(RunCommand, ComparesWithTheEvaluator) {
  const Outcome same =
      Indim(absl::StrCat("run --random-inputs=1 --compare", kPlugin,
                         ModuleWithRoot("m", "copy(x)")));
  EXPECT_EQ(same.exit, 0) << same.err;
  EXPECT_THAT(same.err, HasSubstr("beside `indim eval`: equal"));
  const Outcome other =
      Indim(absl::StrCat("run --random-inputs=1 --compare", kPlugin,
                         ModuleWithRoot("n", "negate(x)")));
  EXPECT_EQ(other.exit, 1);
  EXPECT_THAT(other.err, HasSubstr("beside `indim eval`: differs"));
}

TEST(RunCommand, TellsTimes) {
  const Outcome run =
      Indim(absl::StrCat("run --random-inputs=1 --repeat=10", kPlugin,
                         ModuleWithRoot("m", "copy(x)")));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("on cpu: compiled in "));
  EXPECT_THAT(run.err, HasSubstr("of 10 runs the fastest took "));
}

TEST(RunCommand, WhatEndsThePluginIsAnError) {
  const struct {
    const char* name;
    const char* says;
  } kCases[] = {{"fake_abort", "[IND1107]"},
                {"fake_throw", "[IND1107]"},
                {"fake_refuse", "refuses on demand"}};
  for (const auto& c : kCases) {
    const Outcome run = Indim(absl::StrCat("run --random-inputs=1", kPlugin,
                                           ModuleWithRoot(c.name, "copy(x)")));
    EXPECT_EQ(run.exit, 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr(c.name));
    EXPECT_THAT(run.err, HasSubstr(c.says));
    EXPECT_THAT(run.out, IsEmpty());
  }
}

TEST(RunCommand, WrongUses) {
  const std::string copy = ModuleWithRoot("m", "copy(x)");
  const struct {
    std::string arguments;
    int exit;
    const char* says;
  } kCases[] = {
      {absl::StrCat(kPlugin, copy), 2,
       "the module takes an .npy file for each"},
      {absl::StrCat(" --plugin=quantum --random-inputs=1 ", copy), 2,
       "cpu, cuda, rocm, tpu"},
      {absl::StrCat(" --plugin=./no.so --random-inputs=1 ", copy), 2,
       "[IND1100]"},

      {absl::StrCat(kPlugin, "--repeat=-1 --random-inputs=1 ", copy), 2,
       "--repeat=-1"},
      {absl::StrCat(kPlugin, "--devices=0 --random-inputs=1 ", copy), 2,
       "--devices=0"},
      {absl::StrCat(kPlugin, "--random-inputs=1 no.hlo"), 2, "no.hlo"}};
  for (const auto& c : kCases) {
    const Outcome run = Indim(absl::StrCat("run ", c.arguments));
    EXPECT_EQ(run.exit, c.exit) << run.err;
    EXPECT_THAT(run.err, HasSubstr(c.says));
  }
}

// A name without a folder is of a file that is here.
TEST(RunCommand, PluginsThatAreHere) {
  const std::string library = Temp("here.so");
  ASSERT_TRUE(WriteFile(library, "no library").ok());
  const Outcome run = Shell(
      absl::StrCat("indim=$PWD/tools/indim; cd $(dirname ", library,
                   ") && $indim devices --plugin=$(basename ", library, ")"));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr("here.so: file too short"));
}

TEST(DevicesCommand, TellsWhatIsThere) {
  const Outcome found = Indim(absl::StrCat("devices", kPlugin));
  EXPECT_EQ(found.exit, 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("C API       0.81"));
  EXPECT_THAT(found.out, HasSubstr("made_for \"tests\""));
  EXPECT_THAT(found.out, HasSubstr("platform    cpu, fake 1"));
  EXPECT_THAT(found.out, HasSubstr("device 1"));
  EXPECT_THAT(found.out, Not(HasSubstr("device 2")));
  const Outcome none = Indim("devices --plugin=./no.so");
  EXPECT_EQ(none.exit, 1);
  EXPECT_THAT(none.out, HasSubstr("[IND1100]"));
}

}  // namespace
}  // namespace indim
