// SPDX-License-Identifier: Apache-2.0
// CheckSettings: settings are of sizes that the module has.

#ifndef INDIM_PASSES_SIZES_CHECK_SETTINGS_H_
#define INDIM_PASSES_SIZES_CHECK_SETTINGS_H_

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/passes/sizes/refine.h"

namespace indim {

// InvalidArgument with the names that there are: a value or a fact is of a size
// that the module doesn't have. Where no size has a name, it says how a
// parameter gets its shape.
absl::Status CheckSettingNames(const Module& module,
                               const RefineOptions& options);

// The same, and InvalidArgument where a value, a fact or a parameter's shape
// speaks of a size that the module doesn't have: "n=k" gives n another name
// rather than a value. A parameter's shape may name sizes that are `?` in the
// module.
absl::Status CheckSettings(const Module& module, const RefineOptions& options);

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_CHECK_SETTINGS_H_
