// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/line_forms.h"

#include <limits>

#include "indim/ir/storage/byte_hash.h"

namespace indim {
namespace {

// A module with more different lines isn't worth the memory.
constexpr size_t kMaxLineForms = size_t{1} << 16;

bool HaveForms(const PrintOptions& options) {
  return options.ids && options.operand_names && !options.canonical_names &&
         !options.operand_shapes && !options.compact_operands &&
         !options.compact_tuple_elements && !options.color;
}

uint64_t HashOf(const FormKey& key) {
  using byte_hash::kFactors;
  const uint64_t low = key[1] * kFactors[0];
  return (low ^ low >> 32 ^ key[2] ^ key[0] << 32) * kFactors[1];
}

}  // namespace

LineForms::LineForms(const ModuleData& data, const PrintOptions& options)
    : data_(data),
      options_(options),
      most_operands_(!HaveForms(options) || data.recorded ? -1
                     : options.index_interval == 0
                         ? std::numeric_limits<int64_t>::max()
                         : options.index_interval) {}

LineForm* LineForms::Find(uint32_t computation, uint32_t i) {
  const uint32_t first = data_.computations[computation].first;
  const InstructionRecord& record = data_.instructions[first + i];
  if (!MayHaveForm(record)) return nullptr;
  FormKey key;
  SetNodeKey(record.opcode, record.operand_count, 0, MetadataId(), record.shape,
             record.attribute_bytes, &key);
  // A comparison's type depends on its first operand.
  if (record.opcode == Opcode::kCompare && record.operand_count > 0) {
    const uint32_t operand = first + data_.operands[record.first_operand];
    AddPart(0, data_.instructions[operand].shape.value, &key);
  }
  const uint64_t hash = HashOf(key);
  const auto known = form_index_.Find(
      hash, [&](uint32_t index) { return SameKey(forms_[index].key, key); });
  if (known) {
    LineForm* const form = &forms_[*known];
    return form->can_be_kept ? form : nullptr;
  }
  if (forms_.size() >= kMaxLineForms) return nullptr;
  form_index_.Insert(hash, static_cast<uint32_t>(forms_.size()));
  LineForm& form = forms_.emplace_back();
  form.key = key;
  // Names of control predecessors are among the attributes; other ops that
  // depend on shapes are rare.
  form.can_be_kept =
      data_.pools->attribute_bytes(record.attribute_bytes).control.empty() &&
      (record.opcode == Opcode::kCompare ||
       !OpAttributesDependOnShapes(record.opcode));
  return form.can_be_kept ? &form : nullptr;
}

AttributePieces* LineForms::FindAttributes(uint32_t computation, uint32_t i) {
  const uint32_t first = data_.computations[computation].first;
  const InstructionRecord& record = data_.instructions[first + i];
  FormKey key;
  SetNodeKey(record.opcode, 0, 0, MetadataId(), ShapeId(),
             record.attribute_bytes, &key);
  if (OpAttributesDependOnShapes(record.opcode)) {
    // A comparison's type depends on its first operand; other such ops are
    // rare.
    if (record.opcode != Opcode::kCompare || record.operand_count == 0) {
      return nullptr;
    }
    const uint32_t operand = first + data_.Operands(record)[0];
    AddPart(0, data_.instructions[operand].shape.value, &key);
  }
  const uint64_t hash = HashOf(key);
  const auto known = attribute_index_.Find(
      hash, [&](uint32_t k) { return SameKey(attributes_[k].key, key); });
  if (known) return &attributes_[*known];
  attribute_index_.Insert(hash, static_cast<uint32_t>(attributes_.size()));
  AttributePieces& pieces = attributes_.emplace_back();
  pieces.key = key;
  pieces.fields = AttributeBytesFields(
      data_.pools->attribute_bytes(record.attribute_bytes));
  return &pieces;
}

void LineForms::Forget() {
  for (LineForm& form : forms_) form.text = TextBuffer::Piece::kNowhere;
  for (AttributePieces& kept : attributes_) {
    kept.own = kept.devices = kept.late = kept.backend_config =
        TextBuffer::Piece();
  }
}

}  // namespace indim
