// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/splat.h"

#include "absl/strings/strip.h"
#include "indim/proto/codec/literal.h"

namespace indim {

bool IsSplatName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kSplatName)) return false;
  return name.empty() || name[0] == '_' || name[0] == '.';
}

bool IsSplat(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kBroadcast ||
      instruction.operand_count() != 1 || !IsSplatName(instruction.name()) ||
      !instruction.shape().is_array() || !instruction.shape().is_static()) {
    return false;
  }
  const Instruction scalar = instruction.operand(0);
  return scalar.opcode() == Opcode::kConstant && scalar.shape().is_array() &&
         scalar.shape().rank() == 0 &&
         scalar.shape().element_type() == instruction.shape().element_type() &&
         scalar.literal().ok();
}

}  // namespace indim
