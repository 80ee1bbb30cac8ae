// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/canonical.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/data_files.h"
#include "indim/tests/proto/wire/wire_oracle.h"
#include "indim/tests/sample.h"

namespace indim {
namespace {

constexpr WireMessage kModule = WireMessage::kHloModuleProto;

// Compares with libprotobuf: accepted or refused, the bytes, and whether they
// were canonical before. False when they differ.
bool Agrees(WireMessage message, absl::string_view bytes, int depth = 0) {
  const std::optional<std::string> expected = Judge(message, bytes, depth);
  const absl::StatusOr<std::string> actual =
      Canonicalize(message, bytes, depth);
  const bool canonical = IsCanonical(message, bytes, depth);
  const bool agrees = expected.has_value() == actual.ok() &&
                      (!actual.ok() || *actual == *expected) &&
                      canonical == (expected.has_value() && *expected == bytes);
  if (agrees) return true;
  ADD_FAILURE() << GetWireMessageInfo(message).name() << " at depth " << depth
                << "\n  bytes     "
                << absl::BytesToHexString(bytes.substr(0, 2000))
                << "\n  expected  "
                << (expected.has_value()
                        ? absl::BytesToHexString(expected->substr(0, 2000))
                        : "refused")
                << "\n  actual    "
                << (actual.ok()
                        ? absl::BytesToHexString(actual->substr(0, 2000))
                        : actual.status().ToString())
                << "\n  canonical " << canonical;
  return false;
}

std::string Field(uint32_t number, absl::string_view value) {
  std::string out;
  AppendTag(number, WireType::kLengthDelimited, &out);
  AppendLengthDelimited(value, &out);
  return out;
}

struct Case {
  const char* what;
  WireMessage message;
  const char* hex;
};

// One rule a line, and the judge is asked about each.
TEST(CanonicalTest, EveryRuleOfTheWire) {
  const Case kCases[] = {
      {"nothing", kModule, ""},
      {"tag 0", kModule, "00"},
      {"tag 0 behind a field", kModule, "280100"},
      {"field number 0", kModule, "0200"},
      {"wire type 6", kModule, "0e"},
      {"wire type 7", kModule, "0f"},
      {"end group alone", kModule, "0c"},
      {"end group in a submessage", kModule, "22010c"},
      {"default int", kModule, "2800"},
      {"default string", kModule, "0a00"},
      {"string, then the default", kModule, "0a01610a00"},
      {"last string wins", kModule, "0a01610a0162"},
      {"invalid UTF-8 that a later one replaces", kModule, "0a01ff0a0161"},
      {"bytes may hold anything", kModule, "b20101ff"},
      {"explicit zero", kModule, "b80100"},
      {"bool of many bits", kModule, "5880808080808080808001"},
      {"bool, bit 64 doesn't count", kModule, "5880808080808080808002"},
      {"descending numbers", kModule, "28010a0161"},
      {"unknown before known", kModule, "d03e010a0161"},
      {"unknown after known", kModule, "0a0161d03e01"},
      {"wide unknown varint", kModule, "d03e8100"},
      {"wire type of another kind", kModule, "0801"},
      {"wire type of another kind, then the field", kModule, "08010a0161"},
      {"fixed32 for an int", kModule, "2d01000000"},
      {"unknown group", kModule, "0b08010c"},
      {"unknown group, then the field", kModule, "0b08010c0a0161"},
      {"wide tags in an unknown group", kModule, "0b8880000189 800c"},
      {"group left open", kModule, "0b0801"},
      {"group ends with another number", kModule, "0b14"},
      {"known number as a group", kModule, "230c24"},
      {"empty submessage is present", kModule, "2200"},
      {"submessage twice is merged", kModule, "220412020802220412020803"},
      {"submessage longer than what is left", kModule, "2205"},
      {"length of six bytes", kModule, "0a818080808000"},
      {"length of 2 GiB", kModule, "0affffffff07"},
      {"highest own number", kModule, "c23e020801"},
      {"own number, default inside", kModule, "c23e020800"},
      {"element type, negative enum", WireMessage::kShapeProto,
       "10ffffffffffffffffff01"},
      {"element type, negative enum in five bytes", WireMessage::kShapeProto,
       "10ffffffff0f"},
      {"element type above 32 bits", WireMessage::kShapeProto, "108b80808010"},
      {"element type, zero below 32 bits", WireMessage::kShapeProto,
       "108080808010"},
      {"packed", WireMessage::kShapeProto, "1a03018001"},
      {"packed, empty", WireMessage::kShapeProto, "1a00"},
      {"unpacked", WireMessage::kShapeProto, "18011802"},
      {"packed and unpacked mixed", WireMessage::kShapeProto,
       "18011a0203041805"},
      {"packed twice", WireMessage::kShapeProto, "1a01011a0102"},
      {"packed, wide element", WireMessage::kShapeProto, "1a028100"},
      {"packed, element cut off", WireMessage::kShapeProto, "1a0180"},
      {"packed bools", WireMessage::kShapeProto, "320400010280 01"},
      {"unpacked bools", WireMessage::kShapeProto, "30023000"},
      {"repeated list of messages interleaved", WireMessage::kShapeProto,
       "220018012200"},
      {"packed floats", WireMessage::kLiteralProto, "420400000080"},
      {"packed floats cut off", WireMessage::kLiteralProto, "4203000000"},
      {"unpacked float", WireMessage::kLiteralProto, "450000803f4d00000000"},
      {"packed doubles cut off", WireMessage::kLiteralProto, "4a0400000000"},
      {"int32 list out of range", WireMessage::kLiteralProto,
       "2206ffffffff1f01"},
      {"int32 list, negative in ten bytes", WireMessage::kLiteralProto,
       "220affffffffffffffffff01"},
      {"uint32 list out of range", WireMessage::kLiteralProto,
       "3205ffffffff1f"},
      {"uint64 list", WireMessage::kLiteralProto, "3a0affffffffffffffffff01"},
      {"float -0.0 is not the default", WireMessage::kHloInstructionProto,
       "c50100000080"},
      {"float 0.0 is", WireMessage::kHloInstructionProto, "c50100000000"},
      {"NaN", WireMessage::kHloInstructionProto, "c5010000c07f"},
      {"oneof: the last member wins", WireMessage::kPayload, "0a01611001"},
      {"oneof: default member is written", WireMessage::kPayload, "10000a00"},
      {"oneof: back to the first member", WireMessage::kPayload,
       "0a016110010a0162"},
      {"oneof message, cleared in between", WireMessage::kResultAccuracy,
       "120909000000000000f03f0801120911000000000000f03f"},
      {"oneof message, merged", WireMessage::kResultAccuracy,
       "120909000000000000f03f120911000000000000f03f"},
      {"oneof message with bad bytes that is cleared",
       WireMessage::kResultAccuracy, "1201080801"},
      {"map sorted", WireMessage::kFrontendAttributes,
       "0a060a01611201310a060a0162120132"},
      {"map unsorted", WireMessage::kFrontendAttributes,
       "0a060a01621201320a060a0161120131"},
      {"map key twice", WireMessage::kFrontendAttributes,
       "0a060a01611201310a060a0161120132"},
      {"map, high byte after low", WireMessage::kFrontendAttributes,
       "0a070a02c3a41201310a060a0161120132"},
      {"map entry without a key", WireMessage::kFrontendAttributes,
       "0a03120131"},
      {"map entry without a value", WireMessage::kFrontendAttributes,
       "0a030a0161"},
      {"map entry empty", WireMessage::kFrontendAttributes, "0a00"},
      {"map entry, value before key", WireMessage::kFrontendAttributes,
       "0a061201310a0161"},
      {"map entry, key twice", WireMessage::kFrontendAttributes,
       "0a090a01610a0162120131"},
      {"map entry, unknown field", WireMessage::kFrontendAttributes,
       "0a080a01611201311801"},
      {"map entry, unknown field malformed", WireMessage::kFrontendAttributes,
       "0a070a016112013118"},
      {"map entry, key not UTF-8", WireMessage::kFrontendAttributes,
       "0a060a01ff120131"},
      {"map entry, value not UTF-8", WireMessage::kFrontendAttributes,
       "0a060a01611201ff"},
      {"map entry, replaced key not UTF-8", WireMessage::kFrontendAttributes,
       "0a060a01ff0a0161"},
      {"map entry, end group", WireMessage::kFrontendAttributes, "0a010c"},
      {"int map, negative key first", WireMessage::kHloScheduleProto,
       "0a0d08ffffffffffffffffff0112000a0408011200"},
      {"int map, negative key last", WireMessage::kHloScheduleProto,
       "0a04080112000a0d08ffffffffffffffffff011200"},
      {"message map, value twice in an entry", WireMessage::kHloScheduleProto,
       "0a0a08011202080112020802"},
      {"message map, key twice", WireMessage::kHloScheduleProto,
       "0a060801120208010a0608011202080 2"},
      {"message map, entry of wire types", WireMessage::kHloScheduleProto,
       "0a040a001001"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    std::string hex = c.hex;
    hex.erase(std::remove(hex.begin(), hex.end(), ' '), hex.end());
    EXPECT_TRUE(Agrees(c.message, absl::HexStringToBytes(hex)));
  }
}

// Shapes in shapes: messages; then groups instead of the innermost messages.
TEST(CanonicalTest, NestingEndsAtTheSameDepth) {
  for (int start = 0; start <= 2; ++start) {
    for (int levels = 95; levels <= 102; ++levels) {
      for (int groups = 0; groups <= 3; ++groups) {
        for (const char* leaf :
             {"", "100b", "108b00"}) {  // empty, canonical, not
          std::string bytes = absl::HexStringToBytes(leaf);
          for (int i = 0; i < groups; ++i)
            bytes = absl::StrCat("\xF3\x07", bytes, "\xF4\x07");
          for (int i = groups; i < levels; ++i) bytes = Field(4, bytes);
          EXPECT_TRUE(Agrees(WireMessage::kShapeProto, bytes, start))
              << start << " " << levels << " " << groups;
        }
      }
    }
  }
  for (int levels = 97; levels <= kMaxWireDepth; ++levels) {
    // An entry of a map is a level of its own.
    const std::string bytes = Field(1, absl::StrCat("\x08\x01", Field(2, "")));
    EXPECT_TRUE(Agrees(WireMessage::kHloScheduleProto, bytes, levels));
  }
}

TEST(CanonicalTest, UnknownFieldsAreCounted) {
  const struct {
    const char* hex;
    int64_t count;
  } rows[] = {
      {"", 0},
      {"0a0161", 0},
      {"0a0161d03e01", 1},
      {"d03e01d03e02", 2},
      {"0b08010c", 1},          // a group
      {"0801", 1},              // a name that is a number
      {"2206e05d01e05d01", 2},  // two of a program shape
      {"1a051203e05d01", 1},    // one of an instruction
      {"c23e020801", 0},        // a number of Indim's own
  };
  for (const auto& row : rows) {
    EXPECT_EQ(CountUnknownFields(kModule, absl::HexStringToBytes(row.hex)),
              row.count)
        << row.hex;
  }
}

TEST(CanonicalTest, RandomMessages) {
  Random random(20240501);
  for (WireMessage message : MessagesToTest()) {
    for (int i = 0; i < 40; ++i) {
      const auto object = NewMessage(message);
      ASSERT_NE(object, nullptr) << GetWireMessageInfo(message).name();
      FillAtRandom(3, &random, object.get());
      const std::string bytes = DeterministicBytes(*object);
      ASSERT_TRUE(IsCanonical(message, bytes))
          << GetWireMessageInfo(message).name() << " "
          << object->ShortDebugString();
      ASSERT_TRUE(Agrees(message, bytes));
      // Maps in the order of a hash table.
      ASSERT_TRUE(Agrees(message, object->SerializeAsString()));
    }
  }
}

TEST(CanonicalTest, ScrambledAndDamagedMessages) {
  Random random(7);
  int refused = 0;
  int accepted = 0;
  for (WireMessage message : MessagesToTest()) {
    const WireMessageInfo& info = GetWireMessageInfo(message);
    for (int i = 0; i < 60; ++i) {
      const auto object = NewMessage(message);
      FillAtRandom(4, &random, object.get());
      const std::string scrambled =
          Scramble(info, object->SerializeAsString(), &random);
      ASSERT_TRUE(
          Agrees(message, scrambled, static_cast<int>(Below(2, &random))));
      const std::string damaged = Damage(scrambled, &random);
      ASSERT_TRUE(Agrees(message, damaged));
      ++(Canonicalize(message, damaged).ok() ? accepted : refused);
    }
  }
  // Both ways of the comparison were taken.
  EXPECT_GT(refused, 500);
  EXPECT_GT(accepted, 500);
}

TEST(CanonicalTest, NoiseWithoutAnyForm) {
  Random random(11);
  const std::vector<WireMessage> messages = MessagesToTest();
  for (int i = 0; i < 30000; ++i) {
    std::string bytes(Below(12, &random), '\0');
    for (char& byte : bytes)
      byte =
          static_cast<char>(OneIn(2, &random) ? Below(32, &random) : random());
    ASSERT_TRUE(Agrees(messages[Below(messages.size(), &random)], bytes));
  }
}

TEST(CanonicalTest, CanonicalBytesStayAsTheyAre) {
  Random random(3);
  for (WireMessage message : MessagesToTest()) {
    const auto object = NewMessage(message);
    FillAtRandom(4, &random, object.get());
    const std::string scrambled = Scramble(
        GetWireMessageInfo(message), object->SerializeAsString(), &random);
    const absl::StatusOr<std::string> once = Canonicalize(message, scrambled);
    ASSERT_TRUE(once.ok()) << once.status();
    EXPECT_TRUE(IsCanonical(message, *once));
    EXPECT_EQ(Canonicalize(message, *once).value(), *once);
  }
}

// A level that isn't canonical at the bottom of a hundred, in many copies:
// quadratic work would take minutes.
TEST(CanonicalTest, DepthCostsNoMoreThanSize) {
  std::string bytes(1 << 20, 'x');
  bytes = absl::StrCat(absl::HexStringToBytes("108b00"), Field(99, bytes));
  for (int i = 0; i < 99; ++i) bytes = Field(4, bytes);
  ASSERT_TRUE(Agrees(WireMessage::kShapeProto, bytes));
  std::string wide;
  for (int i = 0; i < 20000; ++i)
    wide += absl::HexStringToBytes("2203108b001801");
  for (int i = 0; i < 98; ++i) wide = Field(4, wide);
  ASSERT_TRUE(Agrees(WireMessage::kShapeProto, wide));
}

// Two megabytes of empty instructions, and other ways to ask for much with
// little.
TEST(CanonicalTest, ManyTinyFields) {
  std::string instructions;
  for (int i = 0; i < 200000; ++i) instructions += std::string("\x12\x00", 2);
  EXPECT_TRUE(Agrees(WireMessage::kHloComputationProto, instructions));
  std::string alternating;
  for (int i = 0; i < 100000; ++i)
    alternating += std::string("\x12\x00\x28\x01", 4);
  EXPECT_TRUE(Agrees(WireMessage::kHloComputationProto, alternating));
  std::string merged;
  for (int i = 0; i < 100000; ++i) merged += std::string("\x22\x02\x0A\x00", 4);
  EXPECT_TRUE(Agrees(WireMessage::kHloComputationProto, merged));
  std::string entries;
  for (int i = 0; i < 100000; ++i) entries += std::string("\x0A\x00", 2);
  EXPECT_TRUE(Agrees(WireMessage::kFrontendAttributes, entries));
}

TEST(CanonicalTest, ErrorsNameThePlace) {
  struct ErrorCase {
    const char* hex;
    const char* message;
  };
  const ErrorCase kCases[] = {
      {"0a0161 00", "byte 3, in HloModuleProto: not a field tag"},
      {"1a04 1202 0aff",
       "byte 5, in HloModuleProto field 3 > HloComputationProto field 2 > "
       "HloInstructionProto field 1: "
       "the length is malformed or exceeds the bytes that are left"},
      {"1a05 1203 0a01ff",
       "byte 6, in HloModuleProto field 3 > HloComputationProto field 2 > "
       "HloInstructionProto field 1: "
       "the string is not valid UTF-8"},
      {"0b",
       "byte 0, in HloModuleProto field 1: the group is malformed, not ended "
       "or nested too deep"},
      {"0c",
       "byte 0, in HloModuleProto field 1: a group ends that didn't start"},
      {"0880",
       "byte 0, in HloModuleProto field 1: the value of an unknown field is "
       "cut off or malformed"},
  };
  for (const ErrorCase& c : kCases) {
    std::string hex = c.hex;
    hex.erase(std::remove(hex.begin(), hex.end(), ' '), hex.end());
    const absl::StatusOr<std::string> result =
        Canonicalize(kModule, absl::HexStringToBytes(hex));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(result.status().message(), c.message);
  }
}

TEST(CanonicalTest, ModulesOfJax) {
  const std::vector<std::string> files = JaxModules();
  ASSERT_FALSE(files.empty());
  Random random(5);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string bytes = *ReadFile(file);
    ASSERT_FALSE(bytes.empty());
    EXPECT_TRUE(Agrees(kModule, bytes));
    EXPECT_TRUE(Agrees(WireMessage::kHloProto, Field(1, bytes)));
    if (bytes.size() > 200000) continue;
    for (int i = 0; i < 10 / SampleStep(5); ++i) {
      ASSERT_TRUE(Agrees(kModule, Damage(bytes, &random)));
      ASSERT_TRUE(Agrees(
          kModule, Scramble(GetWireMessageInfo(kModule), bytes, &random)));
    }
  }
}

TEST(CanonicalTest, EveryTruncationOfAModule) {
  std::string smallest;
  for (const std::string& file : JaxModules()) {
    const std::string bytes = *ReadFile(file);
    if (smallest.empty() || bytes.size() < smallest.size()) smallest = bytes;
  }
  for (size_t size = 0; size <= smallest.size(); ++size) {
    ASSERT_TRUE(Agrees(kModule, absl::string_view(smallest).substr(0, size)))
        << size;
  }
  Random random(13);
  for (size_t i = 0; i < smallest.size(); ++i) {
    std::string flipped = smallest;
    flipped[i] = static_cast<char>(flipped[i] ^ 1 << Below(8, &random));
    ASSERT_TRUE(Agrees(kModule, flipped)) << i;
  }
}

}  // namespace
}  // namespace indim
