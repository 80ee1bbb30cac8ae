// SPDX-License-Identifier: Apache-2.0
// The codes of attributes and types in bytecode (codes.def), as their reader
// and their writer look them up.

#ifndef INDIM_STABLEHLO_BYTECODE_CODES_H_
#define INDIM_STABLEHLO_BYTECODE_CODES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/attribute.h"
#include "indim/stablehlo/mlir/type.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// In whose codes an attribute or type stands.
enum class Dialect : uint8_t {
  kBuiltin,
  kVhlo,
  kVhloValues  // kBuiltin, but the values of a dictionary are VHLO's
};

// What one of several codes of a kind has beside the others.
enum class Extra : uint8_t {
  kNone,
  kType,      // of a string
  kElements,  // the names inside a symbol
  kMetadata,  // of a fused location
  kEnd,       // of a range of lines and columns
  kWidth,     // of an integer, whose type is no code of its own
  kPart,      // of a complex type
  kEncoding,  // of a tensor
  kLayout,    // of a buffer; nothing keeps it
  kNew,       // none, but older releases of MLIR don't know the code
  kAxis       // of a quantized type that has several scales
};

struct AttributeCode {
  Dialect dialect;
  uint64_t code;
  AttrKind kind;
  Extra extra;
  absl::string_view name;  // of a kDialect: "stablehlo.precision"
  Version since;
};

struct TypeCode {
  Dialect dialect;
  uint64_t code;
  TypeKind kind;
  Extra extra;
  ElementType element;
  absl::string_view text;
  Version since;
};

// The dialect and mnemonic of the version of a custom call's API in VHLO, an
// integer in StableHLO.
inline constexpr absl::string_view kApiVersionAttr = "vhlo.api_version";

// Of a code; null: there is none.
const AttributeCode* FindAttributeCode(Dialect dialect, uint64_t code);
const TypeCode* FindTypeCode(Dialect dialect, uint64_t code);

// The code that says all of an attribute or type; null: there is none.
const AttributeCode* CodeOf(Dialect dialect, const Attribute& attribute,
                            Version target);
const TypeCode* CodeOf(Dialect dialect, const Type& type);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_CODES_H_
