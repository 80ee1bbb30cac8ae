// Each row of preflight.def: refused before the plugin sees it, and, where the
// refusal is turned off and a version is named, the end of the process.

#include "indim/pjrt/compile/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/pjrt/client.h"
#include "indim/pjrt/plugin.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

// A module that a row is about.
struct Case {
  const char* row;
  const char* text;
  CompileOptions options;
  // The versions of the C API on which it was seen to end the process.
  std::vector<int> ends;
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
       "x has a sharding"},
      {"PermuteBeyondDevices",
       R"(m

ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] collective-permute(x), source_target_pairs={{0,1}}
}
)",
       {},
       {},
       "y goes from device 0 to 1, but there are 1"},
      {"Scheduled",
       R"(m, is_scheduled=true

ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,2] transpose(x), dimensions={1,0}
  ROOT z = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)",
       {},
       {},
       "the module has a schedule"},
  };
}

Module ModuleOf(const Case& c) {
  return ReadModuleText(absl::StrCat("HloModule ", c.text)).value();
}

TEST(PreflightTest, EveryRowHasACase) {
  std::vector<std::string> rows, cases;
#define INDIM_PJRT_PREFLIGHT(platform, first, last, check, why) \
  rows.push_back(#check);
#include "indim/pjrt/compile/preflight.def"
#undef INDIM_PJRT_PREFLIGHT
  for (const Case& c : Cases()) cases.push_back(c.row);
  EXPECT_EQ(cases, rows);
}

TEST(PreflightTest, ItIsRefusedOnThatPlatformOnly) {
  for (const Case& c : Cases()) {
    CompileOptions options = c.options;
    options.replicas = 1;
    if (options.partitions == 0) options.partitions = 1;
    const absl::Status refused = Preflight({"cpu", 115}, ModuleOf(c), options);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << c.row;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(c.says));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("[IND1106]"));
    EXPECT_TRUE(Preflight({"toy", 115}, ModuleOf(c), options).ok()) << c.row;
  }
  const Module good =
      ReadModuleText(
          "HloModule m\n\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n")
          .value();
  EXPECT_TRUE(Preflight({"cpu", 115}, good, {}).ok());
}

// Compiles and runs, whatever comes.
void Try(const std::string& path, const Case& c) {
  const Plugin plugin = Plugin::Load(path).value();
  const Client client =
      Client::Create(plugin, {{{"cpu_device_count", int64_t{8}}}}).value();
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
  const char* const paths = std::getenv("INDIM_PJRT_PLUGINS");
  ASSERT_NE(paths, nullptr) << "./bazelw test //tests/pjrt sets it";
  for (const std::string& path :
       std::vector<std::string>(absl::StrSplit(paths, ':'))) {
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
