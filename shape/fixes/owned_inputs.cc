// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/fixes/owned_inputs.h"

#include <cstddef>
#include <utility>
#include <variant>

namespace indim {

OwnedInputs::OwnedInputs(const OpInputs& inputs) : opcode(inputs.opcode) {
  for (const Shape* operand : inputs.operands) operands.push_back(*operand);
  if (inputs.attributes != nullptr) attributes = *inputs.attributes;
  for (const Signature* callee : inputs.callees) callees.push_back(*callee);
  if (inputs.declared != nullptr) declared = *inputs.declared;
}

void OwnedInputs::Apply(const Fix& fix) {
  const auto index = static_cast<size_t>(fix.index);
  switch (fix.what) {
    case Fix::What::kOperand:
      if (index < operands.size()) operands[index] = fix.shape;
      break;
    case Fix::What::kAttribute:
      fix.attribute->set(&attributes, fix.numbers);
      break;
    case Fix::What::kRecorded:
      declared = fix.shape;
      break;
    case Fix::What::kCallee:
      if (index < callees.size()) callees[index] = fix.callee;
      break;
    case Fix::What::kOperandCount:
      operands.resize(index, operands.empty() ? Shape::Scalar(ElementType::kF32)
                                              : Shape(operands.back()));
      break;
    case Fix::What::kBroadcast:
      if (auto* compare = std::get_if<CompareAttributes>(&attributes)) {
        compare->broadcast = {BroadcastRule::kXla, fix.numbers};
      } else {
        ElementwiseAttributes changed = As<ElementwiseAttributes>(attributes);
        changed.broadcast = {BroadcastRule::kXla, fix.numbers};
        attributes = changed;
      }
      break;
    case Fix::What::kSwapped:
      if (operands.size() >= 2) std::swap(operands[0], operands[1]);
      break;
    case Fix::What::kUnwrapped:  // make it an element of a tuple
      if (index < operands.size()) {
        operands[index] = Shape::Tuple({operands[index]});
      }
      break;
    case Fix::What::kContraction:
      attributes = fix.attributes;
      break;
  }
}

OpInputs OwnedInputs::View() {
  operand_pointers_.clear();
  for (const Shape& operand : operands) operand_pointers_.push_back(&operand);
  callee_pointers_.clear();
  for (const Signature& callee : callees) callee_pointers_.push_back(&callee);
  OpInputs inputs;
  inputs.opcode = opcode;
  inputs.operands = operand_pointers_;
  inputs.attributes = &attributes;
  inputs.callees = callee_pointers_;
  inputs.declared = declared.is_none() ? nullptr : &declared;
  return inputs;
}

}  // namespace indim
