// Quantized types: !quant.uniform<i8:f32, 2.000000e+00:15>.

#ifndef INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
#define INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_

#include "indim/stablehlo/bytecode/entries.h"

namespace indim::mlir {

Type DecodeQuantized(EntryDecoder* in);
Type DecodeQuantizedPerAxis(EntryDecoder* in);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_QUANTIZED_H_
