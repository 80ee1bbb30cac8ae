// SPDX-License-Identifier: Apache-2.0
// Attributes of several fields (stablehlo/ops/struct_fields.def).

#ifndef INDIM_STABLEHLO_BYTECODE_STRUCTS_H_
#define INDIM_STABLEHLO_BYTECODE_STRUCTS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// The value that an attribute or a field has when it is left out; invalid:
// none, or it depends on the operation.
AttrId ValueOf(DefaultValue otherwise, ValueKind kind, Ir* ir);

// The value of a field, with what leaving it out means; invalid: it has none.
AttrId FieldOf(const Attribute& a, const FieldRow& field, Ir* ir);

// The encoding of a tensor with these bounds, an array of integers.
inline constexpr absl::string_view kBoundsAttr = "stablehlo.bounds";
AttrId BoundsAttr(AttrId bounds, Ir* ir);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_STRUCTS_H_
