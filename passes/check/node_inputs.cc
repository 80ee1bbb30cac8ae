// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/check/node_inputs.h"

#include <utility>

#include "indim/ir/module.h"
#include "indim/ir/module_access.h"

namespace indim {

NodeInputs::NodeInputs(const ModuleData* data)
    : data_(*data),
      signatures_(data->computations.size()),
      representatives_(data->computations.size(), kNotAsked) {}

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
  inputs.attributes = &data_.pools->attributes(r.opcode, r.attribute_bytes);
  inputs.declared = r.shape ? &shapes.shape(r.shape) : nullptr;
  return inputs;
}

std::optional<Shape> NodeInputs::InferAgain(uint32_t computation,
                                            const InstructionRecord& r,
                                            InferContext* context,
                                            OpInputs* inputs) {
  if (!IsInferable(r.opcode) || !r.shape) return std::nullopt;
  *inputs = Gather(computation, r);
  for (const Shape* operand : inputs->operands) {
    if (operand->is_none()) return std::nullopt;
  }
  context->Clear();
  return InferShape(context, *inputs);
}

const Signature& NodeInputs::SignatureOf(uint32_t computation) {
  std::unique_ptr<Signature>& signature = signatures_[computation];
  if (signature == nullptr) {
    signature = std::make_unique<Signature>(
        internal::ComputationOf(&data_, computation).signature());
  }
  return *signature;
}

uint32_t NodeInputs::FindRepresentative(uint32_t computation) {
  const ShapeTable& shapes = data_.pools->shapes();
  const auto instructions = data_.Instructions(computation);
  Structures structures;
  const auto add = [&](uint32_t position) {
    structures.push_back(
        position < instructions.size()
            ? shapes.structure(instructions[position].shape).value
            : 0);
  };
  for (const uint32_t position : data_.Parameters(computation)) add(position);
  add(data_.computations[computation].root);
  return representatives_[computation] =
             by_structure_.emplace(std::move(structures), computation)
                 .first->second;
}

}  // namespace indim
