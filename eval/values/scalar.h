// SPDX-License-Identifier: Apache-2.0
// Scalar: one element of any type, and functions of elements.
//
// Floats of every width are computed as doubles and rounded once when stored.
// For +, -, *, / and square roots of types up to 32 bits this gives the
// correctly rounded result; for other functions it is at least as exact as any
// device's. Integers have 64 bits and wrap around in their own width when
// stored.

#ifndef INDIM_EVAL_VALUES_SCALAR_H_
#define INDIM_EVAL_VALUES_SCALAR_H_

#include <complex>
#include <cstdint>

#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

struct Scalar {
  double re = 0;  // a float, or the real part of a complex number
  double im = 0;
  // pred: 0 or 1. Integers: two's complement, extended to 64 bits according to
  // their sign.
  uint64_t bits = 0;

  int64_t integer() const { return static_cast<int64_t>(bits); }
  std::complex<double> complex() const { return {re, im}; }

  static Scalar Float(double value) { return {value, 0, 0}; }
  static Scalar Complex(std::complex<double> value) {
    return {value.real(), value.imag(), 0};
  }
  static Scalar Bits(uint64_t bits) { return {0, 0, bits}; }
  static Scalar Pred(bool value) { return {0, 0, value ? 1u : 0u}; }
};

// Loads the element at `bytes`, which has ElementBytes(type) bytes as in a
// Literal.
Scalar LoadScalar(ElementType type, const char* bytes);
// Stores an element; rounds floats and cuts integers to `type`.
void StoreScalar(ElementType type, const Scalar& value, char* bytes);
// The value after storing and loading it.
Scalar RoundedTo(ElementType type, const Scalar& value);

// Converts `value` from type `from` to type `to`, without rounding it to `to`.
// Floats become integers by truncation, saturated, NaN 0; integers wrap around;
// anything but 0 is true; complex numbers lose their imaginary part. Source:
// XLA's CPU.
Scalar ConvertScalar(ElementType from, ElementType to, const Scalar& value);

// One call of a scalar function.
struct ScalarCall {
  ElementType type;    // of the operands; for select and clamp, of the values
  ElementType result;  // of the result
  const Attributes* attributes;
  // Both for a binary function, for others as many as the op takes.
  absl::Span<const Scalar> args;
  // The type of operands that differs from `type` (stochastic-convert).
  ElementType second = ElementType::kInvalid;

  const Scalar& x() const { return args[0]; }
  const Scalar& y() const { return args[1]; }
};

// The result is not rounded; StoreScalar does that. Never undefined behaviour:
// division by 0, too large shifts and overflow give XLA's results.
using ScalarFunction = Scalar (*)(const ScalarCall& call);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_SCALAR_H_
