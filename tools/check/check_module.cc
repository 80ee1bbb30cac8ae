#include "indim/tools/check/check_module.h"

#include <string>
#include <utility>

#include "indim/ir/module_access.h"
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

// The warning that the module's program has parts that nobody verifies; once.
void AddUnverified(const Module& module, const std::string& what,
                   const std::set<Code>& disabled, Report* report) {
  if (what.empty() || disabled.count(Code::kUnverified) > 0 ||
      module.computation_count() == 0) {
    return;
  }
  ModuleDiagnostic warning;
  warning.diagnostic.code = Code::kUnverified;
  warning.diagnostic.args.push_back(what);
  const Instruction root = module.entry().root();
  warning.computation = static_cast<uint32_t>(module.entry().index());
  warning.instruction = static_cast<uint32_t>(root.index());
  report->Add(std::move(warning));
}

}  // namespace

CheckedModule CheckModule(Module module, const VerifyOptions& options,
                          const std::set<Code>& disabled) {
  const std::string unverified = internal::DataOf(module).unverified;
  InferOptions fill;
  fill.only_missing = true;
  fill.max_per_code = options.max_per_code;
  InferAndVerifyResult checked =
      InferAndVerify(std::move(module), fill, options);
  checked.verified.report =
      Merge(checked.inferred, checked.verified, options, disabled);
  AddUnverified(checked.inferred.module, unverified, disabled,
                &checked.verified.report);
  return {std::move(checked.inferred.module), std::move(checked.verified)};
}

}  // namespace indim
