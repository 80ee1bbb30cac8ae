// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module_data.h"

#include <algorithm>

#include "indim/ir/storage/sole_owner.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

// The value at a position; `pairs` are sorted by position.
template <typename Value>
const Value* Find(const std::vector<std::pair<uint32_t, Value>>& pairs,
                  uint32_t position) {
  if (pairs.empty()) return nullptr;
  auto it = std::lower_bound(
      pairs.begin(), pairs.end(), position,
      [](const auto& pair, uint32_t p) { return pair.first < p; });
  return it != pairs.end() && it->first == position ? &it->second : nullptr;
}

}  // namespace

// Its field is the last before the id, after a literal if there is one.
int64_t ModuleData::ParameterNumber(const InstructionRecord& r) const {
  using field::HloInstructionProto::kParameterNumber;
  constexpr uint32_t kTag = MakeTag(kParameterNumber, WireType::kVarint);
  WireReader reader(pools->attribute_bytes(r.attribute_bytes).before_id);
  while (!reader.done()) {
    uint64_t number;
    if (reader.ConsumeTag(kTag)) {
      return reader.ReadVarint(&number) ? static_cast<int64_t>(number) : 0;
    }
    uint32_t tag;
    if (!reader.ReadTag(&tag) || TagNumber(tag) > kParameterNumber ||
        !reader.SkipValue(tag, kMaxWireDepth)) {
      break;
    }
  }
  return 0;
}

ModuleData::Positions ModuleData::Parameters(uint32_t computation) const {
  const absl::Span<const InstructionRecord> records = Instructions(computation);
  Positions found;
  bool in_order = true;  // nearly always true
  for (uint32_t i = 0; i < records.size(); ++i) {
    if (records[i].opcode != Opcode::kParameter) continue;
    in_order = in_order && ParameterNumber(records[i]) ==
                               static_cast<int64_t>(found.size());
    found.push_back(i);
  }
  return in_order ? found : ParametersByNumber(computation, found);
}

ModuleData::Positions ModuleData::ParametersByNumber(
    uint32_t computation, absl::Span<const uint32_t> parameters) const {
  const absl::Span<const InstructionRecord> records = Instructions(computation);
  const uint32_t none = static_cast<uint32_t>(records.size());
  Positions by_number(parameters.size(), none);
  for (const uint32_t i : parameters) {
    const int64_t number = ParameterNumber(records[i]);
    if (number < 0 || number >= static_cast<int64_t>(parameters.size())) {
      continue;
    }
    uint32_t& slot = by_number[static_cast<size_t>(number)];
    if (slot == none) slot = i;
  }
  return by_number;
}

absl::string_view ModuleData::OpcodeName(uint32_t position) const {
  const InstructionRecord& record = instructions[position];
  if (!record.unknown_opcode) {
    return Name(record.opcode);
  }
  const std::string* name = Find(opcode_names, position);
  return name == nullptr ? absl::string_view() : absl::string_view(*name);
}

const int64_t* ModuleData::RootSpelling(uint32_t computation) const {
  return Find(root_spellings, computation);
}

Pools& ModuleData::MutablePools() {
  if (!IsSoleOwner(pools)) pools = std::make_shared<Pools>(*pools);
  return *pools;
}

void ModuleData::ForgetProgramShapes() {
  host_program_shape = {};
  host_program_shape_when_empty = WhenEmpty::kMake;
  for (ComputationRecord& computation : computations) {
    computation.program_shape = {};
    computation.program_shape_when_empty = WhenEmpty::kMake;
  }
}

void ModuleData::ForgetSpellings() {
  ForgetProgramShapes();
  entry_name.clear();
  entry_name_when_empty = WhenEmpty::kMake;
  names_as_read = false;
  operand_spellings.clear();
  root_spellings.clear();
  for (ComputationRecord& computation : computations) {
    if (computation.name == Pools::kNameless) computation.name = NameId();
  }
  for (InstructionRecord& instruction : instructions) {
    if (instruction.name == Pools::kNameless) instruction.name = NameId();
  }
}

}  // namespace indim
