// SPDX-License-Identifier: Apache-2.0
// The tilings that XLA's partitioner chose.

#ifndef INDIM_RUN_COMPILE_COMPILED_TILINGS_H_
#define INDIM_RUN_COMPILE_COMPILED_TILINGS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/run/compile/interface.h"

namespace indim::pjrt {

// Whether some port has no sharding of its own, so that a partitioner chooses
// one.
bool HasOpenTilings(const Interface& interface);

// Sets the tilings of these ports to those of the compiled module, an
// HloModuleProto, or with `has_config` an HloModuleProtoWithConfig: its
// spmd_parameters_shardings and spmd_output_sharding. A module without them
// isn't partitioned. InvalidArgument, IND1108: not such bytes, or as
// TilingOfSharding.
absl::Status SetOpenTilings(absl::string_view compiled, bool has_config,
                            int64_t partitions, Interface* interface);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_COMPILED_TILINGS_H_
