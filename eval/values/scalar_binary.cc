// SPDX-License-Identifier: Apache-2.0
// Functions of two and three elements.

#include <cmath>

#include "absl/numeric/int128.h"
#include "indim/eval/values/complex_functions.h"
#include "indim/eval/values/scalar.h"
#include "indim/eval/values/scalar_functions.h"
#include "indim/ir/storage/float_format.h"
#include "indim/shape/ops/attribute_words.h"

namespace indim {
namespace {

bool IsNan(const ScalarCall& c, const Scalar& value) {
  return (IsFloat(c.type) || IsComplex(c.type)) &&
         (std::isnan(value.re) || std::isnan(value.im));
}

// a < b for two numbers of the call's type, neither a NaN. Complex numbers are
// ordered by their real parts, then by their imaginary parts, as in StableHLO.
bool Less(const ScalarCall& c, const Scalar& a, const Scalar& b) {
  switch (Info(c.type).kind) {
    case ElementKind::kFloat:
      return a.re < b.re;
    case ElementKind::kComplex:
      return a.re < b.re || (a.re == b.re && a.im < b.im);
    case ElementKind::kSigned:
      return a.integer() < b.integer();
    default:
      return a.bits < b.bits;
  }
}

bool Equal(const ScalarCall& c, const Scalar& a, const Scalar& b) {
  if (IsFloat(c.type)) return a.re == b.re;
  if (IsComplex(c.type)) return a.re == b.re && a.im == b.im;
  return a.bits == b.bits;
}

// A float's place in the total order -NaN < -inf < ... < -0 < 0 < ... < inf <
// NaN. In types without a negative zero, the only NaN has that zero's bits and
// is negative.
int64_t TotalOrder(ElementType type, const Scalar& value) {
  const ElementTypeInfo& info = Info(type);
  const uint64_t code = EncodeFloat(type, value.re);
  if (type == ElementType::kF8E8M0FNU) return static_cast<int64_t>(code);
  const uint64_t sign = uint64_t{1} << (info.bits - 1);
  const int64_t size = static_cast<int64_t>(code & (sign - 1));
  if (code == sign && std::isnan(value.re)) {
    return -static_cast<int64_t>(sign) - 1;
  }
  return (code & sign) != 0 ? -size - 1 : size;
}

// The larger (or smaller) argument; a NaN wins. As in XLA, complex numbers are
// compared only by their real parts: b is the result only if a's isn't at least
// (at most) b's.
const Scalar& Extreme(const ScalarCall& c, const Scalar& a, const Scalar& b,
                      bool larger) {
  if (IsComplex(c.type)) return (larger ? a.re >= b.re : a.re <= b.re) ? a : b;
  if (IsNan(c, a)) return a;
  if (IsNan(c, b)) return b;
  // Of two zeros the positive one is larger.
  if (IsFloat(c.type) && a.re == b.re) {
    return std::signbit(a.re) == larger ? b : a;
  }
  return Less(c, a, b) == larger ? b : a;
}

// For a negative exponent the result is 1/x cut to an integer: 0 unless the
// base is 1 or -1 (also 0 for base 0).
uint64_t IntegerPower(bool is_signed, uint64_t base, uint64_t exponent) {
  if (is_signed && static_cast<int64_t>(exponent) < 0) {
    if (base == ~uint64_t{0}) return exponent % 2 == 0 ? 1 : base;
    return base == 1 ? 1 : 0;
  }
  uint64_t power = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if (exponent % 2 != 0) power *= base;
  }
  return power;
}

// The distance of a shift: the count as an unsigned number, at most `width`.
int Distance(const ScalarCall& c) {
  const int width = Info(c.type).bits;
  const uint64_t count = c.y().bits;
  return count < static_cast<uint64_t>(width) ? static_cast<int>(count) : width;
}

}  // namespace

// --- Arithmetic -------------------------------------------------------------

