// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/infer_and_verify.h"

#include <memory>
#include <utility>

#include "indim/ir/module_access.h"
#include "indim/passes/check/node_checker.h"
#include "indim/passes/structure/structure.h"

namespace indim {

InferAndVerifyResult InferAndVerify(Module module, const InferOptions& infer,
                                    const VerifyOptions& verify) {
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  data->MutablePools();  // not shared from here on
  InferAndVerifyResult result;
  result.inferred.report = Report(infer.max_per_code);
  VerifyResult shapes;
  shapes.report = Report(verify.max_per_code);
  ShapeInferrerAndVerifier checker(
      data.get(), RulesOf(*data),
      {infer.drop, infer.only_missing, &result.inferred.report},
      {verify.mode, &shapes});
  checker.Sweep();
  result.inferred.module = internal::ModuleOf(std::move(data));
  StructureResult structure = VerifyStructure(
      result.inferred.module, verify.max_per_code, verify.devices);
  if (structure.in_order) result.verified = std::move(shapes);
  AppendWithoutRepeats(result.verified.report, &structure.report);
  result.verified.report = std::move(structure.report);
  return result;
}

}  // namespace indim
