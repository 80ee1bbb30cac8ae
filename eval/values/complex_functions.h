// SPDX-License-Identifier: Apache-2.0
// Complex functions that differ from C++'s, for infinities, NaN and zeros in
// the parts. Source: XLA's CPU, whose formulas (in its elemental emitter) are
// computed here in double.

#ifndef INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_
#define INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_

#include <complex>

namespace indim {

using Complex = std::complex<double>;

// NaN where a part is NaN, even beside an infinity.
double ComplexAbs(Complex z);
// For a negative number it is i times the root of its negation, even if the
// imaginary part is -0; NaN where a part is NaN.
Complex ComplexSqrt(Complex z);
// `single`: the parts are f32, and the angle is rounded to f32: for a negative
// number the real part then isn't 0, but size * cos(f32's pi / 2).
Complex ComplexRsqrt(Complex z, bool single);
Complex ComplexLog(Complex z);
Complex ComplexLog1p(Complex z);
Complex ComplexExp2(Complex z);
Complex ComplexLog2(Complex z);
// The imaginary part is 0 where z's is 0.
Complex ComplexExp(Complex z);
Complex ComplexExpm1(Complex z);
Complex ComplexSin(Complex z);
Complex ComplexCos(Complex z);
Complex ComplexTanh(Complex z);
Complex ComplexTan(Complex z);
// Multiplies part by part: an infinity times a zero is NaN.
Complex ComplexMultiply(Complex a, Complex b);
// x^0 and 1^y are 1 for all x and y.
Complex ComplexPower(Complex x, Complex y);
// -i log((x + iy) / sqrt(x^2 + y^2)). Where x^2 + y^2 or the quotient is a
// negative real number, the sign of the zero imaginary part selects the branch.
Complex ComplexAtan2(Complex y, Complex x);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_
