#include "indim/passes/check/verify_shapes.h"

#include "indim/ir/module_access.h"
#include "indim/passes/check/node_checker.h"

namespace indim {

VerifyResult VerifyShapes(const Module& module, const VerifyOptions& options) {
  VerifyResult result;
  result.report = Report(options.max_per_code);
  NodeChecker checker(&internal::DataOf(module));
  checker.Verify(options.mode, &result);
  checker.Sweep();
  return result;
}

}  // namespace indim
