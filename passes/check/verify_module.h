// SPDX-License-Identifier: Apache-2.0
// VerifyModule: finds every error of a module: in its structure
// (passes/structure/structure.h), then in the shape of each node
// (verify_shapes.h).

#ifndef INDIM_PASSES_CHECK_VERIFY_MODULE_H_
#define INDIM_PASSES_CHECK_VERIFY_MODULE_H_

#include "indim/ir/module.h"
#include "indim/passes/check/verify_shapes.h"

namespace indim {

// The result of VerifyShapes, with the diagnostics of VerifyStructure before
// its own. If operands, callees or roots are out of order, it reports only that
// and counts no instruction.
VerifyResult VerifyModule(const Module& module,
                          const VerifyOptions& options = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_VERIFY_MODULE_H_
