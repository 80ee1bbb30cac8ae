// SPDX-License-Identifier: Apache-2.0
// Floats as MLIR prints them. The expected texts are jaxlib's.

#include "indim/stablehlo/text/mlir_float_text.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "indim/ir/storage/float_format.h"
#include "indim/shape/types/element_type.h"

namespace indim::mlir {
namespace {

std::string Text(ElementType type, uint64_t bits) {
  std::string text;
  AppendFloat(type, bits, &text);
  return text;
}

TEST(MlirFloatTextTest, F32) {
  struct Case {
    float value;
    const char* text;
  };
  const Case kCases[] = {
      {0.0f, "0.000000e+00"},       {-0.0f, "-0.000000e+00"},
      {1.0f, "1.000000e+00"},       {-1.5f, "-1.500000e+00"},
      {1e-5f, "9.99999974E-6"},     {1.234567f, "1.23456705"},
      {0.333333f, "3.333330e-01"},  {1.0f / 3, "0.333333343"},
      {123456789.0f, "0x4CEB79A3"}, {1e-20f, "9.99999968E-21"},
      {1e22f, "9.99999977E+21"},    {1234.015625f, "1234.01563"},
      {100000.5f, "100000.5"},      {1.23456779e-20f, "1.23456779E-20"}};
  for (const Case& c : kCases) {
    uint32_t bits = 0;
    std::memcpy(&bits, &c.value, sizeof(bits));
    EXPECT_EQ(Text(ElementType::kF32, bits), c.text);
  }
  EXPECT_EQ(Text(ElementType::kF32, 0x7FC00000), "0x7FC00000");
  EXPECT_EQ(Text(ElementType::kF32, 0xFF800000), "0xFF800000");
}

TEST(MlirFloatTextTest, OtherTypes) {
  EXPECT_EQ(Text(ElementType::kF16, 0x3C00), "1.000000e+00");
  EXPECT_EQ(Text(ElementType::kBF16, 0xFF80), "0xFF80");
  EXPECT_EQ(Text(ElementType::kBF16, 0xBE96), "-2.929690e-01");
  EXPECT_EQ(Text(ElementType::kF64, 0x3FF0000000000000), "1.000000e+00");
  EXPECT_EQ(Text(ElementType::kF64, 0x3FD5555555555555), "0.33333333333333331");
  EXPECT_EQ(Text(ElementType::kF8E8M0FNU, 0), "5.877470e-39");
  EXPECT_EQ(Text(ElementType::kF8E8M0FNU, 0xFF), "0xFF");
}

}  // namespace
}  // namespace indim::mlir
