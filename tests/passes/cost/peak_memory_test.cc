// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/peak_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"

namespace indim {
namespace {

struct MemoryCase {
  const char* computations;
  const char* entry;
  double arguments;
  double results;
  double temporaries;
};

// f32[256] is 1 kB.
constexpr MemoryCase kMemory[] = {
    // Over each other, in the result.
    {"",
     "x = f32[256] parameter(0)  a = f32[256] negate(x)"
     "  b = f32[256] tanh(a)  ROOT c = f32[256] negate(b)",
     1024, 1024, 0},
    // Both are needed for the dot.
    {"",
     "x = f32[256] parameter(0)  a = f32[256] negate(x)"
     "  b = f32[256] tanh(x)"
     "  ROOT c = f32[] dot(a, b), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0}",
     1024, 4, 2048},
    // The first is done when the second is written.
    {"",
     "x = f32[256] parameter(0)  y = f32[512] parameter(1)"
     "  a = f32[256] negate(x)"
     "  s = f32[] dot(a, a), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0}"
     "  b = f32[512] negate(y)"
     "  t = f32[] dot(b, b), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0}"
     "  ROOT c = f32[] add(s, t)",
     3072, 4, 2048 + 4},
    // Views take nothing.
    {"",
     "x = f32[256] parameter(0)  a = f32[256] negate(x)"
     "  t = (f32[256], f32[256]) tuple(a, x)"
     "  g = f32[256] get-tuple-element(t), index=0"
     "  ROOT b = f32[16,16] bitcast(g)",
     1024, 1024, 0},
    // A call's temporaries.
    {"f { p = f32[256] parameter(0)  a = f32[256] negate(p)"
     "  ROOT r = f32[] dot(a, p), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0} }",
     "x = f32[256] parameter(0)  ROOT c = f32[] call(x), to_apply=f", 1024, 4,
     1024},
    // Inside a fusion there are none.
    {"f { p = f32[256] parameter(0)  a = f32[256] negate(p)"
     "  ROOT r = f32[] dot(a, p), lhs_contracting_dims={0}, "
     "rhs_contracting_dims={0} }",
     "x = f32[256] parameter(0)  ROOT c = f32[] fusion(x), kind=kLoop, "
     "calls=f",
     1024, 4, 0},
};

TEST(PeakMemoryTest, FollowsLiveness) {
  for (const MemoryCase& c : kMemory) {
    const absl::StatusOr<Module> module = ReadModuleText(absl::StrCat(
        "HloModule m\n", c.computations, "\nENTRY e { ", c.entry, " }"));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
    ASSERT_TRUE(use.ok()) << use.status();
    EXPECT_EQ(use->arguments, c.arguments) << c.entry;
    EXPECT_EQ(use->results, c.results) << c.entry;
    EXPECT_EQ(use->temporaries, c.temporaries) << c.entry;
    EXPECT_EQ(use->peak, c.arguments + c.results + c.temporaries) << c.entry;
    EXPECT_FALSE(use->is_scheduled);
  }
}

TEST(PeakMemoryTest, ResultsLieInDonatedArguments) {
  const absl::StatusOr<Module> module = ReadModuleText(
      "HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }\n"
      "ENTRY e { x = f32[256] parameter(0)  y = f32[256] parameter(1)"
      "  a = f32[] constant(1)  b = f32[256] add(x, y)"
      "  ROOT t = (f32[], f32[256]) tuple(a, b) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
  ASSERT_TRUE(use.ok());
  EXPECT_EQ(use->reused, 1024);
  // Two results, and the table of them.
  EXPECT_EQ(use->results, 1024 + 4 + 16);
  EXPECT_EQ(use->peak, 2048 + 1024 + 4 + 16 - 1024);
}

// Until a donated argument is read for the last time nothing lies in it.
TEST(PeakMemoryTest, DonatedArgumentsAreFullWhileTheyAreRead) {
  struct Case {
    const char* text;
    double temporaries;
  };
  for (const Case& c : {
           Case{"a = f32[256] reverse(x), dimensions={0}"
                "  ROOT r = f32[256] subtract(a, x)",
                1024},
           Case{"a = f32[256] exponential(x)  c = f32[256] exponential(a)"
                "  d = f32[256] add(a, c)  ROOT r = f32[256] add(x, d)",
                2048},
           Case{"a = f32[256] reverse(x), dimensions={0}"
                "  ROOT r = f32[256] copy(a)",
                1024},
           // Over x, and each over the one before.
           Case{"a = f32[256] negate(x)  ROOT r = f32[256] negate(a)", 0},
           // The result is there before x is read last.
           Case{"r = f32[256] negate(x)  s = f32[] constant(0)"
                "  d = f32[] dot(x, x), lhs_contracting_dims={0}, "
                "rhs_contracting_dims={0}  b = f32[256] broadcast(d), "
                "dimensions={}  ROOT q = f32[256] add(r, b)",
                1028},
       }) {
    const absl::StatusOr<Module> module = ReadModuleText(absl::StrCat(
        "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
        "ENTRY e { x = f32[256] parameter(0)  ",
        c.text, " }"));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
    ASSERT_TRUE(use.ok());
    EXPECT_EQ(use->temporaries, c.temporaries) << c.text;
    EXPECT_EQ(use->peak, 1024 + c.temporaries) << c.text;
  }
}

MemoryUse UseOf(const std::string& text) {
  const absl::StatusOr<Module> module = ReadModuleText(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
  EXPECT_TRUE(use.ok()) << use.status();
  return *use;
}

// As it stands all four are there together; one after the other only one and
// the sums are.
TEST(PeakMemoryTest, WithoutAScheduleAnOrderIsFound) {
  std::string entry = "x = f32[256] parameter(0)";
  for (const char* name : {"a", "b", "c", "d"}) {
    absl::StrAppend(&entry, "  ", name,
                    " = f32[256] reverse(x), dimensions={0}");
  }
  for (const char* name : {"a", "b", "c", "d"}) {
    absl::StrAppend(&entry, "  s", name, " = f32[] dot(", name, ", x), ",
                    "lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  }
  absl::StrAppend(&entry,
                  "  u = f32[] add(sa, sb)  v = f32[] add(sc, sd)"
                  "  ROOT r = f32[] add(u, v) }");
  const MemoryUse found = UseOf(absl::StrCat("HloModule m\nENTRY e { ", entry));
  EXPECT_TRUE(found.is_own_order);
  EXPECT_LE(found.temporaries, 1024 + 3 * 4);
  const MemoryUse scheduled =
      UseOf(absl::StrCat("HloModule m, is_scheduled=true\nENTRY e { ", entry));
  EXPECT_FALSE(scheduled.is_own_order);
  EXPECT_EQ(scheduled.temporaries, 4 * 1024);
}

TEST(PeakMemoryTest, ShardingsCutWhatADeviceHolds) {
  const MemoryUse use = UseOf(
      "HloModule m, num_partitions=4\nENTRY e {\n"
      "  x = f32[256] parameter(0), sharding={devices=[4]<=[4]}\n"
      "  y = f32[256] parameter(1), sharding={replicated}\n"
      "  a = f32[256] add(x, y)\n"
      "  s = f32[] dot(a, x), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}\n"
      "  ROOT r = (f32[256], f32[]) tuple(a, s), "
      "sharding={{devices=[4]<=[4]}, {replicated}}\n}\n");
  EXPECT_EQ(use.devices, 4);
  EXPECT_TRUE(use.is_cut);
  EXPECT_EQ(use.arguments, 256 + 1024);
  EXPECT_EQ(use.results, 256 + 4 + 16);
  EXPECT_EQ(use.peak, use.arguments + use.results);
}

// JAX leaves num_partitions to who compiles.
TEST(PeakMemoryTest, ShardingsTellHowManyDevicesThereAre) {
  const MemoryUse use = UseOf(
      "HloModule m\nENTRY e {\n"
      "  x = f32[256] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  ROOT r = f32[256] negate(x)\n}\n");
  EXPECT_EQ(use.devices, 2);
  EXPECT_EQ(use.arguments, 512);
}

// Parameters keep their shardings when their shapes are a device's already.
TEST(PeakMemoryTest, WhatIsScheduledIsPartitioned) {
  const MemoryUse use = UseOf(
      "HloModule m, is_scheduled=true, num_partitions=2\nENTRY e {\n"
      "  x = f32[256] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  ROOT r = f32[256] negate(x)\n}\n");
  EXPECT_EQ(use.devices, 2);
  EXPECT_FALSE(use.is_cut);
  EXPECT_EQ(use.arguments, 1024);
}

TEST(PeakMemoryTest, UnknownSizesAreRefused) {
  const absl::StatusOr<Module> module =
      ReadModuleText("HloModule m\nENTRY e { ROOT x = f32[?] parameter(0) }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PeakMemory(*module).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PeakMemory(Module()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Twenty states of a loop are in one place.
TEST(PeakMemoryTest, LoopsWorkInPlace) {
  const absl::StatusOr<Module> module = ReadModuleText(R"(HloModule m
body {
  t = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[256] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[256] negate(x)
  ROOT r = (s32[], f32[256]) tuple(j, y)
}
condition {
  t = (s32[], f32[256]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(20)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[256] parameter(0)
  i = s32[] constant(0)
  t = (s32[], f32[256]) tuple(i, x)
  w = (s32[], f32[256]) while(t), condition=condition, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
  ASSERT_TRUE(use.ok());
  // The counter alone.
  EXPECT_EQ(use->temporaries, 4);
}

// Of a tuple each array by itself.
TEST(PeakMemoryTest, ValuesAreArrays) {
  const absl::StatusOr<Module> module = ReadModuleText(R"(HloModule m
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[256] parameter(0)
  y = s32[256] parameter(1)
  s = (f32[256], s32[256]) sort(x, y), dimensions={0}, to_apply=less
  k = f32[256] get-tuple-element(s), index=0
  v = s32[256] get-tuple-element(s), index=1
  f = f32[256] convert(v)
  ROOT r = f32[] dot(k, f), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<MemoryUse> use = PeakMemory(*module);
  ASSERT_TRUE(use.ok());
  std::vector<std::string> of_sort;
  for (const MemoryUse::Value& value : use->values) {
    if (value.instruction.name() == "s") {
      of_sort.push_back(value.shape.WithoutLayout().ToString());
    }
  }
  EXPECT_EQ(of_sort, (std::vector<std::string>{"f32[256]", "s32[256]"}));
}

}  // namespace
}  // namespace indim
