// SPDX-License-Identifier: Apache-2.0
// What BuildOptions say of a module as a whole, as the fields of a module.

#ifndef INDIM_BUILDER_MODULE_OPTIONS_H_
#define INDIM_BUILDER_MODULE_OPTIONS_H_

#include <vector>

#include "indim/builder/build_options.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim::internal {

// Whether they say anything.
bool HasModuleOptions(const BuildOptions& options);

// What no module can hold: a count of devices below 1 (IND0120), text that
// isn't UTF-8 (IND0609).
std::vector<Diagnostic> WrongOptions(const BuildOptions& options);

// The errors that the verifier (structure.h) finds in `module` with the
// options, and not without them. It takes time in proportion to the module.
std::vector<ModuleDiagnostic> ErrorsOfOptions(const ModuleData& module,
                                              const BuildOptions& options);

// Writes them into the module, whose names are final.
void ApplyModuleOptions(const BuildOptions& options, ModuleData* module);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_MODULE_OPTIONS_H_
