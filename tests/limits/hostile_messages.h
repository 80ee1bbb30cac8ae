// SPDX-License-Identifier: Apache-2.0
// What inputs that ask for too much are made of: small modules as messages, and
// texts around them. Only the files that make the inputs need it.
#ifndef INDIM_TESTS_LIMITS_HOSTILE_MESSAGES_H_
#define INDIM_TESTS_LIMITS_HOSTILE_MESSAGES_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/proto/hlo.pb.h"
#include "indim/tests/limits/hostile_inputs.h"

namespace indim {

using proto::HloComputationProto;
using proto::HloInstructionProto;
using proto::HloModuleProto;
using Inputs = std::vector<HostileInput>;
using Says = std::vector<std::string>;

inline constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

std::string Times(int n, absl::string_view piece,
                  absl::string_view between = "");

HloInstructionProto* AddInstruction(HloComputationProto* computation,
                                    const std::string& opcode, int64_t id);

HloComputationProto* AddComputation(HloModuleProto* module, int64_t id);

// A module "m" of one computation with a parameter x, id 1.
HloModuleProto Base();

// The module in both forms that hold the message.
void AddMessage(const std::string& name, const HloModuleProto& module,
                const Says& says, Inputs* to);

void AddText(const std::string& name, const std::string& instructions,
             const Says& says, Inputs* to);

// A change of the base module's last instruction.
void AddChanged(const std::string& name, const Says& says, Inputs* to,
                const std::function<void(HloInstructionProto*)>& change);

// `bytes` in field `number`, `n` times in each other.
std::string NestBytes(uint32_t number, int n, std::string bytes);

// The base module, with `bytes` in field `number` of its instruction.
std::string WithInstructionField(uint32_t number, const std::string& bytes);

}  // namespace indim

#endif  // INDIM_TESTS_LIMITS_HOSTILE_MESSAGES_H_
