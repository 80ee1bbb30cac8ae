// StableColumn keeps what it is given, where it was put.

#include "indim/ir/stable_column.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace indim {
namespace {

TEST(StableColumnTest, ThingsStayWhereTheyWerePut) {
  StableColumn<std::string> column;
  std::vector<const std::string*> places;
  for (size_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(column.size(), i);
    column.push_back(std::to_string(i));
    places.push_back(&column[i]);
  }
  for (size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(&column[i], places[i]);
    EXPECT_EQ(column[i], std::to_string(i));
  }
}

TEST(StableColumnTest, OneOfItsOwnCanBeAddedAgain) {
  StableColumn<std::string> column;
  column.push_back("first, and long enough to be allocated");
  for (size_t i = 0; i < 100; ++i) column.push_back(column[i]);
  EXPECT_EQ(column[100], column[0]);
}

// Of each size around where a part is full: all that is made is destroyed, once
// (the leak check and the counts tell).
TEST(StableColumnTest, CopiesHaveTheirOwn) {
  const auto held = std::make_shared<int>(7);
  for (size_t size = 0; size < 70; ++size) {
    StableColumn<std::shared_ptr<int>> column;
    for (size_t i = 0; i < size; ++i) column.push_back(held);
    {
      StableColumn<std::shared_ptr<int>> copy = column;
      EXPECT_EQ(copy.size(), size);
      EXPECT_EQ(held.use_count(), static_cast<int64_t>(1 + 2 * size));
      copy.push_back(nullptr);
      for (size_t i = 0; i < size; ++i) EXPECT_EQ(copy[i], held);
    }
    EXPECT_EQ(column.size(), size);
    EXPECT_EQ(held.use_count(), static_cast<int64_t>(1 + size));
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace indim
