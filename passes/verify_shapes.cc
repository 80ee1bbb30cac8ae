#include "indim/passes/verify_shapes.h"

#include <string>

#include "indim/passes/node_verifier.h"

namespace indim {
namespace {

void Count(const NodeCheck& check, const Instruction& instruction,
           VerifyResult* result) {
  if (check.broadcastable) ++result->broadcastable;
  switch (check.kind) {
    case CheckKind::kInferred:
      ++result->inferred;
      return;
    case CheckKind::kRelated:
      ++result->related;
      return;
    case CheckKind::kUnchecked:
      ++result->unchecked;
      ++result->unchecked_ops[std::string(instruction.opcode_name())];
  }
}

}  // namespace

VerifyResult VerifyShapes(const Module& module, const VerifyOptions& options) {
  const ModuleData& data = module.data();
  VerifyResult result;
  result.report = Report(options.max_per_rule);
  NodeVerifier nodes(&data, options.mode, &result.report);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    for (uint32_t i = 0; i < data.computations[c].count; ++i) {
      Count(nodes.Check(c, i), Instruction(&data, c, i), &result);
    }
  }
  return result;
}

}  // namespace indim
