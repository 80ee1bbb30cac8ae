// SPDX-License-Identifier: Apache-2.0
// Preflight: refuses modules that are known to end the process of a plugin.

#ifndef INDIM_RUN_COMPILE_PREFLIGHT_H_
#define INDIM_RUN_COMPILE_PREFLIGHT_H_

#include <string>

#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/run/compile/compile_options.h"

namespace indim::pjrt {

// Where a module is to be compiled.
struct Target {
  std::string platform;   // as Client::platform_name() has it
  int minor_version = 0;  // of the C API
};

// FailedPrecondition, IND1106: a row of preflight.def forbids it; the message
// names the instruction and what would happen. `options` leave nothing to the
// module (OptionsFor).
absl::Status Preflight(const Target& target, const Module& module,
                       const CompileOptions& options);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_PREFLIGHT_H_
