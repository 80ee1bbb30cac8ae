// Constraints of StableHLO that HLO doesn't have: the table constraints.def.

#ifndef INDIM_STABLEHLO_IMPORT_CONSTRAINTS_H_
#define INDIM_STABLEHLO_IMPORT_CONSTRAINTS_H_

#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// Whether the constraints on attributes alone hold; otherwise reports it.
// Operands may be broken.
bool CheckAttributeConstraints(OpImport* op);
// Whether the other constraints on the operation hold.
bool CheckConstraints(OpImport* op);

// The functions of the table.
#define INDIM_MLIR_CONSTRAINT(name, function) bool function(OpImport* op);
#include "indim/stablehlo/import/constraints.def"

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_CONSTRAINTS_H_
