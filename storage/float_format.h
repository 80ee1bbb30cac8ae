// Floating-point formats: every float element type of XLA to and from double.
//
// A format is a row: exponent bits and significand digits from the element type
// table, a bias, and what it does with the codes at the top. One encoder and
// one decoder read the rows. Sources: IEEE 754 (f16, f32, f64, f8e5m2, f8e4m3,
// f8e3m4), the OCP 8-bit and MX specifications (...fn, f8e8m0fnu), and for the
// corners that those leave open (overflow, NaN) ml_dtypes, which XLA uses.

#ifndef INDIM_STORAGE_FLOAT_FORMAT_H_
#define INDIM_STORAGE_FLOAT_FORMAT_H_

#include <cstdint>

#include "indim/shape/types/element_type.h"

namespace indim {

// The format has a code for NaN (the MX element formats have none).
bool HasNan(ElementType type);

// `value` rounded to nearest, ties to even; the code in the low bits. Too large
// a value gives infinity, or NaN in formats without it, or the largest value in
// formats without either. Where a format has no NaN, it gives zero. In
// f8e8m0fnu, which has no sign and no zero, what isn't positive gives NaN.
// `type` must be a float, else 0.
uint64_t EncodeFloat(ElementType type, double value);

// The value of a code; bits above the format's width are ignored. 0 when `type`
// is no float.
double DecodeFloat(ElementType type, uint64_t code);

}  // namespace indim

#endif  // INDIM_STORAGE_FLOAT_FORMAT_H_
