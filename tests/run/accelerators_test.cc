// SPDX-License-Identifier: Apache-2.0
// Plugins for GPUs and TPUs, on a machine that may have neither: they load, say
// what they are, are found by their kind, and tell that there is no device
// (INDIM_PJRT_ACCELERATORS, bazelw).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim {
namespace pjrt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using KindAndPath = std::pair<std::string, std::string>;

std::vector<KindAndPath> Plugins() {
  const char* const given = std::getenv("INDIM_PJRT_ACCELERATORS");
  std::vector<KindAndPath> plugins;
  for (const absl::string_view one :
       absl::StrSplit(given == nullptr ? "" : given, ':', absl::SkipEmpty())) {
    plugins.push_back(absl::StrSplit(one, absl::MaxSplits('=', 1)));
  }
  return plugins;
}

class AcceleratorsTest : public ::testing::TestWithParam<KindAndPath> {
 protected:
  // Without it libtpu asks Google's cloud for minutes which TPU there is.
  void SetUp() override { setenv("TPU_SKIP_MDS_QUERY", "1", 1); }
};

TEST_P(AcceleratorsTest, TellsWhatItIs) {
  const auto& [kind, path] = GetParam();
  setenv(absl::StrCat("INDIM_PJRT_", absl::AsciiStrToUpper(kind), "_PLUGIN")
             .c_str(),
         path.c_str(), 1);
  const absl::StatusOr<Plugin> plugin = Plugin::Find(kind);
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  EXPECT_EQ(plugin->path(), path);
  EXPECT_EQ(plugin->major_version(), 0);
  EXPECT_GE(plugin->minor_version(), 81);
  std::vector<std::string> names;
  for (const NamedValue& attribute : plugin->attributes()) {
    names.push_back(attribute.name);
  }
  EXPECT_THAT(names, Contains("xla_version"));
  EXPECT_THAT(names, Contains("stablehlo_current_version"));
  EXPECT_THAT(plugin->extensions(), Contains("ffi"));
}

// An error of the plugin's own words, not the end of the process.
TEST_P(AcceleratorsTest, AClientHasDevicesOrIsAnError) {
  const Plugin plugin = Plugin::Load(GetParam().second).value();
  const absl::StatusOr<Client> client = Client::Create(plugin);
  if (client.ok()) {
    EXPECT_EQ(client->platform_name(), GetParam().first);
    EXPECT_FALSE(client->devices().empty());
    return;
  }
  const std::string said = ErrorText(client.status());
  EXPECT_THAT(said, HasSubstr("PJRT_Client_Create"));
  EXPECT_THAT(said, HasSubstr("[IND1102]"));
}

INSTANTIATE_TEST_SUITE_P(Plugins, AcceleratorsTest,
                         ::testing::ValuesIn(Plugins()),
                         [](const auto& one) { return one.param.first; });

TEST(AcceleratorPluginsTest, ThereAreSome) { EXPECT_FALSE(Plugins().empty()); }

}  // namespace
}  // namespace pjrt
}  // namespace indim
