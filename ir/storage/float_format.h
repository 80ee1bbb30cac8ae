// SPDX-License-Identifier: Apache-2.0
// Floating-point formats: conversion between XLA's float element types and
// double.
//
// A format is a row: exponent bits and significand digits from the element type
// table, a bias, and the meaning of the top codes. One encoder and one decoder
// read the rows. Sources: IEEE 754 (f16, f32, f64, f8e5m2, f8e4m3, f8e3m4), the
// OCP 8-bit and MX specifications (...fn, f8e8m0fnu), and, for the cases that
// those leave open (overflow, NaN), ml_dtypes, which XLA uses.

#ifndef INDIM_IR_STORAGE_FLOAT_FORMAT_H_
#define INDIM_IR_STORAGE_FLOAT_FORMAT_H_

#include <cstdint>

#include "indim/shape/types/element_type.h"

namespace indim {

// Whether the format has a code for NaN (the MX element formats have none).
bool HasNan(ElementType type);

// The code of `value`, rounded to nearest, ties to even, in the low bits. A
// value that is too large gives infinity; without infinity NaN; without either
// the largest value. NaN gives zero in a format without NaN. f8e8m0fnu has no
// sign and no zero; there a value that isn't positive gives NaN. 0 where `type`
// is not a float.
uint64_t EncodeFloat(ElementType type, double value);

// The value of a code, whose bits above the format's width are ignored. 0 where
// `type` is not a float.
double DecodeFloat(ElementType type, uint64_t code);

}  // namespace indim

#endif  // INDIM_IR_STORAGE_FLOAT_FORMAT_H_
