// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/program_warnings.h"

#include <string>
#include <utility>

#include "indim/ir/module_access.h"

namespace indim {

std::vector<ModuleDiagnostic> WarningsOfProgram(const Module& module) {
  std::vector<ModuleDiagnostic> warnings;
  if (module.computation_count() == 0) return warnings;
  const Instruction root = module.entry().root();
  for (const std::string& what : internal::DataOf(module).means_nothing) {
    ModuleDiagnostic warning;
    warning.diagnostic.code = Code::kMeansNothing;
    warning.diagnostic.args.push_back(what);
    warning.computation = static_cast<uint32_t>(module.entry().index());
    warning.instruction = static_cast<uint32_t>(root.index());
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace indim
