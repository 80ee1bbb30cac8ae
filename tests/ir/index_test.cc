// The two indices behind the reader: of interned things by hash, and of
// instructions by id.

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "indim/ir/id_index.h"
#include "indim/ir/intern_index.h"

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
    constexpr uint32_t kCount = 700;
    for (uint32_t id = 1; id <= kCount; ++id) {
      EXPECT_EQ(find(id), 0u);
      index.Insert(hash_of(id), id);
      EXPECT_EQ(find(id), id);
    }
    for (uint32_t id = 1; id <= kCount; ++id) EXPECT_EQ(find(id), id);
    EXPECT_EQ(find(kCount + 1), 0u);
    EXPECT_EQ(index.Find(hash_of(1), [](uint32_t) { return false; }), 0u);
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

}  // namespace
}  // namespace indim
