#include "indim/tools/query/case.h"

namespace indim {

CaseInputs::CaseInputs(const Case& c) {
  for (const Shape& operand : c.operands) operands_.push_back(&operand);
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
