// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/wire.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/stubs/common.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

using google::protobuf::io::CodedOutputStream;

std::vector<uint64_t> EdgeValues() {
  std::vector<uint64_t> values = {0};
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    for (uint64_t value : {power - 1, power, power + 1})
      values.push_back(value);
  }
  values.push_back(std::numeric_limits<uint64_t>::max());
  return values;
}

TEST(VarintTest, RoundTripsWithLibprotobufsSizeAndBytes) {
  for (uint64_t value : EdgeValues()) {
    std::string bytes;
    AppendVarint(value, &bytes);
    uint8_t expected[10];
    uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, expected);
    EXPECT_EQ(bytes, std::string(expected, end)) << value;
    EXPECT_EQ(VarintSize(value), bytes.size()) << value;
    uint64_t read = ~value;
    WireReader reader(bytes);
    EXPECT_TRUE(reader.ReadVarint(&read) && reader.done()) << value;
    EXPECT_EQ(read, value);
    WireReader minimal(bytes);
    EXPECT_TRUE(minimal.ReadMinimalVarint(&read)) << value;
  }
}

TEST(VarintTest, ShortMinimalOnesInOneStep) {
  for (uint64_t value : EdgeValues()) {
    for (const char* after : {"", "\x80", "\xff", "\x01"}) {
      std::string bytes;
      AppendVarint(value, &bytes);
      const size_t size = bytes.size();
      bytes += after;
      bytes.append(8, '\0');
      uint64_t read = ~value;
      const char* end = ParseShortMinimalVarint(bytes.data(), &read);
      if (size > 8) {
        EXPECT_EQ(end, nullptr) << value;
        continue;
      }
      EXPECT_EQ(end, bytes.data() + size) << value;
      EXPECT_EQ(read, value);
    }
  }
  // Longer than need be.
  for (const char* bytes : {"\x80\0", "\x81\x80\0", "\xff\xff\0"}) {
    std::string padded(bytes);
    padded.append(9, '\0');
    uint64_t read;
    EXPECT_EQ(ParseShortMinimalVarint(padded.data(), &read), nullptr);
  }
}

TEST(WireReaderTest, SmallNumbers) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes = {static_cast<char>(byte), 'x'};
    WireReader reader(bytes);
    const bool is_small = byte > 0 && byte < 128;
    EXPECT_EQ(reader.ConsumeSmallNumber(), is_small) << byte;
    EXPECT_EQ(reader.remaining(), is_small ? 1u : 2u);
  }
  WireReader nothing("");
  EXPECT_FALSE(nothing.ConsumeSmallNumber());
}

TEST(WireReaderTest, ConsumeTag) {
  for (const uint32_t number : {1u, 15u, 16u, 35u, 2047u, 2048u, 536870911u}) {
    const uint32_t tag = MakeTag(number, WireType::kLengthDelimited);
    std::string bytes;
    AppendTag(number, WireType::kLengthDelimited, &bytes);
    for (size_t size = 0; size <= bytes.size(); ++size) {
      WireReader reader(absl::string_view(bytes).substr(0, size));
      EXPECT_EQ(reader.ConsumeTag(tag), size == bytes.size()) << number;
      EXPECT_EQ(reader.remaining(), size == bytes.size() ? 0 : size);
    }
    WireReader other(bytes);
    EXPECT_FALSE(other.ConsumeTag(MakeTag(number, WireType::kVarint)));
    EXPECT_EQ(other.remaining(), bytes.size());
  }
}

TEST(Utf8Test, OneByteAnywhereIsSeen) {
  for (size_t size = 0; size < 40; ++size) {
    std::string text(size, 'x');
    EXPECT_TRUE(IsAscii(text));
    EXPECT_TRUE(IsValidUtf8(text));
    for (size_t i = 0; i < size; ++i) {
      std::string broken = text;
      broken[i] = '\x80';
      EXPECT_FALSE(IsAscii(broken)) << size << " " << i;
      EXPECT_FALSE(IsValidUtf8(broken)) << size << " " << i;
    }
  }
}

TEST(VarintTest, EveryTruncationIsRefused) {
  for (uint64_t value : EdgeValues()) {
    std::string bytes;
    AppendVarint(value, &bytes);
    for (size_t size = 0; size < bytes.size(); ++size) {
      uint64_t read;
      EXPECT_FALSE(WireReader(absl::string_view(bytes).substr(0, size))
                       .ReadVarint(&read))
          << value;
    }
  }
}

struct VarintCase {
  const char* hex;
  bool valid;
  bool minimal;
  uint64_t value;
};

TEST(VarintTest, Forms) {
  const VarintCase kCases[] = {
      {"00", true, true, 0},
      {"8000", true, false, 0},
      {"ff7f", true, true, 16383},
      {"ff8000", true, false, 127},
      {"80808080808080808000", true, false, 0},
      {"80808080808080808001", true, true, uint64_t{1} << 63},
      {"ffffffffffffffffff01", true, true,
       std::numeric_limits<uint64_t>::max()},
      // Of the tenth byte only the lowest bit counts.
      {"ffffffffffffffffff7f", true, false,
       std::numeric_limits<uint64_t>::max()},
      {"80808080808080808002", true, false, 0},
      {"8080808080808080808000", false, false, 0},
  };
  for (const VarintCase& c : kCases) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = absl::HexStringToBytes(c.hex);
    uint64_t value = 0;
    EXPECT_EQ(WireReader(bytes).ReadVarint(&value), c.valid);
    if (c.valid) {
      EXPECT_EQ(value, c.value);
    }
    EXPECT_EQ(WireReader(bytes).ReadMinimalVarint(&value), c.minimal);
  }
}

