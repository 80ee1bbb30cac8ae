// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/literal.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "indim/tests/proto/codec/literals.h"

namespace indim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Making -----------------------------------------------------------------

TEST(LiteralTest, MakesArraysOfEveryCppType) {
  const auto shape_of = [](const absl::StatusOr<Literal>& literal) {
    return literal.ok() ? literal->shape().ToString()
                        : literal.status().ToString();
  };
  const bool preds[] = {true, false};
  EXPECT_EQ(shape_of(Literal::Array(preds, {2})), "pred[2]");
  const int8_t s8[] = {-1, 2};
  const int16_t s16[] = {-1, 2};
  const int32_t s32[] = {-1, 2};
  const int64_t s64[] = {-1, 2};
  const uint8_t u8[] = {1, 2};
  const uint16_t u16[] = {1, 2};
  const uint32_t u32[] = {1, 2};
  const uint64_t u64[] = {1, 2};
  const float f32[] = {1.5, -2};
  const double f64[] = {1.5, -2};
  const std::complex<float> c64[] = {{1, 2}, {3, 4}};
  const std::complex<double> c128[] = {{1, 2}, {3, 4}};
  EXPECT_EQ(shape_of(Literal::Array(s8, {2, 1})), "s8[2,1]");
  EXPECT_EQ(shape_of(Literal::Array(s16, {2})), "s16[2]");
  EXPECT_EQ(shape_of(Literal::Array(s32, {2})), "s32[2]");
  EXPECT_EQ(shape_of(Literal::Array(s64, {2})), "s64[2]");
  EXPECT_EQ(shape_of(Literal::Array(u8, {2})), "u8[2]");
  EXPECT_EQ(shape_of(Literal::Array(u16, {2})), "u16[2]");
  EXPECT_EQ(shape_of(Literal::Array(u32, {2})), "u32[2]");
  EXPECT_EQ(shape_of(Literal::Array(u64, {2})), "u64[2]");
  EXPECT_EQ(shape_of(Literal::Array(f32, {1, 2})), "f32[1,2]");
  EXPECT_EQ(shape_of(Literal::Array(f64, {2})), "f64[2]");
  EXPECT_EQ(shape_of(Literal::Array(c64, {2})), "c64[2]");
  EXPECT_EQ(shape_of(Literal::Array(c128, {2})), "c128[2]");
  EXPECT_EQ(Literal::Array(s16, {2})->AsDouble(0), -1);
  EXPECT_EQ(Literal::Array(s16, {2})->bytes().size(), 4u);
  EXPECT_EQ(Literal::Array(u16, {2})->bytes(),
            absl::string_view("\1\0\2\0", 4));
  EXPECT_EQ(Literal::Array(c64, {2})->AsDouble(1), 3);
  EXPECT_EQ(Literal::Array(c64, {2})->ToString(), "{(1, 2), (3, 4)}");
  // Complex numbers in other lists, a wrong number of them, and a single one.
  const std::vector<std::complex<double>> list(c128, c128 + 2);
  EXPECT_EQ(*Literal::Array(list, {2}), *Literal::Array(c128, {2}));
  EXPECT_EQ(*Literal::Array(absl::MakeConstSpan(list), {2}),
            *Literal::Array(c128, {2}));
  EXPECT_FALSE(Literal::Array(list, {4}).ok());
  EXPECT_EQ(Literal::Scalar(c64[1]).ToString(), "(3, 4)");
  EXPECT_EQ(Literal::Vector({1, 2, 3}).ToString(), "{1, 2, 3}");
}

TEST(LiteralTest, RefusesSizesThatDoNotMatch) {
  const float values[] = {1, 2, 3};
  EXPECT_FALSE(Literal::Array(values, {2}).ok());
  EXPECT_FALSE(Literal::Array(values, {}).ok());
  EXPECT_FALSE(Literal::Array(values, {3, 0}).ok());
  EXPECT_FALSE(Literal::Array(values, {-3, -1}).ok());
  EXPECT_FALSE(
      Literal::Array(values, {int64_t{1} << 40, int64_t{1} << 40, 3}).ok());
  EXPECT_TRUE(Literal::Array(absl::Span<const float>(), {3, 0}).ok());
  EXPECT_FALSE(
      Literal::FromBytes(Shape::Of(ElementType::kS32, {2}), "abc").ok());
  EXPECT_FALSE(Literal::FromBytes(Shape::Token(), "").ok());
  EXPECT_FALSE(Literal::FromBytes(*ParseShape("f32[<=2]"), "12345678").ok());
  EXPECT_FALSE(Literal::FromBytes(*ParseShape("f32[*]"), "").ok());
}

