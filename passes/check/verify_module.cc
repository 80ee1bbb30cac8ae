// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/verify_module.h"

#include <utility>

#include "indim/passes/structure/structure.h"

namespace indim {

VerifyResult VerifyModule(const Module& module, const VerifyOptions& options) {
  StructureResult structure =
      VerifyStructure(module, options.max_per_code, options.devices);
  VerifyResult result;
  if (structure.in_order) result = VerifyShapes(module, options);
  AppendWithoutRepeats(result.report, &structure.report);
  result.report = std::move(structure.report);
  return result;
}

}  // namespace indim
