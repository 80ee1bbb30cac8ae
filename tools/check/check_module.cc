// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/check/check_module.h"

#include <utility>
#include <vector>

#include "indim/ir/program_warnings.h"
#include "indim/passes/check/infer_and_verify.h"

namespace indim {
namespace {

// The reports of inference and of verification as one. Inference tells why a
// shape could not be inferred; the verifier only sees that it is missing.
Report Merge(const InferResult& inferred, const VerifyResult& verified,
             const VerifyOptions& options, const std::set<Code>& disabled) {
  const bool inference_failed = !inferred.report.ok();
  Report all(options.max_per_code);
  all.Append(inferred.report, [&](const ModuleDiagnostic& d) {
    return disabled.count(d.diagnostic.code) > 0;
  });
  all.Append(verified.report, [&](const ModuleDiagnostic& d) {
    return disabled.count(d.diagnostic.code) > 0 ||
           (inference_failed && d.diagnostic.code == Code::kShapeMissing);
  });
  return all;
}

}  // namespace

CheckedModule CheckModule(Module module, const VerifyOptions& options,
                          const std::set<Code>& disabled) {
  const std::vector<ModuleDiagnostic> warnings = WarningsOfProgram(module);
  InferOptions fill;
  fill.only_missing = true;
  fill.max_per_code = options.max_per_code;
  InferAndVerifyResult checked =
      InferAndVerify(std::move(module), fill, options);
  checked.verified.report =
      Merge(checked.inferred, checked.verified, options, disabled);
  for (const ModuleDiagnostic& warning : warnings) {
    if (disabled.count(warning.diagnostic.code) > 0) continue;
    checked.verified.report.Add(warning);
  }
  return {std::move(checked.inferred.module), std::move(checked.verified)};
}

}  // namespace indim
