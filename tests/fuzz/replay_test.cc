// SPDX-License-Identifier: Apache-2.0
// Every input that a fuzz target ever complained of or crashed on, and the
// seeds, through the target's function; then inputs like the seeds, from fixed
// numbers: INDIM_FUZZ_ROUNDS of each seed, from the number INDIM_FUZZ_SEED,
// when those are set (docs/fuzzing.md).

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/tests/data_files.h"
#include "indim/tests/fuzz/fuzz_target.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  int number = 0;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number
                                                            : otherwise;
}

std::vector<std::string> Inputs(const std::string& kind,
                                const std::string& target) {
  return DataFiles(absl::StrCat("fuzz/", kind, "/", target), /*suffix=*/"");
}

class ReplayTest : public testing::TestWithParam<FuzzTarget> {};

TEST_P(ReplayTest, FindsStayMended) {
  for (const std::string& path : Inputs("found", GetParam().name)) {
    SCOPED_TRACE(path);
    EXPECT_EQ(GetParam().check(*ReadFile(path)), "");
  }
}

TEST_P(ReplayTest, SeedsAndWhatIsLikeThem) {
  const std::vector<std::string> seeds = Inputs("seeds", GetParam().name);
  ASSERT_FALSE(seeds.empty());
  const int rounds = FromEnvironment("INDIM_FUZZ_ROUNDS", 20 / SampleStep(3));
  std::mt19937_64 random(
      static_cast<uint64_t>(FromEnvironment("INDIM_FUZZ_SEED", 1)));
  for (const std::string& path : seeds) {
    SCOPED_TRACE(path);
    const std::string seed = *ReadFile(path);
    EXPECT_EQ(GetParam().check(seed), "");
    std::string input = seed;
    for (int round = 0; round < rounds; ++round) {
      input = GetParam().mutate(round % 4 == 0 ? seed : input, &random);
      ASSERT_EQ(GetParam().check(input), "")
          << "round " << round
          << ", the input in hex: " << absl::BytesToHexString(input);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ReplayTest,
                         testing::ValuesIn(FuzzTargets().begin(),
                                           FuzzTargets().end()),
                         [](const testing::TestParamInfo<FuzzTarget>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace indim
