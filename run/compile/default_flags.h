// SPDX-License-Identifier: Apache-2.0
// Flags of XLA that make a plugin's values right (default_flags.def).

#ifndef INDIM_RUN_COMPILE_DEFAULT_FLAGS_H_
#define INDIM_RUN_COMPILE_DEFAULT_FLAGS_H_

#include "absl/strings/string_view.h"
#include "indim/run/compile/compile_options.h"

namespace indim::pjrt {

// Adds the flags of a platform that neither *options nor `environment` (what
// XLA_FLAGS says) names.
void AddDefaultFlags(absl::string_view platform, absl::string_view environment,
                     CompileOptions* options);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_DEFAULT_FLAGS_H_
