// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/builder/mistakes.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(MistakesTest, OfCalls) {
  for (const Mistake& mistake : CallMistakes()) ExpectTold(mistake);
}

TEST(MistakesTest, OfComposites) {
  for (const Mistake& mistake : CompositeMistakes()) ExpectTold(mistake);
}

// Of the first hundred mistakes of each kind most are mended by what is
// printed.
TEST(MistakesTest, MostHaveAFix) {
  std::vector<Mistake> all = CallMistakes();
  for (const Mistake& mistake : CompositeMistakes()) all.push_back(mistake);
  EXPECT_GE(all.size(), 123u);
  // Of any hundred in a row.
  for (size_t first = 0; first + 100 <= all.size(); ++first) {
    EXPECT_GE(std::count_if(all.begin() + first, all.begin() + first + 100,
                            CanBeTyped),
              70)
        << first;
  }
}

}  // namespace
}  // namespace indim
