// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/export.h"

#include <utility>

#include "indim/ir/module_access.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/passes/sizes/run_time_checks.h"
#include "indim/stablehlo/export/function_attrs.h"
#include "indim/stablehlo/export/mlir_writer.h"
#include "indim/stablehlo/export/shardy.h"

namespace indim {
namespace {

bool HasNamedSizes(const Module& module) {
  const ShapeTable& shapes = internal::DataOf(module).pools->shapes();
  for (uint32_t id = 1; id < shapes.size(); ++id) {
    if (shapes.shape(ShapeId{id}).is_symbolic()) return true;
  }
  return false;
}

// Conditions on named sizes become assertions.
void AddAssertions(Module* module, Report*) {
  if (!HasNamedSizes(*module)) return;
  *module = AddRunTimeChecks(std::move(*module), CheckForm::kAssertion).module;
}

}  // namespace

StablehloProgram ToStablehlo(Module module, const StablehloOptions& options) {
  StablehloProgram program;
  ExpandResult expanded =
      VerifyAndExpand(std::move(module), options.verify, AddAssertions);
  program.module = std::move(expanded.module);
  program.report = std::move(expanded.report);
  program.ir.MakeModule();
  if (!program.report.ok() || program.module.computation_count() == 0) {
    return program;
  }
  stablehlo_export::Shardy shardy(program.module, options.shardy, &program.ir);
  stablehlo_export::SetModuleAttrs(program.module, &shardy, &program.ir);
  stablehlo_export::MlirWriter(program.module, options, &shardy, &program.ir,
                               &program.report)
      .Write();
  return program;
}

}  // namespace indim
