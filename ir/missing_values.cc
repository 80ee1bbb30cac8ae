// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/missing_values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {

bool LacksValues(const ModuleData& data, const InstructionRecord& r) {
  bool has_values = true;
  if (r.opcode == Opcode::kConstant) {
    AttributeBytesField(data.pools->attribute_bytes(r.attribute_bytes),
                        field::HloInstructionProto::kLiteral, &has_values);
  }
  return !has_values;
}

std::vector<Instruction> ConstantsWithoutValues(const ModuleData& data) {
  std::vector<Instruction> without;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const ComputationRecord& computation = data.computations[c];
    for (uint32_t i = 0; i < computation.count; ++i) {
      if (LacksValues(data, data.instructions[computation.first + i])) {
        without.push_back(internal::InstructionOf(&data, c, i));
      }
    }
  }
  return without;
}

std::optional<ModuleDiagnostic> MissingValuesWarning(const ModuleData& data) {
  const std::vector<Instruction> without = ConstantsWithoutValues(data);
  if (without.empty()) return std::nullopt;
  ModuleDiagnostic warning;
  warning.diagnostic.code = Code::kConstantUnknown;
  const size_t others = without.size() - 1;
  warning.diagnostic.args.push_back(
      others == 0 ? std::string()
                  : absl::StrCat(" (and those of ", others, " more)"));
  warning.computation = static_cast<uint32_t>(without[0].computation().index());
  warning.instruction = static_cast<uint32_t>(without[0].index());
  return warning;
}

Diagnostic MissingValuesError(absl::string_view needs) {
  Diagnostic error;
  error.code = Code::kValuesMissing;
  error.args.push_back(std::string(needs));
  return error;
}

}  // namespace indim
