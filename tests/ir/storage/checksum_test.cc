// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace indim {
namespace {

uint64_t Of(absl::string_view bytes) {
  Checksum checksum;
  checksum.Add(bytes);
  return checksum.value();
}

// Published values of XXH64 with seed 0.
TEST(ChecksumTest, IsXxh64) {
  EXPECT_EQ(Of(""), 0xef46db3751d8e999u);
  EXPECT_EQ(Of("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(Of("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(Of("The quick brown fox jumps over the lazy dog"),
            0x0b242d361fda71bcu);
}

TEST(ChecksumTest, CutsDoNotCount) {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes.push_back(static_cast<char>(i * 37));
  for (size_t step = 1; step < 100; ++step) {
    Checksum checksum;
    for (size_t at = 0; at < bytes.size(); at += step) {
      checksum.Add(absl::string_view(bytes).substr(at, step));
      checksum.Add("");
    }
    EXPECT_EQ(checksum.value(), Of(bytes)) << step;
  }
}

TEST(ChecksumTest, EveryBitCounts) {
  const std::string bytes(77, 'x');
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << i % 8));
    EXPECT_NE(Of(changed), Of(bytes)) << i;
  }
}

}  // namespace
}  // namespace indim
