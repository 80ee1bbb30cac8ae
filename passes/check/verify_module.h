// VerifyModule: everything that can be wrong with a module. Its structure
// (structure/structure.h) first, then every node's shape (verify_shapes.h).

#ifndef INDIM_PASSES_CHECK_VERIFY_MODULE_H_
#define INDIM_PASSES_CHECK_VERIFY_MODULE_H_

#include "indim/ir/module.h"
#include "indim/passes/check/verify_shapes.h"

namespace indim {

// What VerifyShapes says, its report with what VerifyStructure says before it.
// A module whose operands, callees or roots are out of order is reported as
// such and not looked at further: no instruction is counted then.
VerifyResult VerifyModule(const Module& module,
                          const VerifyOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_VERIFY_MODULE_H_
