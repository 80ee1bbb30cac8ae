// SPDX-License-Identifier: Apache-2.0
// An error of XLA gets the lines of the instructions that it names.

#include "indim/run/compile/error_places.h"

#include <gtest/gtest.h>

#include "indim/io/read.h"

namespace indim {
namespace pjrt {
namespace {

TEST(ErrorPlacesTest, NamesGetTheirLines) {
  ReadOptions options;
  options.name = "m.hlo";
  const Module module =
      ReadModuleText(
          "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y.1 = "
          "f32[2] negate(x), metadata={source_file=\"a.cc\" source_line=7}\n"
          "}\n",
          options)
          .value();
  const struct {
    const char* message;
    const char* with;
  } kCases[] = {
      {"no name of an instruction", "no name of an instruction"},
      {"%y.1 = f32[2] negate(x) isn't there; y.1.",
       "%y.1 = f32[2] negate(x) isn't there; y.1.\n    %y.1  m.hlo:5:3, "
       "a.cc:7\n    %x  m.hlo:4:3"},
      {"xy", "xy"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(WithPlaces(absl::InternalError(c.message), module),
              absl::InternalError(c.with));
  }
  EXPECT_TRUE(WithPlaces(absl::OkStatus(), module).ok());
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
