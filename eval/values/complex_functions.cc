// SPDX-License-Identifier: Apache-2.0
#include "indim/eval/values/complex_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace indim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The absolute values of two parts, in order; both NaN where one is NaN.
struct PartSizes {
  double smaller;
  double larger;
};

PartSizes PartSizesOf(double a, double b) {
  a = std::fabs(a);
  b = std::fabs(b);
  if (std::isnan(a) || std::isnan(b)) return {kNan, kNan};
  return {std::min(a, b), std::max(a, b)};
}

// `usual`; where that is NaN (for two zeros or two infinities) the smaller
// size: 0, infinity or NaN.
double OrSmaller(double usual, const PartSizes& sizes) {
  return std::isnan(usual) ? sizes.smaller : usual;
}

// The imaginary part is 0 where the angle is, also of an infinite size.
Complex OfAngle(double size, double angle) {
  return {size * std::cos(angle), angle == 0 ? 0 : size * std::sin(angle)};
}

// The root, which lies below the real axis where the imaginary part is -0 or
// less.
Complex SqrtBySide(Complex z) {
  const double a = z.real(), b = z.imag();
  const PartSizes sizes = PartSizesOf(a, b);
  const double ratio = sizes.smaller / sizes.larger;
  const double root = OrSmaller(
      std::sqrt(sizes.larger) * std::pow(1 + ratio * ratio, 0.25), sizes);
  if (root == 0) return 0;
  const double half_angle = std::atan2(b, a) / 2;
  const double sine = std::sin(half_angle);
  double real = root * std::cos(half_angle);
  double imag = sine == 0 ? sine : root * sine;
  if (std::isnan(root)) imag = kNan;
  if (a == -kInfinity && std::isfinite(b)) real = 0;
  if (std::isinf(b) || a == kInfinity) real = kInfinity;
  if (std::isinf(b) || a == -kInfinity) imag = std::copysign(kInfinity, b);
  return {real, imag};
}

}  // namespace

double ComplexAbs(Complex z) {
  const PartSizes sizes = PartSizesOf(z.real(), z.imag());
  const double ratio = sizes.smaller / sizes.larger;
  return OrSmaller(sizes.larger * std::sqrt(1 + ratio * ratio), sizes);
}

Complex ComplexSqrt(Complex z) {
  if (std::isnan(z.real()) || std::isnan(z.imag())) return {kNan, kNan};
  // Half of pi isn't a double, and its cosine not 0.
  if (z.real() < 0 && z.imag() == 0) return {0, std::sqrt(-z.real())};
  return SqrtBySide({z.real(), z.imag() == 0 ? 0 : z.imag()});
}

// z^(-1/2), by its size and angle.
Complex ComplexRsqrt(Complex z, bool single) {
  const double a = z.real(), b = z.imag();
  // Beside an infinity a NaN counts as a positive number.
  const double below = std::isnan(b) ? -0.0 : -std::copysign(0.0, b);
  if (std::isinf(a)) return {std::copysign(0.0, a), below};
  if (std::isinf(b)) return {0, below};
  if (z == 0.0) return {kInfinity, kNan};
  const double size = 1 / std::sqrt(ComplexAbs(z));
  double angle = std::atan2(b, a);
  if (single) angle = static_cast<float>(angle);
  const double turn = -angle / 2;
  return {size * std::cos(turn), size * std::sin(turn)};
}

Complex ComplexLog(Complex z) {
  return {std::log(ComplexAbs(z)), std::atan2(z.imag(), z.real())};
}

Complex ComplexLog2(Complex z) {
  return {std::log2(ComplexAbs(z)),
          std::atan2(z.imag(), z.real()) / std::log(2.0)};
}

