// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/element_type.h"

#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

TEST(ElementTypes, EveryRowIsFoundByNameAndNumber) {
  std::set<absl::string_view> names;
  int last = 0;
  for (const ElementTypeInfo& info : AllElementTypes()) {
    SCOPED_TRACE(info.name);
    const int number = static_cast<int>(info.type);
    EXPECT_GT(number, last) << "rows ascend";
    last = number;
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_EQ(ElementTypeFromName(info.name), info.type);
    EXPECT_EQ(ElementTypeFromNumber(number), info.type);
    EXPECT_EQ(&Info(info.type), &info);
    EXPECT_EQ(Name(info.type), info.name);
  }
  EXPECT_EQ(names.size(), 32u);
}

TEST(ElementTypes, RowsAgreeWithTheirNames) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    SCOPED_TRACE(info.name);
    // The first number of a name is its width: f8e4m3fn, s4, bf16, c64.
    const size_t digit = info.name.find_first_of("0123456789");
    if (info.kind == ElementKind::kPred) {
      EXPECT_EQ(info.bits, 8);
      continue;
    }
    ASSERT_NE(digit, absl::string_view::npos);
    EXPECT_EQ(info.bits, std::stoi(std::string(info.name.substr(digit))));
    const bool floating =
        info.kind == ElementKind::kFloat || info.kind == ElementKind::kComplex;
    EXPECT_EQ(info.exponent > 0, floating);
    EXPECT_EQ(info.significand > 0, floating);
    EXPECT_EQ(info.overflow_exponent > 0, floating);
    EXPECT_GT(info.literal_field, 0);
    // e4m3: four bits of exponent, three of the significand and the hidden one.
    const size_t e = info.name.find('e');
    if (e == absl::string_view::npos) continue;
    EXPECT_EQ(info.exponent, info.name[e + 1] - '0');
    EXPECT_EQ(info.significand, info.name[e + 3] - '0' + 1);
  }
}

TEST(ElementTypes, WhatIsNoTypeIsRefused) {
  for (const char* name : {"", "F32", "f32 ", "tuple", "token", "invalid",
                           "f33", "s", "opaque", "buffer"}) {
    EXPECT_FALSE(ElementTypeFromName(name)) << name;
  }
  // Tuple, opaque, token, buffer, holes, and what no enum can hold.
  for (int64_t number :
       {int64_t{-1}, int64_t{0}, int64_t{13}, int64_t{14}, int64_t{17},
        int64_t{34}, int64_t{37}, int64_t{63}, int64_t{64}, int64_t{257},
        int64_t{1} << 40, INT64_MIN, INT64_MAX}) {
    EXPECT_FALSE(ElementTypeFromNumber(number)) << number;
  }
  for (int number = 0; number < 256; ++number) {
    const ElementType type = static_cast<ElementType>(number);
    if (ElementTypeFromNumber(number)) continue;
    EXPECT_EQ(Name(type), "invalid");
    EXPECT_EQ(Info(type).bits, 0);
    EXPECT_FALSE(IsFloat(type) || IsComplex(type) || IsIntegral(type));
  }
}

TEST(ElementTypes, Classes) {
  EXPECT_TRUE(IsFloat(ElementType::kBF16));
  EXPECT_FALSE(IsFloat(ElementType::kC64));
  EXPECT_TRUE(IsComplex(ElementType::kC128));
  EXPECT_TRUE(IsSigned(ElementType::kS4));
  EXPECT_TRUE(IsUnsigned(ElementType::kU64));
  EXPECT_TRUE(IsIntegral(ElementType::kU1));
  EXPECT_FALSE(IsIntegral(ElementType::kPred));
  EXPECT_TRUE(SameTypeIgnoringFloatPrecision(ElementType::kF16,
                                             ElementType::kF8E8M0FNU));
  EXPECT_FALSE(
      SameTypeIgnoringFloatPrecision(ElementType::kC64, ElementType::kC128));
  EXPECT_FALSE(
      SameTypeIgnoringFloatPrecision(ElementType::kS32, ElementType::kS64));
}

