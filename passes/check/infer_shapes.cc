// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/infer_shapes.h"

#include <memory>
#include <utility>

#include "indim/ir/module_access.h"
#include "indim/passes/check/node_checker.h"

namespace indim {

InferResult InferShapes(Module module, const InferOptions& options) {
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(module));
  data->MutablePools();  // not shared from here on
  InferResult result;
  result.report = Report(options.max_per_code);
  ShapeInferrer checker(data.get(), RulesOf(*data),
                        {options.drop, options.only_missing, &result.report},
                        {});
  checker.Sweep();
  result.module = internal::ModuleOf(std::move(data));
  return result;
}

}  // namespace indim
