// SPDX-License-Identifier: Apache-2.0
// Checks an operation of the program before it is converted, by its row of
// stablehlo/ops/ops.def and the tables types.def and constraints.def.

#ifndef INDIM_STABLEHLO_IMPORT_CHECK_OP_H_
#define INDIM_STABLEHLO_IMPORT_CHECK_OP_H_

#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// Whether the operation is known, has the operands, results, regions and
// attributes that its row of stablehlo/ops/ops.def says, and HLO has the types
// of its results. Otherwise reports it.
bool CheckOp(OpImport* op);

// Whether all rows of the table hold of the declared types; otherwise reports
// the first that doesn't. Operands may be broken.
bool CheckTypes(OpImport* op);

// Whether the constraints on attributes alone hold; otherwise reports it.
// Operands may be broken.
bool CheckAttributeConstraints(OpImport* op);
// Whether the other constraints on the operation hold.
bool CheckConstraints(OpImport* op);

// The functions of the table.
#define INDIM_MLIR_CONSTRAINT(name, function) bool function(OpImport* op);
#include "indim/stablehlo/import/constraints.def"

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_CHECK_OP_H_
