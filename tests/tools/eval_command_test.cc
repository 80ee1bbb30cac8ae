// SPDX-License-Identifier: Apache-2.0
// `indim eval` on several devices.

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

// x summed over all replicas, times the number of the replica.
std::string SummedOnEachReplica(const std::string& header) {
  const std::string path = Temp("m.hlo");
  EXPECT_TRUE(WriteFile(path, absl::StrCat("HloModule m", header, R"(

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY e {
  x = f32[2] parameter(0)
  s = f32[2] all-reduce(x), replica_groups={}, to_apply=add
  i = u32[] replica-id()
  j = f32[] convert(i)
  k = f32[2] broadcast(j), dimensions={}
  m = f32[2] multiply(s, k)
  ROOT r = (f32[2], f32[2]) tuple(s, m)
}
)"))
                  .ok());
  return path;
}

std::string Input(const std::string& name, const Literal& value) {
  const std::string path = Temp(name);
  EXPECT_TRUE(WriteNpyFile(value, path).ok());
  return path;
}

std::string OneForAll() {
  return Input("x.npy", Literal::Vector({1.0f, 2.0f}));
}

std::string OneForEach() {
  const float values[] = {1, 2, 3, 4, 5, 6};
  return Input("each.npy",
               Literal::Array(absl::MakeConstSpan(values), {3, 2}).value());
}

TEST(EvalCommand, SeveralDevices) {
  const struct {
    const char* header;
    const char* flags;
    bool for_each;
    const char* result;
  } kCases[] = {
      {"", "", false, "(f32[2], f32[2]) ( {1, 2}, {0, 0} )\n"},
      {"", "--devices=3 --per-device", false,
       "(f32[3,2], f32[3,2]) ( { { 3, 6 }, { 3, 6 }, { 3, 6 } }, { { 0, 0 }, { "
       "3, 6 }, { 6, 12 } } )\n"},
      {"", "--devices=3 --per-device", true,
       "(f32[3,2], f32[3,2]) ( { { 9, 12 }, { 9, 12 }, { 9, 12 } }, { { 0, 0 "
       "}, { 9, 12 }, { 18, 24 } } )\n"},
      {", replica_count=3", "--per-device", true,
       "(f32[3,2], f32[3,2]) ( { { 9, 12 }, { 9, 12 }, { 9, 12 } }, { { 0, 0 "
       "}, { 9, 12 }, { 18, 24 } } )\n"},
  };
  for (const auto& c : kCases) {
    const Outcome eval = Indim(
        absl::StrCat("eval ", SummedOnEachReplica(c.header), " ",
                     c.for_each ? OneForEach() : OneForAll(), " ", c.flags));
    EXPECT_EQ(eval.exit, 0) << eval.err;
    EXPECT_EQ(eval.out, c.result) << c.flags;
    EXPECT_THAT(eval.err, IsEmpty()) << c.flags;
  }
}

TEST(EvalCommand, SaysWhoseResultItIs) {
  const Outcome eval = Indim(absl::StrCat(
      "eval --devices=3 ", SummedOnEachReplica(""), " ", OneForAll()));
  EXPECT_EQ(eval.exit, 0) << eval.err;
  EXPECT_EQ(eval.out, "(f32[2], f32[2]) ( {3, 6}, {0, 0} )\n");
  EXPECT_THAT(eval.err, HasSubstr("of device 0; others differ"));
}

TEST(EvalCommand, WhatDoesntFitTheDevices) {
  const struct {
    const char* header;
    const char* flags;
    const char* says;
  } kCases[] = {
      {", replica_count=3", "--devices=4", "for 3 replicas"},
      {"", "--devices=4 --per-device", "f32[4,2]"},
      {"", "--devices=0", "--devices=0"},
      {"", "--devices=100000", "--devices=100000"},
      {", replica_count=1000000000000, num_partitions=1000000000000", "",
       "more than 4096 devices"},
  };
  for (const auto& c : kCases) {
    const Outcome eval =
        Indim(absl::StrCat("eval ", SummedOnEachReplica(c.header), " ",
                           OneForEach(), " ", c.flags));
    EXPECT_NE(eval.exit, 0) << c.flags;
    EXPECT_THAT(eval.err, HasSubstr(c.says));
  }
}

TEST(EvalCommand, AnArgumentOfAnotherTypeIsAnError) {
  const double values[] = {1, 2};
  const Outcome eval = Indim(absl::StrCat(
      "eval ", SummedOnEachReplica(""), " ",
      Input("wrong.npy",
            Literal::Array(absl::MakeConstSpan(values), {2}).value())));
  EXPECT_NE(eval.exit, 0);
  EXPECT_THAT(eval.err, HasSubstr("m.hlo: error: parameter 0 is f32[2], but "
                                  "its argument is f64[2]"));
}

}  // namespace
}  // namespace indim
