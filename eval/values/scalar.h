// Scalar: one element, whatever its type, and functions of elements.
//
// Floats of every width are computed as doubles and rounded once when they are
// stored. For +, -, *, / and square roots of types up to 32 bits that gives the
// correctly rounded result; for other functions it is at least as exact as what
// any device computes. Integers are kept in 64 bits and wrap around in their
// own width when they are stored.

#ifndef INDIM_EVAL_VALUES_SCALAR_H_
#define INDIM_EVAL_VALUES_SCALAR_H_

#include <complex>
#include <cstdint>

#include "absl/types/span.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {

struct Scalar {
  double re = 0;  // floats; of complex numbers the real part
  double im = 0;
  // pred: 0 or 1. Integers: the value in two's complement, extended to 64 bits
  // as its signedness says.
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

// The element at `bytes`, which are ElementBytes(type) bytes of a Literal.
Scalar LoadScalar(ElementType type, const char* bytes);
// The inverse; rounds floats and cuts integers to `type`.
void StoreScalar(ElementType type, const Scalar& value, char* bytes);
// As it comes back from being stored.
Scalar RoundedTo(ElementType type, const Scalar& value);

// `value`, a number of type `from`, as the nearest of type `to`: floats become
// integers towards zero, too large ones the largest, NaN 0; integers wrap
// around; anything but 0 is true; complex numbers lose their imaginary part.
// Not rounded to `to` yet. Source: XLA's CPU.
Scalar ConvertScalar(ElementType from, ElementType to, const Scalar& value);

// One call of a scalar function.
struct ScalarCall {
  ElementType type;    // of the operands; of select and clamp: what is chosen
  ElementType result;  // of the result
  const Attributes* attributes;
  // Of a binary function always both, of others as many as the op takes.
  absl::Span<const Scalar> args;
  // Of operands whose types differ from `type` (stochastic-convert).
  ElementType second = ElementType::kInvalid;

  const Scalar& x() const { return args[0]; }
  const Scalar& y() const { return args[1]; }
};

// Element types as bits: what a scalar function has a meaning for.
enum ScalarKinds : uint8_t {
  kOfPred = 1,
  kOfSigned = 2,
  kOfUnsigned = 4,
  kOfFloat = 8,
  kOfComplex = 16,

  kOfInteger = kOfSigned | kOfUnsigned,
  kOfBits = kOfPred | kOfInteger,
  kOfReal = kOfInteger | kOfFloat,
  kOfFloatComplex = kOfFloat | kOfComplex,
  kOfNumber = kOfReal | kOfComplex,
  kOfAny = kOfPred | kOfNumber,
};
// The bit of `type`; 0 for kInvalid.
uint8_t KindBit(ElementType type);

// The result is not rounded; StoreScalar does that. Never undefined: division
// by 0, shifts too far and overflow have the results that XLA gives them.
using ScalarFunction = Scalar (*)(const ScalarCall& call);

}  // namespace indim

#endif  // INDIM_EVAL_VALUES_SCALAR_H_
