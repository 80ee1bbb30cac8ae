// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/passes/breakage_verdict.h"

#include "indim/passes/check/verify_module.h"
#include "indim/passes/structure/structure.h"
#include "indim/proto/hlo_module/module_reader.h"

namespace indim {

BreakageVerdict Verify(const Breakage& breakage, absl::string_view wire) {
  BreakageVerdict verdict;
  const absl::StatusOr<Module> module = ReadHloModuleProto(wire);
  if (!module.ok()) {
    verdict.found = true;
    verdict.code = "reader";
    return verdict;
  }
  const VerifyResult result = VerifyModule(*module);
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    const bool here = d.instruction == kNowhere ||
                      module->computation(static_cast<int>(d.computation))
                              .instruction(static_cast<int>(d.instruction))
                              .name() == breakage.instruction;
    verdict.elsewhere = true;
    if (!here || verdict.found) continue;
    verdict.found = true;
    verdict.code = CodeText(d.diagnostic.code);
  }
  return verdict;
}

}  // namespace indim
