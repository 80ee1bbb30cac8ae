// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/call_names.h"

namespace indim {

CallNames CallNamesOf(Opcode opcode) {
  switch (opcode) {
#define INDIM_CALL_NAME(op, cpp, python) \
  case Opcode::k##op:                    \
    return {cpp, python};
#include "indim/shape/ops/call_names.def"
    default:
      return {Info(opcode).name, ""};
  }
}

}  // namespace indim