// For pred, add is or, and multiply is and.
Scalar ScalarAdd(const ScalarCall& c) {
  if (c.type == ElementType::kPred)
    return Scalar::Bits(c.x().bits | c.y().bits);
  return {c.x().re + c.y().re, c.x().im + c.y().im, c.x().bits + c.y().bits};
}
Scalar ScalarSubtract(const ScalarCall& c) {
  return {c.x().re - c.y().re, c.x().im - c.y().im, c.x().bits - c.y().bits};
}
Scalar ScalarMultiply(const ScalarCall& c) {
  const Scalar& a = c.x();
  const Scalar& b = c.y();
  if (IsComplex(c.type)) {
    return Scalar::Complex(ComplexMultiply(a.complex(), b.complex()));
  }
  return {a.re * b.re, 0, a.bits * b.bits};
}

// The upper half of the product.
Scalar ScalarMulhi(const ScalarCall& c) {
  const int width = Info(c.type).bits;
  if (IsSigned(c.type)) {
    const absl::int128 product =
        absl::int128(c.x().integer()) * absl::int128(c.y().integer());
    return Scalar::Bits(
        absl::Uint128Low64(static_cast<absl::uint128>(product) >> width));
  }
  const absl::uint128 product =
      absl::uint128(c.x().bits) * absl::uint128(c.y().bits);
  return Scalar::Bits(absl::Uint128Low64(product >> width));
}

// Integer division by 0 gives all ones; the smallest integer by -1 gives
// itself.
Scalar ScalarDivide(const ScalarCall& c) {
  const Scalar& a = c.x();
  const Scalar& b = c.y();
  if (IsFloat(c.type)) return Scalar::Float(a.re / b.re);
  if (IsComplex(c.type)) return Scalar::Complex(a.complex() / b.complex());
  if (b.bits == 0) return Scalar::Bits(~uint64_t{0});
  if (IsUnsigned(c.type)) return Scalar::Bits(a.bits / b.bits);
  if (b.integer() == -1) return Scalar::Bits(0 - a.bits);
  return Scalar::Bits(static_cast<uint64_t>(a.integer() / b.integer()));
}

// The integer remainder of a division by 0 is the dividend. The sign is the
// dividend's.
Scalar ScalarRemainder(const ScalarCall& c) {
  const Scalar& a = c.x();
  const Scalar& b = c.y();
  if (IsFloat(c.type)) return Scalar::Float(std::fmod(a.re, b.re));
  if (b.bits == 0) return a;
  if (IsUnsigned(c.type)) return Scalar::Bits(a.bits % b.bits);
  if (b.integer() == -1) return Scalar::Bits(0);
  return Scalar::Bits(static_cast<uint64_t>(a.integer() % b.integer()));
}

Scalar ScalarPower(const ScalarCall& c) {
  if (IsFloat(c.type)) return Scalar::Float(std::pow(c.x().re, c.y().re));
  if (IsComplex(c.type)) {
    return Scalar::Complex(ComplexPower(c.x().complex(), c.y().complex()));
  }
  return Scalar::Bits(IntegerPower(IsSigned(c.type), c.x().bits, c.y().bits));
}

Scalar ScalarAtan2(const ScalarCall& c) {
  if (IsFloat(c.type)) return Scalar::Float(std::atan2(c.x().re, c.y().re));
  return Scalar::Complex(ComplexAtan2(c.x().complex(), c.y().complex()));
}

Scalar ScalarMaximum(const ScalarCall& c) {
  return Extreme(c, c.x(), c.y(), true);
}
Scalar ScalarMinimum(const ScalarCall& c) {
  return Extreme(c, c.x(), c.y(), false);
}

Scalar ScalarComplex(const ScalarCall& c) { return {c.x().re, c.y().re, 0}; }

// --- Bits -------------------------------------------------------------------

Scalar ScalarAnd(const ScalarCall& c) {
  return Scalar::Bits(c.x().bits & c.y().bits);
}
Scalar ScalarOr(const ScalarCall& c) {
  return Scalar::Bits(c.x().bits | c.y().bits);
}
Scalar ScalarXor(const ScalarCall& c) {
  return Scalar::Bits(c.x().bits ^ c.y().bits);
}

Scalar ScalarShiftLeft(const ScalarCall& c) {
  const int distance = Distance(c);
  return Scalar::Bits(distance >= Info(c.type).bits ? 0
                                                    : c.x().bits << distance);
}

