// SPDX-License-Identifier: Apache-2.0
// The example that trains: on every plugin, on one device and on eight, the
// loss falls, and it is the same on both.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "indim/tests/page.h"
#include "indim/tests/run/compared_runs.h"

namespace indim {
namespace {

// The losses that it prints.
std::vector<double> Losses(const std::string& plugin, int devices) {
  const std::string output = OutputOf(absl::StrCat(
      "examples/train --plugin=", plugin, " --devices=", devices, " 2>&1"));
  std::vector<double> losses;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, "loss ");
    double loss = 0;
    if (parts.size() == 2 && absl::SimpleAtod(parts[1], &loss)) {
      losses.push_back(loss);
    }
  }
  EXPECT_EQ(losses.size(), 11u) << output;
  return losses;
}

TEST(TrainTest, TheLossFallsAlikeOnOneDeviceAndOnEight) {
  ASSERT_FALSE(PluginPaths().empty())
      << "INDIM_PJRT_PLUGINS names none; ./bazelw test //tests/run sets it";
  for (const std::string& path : PluginPaths()) {
    const std::vector<double> one = Losses(path, 1), eight = Losses(path, 8);
    ASSERT_EQ(one.size(), eight.size());
    ASSERT_FALSE(one.empty());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(one[i], eight[i], 2e-4) << i;
    }
    EXPECT_LT(one.back(), one.front() / 4);
  }
}

}  // namespace
}  // namespace indim
