// SPDX-License-Identifier: Apache-2.0
// The attributes of an operation in VHLO and in StableHLO. VHLO has no structs,
// symbols or arrays of integers, and writes out what StableHLO leaves out.

#ifndef INDIM_STABLEHLO_BYTECODE_VHLO_SLOTS_H_
#define INDIM_STABLEHLO_BYTECODE_VHLO_SLOTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/stablehlo/bytecode/vhlo_table.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// The version of `op` (an operation of StableHLO or func) that artifacts for
// `target` hold. Errors (InvalidArgument): VHLO has none, or a later release
// has the first one; an operation with these operands and regions needs a later
// one.
absl::StatusOr<const VhloOp*> VhloOpFor(const Ir& ir, const Op& op,
                                        Version target);

// The values of the slots of `version` for `op`, as attributes that are encoded
// in VHLO's terms; what `op` leaves out is written out. Errors
// (InvalidArgument): `op` lacks a required attribute, or has one that needs a
// later release.
absl::StatusOr<std::vector<AttrId>> ValuesOfSlots(const VhloOp& version,
                                                  const Op& op, Version target,
                                                  Ir* ir);

// The properties of `op` in StableHLO. `values` are the values of its slots;
// invalid: a slot has none. Errors (InvalidArgument, without a place): a
// required attribute has no value, or a value is of another kind.
absl::StatusOr<std::vector<NamedAttr>> PropertiesOfVhlo(
    const VhloOp& op, absl::Span<const AttrId> values, Ir* ir);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_VHLO_SLOTS_H_
