// SPDX-License-Identifier: Apache-2.0
// Column does what std::vector does, also when it grows past what is given in
// large pages.

#include "indim/ir/storage/column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace indim {
namespace {

void ExpectSame(const Column<uint32_t>& column,
                const std::vector<uint32_t>& vector) {
  ASSERT_EQ(column.size(), vector.size());
  EXPECT_EQ(column.empty(), vector.empty());
  EXPECT_GE(column.capacity(), column.size());
  EXPECT_TRUE(std::equal(column.begin(), column.end(), vector.begin()));
  if (!vector.empty()) {
    EXPECT_EQ(column.back(), vector.back());
  }
}

TEST(ColumnTest, RandomCallsAsOfVector) {
  std::mt19937 random(17);
  const auto below = [&](size_t limit) { return random() % limit; };
  Column<uint32_t> column;
  std::vector<uint32_t> vector;
  for (int step = 0; step < 3000; ++step) {
    const uint32_t value = static_cast<uint32_t>(random());
    switch (below(9)) {
      case 0:
      case 1:
        column.push_back(value);
        vector.push_back(value);
        EXPECT_EQ(column.emplace_back(), 0u);
        column.back() = value;
        vector.push_back(value);
        break;
      case 2:
        if (vector.empty()) break;
        column.push_back(column[0]);  // one of its own, also where it moves
        vector.push_back(vector[0]);
        break;
      case 3: {
        const std::vector<uint32_t> more(below(20), value);
        const auto at = static_cast<ptrdiff_t>(below(vector.size() + 1));
        column.insert(column.begin() + at, more.begin(), more.end());
        vector.insert(vector.begin() + at, more.begin(), more.end());
        break;
      }
      case 4: {
        const auto at = static_cast<ptrdiff_t>(below(vector.size() + 1));
        const auto end = at + static_cast<ptrdiff_t>(below(
                                  vector.size() - static_cast<size_t>(at) + 1));
        column.erase(column.begin() + at, column.begin() + end);
        vector.erase(vector.begin() + at, vector.begin() + end);
        break;
      }
      case 5: {
        const size_t count = below(2 * vector.size() + 3);
        column.resize(count, value);
        vector.resize(count, value);
        break;
      }
      case 6: {
        Column<uint32_t> copy = column;
        column = Column<uint32_t>{1, 2, 3};
        EXPECT_EQ(column, (Column<uint32_t>{1, 2, 3}));
        column = std::move(copy);
        break;
      }
      case 7:
        column.shrink_to_fit();
        break;
      default:
        column.reserve(below(100));
        if (below(20) == 0) {
          column.clear();
          vector.clear();
        }
    }
    ExpectSame(column, vector);
  }
}

TEST(ColumnTest, GrowsLarge) {
  Column<uint64_t> column;
  const uint64_t count = 4000000;
  for (uint64_t i = 0; i < count; ++i) column.push_back(3 * i);
  ASSERT_EQ(column.size(), count);
  bool same = true;
  for (uint64_t i = 0; i < count; ++i) same &= column[i] == 3 * i;
  EXPECT_TRUE(same);
  column.resize(10);
  column.shrink_to_fit();
  EXPECT_EQ(column.capacity(), 10);
  EXPECT_EQ(column.back(), 27);
  column.resize(0);
  column.shrink_to_fit();
  EXPECT_EQ(column.capacity(), 0);
}

#ifdef __linux__
// The system grows one mapping in place, but not what lies in two.
TEST(ColumnTest, LiesInOneMapping) {
  Column<uint64_t> column;
  for (const size_t count : {1000000, 3000000, 9000000}) {
    column.resize(count);
    const uintptr_t first = reinterpret_cast<uintptr_t>(column.data());
    const uintptr_t last =
        reinterpret_cast<uintptr_t>(column.data() + column.capacity()) - 1;
    std::ifstream maps("/proc/self/maps");
    bool found = false;
    for (std::string line; std::getline(maps, line);) {
      uintptr_t start = 0, end = 0;
      char dash;
      std::istringstream(line) >> std::hex >> start >> dash >> end;
      found |= start <= first && last < end;
    }
    EXPECT_TRUE(found) << count;
  }
}
#endif

TEST(ColumnTest, MovedFromIsEmpty) {
  Column<uint32_t> a = {1, 2};
  const Column<uint32_t> b = std::move(a);
  EXPECT_TRUE(a.empty());  // NOLINT: that is what is tested
  EXPECT_EQ(b, (Column<uint32_t>{1, 2}));
  EXPECT_NE(b, a);
}

}  // namespace
}  // namespace indim
