// SPDX-License-Identifier: Apache-2.0
// The check of one module, as `indim check` does it.

#ifndef INDIM_TOOLS_CHECK_CHECK_MODULE_H_
#define INDIM_TOOLS_CHECK_CHECK_MODULE_H_

#include <cstdint>
#include <set>

#include "indim/ir/module.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

// VerifyOptions::max_per_code of who wants every diagnostic.
inline constexpr int64_t kAllDiagnostics = 1000000;

struct CheckedModule {
  Module module;  // with the shapes that were missing
  // With the report of inference and of verification as one.
  VerifyResult result;
};

// Infers what has no shape and verifies everything. Diagnostics of `disabled`
// codes are left out.
CheckedModule CheckModule(Module module, const VerifyOptions& options = {},
                          const std::set<Code>& disabled = {});

}  // namespace indim

#endif  // INDIM_TOOLS_CHECK_CHECK_MODULE_H_
