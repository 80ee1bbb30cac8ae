// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/edit_nodes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/final_names.h"
#include "indim/ir/storage/sole_owner.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {

EditNodes::EditNodes(Module module)
    : module_(std::move(module)), old_(&DataOf(module_)) {
  const ModuleData& data = *old_;
  const uint32_t count = static_cast<uint32_t>(data.instructions.size());
  records_ = data.instructions;
  operands_ = data.operands;
  computation_.resize(count, kNone);
  next_.resize(count, kNone);
  previous_.resize(count, kNone);
  keys_.resize(count);
  flags_.resize(count, kErased);  // of no computation, until one has it
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const ComputationRecord& record = data.computations[c];
    for (uint32_t i = 0; i < record.count; ++i) {
      const uint32_t node = record.first + i;
      const InstructionRecord& r = records_[node];
      for (uint32_t k = 0; k < r.operand_count; ++k) {
        operands_[r.first_operand + k] += record.first;
      }
      computation_[node] = c;
      if (i > 0) previous_[node] = node - 1;
      if (i + 1 < record.count) next_[node] = node + 1;
      keys_[node] = (uint64_t{i} + 1) * kKeyStep;
      flags_[node] = 0;
    }
  }
}

Pools& EditNodes::MutablePools() {
  if (own_ == nullptr) {
    // Nobody else can see a pool of a module that nobody else has.
    std::shared_ptr<const ModuleData> data = ModuleAccess::Release(&module_);
    const bool sole = IsSoleOwner(data) && IsSoleOwner(data->pools);
    own_ =
        sole && !escaped_ ? data->pools : std::make_shared<Pools>(*data->pools);
    module_ = ModuleOf(std::move(data));
  } else if (escaped_) {
    own_ = std::make_shared<Pools>(*own_);
  }
  escaped_ = false;
  return *own_;
}

std::shared_ptr<Pools> EditNodes::SharePools() const {
  return own_ != nullptr ? own_ : old_->pools;
}

absl::string_view EditNodes::OpcodeName(uint32_t node) const {
  if (!records_[node].unknown_opcode) return Name(records_[node].opcode);
  if (!is_new(node)) return old_->OpcodeName(node);
  const auto found = new_opcode_names_.find(node);
  return found == new_opcode_names_.end() ? absl::string_view() : found->second;
}

std::string EditNodes::NameOf(uint32_t node) const {
  const absl::string_view given = pools().name(records_[node].name);
  if (!given.empty()) return std::string(given);
  return absl::StrCat(FinalNames::BaseOf(OpcodeName(node)), ".",
                      NameNumber(node));
}

void EditNodes::SetOpcodeName(uint32_t node, absl::string_view name) {
  records_[node].unknown_opcode = 1;
  new_opcode_names_[node] = std::string(name);
}

bool EditNodes::HasControl(uint32_t node) const {
  return !pools()
              .attribute_bytes(records_[node].attribute_bytes)
              .control.empty();
}

int64_t EditNodes::ParameterNumber(uint32_t node) const {
  return FieldList::Of(pools().attribute_bytes(records_[node].attribute_bytes))
      .Number(field::HloInstructionProto::kParameterNumber);
}

bool EditNodes::has_layouts() const {
  if (has_layouts_) return *has_layouts_;
  has_layouts_ = false;
  const ShapeTable& shapes = old_->pools->shapes();
  for (const InstructionRecord& r : old_->instructions) {
    const Shape& shape = shapes.shape(r.shape);
    if (shape.has_rank() && shape.rank() > 0) {
      has_layouts_ = shape.layout() != nullptr;
      break;
    }
  }
  return *has_layouts_;
}

// Spreads the keys of as few nodes as have room enough, so that many insertions
// at one place take little time each. Source: Dietz and Sleator, "Two
// algorithms for maintaining order in a list".
void EditNodes::MakeRoom(uint32_t node) {
  const uint32_t before = previous_[node];
  const uint64_t low = before == kNone ? 0 : keys_[before];
  uint64_t steps = 2;
  uint32_t end = next_[node];
  while (end != kNone && keys_[end] - low <= steps * steps) {
    end = next_[end];
    ++steps;
  }
  const uint64_t step = end == kNone ? kKeyStep : (keys_[end] - low) / steps;
  uint64_t key = low;
  for (uint32_t at = node; at != end; at = next_[at]) keys_[at] = key += step;
}

}  // namespace indim::internal
