// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/donations.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/leaf_range.h"

namespace indim::internal {

std::vector<Donation> DonationsOf(const Module& module) {
  namespace alias_field = field::HloInputOutputAliasProto_AliasEntryProto;
  const Computation entry = module.entry();
  std::map<int64_t, Instruction> parameters;
  for (const Instruction node : entry.instructions()) {
    if (node.opcode() != Opcode::kParameter) continue;
    parameters[As<ParameterAttributes>(node.attributes()).number] = node;
  }
  std::vector<Donation> donations;
  const FieldList fields(WireMessage::kHloModuleProto,
                         DataOf(module).other_fields);
  const FieldList aliases(
      WireMessage::kHloInputOutputAliasProto,
      fields.Text(field::HloModuleProto::kInputOutputAlias));
  for (const absl::string_view text :
       aliases.Texts(field::HloInputOutputAliasProto::kEntries)) {
    const FieldList alias(
        WireMessage::kHloInputOutputAliasProto_AliasEntryProto, text);
    const auto parameter =
        parameters.find(alias.Number(alias_field::kParameterNumber));
    if (parameter == parameters.end()) continue;
    const LeafRange to = LeavesAt(
        entry.root().shape(), alias.Numbers(alias_field::kOutputShapeIndex));
    const LeafRange from =
        LeavesAt(parameter->second.shape(),
                 alias.Numbers(alias_field::kParameterShapeIndex));
    for (size_t i = 0; i < std::min(to.count, from.count); ++i) {
      donations.push_back({to.first + i, parameter->second, from.first + i});
    }
  }
  return donations;
}

}  // namespace indim::internal
