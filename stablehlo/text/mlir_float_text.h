// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers as MLIR prints them.

#ifndef INDIM_STABLEHLO_TEXT_MLIR_FLOAT_TEXT_H_
#define INDIM_STABLEHLO_TEXT_MLIR_FLOAT_TEXT_H_

#include <cstdint>
#include <string>

#include "indim/shape/types/element_type.h"

namespace indim::mlir {

// Appends the float with these bits: 1.000000e+00 if those digits give the same
// bits again, else as many digits as any value of the type keeps, 0.333333343
// or 1.23456779E-20, and as hexadecimal bits where these have no decimal point,
// and for infinities and NaNs: 0x7FC00000.
void AppendFloat(ElementType type, uint64_t bits, std::string* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_FLOAT_TEXT_H_
