// SPDX-License-Identifier: Apache-2.0
// Checks what a program says in Shardy's dialect: meshes, shardings, rules,
// edges, manual computations. sharding/shardy/shardy_faults.h has the rules;
// here it is found in the program.

#ifndef INDIM_STABLEHLO_IMPORT_SHARDY_CHECK_H_
#define INDIM_STABLEHLO_IMPORT_SHARDY_CHECK_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

// Calls error(where, message) for what Shardy's verifier would refuse, at most
// once for each operation.
void CheckShardy(const Ir& ir,
                 absl::FunctionRef<void(Offset, std::string)> error);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_SHARDY_CHECK_H_
