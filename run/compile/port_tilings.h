// SPDX-License-Identifier: Apache-2.0
// The tilings of a module's parameters and results.

#ifndef INDIM_RUN_COMPILE_PORT_TILINGS_H_
#define INDIM_RUN_COMPILE_PORT_TILINGS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/run/compile/interface.h"

namespace indim::pjrt {

// Sets the tilings of `interface`, the module's, by the shardings of the
// parameters and of the root, or by Shardy's notes on them (xla.sdy.sharding).
// What has none is whole on every partition, until the compiled program tells
// (compiled_tilings.h). Errors as of TilingOfSharding,
// with the name of the parameter or the result, IND1108.
absl::Status SetTilings(const Module& module, int64_t partitions,
                        Interface* interface);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_PORT_TILINGS_H_
