// SPDX-License-Identifier: Apache-2.0
// Attributes and locations of MLIR.

#ifndef INDIM_STABLEHLO_MLIR_ATTRIBUTE_H_
#define INDIM_STABLEHLO_MLIR_ATTRIBUTE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/stablehlo/mlir/ids.h"

namespace indim::mlir {

enum class AttrKind : uint8_t {
  kUnit,           // unit
  kBool,           // true, false
  kInteger,        // 3 : i64        `integer`, `type`
  kFloat,          // 1.5 : f32      `integer` holds the bits in `type`'s format
  kString,         // "text"         `text`; `type` where one is given
  kSymbol,         // @f::@g         `text`, and the nested names in `elements`
  kType,           // f32            `type`
  kArray,          // [1, "a"]       `elements`
  kDictionary,     // {a = 1}        `fields`, sorted by name
  kDense,          // dense<...> : tensor<...>   `type`, `text`: see below
  kDenseArray,     // array<i64: 1>  `type` of an element, `text`: its bytes
  kDenseResource,  // dense_resource<name>   `type`; `text` the name; `elements`
                   // has one kString with the bytes if the file has them
  kDialect,        // #stablehlo.gather<...>   see below
  kUnknownLoc,     // loc(unknown)
  kFileLoc,        // loc("file":3:8)   `text`, `line`, `column`
  kNameLoc,        // loc("n"(child))   `text`, `elements`: the child or nothing
  kFusedLoc,       // loc(fused<meta>["a", ...])  `elements`; `metadata`
  kCallSiteLoc     // loc(callsite(a at b))   `elements`: callee, caller
};

struct NamedAttr {
  StringId name;
  AttrId value;

  friend bool operator==(NamedAttr a, NamedAttr b) {
    return a.name == b.name && a.value == b.value;
  }
  template <typename H>
  friend H AbslHashValue(H h, NamedAttr a) {
    return H::combine(std::move(h), a.name, a.value);
  }
};

struct Attribute {
  Attribute() = default;
  explicit Attribute(AttrKind of_kind, TypeId of_type = {})
      : kind(of_kind), type(of_type) {}

  AttrKind kind = AttrKind::kUnit;
  // kBool: 0 or 1. kInteger: the value (of an unsigned type, its 64 bits).
  // kFloat: the bits. kFileLoc: the line.
  int64_t integer = 0;
  int64_t column = 0;  // kFileLoc
  TypeId type;
  // kDense, kDenseArray: the elements, row-major, little-endian, each in whole
  // bytes: i1, i2 and i4 take a byte each, which holds a signed one's sign.
  // kDense of a tensor of several elements whose `splat` is true holds one
  // element.
  std::string text;
  bool splat = false;
  std::vector<AttrId> elements;
  // kDictionary: its entries. kDialect: the parameters by name, in the order of
  // the attribute's own form; a parameter that is left out (an empty list, a
  // default) isn't there. A parameter without a name has an empty name.
  std::vector<NamedAttr> fields;
  // kDialect: `text` is the dialect and mnemonic, "stablehlo.gather"; the
  // dialect alone where the mnemonic isn't told apart (#mhlo<kind kLoop>). A
  // word, #stablehlo<precision HIGH>, is "stablehlo.precision" with one
  // nameless field, the kString "HIGH". An attribute of unknown form has one
  // nameless field too: the kString of the text between < and >.
  AttrId metadata;  // kFusedLoc

  friend bool operator==(const Attribute& a, const Attribute& b) {
    return a.kind == b.kind && a.integer == b.integer && a.column == b.column &&
           a.type == b.type && a.text == b.text && a.splat == b.splat &&
           a.elements == b.elements && a.fields == b.fields &&
           a.metadata == b.metadata;
  }
  template <typename H>
  friend H AbslHashValue(H h, const Attribute& a) {
    return H::combine(std::move(h), a.kind, a.integer, a.column, a.type, a.text,
                      a.splat, a.elements, a.fields, a.metadata);
  }
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_MLIR_ATTRIBUTE_H_
