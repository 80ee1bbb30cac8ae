// Instructions that are printed like one before but for names and metadata:
// most of a large module.

#include <cstring>

#include "indim/ir/byte_hash.h"
#include "indim/ir/text/attribute_text.h"
#include "indim/ir/text/hlo_printer.h"

namespace indim {
namespace {

// Copies a short run of characters without calling anything.
inline char* Copy(const char* from, size_t size, char* to) {
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + size - 8, from + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + size - 4, from + size - 4, 4);
  } else {
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  return to + size;
}

// A module whose lines have less in common isn't worth the memory.
constexpr size_t kMostForms = size_t{1} << 16;

}  // namespace

bool HloPrinter::HaveForms(const PrintOptions& options) {
  return options.ids && options.operand_names && !options.canonical_names &&
         !options.operand_shapes && !options.compact_operands &&
         !options.compact_tuple_elements && !options.color;
}

bool HloPrinter::MayHaveForm(const InstructionRecord& record) const {
  const bool counts_operands =
      options_.index_interval != 0 &&
      record.operand_count > static_cast<uint64_t>(options_.index_interval);
  return has_forms_ && record.callee_count == 0 && record.flags == 0 &&
         !counts_operands && !IsAsync(record.opcode);
}

HloPrinter::Form* HloPrinter::FindForm(uint32_t computation, uint32_t i) {
  const InstructionRecord& record = Record(computation, i);
  if (!MayHaveForm(record)) return nullptr;
  FormKey key;
  key.opcode = record.opcode;
  key.operand_count = record.operand_count;
  key.shape = record.shape;
  key.blob = record.blob;
  // A comparison's type goes by its first operand.
  if (record.opcode == Opcode::kCompare && record.operand_count > 0) {
    key.operand = Record(computation, data_.Operands(record)[0]).shape;
  }
  using byte_hash::kFactors;
  using byte_hash::Mix;
  const uint64_t what = uint64_t{record.operand_count} << 8 |
                        static_cast<uint64_t>(record.opcode);
  const uint64_t ids =
      uint64_t{record.shape.value} << 32 | uint64_t{record.blob.value};
  const uint64_t hash =
      Mix(Mix(what ^ kFactors[0], ids ^ kFactors[1]) ^ key.operand.value,
          kFactors[2]);
  HashIndex::Slot* const slot = form_index_.Find(
      hash, [&](uint32_t index) { return forms_[index].key == key; });
  if (slot->index != HashIndex::kNone) {
    Form* const form = &forms_[slot->index];
    return form->can_be_kept ? form : nullptr;
  }
  if (forms_.size() >= kMostForms) return nullptr;
  Form form;
  form.key = key;
  // Names of control predecessors stand among the attributes; other ops that
  // look at shapes are rare.
  form.can_be_kept = data_.pools->blob(record.blob).control.empty() &&
                     (record.opcode == Opcode::kCompare ||
                      !OpAttributesDependOnShapes(record.opcode));
  form_index_.Put(slot, hash, static_cast<uint32_t>(forms_.size()));
  forms_.push_back(form);
  return form.can_be_kept ? &forms_.back() : nullptr;
}

// Prints the instruction's line but for its indent. What it is made of is
// measured first, so that it is written without looking for room.
void HloPrinter::PrintForm(const Form& form, uint32_t computation, uint32_t i) {
  const ComputationRecord& scope = data_.computations[computation];
  const InstructionRecord& record = Record(computation, i);
  const absl::string_view root = i == scope.root ? "ROOT " : "";
  const size_t percent = options_.percent ? 1 : 0;
  const absl::string_view name = names_.instruction(scope.first + i);
  const absl::Span<const uint32_t> operands =
      record.opcode == Opcode::kConstant || record.opcode == Opcode::kParameter
          ? absl::Span<const uint32_t>()
          : data_.Operands(record);
  constexpr size_t kSeparator = 2;
  size_t size = root.size() + percent + name.size() + form.head.size +
                form.attributes.size;
  for (const uint32_t operand : operands) {
    size +=
        percent + names_.instruction(scope.first + operand).size() + kSeparator;
  }
  if (!operands.empty()) size -= kSeparator;
  const size_t begin = out_.size();
  out_.resize(begin + size);
  const char* const text = out_.data();
  char* to = &out_[begin];
  const auto copy_name = [&to, percent](absl::string_view what) {
    *to = '%';
    to = Copy(what.data(), what.size(), to + percent);
  };
  to = Copy(root.data(), root.size(), to);
  copy_name(name);
  to = Copy(text + form.head.begin, form.head.size, to);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k > 0) to = Copy(", ", kSeparator, to);
    copy_name(names_.instruction(scope.first + operands[k]));
  }
  Copy(text + form.attributes.begin, form.attributes.size, to);
  PrintMetadata(record.metadata);
  out_.append(out_, form.config.begin, form.config.size);
}

}  // namespace indim
