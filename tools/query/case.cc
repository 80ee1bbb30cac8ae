// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/case.h"

namespace indim {

std::vector<const Shape*> Case::OperandPointers() const {
  std::vector<const Shape*> pointers;
  for (const Shape& operand : operands) pointers.push_back(&operand);
  return pointers;
}

CaseInputs::CaseInputs(const Case& c) : operands_(c.OperandPointers()) {
  for (const Signature& callee : c.callees) callees_.push_back(&callee);
  inputs_.opcode = c.opcode;
  inputs_.operands = operands_;
  inputs_.attributes = &c.attributes;
  inputs_.callees = callees_;
  if (c.result) {
    inputs_.declared = &*c.result;
  } else if (c.declared) {
    inputs_.declared = &*c.declared;
  }
}

}  // namespace indim
