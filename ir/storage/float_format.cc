// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/float_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace indim {
namespace {

// The meaning of the top codes of a format.
enum class Specials {
  kIeee,       // exponent all ones: infinity, then NaNs
  kTopIsNan,   // "fn": all ones are NaN, there is no infinity
  kMinusZero,  // "fnuz": the code of -0 is NaN, there is no infinity
  kNone,       // every code is a finite value
  kScale,      // f8e8m0fnu: powers of two, no sign, no zero; 255 is NaN
};

struct FloatLayout {
  int bias;
  Specials specials;
};

FloatLayout FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kF8E4M3FN:
      return {7, Specials::kTopIsNan};
    case ElementType::kF8E4M3B11FNUZ:
      return {11, Specials::kMinusZero};
    case ElementType::kF8E5M2FNUZ:
      return {16, Specials::kMinusZero};
    case ElementType::kF8E4M3FNUZ:
      return {8, Specials::kMinusZero};
    case ElementType::kF8E8M0FNU:
      return {127, Specials::kScale};
    case ElementType::kF4E2M1FN:
    case ElementType::kF6E2M3FN:
      return {1, Specials::kNone};
    case ElementType::kF6E3M2FN:
      return {3, Specials::kNone};
    default:
      return {(1 << (Info(type).exponent - 1)) - 1, Specials::kIeee};
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rounds a value in 0..2^53 to the nearest integer, ties to even, whatever the
// process's rounding mode is.
uint64_t RoundToEven(double value) {
  const double whole = std::floor(value);
  const double rest = value - whole;
  const uint64_t n = static_cast<uint64_t>(whole);
  return n + (rest > 0.5 || (rest == 0.5 && n % 2 == 1) ? 1 : 0);
}

uint64_t EncodeScale(double value, int bias) {
  constexpr uint64_t kNanCode = 255;
  if (!(value > 0) || value == kInfinity) return kNanCode;
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  // 3/4 lies half way between two powers; the upper one is even in units of the
  // lower.
  const int code = exponent - 1 + bias + (fraction >= 0.75 ? 1 : 0);
  return code < 0 ? 0 : std::min<uint64_t>(static_cast<uint64_t>(code), 255);
}

// The top codes of a format with `digits` explicit significand digits, without
// the sign.
struct Top {
  uint64_t largest;   // the largest finite value
  uint64_t overflow;  // the result of overflow
  uint64_t nan;
};
Top TopOf(Specials specials, int exponent_bits, int digits) {
  const uint64_t ones = (uint64_t{1} << (exponent_bits + digits)) - 1;
  switch (specials) {
    case Specials::kIeee: {
      const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << digits;
      return {infinity - 1, infinity, infinity | uint64_t{1} << (digits - 1)};
    }
    case Specials::kTopIsNan:
      return {ones - 1, ones, ones};
    case Specials::kMinusZero:
      return {ones, ones + 1, ones + 1};  // the sign bit alone
    default:
      return {ones, ones, 0};
  }
}

}  // namespace

bool HasNan(ElementType type) {
  return FormatOf(type).specials != Specials::kNone;
}

uint64_t EncodeFloat(ElementType type, double value) {
  if (!IsFloat(type)) return 0;
  if (type == ElementType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  const ElementTypeInfo& info = Info(type);
  const FloatLayout format = FormatOf(type);
  if (format.specials == Specials::kScale) {
    return EncodeScale(value, format.bias);
  }
  const int digits = info.significand - 1;
  const Top top = TopOf(format.specials, info.exponent, digits);
  const uint64_t sign_bit = uint64_t{1} << (info.bits - 1);
  const bool one_zero = format.specials == Specials::kMinusZero;
  const uint64_t sign = std::signbit(value) ? sign_bit : 0;
  if (std::isnan(value)) return one_zero ? top.nan : sign | top.nan;
  const auto signed_code = [&](uint64_t code) {
    return one_zero && (code == 0 || code > top.largest) ? code : sign | code;
  };
  const double size = std::fabs(value);
  if (size == 0) return signed_code(0);
  if (size == kInfinity) return signed_code(top.overflow);

  int exponent;
  std::frexp(size, &exponent);
  const int lowest = 1 - format.bias;  // exponent of the smallest normal value
  // The value in steps of 2^(unit - digits): each exponent above `lowest` has
  // its own step.
  const int unit = std::max(exponent - 1, lowest);
  const uint64_t steps = RoundToEven(std::ldexp(size, digits - unit));
  // A carry out of the significand correctly increments the exponent.
  const uint64_t code =
      (static_cast<uint64_t>(unit - lowest) << digits) + steps;
  return signed_code(code > top.largest ? top.overflow : code);
}

double DecodeFloat(ElementType type, uint64_t code) {
  if (!IsFloat(type)) return 0;
  if (type == ElementType::kF64) {
    double value;
    std::memcpy(&value, &code, sizeof value);
    return value;
  }
  if (type == ElementType::kF32) {
    const uint32_t bits = static_cast<uint32_t>(code);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  const ElementTypeInfo& info = Info(type);
  const FloatLayout format = FormatOf(type);
  if (format.specials == Specials::kScale) {
    code &= 255;
    if (code == 255) return kNan;
    return std::ldexp(1.0, static_cast<int>(code) - format.bias);
  }
  const int digits = info.significand - 1;
  const Top top = TopOf(format.specials, info.exponent, digits);
  const uint64_t sign_bit = uint64_t{1} << (info.bits - 1);
  const bool negative = (code & sign_bit) != 0;
  const uint64_t size = code & (sign_bit - 1);
  if (format.specials == Specials::kMinusZero) {
    if (negative && size == 0) return kNan;
  } else if (size > top.largest) {
    const bool infinite =
        format.specials == Specials::kIeee && size == top.overflow;
    return std::copysign(infinite ? kInfinity : kNan, negative ? -1.0 : 1.0);
  }
  const uint64_t exponent = size >> digits;
  const uint64_t fraction = size & ((uint64_t{1} << digits) - 1);
  const int lowest = 1 - format.bias - digits;
  const double value =
      exponent == 0
          ? std::ldexp(static_cast<double>(fraction), lowest)
          : std::ldexp(static_cast<double>(fraction | uint64_t{1} << digits),
                       lowest + static_cast<int>(exponent) - 1);
  return negative ? -value : value;
}

}  // namespace indim