Scalar ScalarShiftRightLogical(const ScalarCall& c) {
  const int width = Info(c.type).bits, distance = Distance(c);
  if (distance >= width) return Scalar::Bits(0);
  const uint64_t own =
      width >= 64 ? c.x().bits : c.x().bits & ((uint64_t{1} << width) - 1);
  return Scalar::Bits(own >> distance);
}

// The sign is the type's top bit, even for unsigned types.
Scalar ScalarShiftRightArithmetic(const ScalarCall& c) {
  const int width = Info(c.type).bits, distance = Distance(c);
  const uint64_t sign = uint64_t{1} << (width - 1);
  const bool negative = (c.x().bits & sign) != 0;
  const uint64_t own = c.x().bits & (sign | (sign - 1));
  const uint64_t ones = negative ? ~uint64_t{0} : 0;
  if (distance >= width) return Scalar::Bits(ones);
  const uint64_t moved = own >> distance;
  // Fill the `distance` bits above the rest with the sign.
  return Scalar::Bits(distance == 0 ? own
                                    : moved | (ones << (width - distance)));
}

// --- Order ------------------------------------------------------------------

Scalar ScalarCompare(const ScalarCall& c) {
  const auto& a = As<CompareAttributes>(*c.attributes);
  bool equal, less, ordered = true;
  const ComparisonType type = ComparisonOf(a.type, c.type);
  if (IsFloat(c.type) && type == ComparisonType::kFloatTotalOrder) {
    const int64_t x = TotalOrder(c.type, c.x()), y = TotalOrder(c.type, c.y());
    equal = x == y;
    less = x < y;
  } else if (type == ComparisonType::kFloatWeakOrder) {
    const bool x_nan = IsNan(c, c.x()), y_nan = IsNan(c, c.y());
    equal = x_nan || y_nan ? x_nan == y_nan : Equal(c, c.x(), c.y());
    less = !x_nan && !equal && (y_nan || Less(c, c.x(), c.y()));
  } else {
    ordered = !IsNan(c, c.x()) && !IsNan(c, c.y());
    equal = ordered && Equal(c, c.x(), c.y());
    less = ordered && !equal && Less(c, c.x(), c.y());
  }
  switch (a.direction) {
    case ComparisonDirection::kEq:
      return Scalar::Pred(equal);
    case ComparisonDirection::kNe:
      return Scalar::Pred(!equal);
    case ComparisonDirection::kLt:
      return Scalar::Pred(less);
    case ComparisonDirection::kLe:
      return Scalar::Pred(less || equal);
    case ComparisonDirection::kGt:
      return Scalar::Pred(ordered && !less && !equal);
    case ComparisonDirection::kGe:
      return Scalar::Pred(ordered && !less);
  }
  return Scalar::Pred(false);
}

// Operands: low, value, high.
Scalar ScalarClamp(const ScalarCall& c) {
  const Scalar& low = c.args[0];
  const Scalar& value = c.args[1];
  const Scalar& high = c.args[2];
  for (const Scalar* each : {&low, &value, &high}) {
    if (IsNan(c, *each)) return *each;
  }
  const Scalar& raised = Less(c, value, low) ? low : value;
  return Less(c, high, raised) ? high : raised;
}

Scalar ScalarSelect(const ScalarCall& c) {
  return c.args[0].bits != 0 ? c.args[1] : c.args[2];
}

// --- Stochastic rounding ----------------------------------------------------

// Rounds to an integer: away from zero when the random bits, as a fraction, are
// below the number's fraction. Source: XLA's StochasticConvertDecomposer.
Scalar ScalarStochasticConvert(const ScalarCall& c) {
  const double x = c.x().re;
  const double whole = std::trunc(x);
  if (std::isnan(x) || whole == x) {
    return ConvertScalar(c.type, c.result, c.x());
  }
  const double fraction = std::fabs(x - whole);
  const double bound = std::ldexp(fraction, Info(c.second).bits);
  const bool away = static_cast<double>(c.y().bits) < std::floor(bound);
  return ConvertScalar(
      c.type, c.result,
      Scalar::Float(away ? whole + std::copysign(1.0, x) : whole));
}

}  // namespace indim
