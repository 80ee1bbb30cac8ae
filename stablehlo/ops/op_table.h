// SPDX-License-Identifier: Apache-2.0
// The tables of MLIR's operations and attributes as data: ops.def,
// op_attributes.def and struct_fields.def.
//
//   const OpRow* row = FindOp("stablehlo.iota");
//   row->opcode                             // Opcode::kIota
//   FindAttribute(*row, "iota_dimension")   // kI64, required

#ifndef INDIM_STABLEHLO_OPS_OP_TABLE_H_
#define INDIM_STABLEHLO_OPS_OP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/opcode.h"

namespace indim::mlir {

// The first row of a table whose `key` equals `value`; null: none does.
template <typename Rows, typename Row, typename Key, typename T>
const Row* FindRow(const Rows& rows, Key Row::*key, const T& value) {
  for (const Row& row : rows) {
    if (row.*key == value) return &row;
  }
  return nullptr;
}

// A version of StableHLO.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend constexpr bool operator==(Version a, Version b) {
    return a.major == b.major && a.minor == b.minor && a.patch == b.patch;
  }
  friend constexpr bool operator!=(Version a, Version b) { return !(a == b); }
  friend constexpr bool operator<(Version a, Version b) {
    return a.major != b.major   ? a.major < b.major
           : a.minor != b.minor ? a.minor < b.minor
                                : a.patch < b.patch;
  }
};
// "1.10.0".
std::string ToString(Version version);
// The first version whose artifacts hold a thing: none.
inline constexpr Version kNotPortable = {1 << 20, 0, 0};

// The kind of value that an attribute or field has.
enum class ValueKind : uint8_t {
#define INDIM_VALUE_KIND(name, text) name,
#include "indim/stablehlo/ops/value_kinds.def"
};

// The value that an attribute has when it is left out.
enum class DefaultValue : uint8_t {
  kNone,    // it means nothing else (an artifact has no attribute)
  kAbsent,  // of a field: there is none
  kFalse,
  kTrue,
  kZero,
  kOne,
  kMinusOne,
  kEmptyString,
  kEmptyArray,         // []
  kEmptyDictionary,    // {}
  kEmptyIntegers,      // array<i64>
  kEmptyConfig,        // "", or {} where api_version is 4
  kOnes,               // array<i64: 1, ...>, one for each spatial dimension
  kFalses,             // array<i1: false, ...>, likewise
  kZeroPairs,          // dense<0> : tensor<Nx2xi64>, likewise
  kNoType,             // NOTYPE
  kNoChannel,          // channel 0
  kDefaultPrecisions,  // DEFAULT for each operand
  kDefaultAccuracy,    // #stablehlo.result_accuracy<mode = DEFAULT>
};

// Bits.
using Traits = uint32_t;
inline constexpr Traits kNoTraits = 0;
inline constexpr Traits kTerminator = 1;  // ends a block
inline constexpr Traits kIsolated = 2;  // its regions use nothing from outside
// operandSegmentSizes and resultSegmentSizes divide its operands and results.
inline constexpr Traits kSegments = 4;
inline constexpr Traits kCommutative = 8;
// Its one attribute is result_accuracy.
inline constexpr Traits kAccuracy = 16;
// Its one attribute is broadcast_dimensions.
inline constexpr Traits kBroadcastDims = 32;

struct Count {
  int least = 0;
  int most = 0;  // -1: no limit

  bool Allows(size_t n) const {
    return n >= static_cast<size_t>(least) &&
           (most < 0 || n <= static_cast<size_t>(most));
  }
};

struct AttributeRow {
  absl::string_view op;
  absl::string_view name;
  ValueKind kind;
  absl::string_view of;
  bool required;
  bool defaulted;  // own forms leave it out where it is `otherwise`
  bool filled;     // MLIR's reader adds `otherwise` where it is left out
  DefaultValue otherwise;
  Version since;
};

// The columns are explained in ops.def.
struct OpRow {
  absl::string_view name;
  Opcode opcode;
  Count operands;
  Count results;
  Count regions;
  absl::string_view form;
  absl::string_view names;
  Version since;
  Traits traits;
  absl::Span<const AttributeRow> attributes;
};

struct FieldRow {
  absl::string_view attribute;
  absl::string_view name;
  ValueKind kind;
  absl::string_view of;
  DefaultValue otherwise;
  Version since;
};

struct StructRow {
  absl::string_view attribute;  // "stablehlo.gather"
  absl::Span<const FieldRow> fields;
};

struct WordsRow {
  absl::string_view attribute;  // "stablehlo.precision"
  int first;                    // the number of words[0]
  absl::Span<const absl::string_view> words;
};

// All rows of ops.def.
absl::Span<const OpRow> Ops();
// The row of that name, "stablehlo.add"; null: none.
const OpRow* FindOp(absl::string_view name);
// The first row with that opcode; null: none.
const OpRow* FindOp(Opcode opcode);
// The index of a row in Ops().
inline size_t IndexOf(const OpRow& row) {
  return static_cast<size_t>(&row - Ops().data());
}

// All rows of op_attributes.def, and the index of one.
absl::Span<const AttributeRow> AllAttributes();
inline size_t IndexOf(const AttributeRow& row) {
  return static_cast<size_t>(&row - AllAttributes().data());
}
// The attribute of that name that belongs to the operation; null: none, the
// attribute is discardable.
const AttributeRow* FindAttribute(const OpRow& op, absl::string_view name);
// The attribute "stablehlo.gather"; null: it has no rows.
const StructRow* FindStruct(absl::string_view attribute);
// The words of "stablehlo.precision"; null: it has none.
const WordsRow* FindWords(absl::string_view attribute);
// The release from which artifacts hold a word of the attribute, where that
// isn't the attribute's own; {}: it is.
Version WordSince(absl::string_view attribute, absl::string_view word);
// The number of a word; -1: it isn't one of them.
int NumberOf(const WordsRow& words, absl::string_view word);

// "stablehlo" of "stablehlo.add"
inline absl::string_view DialectOf(absl::string_view op) {
  return op.substr(0, op.find('.'));
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_OPS_OP_TABLE_H_
