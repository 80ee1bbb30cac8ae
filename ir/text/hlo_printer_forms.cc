// Instructions that are printed like one before but for names and metadata:
// most of a large module.

#include <cstring>

#include "absl/base/optimization.h"
#include "indim/ir/byte_hash.h"
#include "indim/ir/text/attribute_text.h"
#include "indim/ir/text/copy_text.h"
#include "indim/ir/text/hlo_printer.h"

namespace indim {
namespace {

// A module whose lines have less in common isn't worth the memory.
constexpr size_t kMostForms = size_t{1} << 16;

// Modules with longer names are rare.
constexpr size_t kShortName = 128;

}  // namespace

bool HloPrinter::HaveForms(const PrintOptions& options) {
  return options.ids && options.operand_names && !options.canonical_names &&
         !options.operand_shapes && !options.compact_operands &&
         !options.compact_tuple_elements && !options.color;
}

HloPrinter::Form* HloPrinter::FindForm(uint32_t computation, uint32_t i) {
  const InstructionRecord& record = Record(computation, i);
  if (!MayHaveForm(record)) return nullptr;
  FormKey key;
  key.ids = uint64_t{record.shape.value} << 32 | record.blob.value;
  key.operand = static_cast<uint64_t>(record.opcode) << 32;
  key.operand_count = record.operand_count;
  // A comparison's type goes by its first operand.
  if (record.opcode == Opcode::kCompare && record.operand_count > 0) {
    key.operand |= Record(computation, data_.Operands(record)[0]).shape.value;
  }
  const uint64_t hash = key.Hash();
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

size_t HloPrinter::RoomForNames(uint32_t first, uint32_t i,
                                absl::Span<const uint32_t> operands) const {
  constexpr size_t kBefore = 6;  // "ROOT %"
  if (ABSL_PREDICT_TRUE(names_.longest() <= kShortName)) {
    return (operands.size() + 1) * (kShortName + kBefore);
  }
  size_t room = names_.instruction(first + i).size() + kBefore;
  for (const uint32_t operand : operands) {
    room += names_.instruction(first + operand).size() + kBefore;
  }
  return room;
}

// Room for the whole line is made at once.
void HloPrinter::PrintForm(const Form& form, const Scope& scope, uint32_t i) {
  const ComputationRecord& computation = data_.computations[scope.computation];
  const InstructionRecord& record = data_.instructions[computation.first + i];
  const bool has_operands =
      record.opcode != Opcode::kConstant && record.opcode != Opcode::kParameter;
  const absl::Span<const uint32_t> operands =
      has_operands ? data_.Operands(record) : absl::Span<const uint32_t>();
  // What was printed before, and nothing in between, makes the line whole.
  const Piece* const metadata =
      record.callee_count == 0 ? FindMetadata(record.metadata) : nullptr;
  const size_t indent = 2 * static_cast<size_t>(scope.indent);
  size_t room = indent + RoomForNames(computation.first, i, operands) +
                form.head.size + form.attributes.size;
  if (metadata != nullptr) room += metadata->size + form.config.size + 1;
  char* to = out_.Room(room);
  const auto append = [&](const Piece& piece) {
    to = out_.CopyPart(piece.begin, piece.size, to);
  };
  const auto append_name = [&](absl::string_view before, uint32_t position) {
    to = CopyText(before, to);
    *to = '%';
    to = CopyText(names_.instruction(computation.first + position),
                  to + (options_.percent ? 1 : 0));
  };
  std::memset(to, ' ', indent);
  to += indent;
  append_name(i == computation.root ? "ROOT " : "", i);
  append(form.head);
  absl::string_view separator = "";
  for (const uint32_t operand : operands) {
    append_name(separator, operand);
    separator = ", ";
  }
  append(form.attributes);
  if (metadata != nullptr) {
    append(*metadata);
    append(form.config);
    *to++ = '\n';
    out_.EndAt(to);
    return;
  }
  out_.EndAt(to);
  if (record.callee_count > 0) {
    PrintCallees(scope, i);
    Repeat(form.after_callees);
  }
  PrintMetadata(record.metadata);
  Repeat(form.config);
  Append('\n');
}

}  // namespace indim
