// SPDX-License-Identifier: Apache-2.0
// indim test-return-types: inference against the evaluator.

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/tools/arguments.h"
#include "indim/tools/commands.h"
#include "indim/tools/formats.h"
#include "indim/tools/output/progress.h"
#include "indim/tools/return_types.h"

namespace indim {

int RunTestReturnTypes(absl::Span<const std::string> files) {
  StartProgress(absl::GetFlag(FLAGS_quiet));
  ProgressStage stage(ReadingText(files[0]));
  const absl::StatusOr<WrappedModule> module = ReadModuleAndWarn(files[0]);
  if (!module.ok()) return Fail(WithFileName(files[0], module.status()));
  stage.Next(InstructionsText("testing", module->module));
  const ReturnTypeResult result = TestReturnTypes(module->module);
  stage.Done();
  for (const std::string& line : result.disagreements) {
    std::cout << line << "\n";
  }
  std::cout << result.verified << " results as inferred; " << result.created
            << " binary ops created again: " << result.agreed
            << " as evaluated, " << result.refused << " refused by both, "
            << result.without_meaning
            << " without a meaning; shapes left out: " << result.left_out
            << "; disagreements: " << result.disagreements.size() << "\n";
  return result.disagreements.empty() ? kExitOk : kExitErrors;
}

}  // namespace indim
