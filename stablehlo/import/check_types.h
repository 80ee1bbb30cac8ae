// Checks the types of an operation's operands and results by the table
// types.def.

#ifndef INDIM_STABLEHLO_IMPORT_CHECK_TYPES_H_
#define INDIM_STABLEHLO_IMPORT_CHECK_TYPES_H_

#include "indim/stablehlo/import/op_import.h"

namespace indim::stablehlo_import {

// Whether all rows of the table hold of the declared types; otherwise reports
// the first that doesn't. Operands may be broken.
bool CheckTypes(OpImport* op);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_CHECK_TYPES_H_
