// SPDX-License-Identifier: Apache-2.0
// The player of declared calls: most of its calls are right, of nearly every
// op, and so are many of its modules as a whole.

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <string>

#include "indim/tests/fuzz/player.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

// Calls of declared operations, nothing else.
std::string Program(std::mt19937* random) {
  constexpr int kCalls = 12;
  std::string program = "\x01\x01";  // the first builder's name, parameters
  for (int i = 0; i < kCalls; ++i) {
    program.push_back('\x80');
    for (int k = 0; k < 3; ++k) {
      program.push_back(static_cast<char>((*random)() % 256));
    }
  }
  return program;
}

// As many calls of any method, with arguments of their types.
void PlaySteps(std::mt19937* random, Player::Tally* tally) {
  constexpr int kCalls = 12;
  std::string program;
  for (int i = 0; i < kCalls * 30; ++i) {
    program.push_back(static_cast<char>((*random)() % 256));
  }
  Player player(program);
  player.set_tally(tally);
  for (int i = 0; i < kCalls; ++i) {
    BuilderSteps()[(*random)() % BuilderSteps().size()](player);
  }
}

double Share(const Player::Tally& tally) {
  return static_cast<double>(tally.valid) / static_cast<double>(tally.calls);
}

TEST(DeclaredCallsTest, MostAreRight) {
  const int programs = 1000 / SampleStep(20);
  std::mt19937 random(3);
  Player::Tally tally;
  for (int i = 0; i < programs; ++i) {
    EXPECT_EQ(PlayDeclaredCalls(Program(&random), &tally), "");
  }
  std::cout << tally.valid << " of " << tally.calls << " calls are right, of "
            << tally.ops.size() << " ops; " << tally.verified << " of "
            << tally.modules << " modules, of " << programs << " programs\n";
  EXPECT_GT(Share(tally), 0.8);
  EXPECT_GT(tally.ops.size(), 90 / SampleStep(2));
  EXPECT_GT(tally.verified, programs / 20);
  Player::Tally steps;
  for (int i = 0; i < programs; ++i) PlaySteps(&random, &steps);
  std::cout << "Without declarations " << steps.valid << " of " << steps.calls
            << "\n";
  EXPECT_GT(Share(tally), 2 * Share(steps));
}

}  // namespace
}  // namespace indim
