#include "indim/passes/verify_shapes.h"

#include <string>

#include "indim/passes/check_counts.h"
#include "indim/passes/node_verifier.h"

namespace indim {

void CountUnchecked(const ModuleData& data, uint32_t position,
                    VerifyResult* result) {
  ++result->unchecked;
  ++result->unchecked_ops[std::string(data.OpcodeName(position))];
}

VerifyResult VerifyShapes(const Module& module, const VerifyOptions& options) {
  const ModuleData& data = module.data();
  VerifyResult result;
  result.report = Report(options.max_per_rule);
  NodeVerifier nodes(&data, options.mode, &result.report);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    for (uint32_t i = 0; i < data.computations[c].count; ++i) {
      CountCheck(nodes.Check(c, i), data, data.computations[c].first + i,
                 &result);
    }
  }
  return result;
}

}  // namespace indim