// The real part of log(1 + a + bi) is log(max) + log(1 + (min/max)^2) / 2, for
// the larger and smaller of |a+1| and |b|; log1p handles values close to 1.
Complex ComplexLog1p(Complex z) {
  const double a = z.real(), b = z.imag(), next = a + 1;
  const PartSizes sizes = PartSizesOf(next, b);
  const double ratio = sizes.smaller / sizes.larger;
  const double above_one = next > std::fabs(b) ? a : sizes.larger - 1;
  const double real = std::log1p(ratio * ratio) / 2 + std::log1p(above_one);
  // The logarithm of 0; OrSmaller would treat it as that of two infinities.
  if (sizes.larger == 0) return {-kInfinity, std::atan2(b, next)};
  return {OrSmaller(real, sizes), std::atan2(b, next)};
}

Complex ComplexExp(Complex z) { return OfAngle(std::exp(z.real()), z.imag()); }

Complex ComplexExp2(Complex z) {
  return OfAngle(std::exp2(z.real()), z.imag() * std::log(2.0));
}

// cos b - 1 is -2 sin^2(b/2).
Complex ComplexExpm1(Complex z) {
  const double b = z.imag(), half_sine = std::sin(b / 2);
  const double less = std::expm1(z.real());
  const double cosine_less = 0 - 2 * half_sine * half_sine;  // never -0
  return {less * (cosine_less + 1) + cosine_less,
          b == 0 ? 0 : (less + 1) * std::sin(b)};
}

// The hyperbolic sine is a difference of powers of e, which for -0 is 0.
Complex ComplexSin(Complex z) {
  const double sinh = z.imag() == 0 ? 0 : std::sinh(z.imag());
  return {std::sin(z.real()) * std::cosh(z.imag()), std::cos(z.real()) * sinh};
}

Complex ComplexCos(Complex z) {
  const double sinh = z.imag() == 0 ? 0 : std::sinh(-z.imag());
  return {std::cos(z.real()) * std::cosh(z.imag()), std::sin(z.real()) * sinh};
}

// tanh(a + bi) is (e^2a - e^-2a + 2i sin 2b) / (e^2a + e^-2a + 2 cos 2b).
Complex ComplexTanh(Complex z) {
  const double a = z.real(), b = z.imag();
  const double up = std::expm1(2 * a), down = std::expm1(-2 * a);
  const double cosine = std::cos(b);
  const double turned = 4 * cosine * std::sin(b);
  const double divisor = up + down + 4 * cosine * cosine;
  double real =
      up + down == kInfinity ? std::copysign(1.0, a) : (up - down) / divisor;
  double imag = turned / divisor;
  if (std::isnan(turned) && !std::isinf(a)) real = kNan;
  if (b == 0 || (std::isinf(a) && std::isnan(turned))) imag = 0;
  return {real, imag};
}

// tan z is -i tanh(iz).
Complex ComplexTan(Complex z) {
  const Complex tanh = ComplexTanh({-z.imag(), z.real()});
  return {tanh.imag(), -tanh.real()};
}

Complex ComplexMultiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

// x^y is |x|^c e^(-d t) (cos q + i sin q) for y = c + di and the angle t of x,
// where q = ct + d log|x|.
Complex ComplexPower(Complex x, Complex y) {
  const double c = y.real(), d = y.imag();
  if (d == 0 && x == Complex(kInfinity, 0) && c != 0 && !std::isnan(c)) {
    return c > 0 ? kInfinity : 0;
  }
  if (x == 1.0 || y == 0.0) return 1;
  const double size = ComplexAbs(x);
  if (size == 0 && d == 0 && c > 0) return 0;
  const double angle = std::atan2(x.imag(), x.real());
  const double power = std::pow(size, c) * std::exp(-d * angle);
  const double turn = c * angle + d * std::log(size);
  return {power * std::cos(turn), power * std::sin(turn)};
}

Complex ComplexAtan2(Complex y, Complex x) {
  const Complex i(0, 1);
  const Complex root =
      SqrtBySide(ComplexMultiply(x, x) + ComplexMultiply(y, y));
  return ComplexMultiply(Complex(0, -1),
                         ComplexLog((x + ComplexMultiply(i, y)) / root));
}

}  // namespace indim
