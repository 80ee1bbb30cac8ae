// SPDX-License-Identifier: Apache-2.0
// The form that compilers take: without schedules, with sizes in their bounds,
// and otherwise the module itself.

#include "indim/run/compile/compiler_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "indim/eval/evaluator.h"
#include "indim/io/read.h"
#include "indim/tests/run/compile/entry_module.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompilerFormTest, ThereIsNoSchedule) {
  const Module module =
      EntryModule("  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n",
                  ", is_scheduled=true");
  ASSERT_THAT(PrintHloText(module), HasSubstr("is_scheduled"));
  const absl::StatusOr<Module> form = CompilerForm(module);
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_THAT(PrintHloText(*form), Not(HasSubstr("is_scheduled")));
  EXPECT_THAT(PrintHloText(*form), HasSubstr("negate(%x)"));
}

// XLA refuses a random number generator of floats, and computations of
// unbounded sizes, before it finds that nothing needs them.
TEST(CompilerFormTest, NothingIsThereThatNothingNeeds) {
  const absl::StatusOr<Module> module = ReadModuleText(R"(HloModule m

unused {
  x = f32[?] parameter(0)
  ROOT y = f32[?] negate(x)
}

ENTRY e {
  p = f32[4] parameter(0)
  unread = f32[4] parameter(1)
  t = (f32[4], f32[4]) rng-bit-generator(p), algorithm=rng_default
  u = (f32[4], f32[4]) tuple(p, p)
  k = token[] after-all()
  s = (f32[4], u32[], token[]) send(p, k), channel_id=1, is_host_transfer=true
  d = token[] send-done(s), channel_id=1, is_host_transfer=true
  ROOT n = f32[4] negate(p)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Module> form = CompilerForm(*module);
  ASSERT_TRUE(form.ok()) << form.status();
  const std::string text = PrintHloText(*form);
  for (const char* const gone : {"unused", "rng", "tuple(", "%t =", "%u ="}) {
    EXPECT_THAT(text, Not(HasSubstr(gone))) << text;
  }
  for (const char* const here : {"%unread", "send(", "send-done("}) {
    EXPECT_THAT(text, HasSubstr(here)) << text;
  }
}

TEST(CompilerFormTest, WhatIsSafeStaysAsItIs) {
  const char* const kBodies[] = {
      "  ROOT x = f32[2] parameter(0)\n",
      "  x = f32[5] parameter(0)\n  n = s32[] constant(5)\n"
      "  ROOT y = f32[<=5] set-dimension-size(x, n), dimensions={0}\n",
      "  x = f32[5] parameter(0)\n  n = s32[] constant(0)\n"
      "  ROOT y = f32[<=5] set-dimension-size(x, n), dimensions={0}\n"};
  for (const char* const body : kBodies) {
    const Module module = EntryModule(body);
    const absl::StatusOr<Module> form = CompilerForm(module);
    ASSERT_TRUE(form.ok()) << form.status();
    EXPECT_EQ(PrintHloText(*form), PrintHloText(module)) << body;
  }
}

Literal Size(int32_t size) { return Literal::Scalar(size); }

// The value for sizes in and out of their bounds: clamped, it is that of the
// nearest which is in.
TEST(CompilerFormTest, SizesStayInTheirBounds) {
  const Literal x = Literal::Vector({1, 2, 3, 4, 5, 6});
  const struct {
    const char* body;
    std::vector<Literal> given;
    std::vector<Literal> means;
  } kCases[] = {
      {"  x = f32[6] parameter(0)\n  n = s32[] parameter(1)\n"
       "  ROOT y = f32[<=6] set-dimension-size(x, n), dimensions={0}\n",
       {x, Size(-1)},
       {x, Size(0)}},
      {"  x = f32[6] parameter(0)\n  n = s32[] parameter(1)\n"
       "  ROOT y = f32[<=6] set-dimension-size(x, n), dimensions={0}\n",
       {x, Size(7)},
       {x, Size(6)}},
      {"  x = f32[6] parameter(0)\n  n = s32[] parameter(1)\n"
       "  ROOT y = f32[<=6] set-dimension-size(x, n), dimensions={0}\n",
       {x, Size(4)},
       {x, Size(4)}},
      {"  x = f32[6] parameter(0)\n  n = s32[] parameter(1)\n"
       "  k = s32[] parameter(2)\n"
       "  ROOT y = f32[<=2,<=3] dynamic-reshape(x, n, k)\n",
       {x, Size(2), Size(1000)},
       {x, Size(2), Size(3)}}};
  for (const auto& c : kCases) {
    const Module module = EntryModule(c.body);
    const absl::StatusOr<Module> form = CompilerForm(module);
    ASSERT_TRUE(form.ok()) << form.status();
    const absl::StatusOr<Literal> ours = Evaluate(*form, c.given);
    ASSERT_TRUE(ours.ok()) << ours.status();
    const absl::StatusOr<Literal> meant = Evaluate(module, c.means);
    ASSERT_TRUE(meant.ok()) << meant.status();
    EXPECT_EQ(*ours, *meant) << c.body;
  }
}

// One that the module itself has out of its bound, as a constant.
TEST(CompilerFormTest, AConstantOutOfItsBoundIsClamped) {
  const absl::StatusOr<Module> form = CompilerForm(EntryModule(
      "  x = f32[2] parameter(0)\n  n = s32[] constant(-3)\n"
      "  ROOT y = f32[<=2] set-dimension-size(x, n), dimensions={0}\n"));
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_THAT(PrintHloText(*form), HasSubstr("clamp("));
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
