// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/byte_pool.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(BytePoolTest, KeepsWhatItCopied) {
  BytePool pool;
  std::vector<std::string> originals;
  std::vector<absl::string_view> copies;
  for (size_t size = 0; size < 3000; size += 7) {
    originals.emplace_back(size, static_cast<char>('a' + size % 26));
    copies.push_back(pool.Copy(originals.back()));
  }
  for (size_t i = 0; i < originals.size(); ++i) {
    EXPECT_EQ(copies[i], originals[i]);
    if (!originals[i].empty()) {
      EXPECT_NE(copies[i].data(), originals[i].data());
    }
  }
}

TEST(BytePoolTest, TheEmptyStringCostsNothing) {
  BytePool pool;
  EXPECT_EQ(pool.Copy(""), "");
  EXPECT_EQ(pool.allocated_bytes(), 0u);
}

TEST(BytePoolTest, TakesInProportionToWhatIsCopied) {
  BytePool pool;
  size_t copied = 0;
  for (int i = 0; i < 20000; ++i) {
    pool.Copy(std::string(static_cast<size_t>(i % 300), 'x'));
    copied += static_cast<size_t>(i % 300);
  }
  EXPECT_LT(pool.allocated_bytes(), 3 * copied);
}

TEST(BytePoolTest, CopiesShareBytesAndNeverWriteIntoEachOther) {
  absl::string_view first, second, third;
  auto original = std::make_unique<BytePool>();
  first = original->Copy("first");
  BytePool copy(*original);
  second = original->Copy("second");
  third = copy.Copy("third!");
  EXPECT_EQ(second, "second");
  EXPECT_EQ(third, "third!");
  original.reset();
  EXPECT_EQ(first, "first");
  BytePool assigned;
  assigned = copy;
  EXPECT_EQ(assigned.Copy("x"), "x");
  EXPECT_EQ(third, "third!");
}

TEST(BytePoolTest, WhatIsMovedFromIsEmpty) {
  BytePool pool;
  const absl::string_view kept = pool.Copy("kept");
  BytePool moved(std::move(pool));
  EXPECT_EQ(pool.allocated_bytes(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(pool.Copy("other"), "other");
  EXPECT_EQ(kept, "kept");
  pool = std::move(moved);
  EXPECT_EQ(kept, "kept");
}

TEST(BytePoolTest, HoldsOnToOwners) {
  auto owner = std::make_shared<int>(1);
  {
    BytePool pool;
    pool.Keep(owner);
    pool.Keep(nullptr);
    EXPECT_EQ(owner.use_count(), 2);
    BytePool copy(pool);
    EXPECT_EQ(owner.use_count(), 3);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace indim
