// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/peak_memory.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace indim
