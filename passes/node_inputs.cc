#include "indim/passes/node_inputs.h"

#include "indim/ir/module.h"

namespace indim {

NodeInputs::NodeInputs(const ModuleData* data)
    : data_(*data), signatures_(data->computations.size()) {}

OpInputs NodeInputs::Gather(uint32_t computation, const InstructionRecord& r) {
  const ShapeTable& shapes = data_.pools->shapes();
  const uint32_t base = data_.computations[computation].first;
  operands_.clear();
  for (const uint32_t operand : data_.Operands(r)) {
    operands_.push_back(
        &shapes.shape(data_.instructions[base + operand].shape));
  }
  callees_.clear();
  for (const uint32_t callee : data_.Callees(r)) {
    callees_.push_back(&SignatureOf(callee));
  }
  OpInputs inputs;
  inputs.opcode = r.opcode;
  inputs.operands = operands_;
  inputs.callees = callees_;
  inputs.attributes = &data_.pools->attributes(r.opcode, r.blob);
  inputs.declared = r.shape ? &shapes.shape(r.shape) : nullptr;
  return inputs;
}

const Signature& NodeInputs::SignatureOf(uint32_t computation) {
  std::unique_ptr<Signature>& signature = signatures_[computation];
  if (signature == nullptr) {
    signature = std::make_unique<Signature>(
        Computation(&data_, computation).signature());
  }
  return *signature;
}

}  // namespace indim
