// SPDX-License-Identifier: Apache-2.0
// What goes in and out of a compiled program: arrays by name, and what can't.

#include "indim/run/compile/interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/run/compile/entry_module.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::vector<std::string> TextsOf(const std::vector<Port>& ports) {
  std::vector<std::string> texts;
  for (const Port& port : ports) {
    texts.push_back(absl::StrCat(port.name, " ", port.shape.ToString()));
  }
  return texts;
}

TEST(InterfaceTest, ArraysHaveNames) {
  const absl::StatusOr<Interface> interface = InterfaceOf(
      EntryModule("  p = (f32[2], (s32[], token[])) parameter(0)\n"
                  "  x = f32[4]{0} parameter(1)\n  n = s32[] parameter(2)\n"
                  "  y = f32[<=4] set-dimension-size(x, n), dimensions={0}\n"
                  "  ROOT r = (f32[<=4], f32[4]) tuple(y, x)\n"));
  ASSERT_TRUE(interface.ok()) << interface.status();
  EXPECT_THAT(
      TextsOf(interface->inputs),
      ElementsAreArray({"p.0 f32[2]", "p.1.0 s32[]", "x f32[4]", "n s32[]"}));
  EXPECT_THAT(TextsOf(interface->outputs),
              ElementsAreArray({"y f32[<=4]", "x f32[4]"}));
}

TEST(InterfaceTest, WhatCantGoInOrOut) {
  const struct {
    const char* body;
    const char* says;
  } kCases[] = {
      {"  x = f32[<=4] parameter(0)\n  ROOT y = f32[2] constant({1, 2})\n",
       "parameter x f32[<=4] can't be a buffer: inputs are of static sizes; to "
       "fix: take the whole bound"},
      {"  x = (f32[2], f32[2,<=4]) parameter(0)\n"
       "  ROOT y = f32[2] constant({1, 2})\n",
       "parameter x.1 f32[2,<=4] can't be"},
      {"  ROOT x = f32[?] parameter(0)\n", "(Refine gives n a value)"},
      {"  x = opaque[] parameter(0)\n  ROOT y = f32[2] constant({1, 2})\n",
       "parameter x opaque[] can't be a buffer: it is no array"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<Interface> interface =
        InterfaceOf(EntryModule(c.body));
    EXPECT_TRUE(absl::IsInvalidArgument(interface.status())) << c.body;
    const std::string said = ErrorText(interface.status());
    EXPECT_THAT(said, HasSubstr(c.says));
    EXPECT_THAT(said, HasSubstr("[IND1105]"));
  }
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