TEST(LiteralTest, ConvertsDoublesOrSaysWhyNot) {
  struct Case {
    ElementType type;
    double value;
    bool ok;
    double back;
  };
  const Case cases[] = {
      {ElementType::kPred, 7, true, 1},
      {ElementType::kPred, kNan, true, 1},
      {ElementType::kS8, 127, true, 127},
      {ElementType::kS8, -128, true, -128},
      {ElementType::kS8, 128, false, 0},
      {ElementType::kS8, 0.5, false, 0},
      {ElementType::kS8, kNan, false, 0},
      {ElementType::kU8, 255, true, 255},
      {ElementType::kU8, -1, false, 0},
      {ElementType::kS4, -8, true, -8},
      {ElementType::kS4, 8, false, 0},
      {ElementType::kU4, 15, true, 15},
      {ElementType::kS2, -2, true, -2},
      {ElementType::kU2, 3, true, 3},
      {ElementType::kS1, -1, true, -1},
      {ElementType::kS1, 1, false, 0},
      {ElementType::kU1, 1, true, 1},
      {ElementType::kS64, -0x1p63, true, -0x1p63},
      {ElementType::kS64, 0x1p63, false, 0},
      {ElementType::kU64, 0x1p63, true, 0x1p63},
      {ElementType::kU64, 0x1p64, false, 0},
      {ElementType::kF16, 65520, true, kInfinity},
      {ElementType::kBF16, 1.00390625, true, 1},
      {ElementType::kF8E4M3FN, 1e9, true, kNan},
      {ElementType::kF4E2M1FN, 1e9, true, 6},
      {ElementType::kF4E2M1FN, kNan, false, 0},
      {ElementType::kC64, 1.5, true, 1.5},
      {ElementType::kC128, 1.5, true, 1.5},
      {ElementType::kF32, 1e39, true, kInfinity},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Literal> literal =
        Literal::FromDoubles(c.type, {c.value}, {});
    ASSERT_EQ(literal.ok(), c.ok) << Name(c.type) << " " << c.value;
    if (!c.ok) continue;
    const double back = literal->AsDouble(0);
    EXPECT_TRUE(back == c.back || (std::isnan(back) && std::isnan(c.back)))
        << Name(c.type) << " " << c.value << " " << back;
  }
  EXPECT_FALSE(Literal::FromDoubles(ElementType::kInvalid, {1.0}, {}).ok());
}

TEST(LiteralTest, ElementsOutsideAreZero) {
  const Literal literal = Literal::Vector({1, 2});
  EXPECT_EQ(literal.AsDouble(-1), 0);
  EXPECT_EQ(literal.AsDouble(2), 0);
  EXPECT_EQ(Literal().AsDouble(0), 0);
  EXPECT_EQ(Literal::Tuple({literal}).AsDouble(0), 0);
}

TEST(LiteralTest, EqualityIsOfBits) {
  EXPECT_TRUE(Literal::Vector({1, 2}) == Literal::Vector({1, 2}));
  EXPECT_TRUE(Literal::Vector({0.0f}) != Literal::Vector({-0.0f}));
  EXPECT_TRUE(Literal::Tuple({Literal::Vector({1})}) !=
              Literal::Tuple({Literal::Vector({2})}));
  EXPECT_TRUE(Literal::Tuple({}) != Literal());
}

// --- Text -------------------------------------------------------------------

