// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/stable_order.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace indim::internal {
namespace {

using Numbers = std::vector<uint32_t>;

// needs[i]: what item i needs.
bool Sort(const std::vector<Numbers>& needs, const Numbers& items,
          Numbers* order, Numbers* cycle) {
  return StableSorter(static_cast<uint32_t>(needs.size()))
      .Append(
          items, [&](uint32_t i, Numbers* of) { *of = needs[i]; }, order,
          cycle);
}

TEST(StableSorterTest, MovesOnlyWhatMustMove) {
  const struct {
    std::vector<Numbers> needs;
    Numbers items, expected;
  } kCases[] = {
      {{{}, {0}, {1}}, {0, 1, 2}, {0, 1, 2}},
      {{{2}, {}, {}}, {0, 1, 2}, {2, 0, 1}},
      {{{1, 2}, {}, {1}}, {0, 1, 2}, {1, 2, 0}},
      {{{1, 2}, {3}, {3}, {}}, {0}, {3, 1, 2, 0}},
      {{{}, {}, {}}, {2, 0}, {2, 0}},
      {{}, {}, {}},
  };
  for (const auto& c : kCases) {
    Numbers order, cycle;
    EXPECT_TRUE(Sort(c.needs, c.items, &order, &cycle));
    EXPECT_EQ(order, c.expected);
    EXPECT_EQ(cycle, Numbers());
  }
}

TEST(StableSorterTest, FindsACycle) {
  Numbers order, cycle;
  EXPECT_FALSE(Sort({{1}, {2}, {3}, {1}}, {0}, &order, &cycle));
  EXPECT_EQ(cycle, Numbers({1, 2, 3}));
}

// As deep as a graph of a million nodes is.
TEST(StableSorterTest, IsDeep) {
  constexpr uint32_t kCount = 1000000;
  std::vector<Numbers> needs(kCount);
  for (uint32_t i = 0; i + 1 < kCount; ++i) needs[i] = {i + 1};
  Numbers order, cycle;
  EXPECT_TRUE(Sort(needs, {0}, &order, &cycle));
  ASSERT_EQ(order.size(), kCount);
  EXPECT_EQ(order.front(), kCount - 1);
  EXPECT_EQ(order.back(), 0u);
}

}  // namespace
}  // namespace indim::internal
