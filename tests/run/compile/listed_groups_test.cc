// SPDX-License-Identifier: Apache-2.0
// Groups of collectives in each form, as lists.

#include "indim/run/compile/listed_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/io/read.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

TEST(ListedGroupsTest, EachForm) {
  const struct {
    const char* groups;
    const char* listed;
  } kCases[] = {
      {"{{0,1},{3,2}}", "replica_groups={{0,1},{3,2}}"},
      {"{}", "replica_groups={}"},
      {"[2,2]<=[4]", "replica_groups={{0,1},{2,3}}"},
      {"[2,2]<=[2,2]T(1,0)", "replica_groups={{0,2},{1,3}}"},
      {"mesh['a'=2,'b'=2] {'a'}", "replica_groups={{0,2},{1,3}}"},
      {"mesh['a'=2,'b'=2], device_ids=(3,2,1,0) {'b'}",
       "replica_groups={{3,2},{1,0}}"},
      {"mesh['a'=4] {'a':(1)2}", "replica_groups={{0,2},{1,3}}"},
      {"mesh['a'=2,'b'=2] {'b','a'}", "replica_groups={{0,2,1,3}}"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.groups);
    const absl::StatusOr<Module> module = ReadModuleText(absl::StrCat(
        "HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
        "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n  x = "
        "f32[2] "
        "parameter(0)\n  ROOT r = f32[2] all-reduce(x), channel_id=7, "
        "replica_groups=",
        c.groups, ", use_global_device_ids=true, to_apply=add\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const absl::StatusOr<Module> listed = WithListedGroups(*module);
    ASSERT_TRUE(listed.ok()) << listed.status();
    const std::string text = PrintHloText(*listed);
    EXPECT_THAT(text, HasSubstr(c.listed));
    EXPECT_THAT(text, HasSubstr("channel_id=7"));
    EXPECT_THAT(text, HasSubstr("use_global_device_ids=true"));
  }
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
