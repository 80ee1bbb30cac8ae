// SPDX-License-Identifier: Apache-2.0
// Each row of preflight.def: refused before the plugin sees it, and, where the
// refusal is turned off and a version is named, the end of the process.

#include "indim/run/compile/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tests/run/compared_runs.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

// A module that a row is about.
struct Case {
  const char* row;
  const char* text;
  CompileOptions options;
  // The versions of the C API on which it was seen to end the process, of a
  // client of so many devices.
  std::vector<int> ends;
  int64_t devices;
  const char* says;
};

std::vector<Case> Cases() {
  CompileOptions shardy;
  shardy.partitions = 8;
  shardy.partitioner = Partitioner::kShardy;
  return {
      {"ShardyWithOldShardings",
       R"(m

ENTRY e {
  x = f32[8,16] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT y = f32[8,16] add(x, x)
}
)",
       shardy,
       {115},
       8,
       "x has a sharding"},
      {"PermuteFromNoDevice",
       R"(m

ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}}
}
)",
       {},
       {81, 115},
       1,
       "y goes from device 1 to 0, but there are 1"},
      {"ShardyRegionOfOtherName",
       R"(m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["i"=8]>}}

body {
  a = f32[1] parameter(0)
  ROOT b = f32[1] add(a, a)
}

ENTRY e {
  x = f32[8] parameter(0)
  l = f32[1] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"i\"}>"}
  c = f32[1] call(l), to_apply=body, frontend_attributes={inlineable="false"}
  ROOT g = f32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"i\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"i\"}]>]>"}
}
)",
       shardy,
       {81, 115},
       8,
       "c calls body, which a name that begins with "
       "xla.sdy.manual_computation_body would mend"},
      {"AllReduceStartWithChannel",
       R"(m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY e {
  x = f32[8] parameter(0)
  s = f32[8] all-reduce-start(x), channel_id=1, replica_groups={}, to_apply=add
  ROOT d = f32[8] all-reduce-done(s)
}
)",
       {},
       {81},
       1,
       "s has a channel (an all-reduce may have one)"},
      {"Infeed",
       R"(m

ENTRY e {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  ROOT x = f32[2] get-tuple-element(i), index=0
}
)",
       {},
       {},  // it waits
       1,
       "i takes data that nobody sends"},
  };
}

Module ModuleOf(const Case& c) {
  return ReadModuleText(absl::StrCat("HloModule ", c.text)).value();
}

TEST(PreflightTest, EveryRowHasACase) {
  std::vector<std::string> rows, cases;
#define INDIM_PJRT_PREFLIGHT(platform, first, last, check, why) \
  rows.push_back(#check);
#include "indim/run/compile/preflight.def"
#undef INDIM_PJRT_PREFLIGHT
  for (const Case& c : Cases()) cases.push_back(c.row);
  EXPECT_EQ(cases, rows);
}

TEST(PreflightTest, ItIsRefusedOnThatPlatformOnly) {
  for (const Case& c : Cases()) {
    CompileOptions options = c.options;
    options.replicas = 1;
    if (options.partitions == 0) options.partitions = 1;
    const int seen = c.ends.empty() ? 115 : c.ends[0];
    const absl::Status refused = Preflight({"cpu", seen}, ModuleOf(c), options);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << c.row;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(c.says));
    EXPECT_EQ(CodeText(CodeOf(refused)), "IND1106");
    EXPECT_TRUE(Preflight({"toy", seen}, ModuleOf(c), options).ok()) << c.row;
  }
}

// What is like one of the rows, and runs.
TEST(PreflightTest, WhatRunsIsNotRefused) {
  const struct {
    const char* attributes;  // of a permutation
    int64_t replicas;
    int64_t partitions;
    bool is_fine;
  } kCases[] = {
      {"source_target_pairs={{0,1}}", 1, 1, true},
      {"source_target_pairs={{7,8}}", 1, 1, true},
      {"source_target_pairs={{0,1},{1,0}}", 2, 1, true},
      {"source_target_pairs={{0,1},{1,0}}", 1, 2, false},
      {"channel_id=1, source_target_pairs={{0,1},{1,0}}", 1, 2, true},
      {"channel_id=1, source_target_pairs={{0,1},{1,0}}", 2, 1, false}};
  for (const auto& c : kCases) {
    const Module module =
        ReadModuleText(
            absl::StrCat("HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)"
                         "\n  ROOT y = f32[2] collective-permute(x), ",
                         c.attributes, "\n}\n"))
            .value();
    CompileOptions options;
    options.replicas = c.replicas;
    options.partitions = c.partitions;
    EXPECT_EQ(Preflight({"cpu", 115}, module, options).ok(), c.is_fine)
        << c.attributes << " " << c.replicas << " " << c.partitions;
  }
}

// Compiles and runs, whatever comes: an exception ends the process too.
void Try(const std::string& path, const Case& c) noexcept {
  const Plugin plugin = Plugin::Load(path).value();
  const Client client =
      Client::Create(plugin, {{{"cpu_device_count", c.devices}}}).value();
  CompileOptions options = c.options;
  options.preflight = false;
  const Module module = ModuleOf(c);
  const absl::StatusOr<Executable> run = client.Compile(module, options);
  if (!run.ok()) return;
  RandomStream random(1);
  std::vector<Literal> arguments;
  for (const Shape& shape : module.entry().signature().parameters) {
    arguments.push_back(RandomLiteral(shape, &random).value());
  }
  run->Run(arguments).status().IgnoreError();
}

TEST(PreflightDeathTest, ItEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  ASSERT_FALSE(PluginPaths().empty())
      << "INDIM_PJRT_PLUGINS names none; ./bazelw test //tests/run sets it";
  for (const std::string& path : PluginPaths()) {
    const int version = Plugin::Load(path).value().minor_version();
    for (const Case& c : Cases()) {
      for (const int ends : c.ends) {
        if (ends != version) continue;
        EXPECT_DEATH(Try(path, c), "") << c.row;
      }
    }
  }
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
