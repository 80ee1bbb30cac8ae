// Prints instructions that repeat an earlier one except in names and metadata:
// most of a large module.

#include <cstring>

#include "absl/base/optimization.h"
#include "indim/text/base/copy_text.h"
#include "indim/text/print/hlo_printer.h"

namespace indim {
namespace {

// Modules with longer names are rare.
constexpr size_t kShortName = 128;

// Writes the indent; `to` has room for a further block. Most indents are two
// blanks.
char* WriteIndent(size_t indent, char* to) {
  if (indent <= kCopyBlock) {
    std::memset(to, ' ', kCopyBlock);
  } else {
    std::memset(to, ' ', indent);
  }
  return to + indent;
}

}  // namespace

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

// Reserves room for the whole line at once.
void HloPrinter::PrintForm(const LineForm& form, const Scope& scope,
                           uint32_t i) {
  const ComputationRecord& computation = data_.computations[scope.computation];
  const InstructionRecord& record = data_.instructions[computation.first + i];
  const bool has_operands =
      record.opcode != Opcode::kConstant && record.opcode != Opcode::kParameter;
  const absl::Span<const uint32_t> operands =
      has_operands ? data_.Operands(record) : absl::Span<const uint32_t>();
  // If the metadata was printed before and nothing comes between, this
  // completes the line.
  const TextBuffer::Piece* const metadata =
      record.callee_count == 0 ? metadata_.Find(record.metadata) : nullptr;
  const size_t indent = 2 * static_cast<size_t>(scope.indent);
  size_t room = indent + RoomForNames(computation.first, i, operands) +
                form.head_size + form.attributes.size;
  if (metadata != nullptr) room += metadata->size + form.config.size + 1;
  char* to = WriteIndent(indent, out_.Room(room));
  if (i == computation.root) to = CopyText("ROOT ", to);
  to = WriteName(computation.first + i, to);
  to = out_.CopyPart(form.text, form.head_size, to);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k > 0) to = CopyText(", ", to);
    to = WriteName(computation.first + operands[k], to);
  }
  to = out_.CopyPart(form.text + form.attributes.begin, form.attributes.size,
                     to);
  if (metadata != nullptr) {
    to = out_.CopyPart(metadata->begin, metadata->size, to);
    to = out_.CopyPart(form.text + form.config.begin, form.config.size, to);
    *to++ = '\n';
    out_.EndAt(to);
    return;
  }
  out_.EndAt(to);
  if (record.callee_count > 0) {
    PrintCallees(scope, i);
    out_.Repeat(form.text + form.after_callees.begin, form.after_callees.size);
  }
  metadata_.Append(record.metadata, &out_);
  out_.Repeat(form.text + form.config.begin, form.config.size);
  Append('\n');
}

}  // namespace indim
