// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/byte_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/checksum.h"

namespace indim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Temp(absl::string_view name) {
  return absl::StrCat(testing::TempDir(), "/", name);
}

CheckedRange RangeOf(const std::string& path, const std::string& bytes,
                     size_t offset, size_t size) {
  Checksum checksum;
  checksum.Add(absl::string_view(bytes).substr(offset, size));
  return {*RandomAccessFile::Open(path), offset, size, checksum.value()};
}

TEST(BytePiecesTest, PiecesFollowEachOther) {
  std::string bytes;
  for (int i = 0; i < 3000000; ++i) bytes.push_back(static_cast<char>(i % 251));
  const std::string path = Temp("range");
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  BytePieces pieces;
  pieces.Append("head ");
  pieces.Append("");
  pieces.AppendRepeated("abc", 7);
  pieces.AppendRepeated("", 5);
  pieces.AppendRepeated("x", 0);
  pieces.AppendOwned(" tail ");
  pieces.AppendRange(RangeOf(path, bytes, 10, 2500000), "");
  pieces.AppendWith(8, [](BytePieces::Take take) {
    const absl::Status status = take(" made");
    return status.ok() ? take(" so") : status;
  });
  std::string expected =
      "head abcabca tail " + bytes.substr(10, 2500000) + " made so";
  EXPECT_EQ(pieces.size(), expected.size());
  EXPECT_EQ(*pieces.ToString(), expected);
  // Longer than what is made at a time.
  BytePieces twice;
  twice.AppendAll(pieces);
  twice.AppendRepeated("0123456", 5000003);
  for (size_t i = 0; i < 5000003; ++i) expected.push_back("0123456"[i % 7]);
  EXPECT_EQ(*twice.ToString(), expected);
  const std::string written = Temp("written");
  ASSERT_TRUE(WritePieces(written, twice).ok());
  EXPECT_EQ(*ReadFile(written), expected);
}

TEST(BytePiecesTest, RangesAreChecked) {
  const std::string bytes(1000, 'x');
  const std::string path = Temp("checked"), out = Temp("out");
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  ASSERT_TRUE(WriteFile(out, "old").ok());
  BytePieces pieces;
  pieces.AppendRange(RangeOf(path, bytes, 100, 500), "the place: ");
  ASSERT_TRUE(pieces.ToString().ok());
  BytePieces altered;
  CheckedRange range = RangeOf(path, bytes, 100, 500);
  range.checksum ^= 1;
  altered.AppendRange(range, "the place: ");
  EXPECT_THAT(std::string(altered.ToString().status().message()),
              AllOf(HasSubstr("the place: "), HasSubstr(path),
                    HasSubstr("was altered"), HasSubstr("offset 100")));
  // The file is the same one, but shorter.
  ASSERT_EQ(truncate(path.c_str(), 300), 0);
  const absl::Status status = WritePieces(out, pieces);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("the place: "), HasSubstr("1000 bytes")));
  EXPECT_EQ(*ReadFile(out), "old");
}

TEST(BytePiecesTest, WhatMemoryCannotHoldIsAnError) {
  BytePieces pieces;
  pieces.AppendRepeated("x", uint64_t{1} << 62);
  EXPECT_EQ(pieces.ToString().status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace indim