TEST(ElementTypes, ComplexAndItsPartsInvertEachOther) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    SCOPED_TRACE(info.name);
    const ElementType part = RealPart(info.type);
    if (info.kind == ElementKind::kComplex) {
      EXPECT_EQ(ComplexOf(part), info.type);
      EXPECT_EQ(Info(part).bits * 2, info.bits);
    } else {
      EXPECT_EQ(part, info.type);
    }
    if (const auto complex = ComplexOf(info.type)) {
      EXPECT_EQ(RealPart(*complex), info.type);
    }
  }
}

// --- HigherPrecision --------------------------------------------------------

// Reads a table of answers of XLA, one row per type: its name, then a sign per
// column.
struct Row {
  ElementType type;
  std::vector<char> signs;
};
std::vector<Row> ReadTable(const std::string& file) {
  std::ifstream in("tests/data/shape/" + file);
  EXPECT_TRUE(in.good()) << file;
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    Row row{ElementTypeFromName(word).value_or(ElementType::kInvalid), {}};
    EXPECT_NE(row.type, ElementType::kInvalid) << word;
    while (words >> word) row.signs.push_back(word[0]);
    rows.push_back(row);
  }
  return rows;
}

void ExpectTable(const std::string& file, size_t types) {
  const std::vector<Row> rows = ReadTable(file);
  ASSERT_EQ(rows.size(), types);
  for (const Row& row : rows) {
    ASSERT_EQ(row.signs.size(), types);
    for (size_t i = 0; i < types; ++i) {
      const ElementType column = rows[i].type;
      SCOPED_TRACE(testing::Message()
                   << Name(row.type) << " with " << Name(column));
      const std::optional<ElementType> higher =
          HigherPrecision(row.type, column);
      switch (row.signs[i]) {
        case '=':
          EXPECT_EQ(row.type, column);
          EXPECT_EQ(higher, column);
          break;
        case '.':
          EXPECT_EQ(higher, row.type);
          break;
        case '^':
          EXPECT_EQ(higher, column);
          break;
        default:
          EXPECT_EQ(row.signs[i], '!');
          EXPECT_EQ(higher, std::nullopt);
      }
    }
  }
}

TEST(HigherPrecision, AnswersAsXlaOfToday) {
  ExpectTable("higher_precision_jaxlib_0.10.2.txt", 32);
}

TEST(HigherPrecision, AnswersAsXlaTwoYearsAgo) {
  ExpectTable("higher_precision_jaxlib_0.4.30.txt", 22);
}

TEST(HigherPrecision, IsCommutativeAndPicksOneOfTheTwo) {
  int unanswered = 0;
  for (const ElementTypeInfo& a : AllElementTypes()) {
    for (const ElementTypeInfo& b : AllElementTypes()) {
      const auto higher = HigherPrecision(a.type, b.type);
      EXPECT_EQ(higher, HigherPrecision(b.type, a.type))
          << a.name << " " << b.name;
      if (!higher) {
        ++unanswered;
        continue;
      }
      EXPECT_TRUE(*higher == a.type || *higher == b.type);
    }
  }
  EXPECT_EQ(unanswered, 6) << "three pairs, either way round";
}

TEST(HigherPrecision, IsTransitive) {
  // a beats b and b beats c: then a beats c.
  auto beats = [](ElementType a, ElementType b) {
    return a != b && HigherPrecision(a, b) == a;
  };
  for (const ElementTypeInfo& a : AllElementTypes()) {
    for (const ElementTypeInfo& b : AllElementTypes()) {
      if (!beats(a.type, b.type)) continue;
      for (const ElementTypeInfo& c : AllElementTypes()) {
        if (!beats(b.type, c.type)) continue;
        EXPECT_TRUE(beats(a.type, c.type))
            << a.name << " " << b.name << " " << c.name;
      }
    }
  }
}

TEST(HigherPrecision, HasNoAnswerForWhatIsNoType) {
  EXPECT_FALSE(HigherPrecision(ElementType::kInvalid, ElementType::kInvalid));
  EXPECT_FALSE(HigherPrecision(ElementType::kF32, ElementType::kInvalid));
  EXPECT_FALSE(
      HigherPrecision(static_cast<ElementType>(255), ElementType::kF32));
}

}  // namespace
}  // namespace indim
