// SPDX-License-Identifier: Apache-2.0
// Functions of one element.

#include <cmath>
#include <limits>

#include "indim/eval/values/complex_functions.h"
#include "indim/eval/values/scalar.h"
#include "indim/eval/values/scalar_functions.h"

namespace indim {
namespace {

// Applies f to the number, real or complex.
template <typename F>
Scalar Apply(const ScalarCall& c, const F& f) {
  if (IsComplex(c.type)) return Scalar::Complex(f(c.x().complex()));
  return Scalar::Float(f(c.x().re));
}
template <typename F>
Scalar Apply(const ScalarCall& c, const F& real, Complex (*complex)(Complex)) {
  if (IsComplex(c.type)) return Scalar::Complex(complex(c.x().complex()));
  return Scalar::Float(real(c.x().re));
}

// The width of the integer type.
int Width(const ScalarCall& c) { return Info(c.type).bits; }

// The bits of the integer without its extension to 64 bits.
uint64_t OwnBits(const ScalarCall& c) {
  const int width = Width(c);
  return width >= 64 ? c.x().bits : c.x().bits & ((uint64_t{1} << width) - 1);
}

}  // namespace

// --- Any number -------------------------------------------------------------
Scalar ScalarCopy(const ScalarCall& c) { return c.x(); }

Scalar ScalarAbs(const ScalarCall& c) {
  if (IsComplex(c.type)) return Scalar::Float(ComplexAbs(c.x().complex()));
  if (IsFloat(c.type)) return Scalar::Float(std::fabs(c.x().re));
  return c.x().integer() < 0 ? Scalar::Bits(0 - c.x().bits) : c.x();
}

Scalar ScalarNegate(const ScalarCall& c) {
  return {-c.x().re, -c.x().im, 0 - c.x().bits};
}

Scalar ScalarSign(const ScalarCall& c) {
  if (IsComplex(c.type)) {
    const double size = ComplexAbs(c.x().complex());
    // Zeros keep their signs.
    return size == 0 ? c.x() : Scalar::Complex(c.x().complex() / size);
  }
  if (IsFloat(c.type)) {
    const double x = c.x().re;
    return Scalar::Float(std::isnan(x) || x == 0 ? x : std::copysign(1.0, x));
  }
  const int64_t x = c.x().integer();
  return Scalar::Bits(static_cast<uint64_t>(int64_t{x > 0} - int64_t{x < 0}));
}

Scalar ScalarConvert(const ScalarCall& c) {
  return ConvertScalar(c.type, c.result, c.x());
}

// --- Bits -------------------------------------------------------------------
Scalar ScalarNot(const ScalarCall& c) {
  if (c.type == ElementType::kPred) return Scalar::Pred(c.x().bits == 0);
  return Scalar::Bits(~c.x().bits);
}

Scalar ScalarCountLeadingZeros(const ScalarCall& c) {
  uint64_t zeros = static_cast<uint64_t>(Width(c));
  for (uint64_t bits = OwnBits(c); bits != 0; bits >>= 1) --zeros;
  return Scalar::Bits(zeros);
}

Scalar ScalarPopulationCount(const ScalarCall& c) {
  uint64_t ones = 0;
  for (uint64_t bits = OwnBits(c); bits != 0; bits >>= 1) ones += bits & 1;
  return Scalar::Bits(ones);
}

// --- Floats -----------------------------------------------------------------
Scalar ScalarCbrt(const ScalarCall& c) {
  return Scalar::Float(std::cbrt(c.x().re));
}
Scalar ScalarCeil(const ScalarCall& c) {
  return Scalar::Float(std::ceil(c.x().re));
}
Scalar ScalarFloor(const ScalarCall& c) {
  return Scalar::Float(std::floor(c.x().re));
}
Scalar ScalarErf(const ScalarCall& c) {
  return Scalar::Float(std::erf(c.x().re));
}
Scalar ScalarIsFinite(const ScalarCall& c) {
  return Scalar::Pred(std::isfinite(c.x().re));
}
Scalar ScalarRoundAwayFromZero(const ScalarCall& c) {
  return Scalar::Float(std::round(c.x().re));
}
Scalar ScalarRoundToEven(const ScalarCall& c) {
  return Scalar::Float(std::nearbyint(c.x().re));
}

// Rounds to a power of two. Half way between two powers there is no mantissa
// bit to make even; XLA's CPU makes the last bit of the biased exponent even.
// For 2^e that bit is the opposite of e's, because biases are odd.
double NearestPowerOfTwo(double x, int exponent) {
  const double low = std::ldexp(1.0, exponent - 1);
  const double high = std::ldexp(1.0, exponent);
  // `high` may be an infinity, so the way up to it is that from `low` on.
  const double above = x - low, below = low - above;
  if (above != below) return above < below ? low : high;
  return exponent % 2 == 0 ? low : high;
}

// Rounds to the given number of mantissa bits, then gives infinity or zero
// where the exponent doesn't fit in its bits. Source: XLA's CPU, which works on
// the bits.
Scalar ScalarReducePrecision(const ScalarCall& c) {
  const auto& a = As<ReducePrecisionAttributes>(*c.attributes);
  const ElementTypeInfo& info = Info(c.type);
  const double x = c.x().re;
  if (x == 0 || !std::isfinite(x)) {
    // Without mantissa bits the format has no NaN.
    const bool kept = !std::isnan(x) || a.mantissa_bits > 0;
    return kept ? c.x()
                : Scalar::Float(std::numeric_limits<double>::infinity());
  }
  const int64_t own_digits = info.significand - 1;
  int exponent;
  double fraction = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
  // A denormal number of the type has fewer bits.
  const int lowest =
      info.overflow_exponent > 0 ? 3 - (1 << (info.exponent - 1)) : exponent;
  const int64_t missing = exponent < lowest ? lowest - exponent : 0;
  double rounded = std::fabs(x);
  if (a.mantissa_bits < own_digits) {
    const int64_t digits = a.mantissa_bits + 1 - missing;
    if (digits < 0) {
      rounded = 0;
    } else if (a.mantissa_bits == 0 && missing == 0) {
      rounded = NearestPowerOfTwo(rounded, exponent);
    } else {
      const double scaled = std::ldexp(fraction, static_cast<int>(digits));
      rounded = std::ldexp(std::nearbyint(scaled),
                           exponent - static_cast<int>(digits));
    }
  }
  if (a.exponent_bits < info.exponent && a.exponent_bits > 0) {
    const int bias = (1 << (a.exponent_bits - 1)) - 1;
    if (rounded >= std::ldexp(1.0, bias + 1))
      rounded = std::numeric_limits<double>::infinity();
    if (rounded < std::ldexp(1.0, 1 - bias)) rounded = 0;
  }
  return Scalar::Float(std::copysign(rounded, x));
}

// --- Floats and complex numbers ---------------------------------------------
Scalar ScalarAcos(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::acos(x); });
}
Scalar ScalarAcosh(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::acosh(x); });
}
Scalar ScalarAsin(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::asin(x); });
}
Scalar ScalarAsinh(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::asinh(x); });
}
Scalar ScalarAtanh(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::atanh(x); });
}
Scalar ScalarCos(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::cos(x); }, ComplexCos);
}
Scalar ScalarCosh(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::cosh(x); });
}
Scalar ScalarExp(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::exp(x); }, ComplexExp);
}
Scalar ScalarLog(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::log(x); }, ComplexLog);
}
Scalar ScalarExp2(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::exp2(x); }, ComplexExp2);
}
Scalar ScalarLog2(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::log2(x); }, ComplexLog2);
}
Scalar ScalarSin(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::sin(x); }, ComplexSin);
}
Scalar ScalarSinh(const ScalarCall& c) {
  return Apply(c, [](auto x) { return std::sinh(x); });
}
Scalar ScalarSqrt(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::sqrt(x); }, ComplexSqrt);
}
Scalar ScalarRsqrt(const ScalarCall& c) {
  if (!IsComplex(c.type)) return Scalar::Float(1.0 / std::sqrt(c.x().re));
  const bool single = c.type == ElementType::kC64;
  return Scalar::Complex(ComplexRsqrt(c.x().complex(), single));
}
Scalar ScalarTan(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::tan(x); }, ComplexTan);
}
Scalar ScalarTanh(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::tanh(x); }, ComplexTanh);
}
Scalar ScalarLogistic(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return 1.0 / (1.0 + std::exp(-x)); },
      [](Complex x) { return 1.0 / (1.0 + ComplexExp(-x)); });
}
Scalar ScalarExpm1(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::expm1(x); }, ComplexExpm1);
}
Scalar ScalarLog1p(const ScalarCall& c) {
  return Apply(
      c, [](double x) { return std::log1p(x); }, ComplexLog1p);
}

Scalar ScalarReal(const ScalarCall& c) { return Scalar::Float(c.x().re); }
Scalar ScalarImag(const ScalarCall& c) {
  return Scalar::Float(IsComplex(c.type) ? c.x().im : 0);
}

}  // namespace indim