TEST(VarintTest, TheTenthByte) {
  for (int last = 0; last < 128; ++last) {
    std::string bytes(9, '\xFF');
    bytes.push_back(static_cast<char>(last));
    uint64_t value;
    EXPECT_EQ(WireReader(bytes).ReadMinimalVarint(&value), last == 1) << last;
  }
}

TEST(TagTest, Forms) {
  struct Case {
    const char* hex;
    bool valid;
    bool minimal;
    uint32_t tag;
  };
  const Case kCases[] = {
      {"", false, false, 0},
      {"00", false, false, 0},  // field number 0
      {"07", false, false, 0},
      {"08", true, true, 8},
      {"0c", true, true, 12},    // an end group is a tag
      {"0e", false, false, 0},   // wire type 6
      {"0f", false, false, 0},   // wire type 7
      {"8800", true, false, 8},  // wider than needed
      {"a206", true, true, 802},
      {"faffffff0f", true, true, 0xFFFFFFFA},
      {"88808080f00f", false, false, 0},  // six bytes
      {"888080800f", true, true, 0xF0000008},
      {"888080807f", true, false, 0xF0000008},  // bits above 32 don't count
      {"88", false, false, 0},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = absl::HexStringToBytes(c.hex);
    uint32_t tag = 0;
    EXPECT_EQ(WireReader(bytes).ReadTag(&tag), c.valid);
    if (c.valid) {
      EXPECT_EQ(tag, c.tag);
    }
    EXPECT_EQ(WireReader(bytes).ReadMinimalTag(&tag), c.minimal);
  }
}

TEST(FixedTest, RoundTripsAndRefusesTruncation) {
  std::string bytes;
  AppendFixed32(0x04030201, &bytes);
  AppendFixed64(0x0C0B0A0908070605, &bytes);
  EXPECT_EQ(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C");
  WireReader reader(bytes);
  uint32_t low;
  uint64_t high;
  ASSERT_TRUE(reader.ReadFixed32(&low) && reader.ReadFixed64(&high) &&
              reader.done());
  EXPECT_EQ(low, 0x04030201u);
  EXPECT_EQ(high, 0x0C0B0A0908070605u);
  EXPECT_FALSE(WireReader("abc").ReadFixed32(&low));
  EXPECT_FALSE(WireReader("abcdefg").ReadFixed64(&high));
}

TEST(LengthDelimitedTest, Forms) {
  struct Case {
    const char* hex;
    bool valid;
    bool minimal;
  };
  const Case kCases[] = {
      {"00", true, true},
      {"0161", true, true},
      {"0261", false, false},            // one byte missing
      {"810061", true, false},           // a wide length
      {"818080800061", true, false},     // five bytes still pass
      {"81808080800061", false, false},  // six don't
      {"ffffffff0761", false, false},    // 2 GiB
      {"ffffffffffffffffff01", false, false},
      {"80", false, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = absl::HexStringToBytes(c.hex);
    absl::string_view value;
    EXPECT_EQ(WireReader(bytes).ReadLengthDelimited(&value), c.valid);
    EXPECT_EQ(WireReader(bytes).ReadMinimalLengthDelimited(&value), c.minimal);
  }
}

TEST(SkipTest, GroupsMatchAndNestNoDeeperThanAllowed) {
  struct Case {
    const char* hex;  // begins with a tag
    int depth_left;
    bool valid;
  };
  const Case kCases[] = {
      {"0b0c", 1, true},          // an empty group
      {"0b0c", 0, false},         // no level left
      {"0b130c14", 2, false},     // crossed
      {"0b13140c", 2, true},      //
      {"0b13140c", 1, false},     //
      {"0b13141b1c0c", 2, true},  // siblings don't add up
      {"0b14", 1, false},         // another number
      {"0b", 1, false},           // never ended
      {"0b08010a0178150000000021000000000000000c", 1, false},
      {"0b08010a017815000000001900000000000000000c", 1, true},
      {"0c", 1, false},  // an end without a start
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = absl::HexStringToBytes(c.hex);
    WireReader reader(bytes);
    uint32_t tag;
    ASSERT_TRUE(reader.ReadTag(&tag));
    EXPECT_EQ(reader.SkipValue(tag, c.depth_left), c.valid);
    if (c.valid) {
      EXPECT_TRUE(reader.done());
    }
  }
}

bool JudgeUtf8(const std::string& text) {
  return google::protobuf::internal::IsStructurallyValidUTF8(
      text.data(), static_cast<int>(text.size()));
}

// All strings of up to two bytes; longer ones over the bytes at which the rules
// change.
TEST(Utf8Test, AgreesWithLibprotobuf) {
  for (int first = 0; first < 256; ++first) {
    const std::string one(1, static_cast<char>(first));
    EXPECT_EQ(IsValidUtf8(one), JudgeUtf8(one)) << first;
    for (int second = 0; second < 256; ++second) {
      const std::string two = one + static_cast<char>(second);
      EXPECT_EQ(IsValidUtf8(two), JudgeUtf8(two)) << first << " " << second;
    }
  }
  const std::string edges(
      "\x00\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE"
      "\xEF\xF0\xF1\xF3\xF4\xF5\xFF",
      25);
  for (char a : edges) {
    for (char b : edges) {
      for (char c : edges) {
        for (char d : edges) {
          // Also behind eight ASCII bytes, where the fast path stops.
          for (const std::string& text :
               {std::string{a, b, c}, std::string{a, b, c, d},
                "12345678" + std::string{a, b, c, d}}) {
            ASSERT_EQ(IsValidUtf8(text), JudgeUtf8(text))
                << absl::CHexEscape(text);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace indim
