// The attributes of an operation in VHLO and in StableHLO. VHLO has no structs,
// symbols or arrays of integers, and writes out what StableHLO leaves out.

#ifndef INDIM_STABLEHLO_BYTECODE_VHLO_ATTRIBUTES_H_
#define INDIM_STABLEHLO_BYTECODE_VHLO_ATTRIBUTES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// The properties of `op` in StableHLO. `values` are the values of its slots in
// VHLO; invalid: a slot has none. Errors (InvalidArgument, without a place): a
// required attribute has no value, or a value is of another kind.
absl::StatusOr<std::vector<NamedAttr>> PropertiesOfVhlo(
    const VhloOp& op, absl::Span<const AttrId> values, Ir* ir);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_VHLO_ATTRIBUTES_H_
