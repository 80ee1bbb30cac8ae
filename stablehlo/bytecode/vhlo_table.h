// SPDX-License-Identifier: Apache-2.0
// The operations of VHLO at every version, as the reader and the writer of
// portable artifacts look them up: those of ops.def, and vhlo_ops.def.

#ifndef INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_
#define INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// A limit of a version of an operation, which a later version lifts.
enum class VhloLimit : uint8_t {
  kAll,
  kOneOperand,  // it has one operand
  kNoRegions    // it has no regions
};

// An attribute of an operation in VHLO, which has no structs: each of their
// fields is one.
struct VhloSlot {
  absl::string_view name;  // VHLO's
  // null: old versions have it, and nothing depends on it
  const AttributeRow* attribute = nullptr;
  const FieldRow* field = nullptr;  // null: the whole attribute
};

struct VhloOp {
  std::string vhlo_name;  // "add_v1", without the dialect
  int version = 1;
  Version first;  // the first release that has it; the last has the next one
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

// The attributes of an operation that has no VhloOp, by name, as properties are
// encoded.
std::vector<const AttributeRow*> AttributesByName(const OpRow& row);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_VHLO_TABLE_H_
