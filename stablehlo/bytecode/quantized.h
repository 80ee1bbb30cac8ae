// Quantized types, which an Ir keeps as text:
// !quant.uniform<i8:f32, 2.000000e+00:15>, and with a scale for each element of
// dimension 1, !quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25:3}>.

#ifndef INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
#define INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_

#include "indim/stablehlo/bytecode/entries.h"

namespace indim::mlir {

Type DecodeQuantized(EntryDecoder* in);
Type DecodeQuantizedPerAxis(EntryDecoder* in);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