// As jaxlib 0.10.2 prints these constants.
TEST(LiteralTextTest, SpellsAsXlaDoes) {
  const auto check = [](ElementType type, std::vector<double> values,
                        std::vector<int64_t> sizes, const char* expected) {
    EXPECT_EQ(Doubles(type, values, sizes).ToString(), expected);
  };
  check(ElementType::kF32,
        {0.1, 1, 1.5, 1e10, -0.0, 3.14159265, 123456.789, 1e-5}, {8},
        "{0.1, 1, 1.5, 1e+10, -0, 3.14159274, 123456.789, 1e-05}");
  check(ElementType::kF64, {1e10, 3.14159265, 1e300, 0.3, 1e16}, {5},
        "{10000000000, 3.14159265, 1e+300, 0.3, 1e+16}");
  check(ElementType::kF32, {1e15, 16777216, 1e6, 1e-45}, {4},
        "{1e+15, 16777216, 1e+06, 1.4013e-45}");
  check(ElementType::kF16, {0.1, 1e4, 3.14159265, 12345, 1e-5}, {5},
        "{0.099976, 10000, 3.1406, 12344, 1.0014e-05}");
  check(ElementType::kBF16, {0.1, 1e10, 123456.789}, {3},
        "{0.1001, 9.999e+09, 1.234e+05}");
  check(ElementType::kF8E5M2, {0.1, 3.14159265}, {2}, "{0.094, 3}");
  check(ElementType::kF8E4M3FN, {0.1, 3.14159265}, {2}, "{0.102, 3.25}");
  check(ElementType::kF8E3M4, {0.1, 3.14159265}, {2}, "{0.0938, 3.12}");
  check(ElementType::kF8E8M0FNU, {0.1, 3.14159265}, {2}, "{0.12, 4}");
  check(ElementType::kF32, {kNan, -kNan, kInfinity, -kInfinity}, {4},
        "{nan, -nan, inf, -inf}");
  check(ElementType::kF8E4M3FN, {kNan, -kNan}, {2}, "{nan, -nan}");
  check(ElementType::kF8E4M3FNUZ, {kNan, 1}, {2}, "{-nan, 1}");
  check(ElementType::kF8E8M0FNU, {kNan, 1}, {2}, "{nan, 1}");
  check(ElementType::kF32, {0.1}, {}, "0.1");
  check(ElementType::kPred, {1}, {}, "true");
  check(ElementType::kPred, {1, 0}, {2}, "{1, 0}");
  check(ElementType::kPred, {1, 0, 0, 1}, {2, 2}, "{ { 1, 0 }, { 0, 1 } }");
  check(ElementType::kS32, {1, 2, 3, 4}, {2, 2}, "{ { 1, 2 }, { 3, 4 } }");
  check(ElementType::kS32, {1, 2}, {2, 1}, "{ {1}, {2} }");
  check(ElementType::kS32, {1, 2, 3, 4}, {2, 1, 2},
        "{ { { 1, 2 } }, { { 3, 4 } } }");
  check(ElementType::kS32, {1, 2, 3, 4}, {1, 2, 1, 2},
        "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }");
  check(ElementType::kS32, {1, 2}, {2, 1, 1, 1},
        "{ { /*i0=0*/ { /*i1=0*/ {1} } }, { /*i0=1*/ { /*i1=0*/ {2} } } }");
  check(ElementType::kS32, {1, 2}, {1, 1, 1, 1, 2},
        "{ { /*i0=0*/ { /*i1=0*/ { /*i2=0*/ { 1, 2 } } } } }");
  check(ElementType::kS32, {}, {0}, "{}");
  check(ElementType::kS32, {}, {2, 0}, "{ {}, {} }");
  check(ElementType::kS32, {}, {0, 2}, "{  }");
  check(ElementType::kS32, {}, {2, 0, 2}, "{ {  }, {  } }");
  check(ElementType::kS32, {}, {2, 0, 1, 2}, "{ { /*i0=0*/ }, { /*i0=1*/ } }");
  check(ElementType::kS4, {-1, 7}, {2}, "{-1, 7}");
  const uint64_t large[] = {18446744073709551615u};
  EXPECT_EQ(Literal::Array(large, {1})->ToString(), "{18446744073709551615}");
  const int64_t small[] = {INT64_MIN};
  EXPECT_EQ(Literal::Array(small, {})->ToString(), "-9223372036854775808");
  const std::complex<float> complex[] = {{1, 2}, {0.1f, -3}};
  EXPECT_EQ(Literal::Array(complex, {2})->ToString(), "{(1, 2), (0.1, -3)}");
  EXPECT_EQ(Literal::Array(complex, {2, 1})->ToString(),
            "{ {(1, 2)}, {(0.1, -3)} }");
}

TEST(LiteralTextTest, SpellsPayloads) {
  const auto text = [](ElementType type, absl::string_view bytes) {
    return Literal::FromBytes(Shape::Scalar(type), bytes)->ToString();
  };
  EXPECT_EQ(text(ElementType::kF32, absl::string_view("\x01\x00\xc0\x7f", 4)),
            "nan(0x400001)");
  EXPECT_EQ(text(ElementType::kF8E5M2, "\x7d"), "nan(0x1)");
  EXPECT_EQ(text(ElementType::kF8E5M2, "\xff"), "-nan(0x3)");
  EXPECT_EQ(text(ElementType::kBF16, "\xc1\x7f"), "nan(0x41)");
  EXPECT_EQ(text(ElementType::kF16, absl::string_view("\x01\xfc", 2)),
            "-nan(0x1)");
}

TEST(LiteralTextTest, SpellsTuples) {
  const Literal one = Doubles(ElementType::kS32, {1}, {});
  const Literal matrix = Doubles(ElementType::kS32, {1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(Literal::Tuple({}).ToString(), "(  )");
  EXPECT_EQ(Literal::Tuple({one, Literal::Vector({2, 3})}).ToString(),
            "( 1, {2, 3} )");
  EXPECT_EQ(Literal::Tuple({matrix, Literal::Tuple({one})}).ToString(),
            "( { { 1, 2 }, { 3, 4 } }, ( 1 ) )");
  EXPECT_EQ(Literal().ToString(), "");
}

TEST(LiteralTextTest, StopsAtTheLimit) {
  const Literal matrix = Doubles(ElementType::kS32, {1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(matrix.ToString(3), "{ { 1, 2 }, { 3, ... } }");
  EXPECT_EQ(matrix.ToString(2), "{ { 1, 2 }, ... }");
  EXPECT_EQ(matrix.ToString(0), "{ ... }");
  EXPECT_EQ(Literal::Tuple({matrix, matrix}).ToString(1),
            "( { { 1, ... }, ... }, { ... } )");
  // Nothing to spell, but 10^12 pairs of braces.
  EXPECT_LT(
      Doubles(ElementType::kS32, {}, {1000000, 1000000, 0}).ToString().size(),
      10000u);
  EXPECT_EQ(Doubles(ElementType::kS32, {1}, std::vector<int64_t>(100000, 1))
                .ToString(),
            "{...}");
}

}  // namespace
}  // namespace indim
