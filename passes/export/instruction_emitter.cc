// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/instruction_emitter.h"

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "indim/ir/module_access.h"

namespace indim {

InstructionEmitter::InstructionEmitter(ModuleData* old)
    : old_(*old), builder_((old->MutablePools(), *old)) {}

void InstructionEmitter::BeginComputation(uint32_t c) {
  computation_ = c;
  builder_.Begin(old_.computations[c]);
  new_position_.assign(old_.computations[c].count, 0);
}

void InstructionEmitter::BeginInstruction(uint32_t i) {
  instruction_ = i;
  const uint32_t position = old_.Position(computation_, i);
  details_ = DetailsOf(old_, position);
  builder_.SetPlace(details_.place);
  builder_.SetHighHalf(details_.id);
  builder_.SetMetadata(old_.instructions[position].metadata);
}

void InstructionEmitter::MapOperands(const InstructionRecord& r,
                                     std::vector<uint32_t>* operands) const {
  const absl::Span<const uint32_t> old = old_.Operands(r);
  operands->resize(old.size());
  for (size_t k = 0; k < old.size(); ++k) {
    (*operands)[k] = new_position_[old[k]];
  }
}

void InstructionEmitter::EndInstruction(const InstructionRecord& r,
                                        absl::Span<const uint32_t> operands) {
  new_position_[instruction_] =
      builder_.AddLike(r, operands, old_.Callees(r), details_);
}

void InstructionEmitter::EndComputation(std::optional<uint32_t> root) {
  const ComputationRecord& old = old_.computations[computation_];
  builder_.End(root            ? *root
               : old.count > 0 ? new_position_[old.root]
                               : old.root);
}

Module InstructionEmitter::Finish() {
  std::shared_ptr<ModuleData> data = builder_.Take();
  data->recorded = false;
  data->recorded_mark.reset();
  data->ForgetSpellings();
  return internal::ModuleOf(std::move(data));
}

InternedExpansion InstructionEmitter::Intern(const Expansion& expansion) {
  Pools& pools = builder_.pools();
  InternedExpansion interned;
  for (const Expansion::Step& step : expansion.steps) {
    interned.steps.push_back(
        {step.opcode, pools.shapes().Intern(step.shape),
         pools.AddAttributeBytes(step.attribute_bytes.view()), step.operands});
  }
  interned.operands = expansion.operands;
  if (expansion.shape) interned.shape = pools.shapes().Intern(*expansion.shape);
  if (expansion.attribute_bytes)
    interned.attribute_bytes =
        pools.AddAttributeBytes(expansion.attribute_bytes->view());
  return interned;
}

void InstructionEmitter::Follow(const InternedExpansion& expansion,
                                InstructionRecord r,
                                std::vector<uint32_t>* operands) {
  if (expansion.shape) r.shape = *expansion.shape;
  if (expansion.attribute_bytes) r.attribute_bytes = *expansion.attribute_bytes;
  if (expansion.steps.empty()) return EndInstruction(r, *operands);
  const uint32_t first = builder_.count();
  const auto decode = [&](absl::Span<const Expansion::Value> from,
                          absl::InlinedVector<uint32_t, 6>* to) {
    to->clear();
    for (const Expansion::Value value : from) {
      to->push_back(
          value < 0 ? first + static_cast<uint32_t>(Expansion::StepOf(value))
                    : (*operands)[static_cast<size_t>(value)]);
    }
  };
  absl::InlinedVector<uint32_t, 6> values;
  for (const InternedExpansion::Step& step : expansion.steps) {
    decode(step.operands, &values);
    builder_.Add(step.opcode, step.shape, step.attribute_bytes, values);
  }
  decode(expansion.operands, &values);
  EndInstruction(r, values);
}

}  // namespace indim
