// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/float_format.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace indim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool SameValue(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(FloatFormatTest, ConvertsAsMlDtypesDoes) {
  int lines = 0;
  std::ifstream in("tests/data/ir/small_floats.txt");
  for (std::string line; std::getline(in, line);) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> parts = absl::StrSplit(line, ' ');
    ASSERT_EQ(parts.size(), 4u) << line;
    const std::optional<ElementType> type = ElementTypeFromName(parts[0]);
    ASSERT_TRUE(type) << line;
    const bool encode = parts[1] == "encode";
    const uint64_t code =
        std::strtoull(parts[encode ? 3 : 2].c_str(), nullptr, 16);
    const double value = std::strtod(parts[encode ? 2 : 3].c_str(), nullptr);
    if (encode) {
      EXPECT_EQ(EncodeFloat(*type, value), code) << line;
    } else {
      EXPECT_TRUE(SameValue(DecodeFloat(*type, code), value))
          << line << " is " << DecodeFloat(*type, code);
    }
    ++lines;
  }
  EXPECT_GT(lines, 10000);
}

TEST(FloatFormatTest, EveryCodeOfANarrowTypeComesBack) {
  for (const ElementTypeInfo& info : AllElementTypes()) {
    if (info.kind != ElementKind::kFloat || info.bits > 16) continue;
    for (uint64_t code = 0; code < uint64_t{1} << info.bits; ++code) {
      const double value = DecodeFloat(info.type, code);
      if (std::isnan(value)) {
        EXPECT_TRUE(HasNan(info.type)) << info.name;
        EXPECT_TRUE(
            std::isnan(DecodeFloat(info.type, EncodeFloat(info.type, value))));
      } else {
        EXPECT_EQ(EncodeFloat(info.type, value), code) << info.name;
      }
    }
  }
}

// The machine knows f32: the generic encoder must agree with it.
TEST(FloatFormatTest, F32IsTheMachines) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (i % 2 == 0) value = std::ldexp(std::ldexp(value, -1000), 1000);
    if (i % 3 == 0)
      value = std::ldexp(1 + (bits >> 12) * 0x1p-52, i % 300 - 160);
    if (std::isnan(value)) continue;
    if (std::fabs(value) > 0x1.ffffffp127) value = kInfinity;
    const float narrow = static_cast<float>(value);
    uint32_t expected;
    std::memcpy(&expected, &narrow, sizeof expected);
    ASSERT_EQ(EncodeFloat(ElementType::kF32, value), expected) << value;
    ASSERT_EQ(DecodeFloat(ElementType::kF32, expected), narrow);
  }
}

TEST(FloatFormatTest, F64IsItself) {
  for (double value : {0.0, -0.0, 1.5, -kInfinity, 5e-324, 1.7e308}) {
    const uint64_t code = EncodeFloat(ElementType::kF64, value);
    EXPECT_TRUE(SameValue(DecodeFloat(ElementType::kF64, code), value));
  }
}

TEST(FloatFormatTest, RoundsOnceFromDouble) {
  // Just above half way between two f16 values; by way of f32 it would become
  // half way, and then the even one below.
  const double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(EncodeFloat(ElementType::kF16, value), 0x3c01u);
  EXPECT_EQ(EncodeFloat(ElementType::kBF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
  // Subnormals of f8e8m0fnu's smallest value: there is no zero.
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 1e-300), 0u);
  EXPECT_EQ(EncodeFloat(ElementType::kF8E8M0FNU, 0x1.4p-127), 0u);
}

TEST(FloatFormatTest, OtherTypesAreZero) {
  for (ElementType type :
       {ElementType::kS8, ElementType::kPred, ElementType::kC64}) {
    EXPECT_EQ(EncodeFloat(type, 3.0), 0u);
    EXPECT_EQ(DecodeFloat(type, 3), 0.0);
  }
}

}  // namespace
}  // namespace indim
