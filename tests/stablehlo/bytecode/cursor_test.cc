// SPDX-License-Identifier: Apache-2.0
// The primitives of bytecode, written and read.

#include "indim/stablehlo/bytecode/cursor.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "indim/stablehlo/bytecode/emitter.h"

namespace indim::mlir {
namespace {

// Around each power of two.
std::vector<uint64_t> Numbers() {
  std::vector<uint64_t> numbers = {0};
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1, ~power});
  }
  return numbers;
}

TEST(CursorTest, ReadsEachNumberThatIsWritten) {
  for (const uint64_t number : Numbers()) {
    std::string bytes;
    AppendVarint(number, &bytes);
    size_t least = 1;
    while (least < 9 && number >> (7 * least) != 0) ++least;
    // Eight bytes hold 56 bits, nine hold 64.
    EXPECT_EQ(bytes.size(), least) << number;
    AppendSignedVarint(static_cast<int64_t>(number), &bytes);
    Cursor in(bytes, 0);
    EXPECT_EQ(in.Varint(), number);
    EXPECT_EQ(in.SignedVarint(), static_cast<int64_t>(number));
    EXPECT_TRUE(in.AtEnd() && in.ok());
    // Any shorter, it is an error.
    for (size_t size = 0; size < least; ++size) {
      Cursor cut(absl::string_view(bytes).substr(0, size), 100);
      EXPECT_EQ(cut.Varint(), 0);
      EXPECT_FALSE(cut.ok());
    }
  }
}

// Examples of MLIR's documentation of the format.
TEST(CursorTest, WritesPrefixVarints) {
  const auto written = [](uint64_t number) {
    std::string bytes;
    AppendVarint(number, &bytes);
    return bytes;
  };
  EXPECT_EQ(written(0), "\x01");
  EXPECT_EQ(written(127), "\xff");
  EXPECT_EQ(written(128), std::string("\x02\x02"));
  EXPECT_EQ(written(1 << 14), std::string("\x04\x00\x02", 3));
  EXPECT_EQ(written(~uint64_t{0}),
            std::string("\0", 1) + std::string(8, '\xff'));
}

TEST(CursorTest, StopsAtTheFirstError) {
  Cursor in("\x03\x05\x09", 40);
  EXPECT_EQ(in.Varint(), 1);
  EXPECT_EQ(in.Bytes(3), "");
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.Varint(), 0);
  EXPECT_EQ(in.Byte(), 0);
  EXPECT_EQ(in.ZeroTerminated(), "");
  EXPECT_EQ(in.status().message(),
            "byte 41 of the artifact: 3 bytes should follow, but only 2 do");
}

TEST(CursorTest, RefusesListsAndIndicesThatDontFit) {
  std::string bytes;
  AppendVarint(std::numeric_limits<uint64_t>::max(), &bytes);
  EXPECT_EQ(Cursor(bytes, 0).Count(), 0);
  Cursor in(bytes, 0);
  in.Count();
  EXPECT_FALSE(in.ok());
  Cursor index(bytes, 0);
  EXPECT_EQ(index.Index(5, "thing"), 0);
  EXPECT_EQ(index.status().message(),
            "byte 9 of the artifact: there is no thing number "
            "18446744073709551615, only 5");
}

}  // namespace
}  // namespace indim::mlir
