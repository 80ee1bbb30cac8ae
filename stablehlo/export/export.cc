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

// Makes a module of explicit operations with shapes, checked; conditions on
// named sizes become assertions.
void Prepare(Module module, const StablehloOptions& options,
             StablehloProgram* program) {
  InferOptions fill;
  fill.only_missing = true;
  InferResult inferred = InferShapes(std::move(module), fill);
  program->module = std::move(inferred.module);
  program->report = std::move(inferred.report);
  if (!program->report.ok()) return;
  program->report = options.verify ? VerifyModule(program->module).report
                                   : VerifyShapes(program->module).report;
  if (!program->report.ok()) return;
  if (HasNamedSizes(program->module)) {
    program->module =
        AddRunTimeChecks(std::move(program->module), CheckForm::kAssertion)
            .module;
  }
  const bool recorded = program->module.is_recorded();
  ExpandResult expanded = ExpandBroadcasts(std::move(program->module));
  program->module = std::move(expanded.module);
  program->report = std::move(expanded.report);
  if (options.verify && recorded && program->report.ok()) {
    // A builder accepts more than XLA's verifier.
    program->report = VerifyShapes(program->module).report;
  }
}

}  // namespace

StablehloProgram ToStablehlo(Module module, const StablehloOptions& options) {
  StablehloProgram program;
  Prepare(std::move(module), options, &program);
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
