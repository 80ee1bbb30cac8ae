// SPDX-License-Identifier: Apache-2.0
// The form of a module that compilers of plugins take: what they trust or
// refuse is made safe, and the values stay.

#ifndef INDIM_RUN_COMPILE_COMPILER_FORM_H_
#define INDIM_RUN_COMPILE_COMPILER_FORM_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim::pjrt {

// `module` with
//   - no schedule: a compiler makes its own, and XLA's CPU compiler changes a
//     scheduled module until a check of XLA ends the process;
//   - neither instructions nor computations that nothing needs: XLA refuses
//     some before it would leave them out itself;
//   - every size that set-dimension-size and dynamic-reshape give at run time
//     clamped to 0 and its bound: XLA reads and writes past the array where it
//     is out of them. The evaluator refuses such a size.
// `module` is exported (export.h). An error is the Editor's.
absl::StatusOr<Module> CompilerForm(Module module);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_COMPILER_FORM_H_
