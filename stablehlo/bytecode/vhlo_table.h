// The operations of VHLO at every version (vhlo_ops.def), as the reader and the
// writer of portable artifacts look them up.

#ifndef INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_
#define INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/types/element_type.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// How VHLO holds an attribute of StableHLO.
enum class VhloForm : uint8_t {
  kSame,         // the attribute itself
  kI64Array,     // array<i64: ...>  as dense<...> : tensor<nxi64>
  kBoolArray,    // array<i1: ...>   as dense<...> : tensor<nxi1>
  kUnit,         // unit             as true, nothing as false
  kSymbol,       // @f               as "f"
  kSymbolArray,  // [@f, @g]         as ["f", "g"]
  kApiVersion,   // 2 : i32          as an enumerator
  kField,        // a field of a struct: VHLO has no structs
  kDropped       // only old versions have it, and nothing depends on it
};

// A limit of a version of an operation, which a later version lifts.
enum class VhloLimit : uint8_t {
  kAll,
  kOneOperand,  // it has one operand
  kNoRegions    // it has no regions
};

// An attribute of an operation in VHLO.
struct VhloSlot {
  absl::string_view name;  // VHLO's
  VhloForm form = VhloForm::kSame;
  const AttributeRow* attribute = nullptr;  // null: kDropped
  const FieldRow* field = nullptr;          // kField
};

struct VhloOp {
  std::string vhlo_name;  // "add_v1", without the dialect
  int version = 1;
  Version first;  // the first release that has it
  Version last;   // the last one
  VhloLimit limit = VhloLimit::kAll;
  const OpRow* row = nullptr;   // of "stablehlo.add", "func.func"
  std::vector<VhloSlot> slots;  // by name, as properties are encoded
};

// "add_v1"; null: VHLO has no such operation.
const VhloOp* FindVhloOp(absl::string_view vhlo_name);

// The versions of an operation, "stablehlo.add", "func.func", "func.return", in
// ascending order; empty: VHLO has no such operation.
absl::Span<const VhloOp* const> VhloVersionsOf(
    absl::string_view stablehlo_name);

// A code of VHLO in bytecode and the first release that has it.
struct VhloTypeCode {
  uint64_t code;
  ElementType type;
  Version since;
};
struct VhloWordCode {
  uint64_t code;
  absl::string_view attribute;  // "stablehlo.precision"
  Version since;
};
const VhloTypeCode* FindVhloType(uint64_t code);
const VhloTypeCode* FindVhloType(ElementType type);
const VhloWordCode* FindVhloWord(uint64_t code);
const VhloWordCode* FindVhloWord(absl::string_view attribute);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_
