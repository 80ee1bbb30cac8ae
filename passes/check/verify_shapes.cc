// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/verify_shapes.h"

#include <vector>

#include "absl/status/status.h"
#include "indim/ir/module_access.h"
#include "indim/passes/check/node_checker.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/infer/infer.h"

namespace indim {

VerifyResult VerifyShapes(const Module& module, const VerifyOptions& options) {
  VerifyResult result;
  result.report = Report(options.max_per_code);
  const ModuleData& data = internal::DataOf(module);
  ShapeVerifier checker(&data, RulesOf(data), {}, {options.mode, &result});
  checker.Sweep();
  return result;
}

Broadcastability BroadcastabilityOf(const Instruction& instruction) {
  const InstructionRecord& r = internal::RecordOf(instruction);
  const Pools& pools = *internal::ModuleAccess::Data(instruction).pools;
  if (!r.shape || !pools.attributes_status(r.opcode, r.attribute_bytes).ok()) {
    return Broadcastability::kUnknown;
  }
  if (r.opcode == Opcode::kConstant) {
    const absl::Status literal = instruction.literal().status();
    // A dump may leave the values out.
    if (!literal.ok() && !absl::IsNotFound(literal)) {
      return Broadcastability::kUnknown;
    }
  }
  std::vector<const Shape*> operands;
  for (const Instruction operand : instruction.operands()) {
    if (operand.shape().is_none()) return Broadcastability::kUnknown;
    operands.push_back(&operand.shape());
  }
  OpInputs inputs;
  inputs.opcode = r.opcode;
  inputs.operands = operands;
  inputs.declared = &instruction.shape();
  return BroadcastabilityOf(inputs);
}

}  // namespace indim
