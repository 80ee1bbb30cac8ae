// Functions of a complex number where they are not what C++ has: with
// infinities, NaN and zeros among the parts. Source: what XLA's CPU does, by
// its formulas (its elemental emitter), carried out in double.

#ifndef INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_
#define INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_

#include <complex>

namespace indim {

using Complex = std::complex<double>;

// NaN where a part is NaN, also beside an infinity.
double ComplexAbs(Complex z);
// Of a negative number i times the root of its opposite, also where the
// imaginary part is -0; NaN where a part is.
Complex ComplexSqrt(Complex z);
Complex ComplexLog(Complex z);
Complex ComplexLog1p(Complex z);
// The imaginary part is 0 where that of z is.
Complex ComplexExp(Complex z);
Complex ComplexExpm1(Complex z);
Complex ComplexSin(Complex z);
Complex ComplexCos(Complex z);
Complex ComplexTanh(Complex z);
Complex ComplexTan(Complex z);
// Part by part: an infinity times a zero is NaN, whatever else there is.
Complex ComplexMultiply(Complex a, Complex b);
// x^0 and 1^y are 1 whatever x and y are.
Complex ComplexPower(Complex x, Complex y);
// -i log((x + iy) / sqrt(x^2 + y^2)). Where x^2 + y^2 is negative, and where
// the quotient is, the sign of what is nearly 0 decides on which side it is.
Complex ComplexAtan2(Complex y, Complex x);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_COMPLEX_FUNCTIONS_H_
