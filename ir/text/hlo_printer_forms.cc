// Instructions that are printed like one before but for names and metadata:
// most of a large module.

#include "absl/base/optimization.h"
#include "indim/ir/byte_hash.h"
#include "indim/ir/text/attribute_text.h"
#include "indim/ir/text/copy_text.h"
#include "indim/ir/text/hlo_printer.h"

namespace indim {
namespace {

// A module whose lines have less in common isn't worth the memory.
constexpr size_t kMostForms = size_t{1} << 16;

}  // namespace

// Puts one line together where there is room for sure.
class HloPrinter::LineWriter {
 public:
  // Begins with an indent. What is appended but names takes `room` characters
  // at most.
  LineWriter(size_t indent, size_t room, size_t name_count, bool percent,
             const PrintedNames& names, LineBuffer* buffer)
      : names_(names),
        buffer_(buffer),
        room_(room),
        percent_(percent ? 1 : 0),
        short_names_(names.longest() <= kShortName) {
    if (buffer->indent != indent) {
      buffer->text.assign(indent, ' ');
      buffer->indent = indent;
    }
    // Mostly there is room for all names at once.
    const size_t of_names =
        short_names_ ? name_count * (kShortName + kBefore) : 0;
    Reserve(indent + room + of_names);
    to_ = &buffer->text[0] + indent;
  }

  // `before` has at most kBefore - 1 characters. Leaves the room behind it.
  void AppendName(absl::string_view before, uint32_t position) {
    const absl::string_view name = names_.instruction(position);
    if (ABSL_PREDICT_FALSE(!short_names_)) {
      const size_t used = text().size();
      Reserve(used + kBefore + name.size() + room_);
      to_ = &buffer_->text[0] + used;
    }
    to_ = CopyText(before, to_);
    *to_ = '%';
    to_ = CopyText(name, to_ + percent_);
  }
  void Append(absl::string_view text) { to_ = CopyText(text, to_); }

  absl::string_view text() const {
    const char* const begin = buffer_->text.data();
    return {begin, static_cast<size_t>(to_ - begin)};
  }

 private:
  static constexpr size_t kShortName = 128;
  static constexpr size_t kBefore = 6;  // "ROOT %"

  void Reserve(size_t needed) {
    if (buffer_->text.size() < needed) buffer_->text.resize(2 * needed);
  }

  const PrintedNames& names_;
  LineBuffer* const buffer_;
  const size_t room_;
  const size_t percent_;
  const bool short_names_;
  char* to_;
};

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

// The line is put together where there is room for sure, then appended at once.
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
  size_t room = form.head.size + form.attributes.size;
  if (metadata != nullptr) {
    room += metadata->size + form.config.size + 1;
  }
  LineWriter line(2 * static_cast<size_t>(scope.indent), room,
                  operands.size() + 1, options_.percent, names_, &line_);
  const auto text = [this](const Piece& piece) {
    return absl::string_view(out_.data() + piece.begin, piece.size);
  };
  line.AppendName(i == computation.root ? "ROOT " : "", computation.first + i);
  line.Append(text(form.head));
  absl::string_view separator = "";
  for (const uint32_t operand : operands) {
    line.AppendName(separator, computation.first + operand);
    separator = ", ";
  }
  line.Append(text(form.attributes));
  if (metadata != nullptr) {
    line.Append(text(*metadata));
    line.Append(text(form.config));
    line.Append("\n");
    Append(line.text());
    return;
  }
  Append(line.text());
  if (record.callee_count > 0) {
    PrintCallees(scope, i);
    Repeat(form.after_callees);
  }
  PrintMetadata(record.metadata);
  Repeat(form.config);
  out_.push_back('\n');
}

}  // namespace indim
