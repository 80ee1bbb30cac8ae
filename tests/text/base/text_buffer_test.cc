// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/text_buffer.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

// Texts of which every character tells its place.
std::string Digits(size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += static_cast<char>('0' + i * 7 % 75);
  }
  return text;
}

TEST(CopyTextTest, EverySizeAndNothingBehindIt) {
  for (size_t size = 0; size <= 100; ++size) {
    const std::string digits = Digits(size);
    const std::vector<char> from(digits.begin(), digits.end());
    std::string to(size + 1, '#');
    EXPECT_EQ(CopyText({from.data(), size}, &to[0]), &to[size]) << size;
    EXPECT_EQ(to, digits + "#");
  }
}

TEST(CopyBlocksTest, ABlockTooMuchAtMost) {
  const std::string from = Digits(200);
  for (size_t size = 0; size <= 100; ++size) {
    std::string to(size + kCopyBlock + 1, '#');
    EXPECT_EQ(CopyBlocks(from.data(), size, &to[0]), &to[size]) << size;
    EXPECT_EQ(to.substr(0, size), from.substr(0, size));
    EXPECT_EQ(to.back(), '#') << size;
  }
}

TEST(TextBufferTest, Numbers) {
  TextBuffer out;
  out.AppendNumber(std::numeric_limits<int64_t>::min());
  out.Append(' ');
  out.AppendNumber(std::numeric_limits<uint64_t>::max());
  out.Append(' ');
  out.AppendNumber(0);
  EXPECT_EQ(out.Take(), "-9223372036854775808 18446744073709551615 0");
  EXPECT_EQ(out.size(), 0);
  EXPECT_EQ(out.Take(), "");
}

// One step of `out`, and the same of a string.
void DoAny(std::mt19937* random, TextBuffer* out, std::string* expected) {
  const auto below = [random](size_t n) {
    return static_cast<size_t>((*random)() % n);
  };
  const size_t size = below(below(20) == 0 ? 9000 : 60);
  switch (below(7)) {
    case 0: {
      const std::string text = Digits(size);
      out->Append(text);
      *expected += text;
      break;
    }
    case 1: {
      out->Append(size, '-');
      expected->append(size, '-');
      break;
    }
    case 2: {
      const int64_t number = static_cast<int64_t>((*random)()) - (1 << 30);
      out->AppendNumber(number);
      absl::StrAppend(expected, number);
      break;
    }
    case 3: {
      const std::string text = Digits(size);
      out->AppendWith([&](std::string* to) { *to += text; });
      *expected += text;
      break;
    }
    case 4: {
      const size_t begin = below(expected->size() + 1);
      const size_t count = below(expected->size() - begin + 1) % 3000;
      out->Repeat(begin, count);
      *expected += expected->substr(begin, count);
      break;
    }
    case 5: {
      const size_t left = expected->size() - below(expected->size() + 1) % 50;
      out->Truncate(left);
      expected->resize(left);
      break;
    }
    default:
      out->Append(',');
      *expected += ',';
      break;
  }
}

TEST(TextBufferTest, IsLikeAString) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    TextBuffer out;
    std::string expected;
    if (round % 2 == 0) out.Reserve(static_cast<size_t>(round) * 100);
    for (int step = 0; step < 100; ++step) {
      DoAny(&random, &out, &expected);
      ASSERT_EQ(out.size(), expected.size());
      ASSERT_EQ(out.substr(0, out.size()), expected);
    }
    EXPECT_EQ(out.Take(), expected);
  }
}

}  // namespace
}  // namespace indim
