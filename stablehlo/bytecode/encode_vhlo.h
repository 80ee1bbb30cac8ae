// Encodes attributes and types in VHLO's terms, and the pieces that the builtin
// dialect's encodings share with them.

#ifndef INDIM_STABLEHLO_BYTECODE_ENCODE_VHLO_H_
#define INDIM_STABLEHLO_BYTECODE_ENCODE_VHLO_H_

#include "indim/stablehlo/bytecode/entry_sink.h"

namespace indim::mlir {

// The dialect and mnemonic that VhloApiVersion gives an attribute.
inline constexpr absl::string_view kApiVersionAttr = "vhlo.api_version";

Encoding EncodeVhloAttribute(const Attribute& attribute, EntrySink* out);
Encoding EncodeVhloType(const Type& type, EntrySink* out);

// Quantized types. Refuses text that isn't one (quantized.h).
void EncodeQuantized(const Type& type, EntrySink* out);

void EncodeInteger(const Attribute& attribute, EntrySink* out);
void EncodeFloat(const Attribute& attribute, EntrySink* out);
void EncodeElements(const Attribute& attribute, EntrySink* out);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_ENCODE_VHLO_H_
