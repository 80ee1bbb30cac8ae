// Checks an operation of the program before it is converted.

#ifndef INDIM_STABLEHLO_IMPORT_CHECK_OP_H_
#define INDIM_STABLEHLO_IMPORT_CHECK_OP_H_

#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// Whether the operation is known, has the operands, results, regions and
// attributes that its row of stablehlo/ops/ops.def says, and HLO has the types
// of its results. Otherwise reports it.
bool CheckOp(OpImport* op);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_CHECK_OP_H_
