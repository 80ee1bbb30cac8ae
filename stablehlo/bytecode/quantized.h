// SPDX-License-Identifier: Apache-2.0
// Quantized types, which an Ir keeps as text:
// !quant.uniform<i8:f32, 2.000000e+00:15>, and with a scale for each element of
// dimension 1, !quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25:3}>.

#ifndef INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
#define INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// Its parts as bytecode has them.
struct Quantized {
  int64_t flags = 0;  // bit 0: the stored numbers are signed
  TypeId storage;     // signless
  TypeId expressed;
  bool per_axis = false;        // scales for the elements of a dimension
  int64_t axis = 0;             // that dimension
  std::vector<int64_t> scales;  // as the bits of doubles
  std::vector<int64_t> zeros;   // as many zero points
  int64_t least = 0;            // of the stored numbers
  int64_t most = 0;
};

// False: the text isn't one that bytecode can hold.
bool ParseQuantized(absl::string_view text, Ir* ir, Quantized* quantized);

// "": it doesn't store integers, or express floats.
std::string TextOf(const Ir& ir, const Quantized& quantized);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
