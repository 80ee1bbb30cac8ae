#include "indim/ir/memo_table.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace indim {
namespace {

struct Key {
  uint64_t value = 0;
  friend bool operator==(const Key& a, const Key& b) {
    return a.value == b.value;
  }
  uint64_t Hash() const {
    const uint64_t h = value * 0x9E3779B97F4A7C15;
    return h ^ h >> 29;
  }
};

constexpr size_t kLargest = 64;
using Table = MemoTable<Key, uint64_t, 2, kLargest>;

TEST(MemoTableTest, FindsWhatWasInsertedLast) {
  Table table;
  EXPECT_EQ(table.Find({7}), nullptr);
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_NE(table.Insert({i}, 2 * i), nullptr);
    ASSERT_NE(table.Find({i}), nullptr);
    EXPECT_EQ(*table.Find({i}), 2 * i);
  }
}

// The key 0 stands for none at first.
TEST(MemoTableTest, KnowsNoKeyBeforeItWasInserted) {
  Table table;
  table.Insert({1}, 1);
  EXPECT_EQ(table.Find({0}), nullptr);
}

TEST(MemoTableTest, KeepsAllOfFewKeys) {
  Table table;
  for (int round = 0; round < 1000; ++round) {
    for (uint64_t i = 0; i < 8; ++i) {
      const uint64_t* const known = table.Find({i});
      if (known == nullptr) {
        table.Insert({i}, i);
      } else {
        EXPECT_EQ(*known, i);
      }
    }
  }
  for (uint64_t i = 0; i < 8; ++i) EXPECT_NE(table.Find({i}), nullptr) << i;
}

TEST(MemoTableTest, KeepsHardlyAnyAnswerWhereNoneIsAskedFor) {
  Table table;
  const auto count_kept = [&table](uint64_t first, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = first; i < first + count; ++i) {
      if (table.Find({i}) == nullptr) kept += table.Insert({i}, i) != nullptr;
    }
    return kept;
  };
  EXPECT_EQ(count_kept(0, 4 * kLargest), 4 * kLargest);
  EXPECT_EQ(count_kept(1000, 800), 100u);
  // One that comes again is kept soon, and then all others are as well.
  int asked = 0;
  while (table.Find({5000}) == nullptr && asked < 100) {
    table.Insert({5000}, 1);
    ++asked;
  }
  EXPECT_LE(asked, 8);
  EXPECT_EQ(count_kept(6000, 4 * kLargest), 4 * kLargest);
}

}  // namespace
}  // namespace indim
