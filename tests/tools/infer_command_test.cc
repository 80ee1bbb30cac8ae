// SPDX-License-Identifier: Apache-2.0
// `indim infer` says what it fills in and changes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/tools/run_indim.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// y and s are recorded wrong; n follows y, c what it calls, t is right.
constexpr char kWrong[] = R"(HloModule m

f {
  p = f32[8,10] parameter(0)
  ROOT s = f32[8,9] negate(p)
}

ENTRY e {
  x = f32[8,784] parameter(0)
  w = f32[784,10] parameter(1)
  y = f32[8,11] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[8,11] negate(y)
  c = f32[8,9] call(n), to_apply=f
  ROOT t = f32[784,8] transpose(x), dimensions={1,0}
}
)";

// The list, of which FILE stands for the file's name.
std::string ListOf(absl::string_view file, absl::string_view out) {
  return absl::StrReplaceAll(out, {{file, "FILE"}});
}

constexpr char kList[] =
    "FILE:5:3: %s: f32[8,9]{1,0} -> f32[8,10]{1,0}, which its operands give: "
    "f32[8,10]\n"
    "FILE:11:3: %y: f32[8,11]{1,0} -> f32[8,10]{1,0}, which its operands give: "
    "f32[8,784], f32[784,10]\n"
    "FILE:12:3: %n: f32[8,11]{1,0} -> f32[8,10]{1,0}, since operand 0, %y, "
    "changed\n"
    "FILE:13:3: %c: f32[8,9]{1,0} -> f32[8,10]{1,0}, since operand 0, %n, "
    "changed\n";

TEST(InferCommand, ListsWhatItChanges) {
  const std::string file = Written("wrong.hlo", kWrong);
  const std::string out = Temp("right.hlo");
  const Outcome run = Indim(absl::StrCat("infer ", file, " -o ", out));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(ListOf(file, run.out),
            absl::StrCat(kList, "FILE: 0 shapes filled in, 4 changed\n"));
  EXPECT_THAT(run.err, IsEmpty());
  // Again: nothing.
  const Outcome again = Indim(absl::StrCat("infer ", out, " -o ", out));
  EXPECT_EQ(ListOf(out, again.out), "FILE: 0 shapes filled in, 0 changed\n");
  // The module alone is on standard output.
  const Outcome piped = Indim(absl::StrCat("infer ", file, " -o - --to=hlo"));
  EXPECT_EQ(piped.out, Contents(out));
  EXPECT_EQ(ListOf(file, piped.err), ListOf(file, run.out));
  const Outcome quiet =
      Indim(absl::StrCat("infer --quiet ", file, " -o ", out));
  EXPECT_EQ(quiet.exit, 0);
  EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
}

TEST(InferCommand, ChecksWithoutWriting) {
  const std::string file = Written("check.hlo", kWrong);
  const Outcome run = Indim(absl::StrCat("infer --check ", file));
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(
      ListOf(file, run.out),
      absl::StrCat(kList, "FILE: 0 shapes would be filled in, 4 changed\n"));
  EXPECT_EQ(Contents(file), kWrong);
  const std::string right = Temp("settled.pb");
  ASSERT_EQ(Indim(absl::StrCat("infer ", file, " -o ", right)).exit, 0);
  EXPECT_EQ(Indim(absl::StrCat("infer --check --quiet ", right)).exit, 0);
  // An error is one as ever.
  const std::string bad = Written(
      "bad.hlo", absl::StrReplaceAll(kWrong, {{"w = f32[784", "w = f32[783"}}));
  const Outcome wrong = Indim(absl::StrCat("infer --check ", bad));
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.err, HasSubstr("IND0203"));
}

TEST(InferCommand, FillsInWhatHasNone) {
  // Without metadata a place is the file, the module and the computation.
  const Outcome run = Indim("infer --check examples/recorded.pbtxt");
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr("f32[8,10] filled in\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("%x")));
  EXPECT_THAT(run.out, HasSubstr("would be filled in, 0 changed\n"));
}

TEST(InferCommand, RefinementListsTheSame) {
  const std::string file = Written("named.hlo",
                                   "ENTRY e {\n  x = f32[n,4] parameter(0)\n"
                                   "  ROOT y = f32[n,4] negate(x)\n}\n");
  const Outcome run = Indim(absl::StrCat("infer --check --set n=8 ", file));
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(ListOf(file, run.out),
            "FILE:2:3: %x: f32[n,4]{1,0} -> f32[8,4]{1,0}, as its caller or "
            "what was set says\n"
            "FILE:3:3: %y: f32[n,4]{1,0} -> f32[8,4]{1,0}, since operand 0, "
            "%x, changed\n"
            "FILE: 0 shapes would be filled in, 2 changed\n");
}

TEST(InferCommand, JsonHasOneObject) {
  const std::string file = Written("json.hlo", kWrong);
  const Outcome run = Indim(absl::StrCat("infer --check --json ", file));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("\"filled\":0,\"changed\":4,\"shapes\":[{"
                      "\"instruction\":\"s\",\"computation\":\"f\","
                      "\"line\":5,\"column\":3,\"from\":\"f32[8,9]{1,0}\","
                      "\"to\":\"f32[8,10]{1,0}\",\"why\":\"operands\"}"),
            HasSubstr("\"why\":\"operand\",\"operand\":0}"),
            HasSubstr("],\"errors\":[]}\n")));
  const std::string bad = Written(
      "bad.hlo", absl::StrReplaceAll(kWrong, {{"w = f32[784", "w = f32[783"}}));
  const Outcome wrong = Indim(absl::StrCat("infer --check --json ", bad));
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.out, HasSubstr("\"shapes\":[],\"errors\":[{\"code\":"
                                   "\"IND0203\""));
}

}  // namespace
}  // namespace indim
