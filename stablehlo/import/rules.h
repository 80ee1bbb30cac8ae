// Rules of StableHLO that HLO doesn't have: the table rules.def.

#ifndef INDIM_STABLEHLO_IMPORT_RULES_H_
#define INDIM_STABLEHLO_IMPORT_RULES_H_

#include "indim/stablehlo/import/op_import.h"

namespace indim::mlir {

// Whether the rules about attributes alone hold; otherwise reports it. Operands
// may be broken.
bool CheckAttributeRules(OpImport* op);
// Whether the other rules about the operation hold.
bool CheckRules(OpImport* op);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_IMPORT_RULES_H_
