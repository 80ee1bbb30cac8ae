// SPDX-License-Identifier: Apache-2.0
// What is behind the reader: the indices of interned things by hash and of
// instructions by id, and the ids themselves.

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "indim/ir/instruction_ids.h"
#include "indim/ir/storage/id_index.h"
#include "indim/ir/storage/intern_index.h"

namespace indim {
namespace {

TEST(InternIndexTest, FindsWhatWasInserted) {
  // All different, of few different hashes, of one.
  for (const uint64_t hashes : {uint64_t{1} << 40, uint64_t{16}, uint64_t{1}}) {
    SCOPED_TRACE(hashes);
    InternIndex index;
    const auto hash_of = [&](uint32_t id) {
      return (id * uint64_t{0x9e3779b97f4a7c15}) % hashes << 24;
    };
    const auto find = [&](uint32_t id) {
      return index.Find(hash_of(id), [id](uint32_t k) { return k == id; });
    };
    // As many as can be looked up soon.
    const uint32_t count = hashes > 100 ? 100000 : 700;
    for (uint32_t id = 0; id <= count; ++id) {
      EXPECT_EQ(find(id), std::nullopt);
      index.Insert(hash_of(id), id);
      EXPECT_EQ(find(id), id);
    }
    for (uint32_t id = 0; id <= count; ++id) EXPECT_EQ(find(id), id);
    EXPECT_EQ(find(count + 1), std::nullopt);
    EXPECT_EQ(index.Find(hash_of(1), [](uint32_t) { return false; }),
              std::nullopt);
  }
}

// Ids need not count up, nor be small.
TEST(InternIndexTest, FindsLargeIds) {
  InternIndex index;
  const auto hash_of = [](uint32_t id) {
    return id * uint64_t{0x9e3779b97f4a7c15};
  };
  const std::vector<uint32_t> ids = {5, 3,      70000, 40, ~uint32_t{0} - 1,
                                     0, 1 << 20};
  index.Reserve(5);
  for (const uint32_t id : ids) index.Insert(hash_of(id), id);
  for (const uint32_t id : ids) {
    EXPECT_EQ(index.Find(hash_of(id), [id](uint32_t k) { return k == id; }),
              id);
  }
}

TEST(IdIndexTest, AgreesWithAMap) {
  constexpr int64_t kHigh = int64_t{7} << 32;
  const std::vector<std::vector<int64_t>> cases = {
      {},
      {1, 2, 3, 4},
      {kHigh | 1, kHigh | 2, 3},       // counts up in the low half
      {0xfffffffe, 0xffffffff, 0, 1},  // around the end
      {4, 3, 2, 1},
      {1, 2, 2, 3},
      {1, 2, 4, 5},
      {5, 1000000, 77, 0xffffffff},
      {5, 1000000, 5, 77},
      {9},
      {9, 9},
  };
  std::mt19937 random(17);
  for (const std::vector<int64_t>& ids : cases) {
    IdIndex index;
    index.Reset(ids);
    std::map<uint32_t, uint32_t> expected;
    const auto agree = [&](int64_t id) {
      const auto it = expected.find(static_cast<uint32_t>(id));
      EXPECT_EQ(index.Find(id),
                it == expected.end() ? IdIndex::kNone : it->second)
          << id;
    };
    for (uint32_t i = 0; i < ids.size(); ++i) {
      for (const int64_t id : ids) agree(id);
      EXPECT_EQ(index.Insert(ids[i], i),
                expected.emplace(static_cast<uint32_t>(ids[i]), i).second);
    }
    for (int64_t id = -3; id < 20; ++id) agree(id);
    for (int k = 0; k < 100; ++k) agree(random());
  }
}

// Ids whose upper halves are alike for any number of neighbours.
TEST(InstructionIdsTest, AgreeWithAList) {
  std::mt19937_64 random(7);
  for (const int64_t run : {1, 2, 63, 64, 65, 1000}) {
    SCOPED_TRACE(run);
    InstructionIds ids;
    std::vector<int64_t> expected;
    EXPECT_TRUE(ids.empty());
    for (int64_t i = 0; i < 500; ++i) {
      const int64_t high = i / run - 1;  // from -1 up
      expected.push_back(static_cast<int64_t>(
          static_cast<uint64_t>(high) << 32 | (random() & 0xffffffffu)));
      ids.push_back(expected.back());
    }
    ASSERT_EQ(ids.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(ids[i], expected[i]);
      EXPECT_EQ(ids.lows()[i], static_cast<uint32_t>(expected[i]));
      EXPECT_EQ(ids.is_one_run_from(i),
                expected[i] >> 32 == expected.back() >> 32);
    }
    EXPECT_FALSE(ids.count_up());
  }
}

TEST(InstructionIdsTest, CountUp) {
  InstructionIds ids;
  for (int64_t i = 1; i <= 100; ++i) ids.push_back(i);
  EXPECT_TRUE(ids.count_up());
  ids.push_back(101 + (int64_t{1} << 32));
  EXPECT_FALSE(ids.count_up());
}

}  // namespace
}  // namespace indim
