// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/memo.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace indim {
namespace {

using SmallMemo = Memo<2, uint64_t, 64>;

TEST(MemoTest, FindsWhatWasInsertedLast) {
  SmallMemo memo;
  EXPECT_EQ(memo.Find({7, 0}), nullptr);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(*memo.Insert({i, 5}, 2 * i), 2 * i);
    ASSERT_NE(memo.Find({i, 5}), nullptr);
    EXPECT_EQ(*memo.Find({i, 5}), 2 * i);
  }
}

TEST(MemoTest, LooksAtAllWordsOfAKey) {
  SmallMemo memo;
  memo.Insert({1, 2}, 12);
  EXPECT_EQ(memo.Find({2, 1}), nullptr);
  EXPECT_EQ(memo.Find({1, 0}), nullptr);
  EXPECT_EQ(memo.Find({0, 2}), nullptr);
  EXPECT_EQ(memo.Find({1, 2 + (uint64_t{1} << 63)}), nullptr);
}

// All words are 0 in what is free.
TEST(MemoTest, KnowsNoKeyBeforeItWasInserted) {
  SmallMemo memo;
  memo.Insert({1, 0}, 1);
  EXPECT_EQ(memo.Find({0, 0}), nullptr);
}

TEST(MemoTest, KeepsAllOfFewKeys) {
  SmallMemo memo;
  for (int round = 0; round < 1000; ++round) {
    for (uint64_t i = 0; i < 8; ++i) {
      const uint64_t* const known = memo.Find({i, i << 32});
      if (known == nullptr) {
        memo.Insert({i, i << 32}, i);
      } else {
        EXPECT_EQ(*known, i);
      }
    }
  }
  for (uint64_t i = 0; i < 8; ++i) {
    EXPECT_NE(memo.Find({i, i << 32}), nullptr) << i;
  }
}

}  // namespace
}  // namespace indim
