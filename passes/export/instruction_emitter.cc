#include "indim/passes/export/instruction_emitter.h"

#include <algorithm>
#include <utility>

#include "indim/ir/module_access.h"

namespace indim {
namespace {

constexpr int64_t kLowHalf = 0xffffffff;

}  // namespace

InstructionEmitter::InstructionEmitter(ModuleData* old)
    : old_(*old),
      pools_(old->MutablePools()),
      new_(std::make_shared<ModuleData>()) {
  new_->pools = old_.pools;
  new_->name = old_.name;
  new_->id = old_.id;
  new_->entry = old_.entry;
  new_->entry_name = old_.entry_name;
  new_->host_program_shape = old_.host_program_shape;
  new_->other_fields = old_.other_fields;
  new_->config = old_.config;
  new_->names_as_read = old_.names_as_read;
  if (old_.places != nullptr) {
    places_ = std::make_shared<TextPositions>(old_.places->file());
  }
  new_->computations.reserve(old_.computations.size());
  // Reserves room for one broadcast per two instructions; memory is only taken
  // when it is used.
  const size_t count = old_.instructions.size() + old_.instructions.size() / 2;
  new_->instructions.reserve(count);
  new_->operands.reserve(old_.operands.size() + old_.instructions.size() / 2);
  new_->ids.reserve(count);
  for (uint32_t i = 0; i < old_.instructions.size(); ++i) {
    last_low_id_ = std::max(last_low_id_, old_.InstructionId(i) & kLowHalf);
  }
}

void InstructionEmitter::BeginComputation(uint32_t c) {
  computation_ = c;
  ComputationRecord record = old_.computations[c];
  record.first = static_cast<uint32_t>(new_->instructions.size());
  record.count = 0;
  new_->computations.push_back(std::move(record));
  new_position_.assign(old_.computations[c].count, 0);
}

void InstructionEmitter::BeginInstruction(uint32_t i) { instruction_ = i; }

void InstructionEmitter::MapOperands(const InstructionRecord& r,
                                     std::vector<uint32_t>* operands) const {
  const absl::Span<const uint32_t> old = old_.Operands(r);
  operands->resize(old.size());
  for (size_t k = 0; k < old.size(); ++k) {
    (*operands)[k] = new_position_[old[k]];
  }
}

void InstructionEmitter::Push(InstructionRecord r,
                              absl::Span<const uint32_t> operands,
                              absl::Span<const uint32_t> callees, int64_t id,
                              uint32_t old_position) {
  r.first_operand = static_cast<uint32_t>(new_->operands.size());
  r.operand_count = static_cast<uint32_t>(operands.size());
  r.SetCalleeCount(callees.size());
  new_->operands.insert(new_->operands.end(), operands.begin(), operands.end());
  new_->operands.insert(new_->operands.end(), callees.begin(), callees.end());
  new_->instructions.push_back(r);
  new_->ids.push_back(id);
  if (places_ != nullptr) places_->Add(old_.places->at(old_position));
  ++new_->computations.back().count;
}

void InstructionEmitter::EndInstruction(const InstructionRecord& r,
                                        absl::Span<const uint32_t> operands) {
  const uint32_t old_position =
      old_.computations[computation_].first + instruction_;
  const uint32_t position = static_cast<uint32_t>(new_->instructions.size());
  new_position_[instruction_] = new_->computations.back().count;
  if (r.unknown_opcode) {
    const auto name =
        std::lower_bound(old_.opcode_names.begin(), old_.opcode_names.end(),
                         std::make_pair(old_position, std::string()));
    if (name != old_.opcode_names.end() && name->first == old_position) {
      new_->opcode_names.emplace_back(position, name->second);
    }
  }
  if (places_ != nullptr) {
    const absl::string_view name = old_.places->name(old_position);
    if (!name.empty()) places_->SetName(position, name);
  }
  Push(r, operands, old_.Callees(r), old_.InstructionId(old_position),
       old_position);
}

void InstructionEmitter::EndComputation() {
  ComputationRecord& record = new_->computations.back();
  if (record.count > 0) record.root = new_position_[record.root];
}

Module InstructionEmitter::Finish() {
  new_->ForgetSpellings();
  new_->places = std::move(places_);
  return internal::ModuleOf(std::move(new_));
}

InternedExpansion InstructionEmitter::Intern(const Expansion& expansion) {
  InternedExpansion interned;
  for (const Expansion::Step& step : expansion.steps) {
    interned.steps.push_back(
        {step.opcode, pools_.shapes().Intern(step.shape),
         pools_.AddAttributeBytes(step.attribute_bytes.view()), step.operands});
  }
  interned.operands = expansion.operands;
  if (expansion.shape)
    interned.shape = pools_.shapes().Intern(*expansion.shape);
  if (expansion.attribute_bytes)
    interned.attribute_bytes =
        pools_.AddAttributeBytes(expansion.attribute_bytes->view());
  return interned;
}

void InstructionEmitter::Follow(const InternedExpansion& expansion,
                                InstructionRecord r,
                                std::vector<uint32_t>* operands) {
  if (expansion.shape) r.shape = *expansion.shape;
  if (expansion.attribute_bytes) r.attribute_bytes = *expansion.attribute_bytes;
  if (expansion.steps.empty()) return EndInstruction(r, *operands);
  const uint32_t first = new_->computations.back().count;
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
    EmitStep(step, values);
  }
  decode(expansion.operands, &values);
  EndInstruction(r, values);
}

void InstructionEmitter::EmitStep(const InternedExpansion::Step& step,
                                  absl::Span<const uint32_t> operands) {
  EmitNew(step.opcode, step.shape, step.attribute_bytes, operands);
}

uint32_t InstructionEmitter::Emit(Opcode opcode, const Shape& shape,
                                  AttributeBytesView attribute_bytes,
                                  absl::Span<const uint32_t> operands) {
  const uint32_t position = new_->computations.back().count;
  EmitNew(opcode, pools_.shapes().Intern(shape),
          pools_.AddAttributeBytes(attribute_bytes), operands);
  return position;
}

const Shape& InstructionEmitter::shape(uint32_t value) const {
  const uint32_t first = new_->computations.back().first;
  return pools_.shapes().shape(new_->instructions[first + value].shape);
}

void InstructionEmitter::EmitNew(Opcode opcode, ShapeId shape,
                                 AttributeBytesId attribute_bytes,
                                 absl::Span<const uint32_t> operands) {
  const uint32_t user = old_.computations[computation_].first + instruction_;
  InstructionRecord r;
  r.opcode = opcode;
  r.shape = shape;
  r.attribute_bytes = attribute_bytes;
  r.metadata = old_.instructions[user].metadata;
  const int64_t high = old_.InstructionId(user) & ~kLowHalf;
  Push(r, operands, {}, high | ++last_low_id_, user);
}

}  // namespace indim
