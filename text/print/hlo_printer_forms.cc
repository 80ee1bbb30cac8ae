// Prints instructions that repeat an earlier one except in names and metadata:
// most of a large module.

#include <cstring>

#include "absl/base/optimization.h"
#include "indim/storage/byte_hash.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/copy_text.h"
#include "indim/text/print/hlo_printer.h"

namespace indim {
namespace {

// A module with more different lines isn't worth the memory.
constexpr size_t kMaxLineForms = size_t{1} << 16;

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

bool HloPrinter::HaveForms(const PrintOptions& options) {
  return options.ids && options.operand_names && !options.canonical_names &&
         !options.operand_shapes && !options.compact_operands &&
         !options.compact_tuple_elements && !options.color;
}

HloPrinter::Form* HloPrinter::FindForm(uint32_t computation, uint32_t i) {
  const uint32_t first = data_.computations[computation].first;
  const InstructionRecord& record = data_.instructions[first + i];
  if (!MayHaveForm(record)) return nullptr;
  FormKey key =
      MakeNodeKey<1>(record.opcode, record.operand_count, 0, MetadataId(),
                     record.shape, record.attribute_bytes);
  // A comparison's type depends on its first operand.
  if (record.opcode == Opcode::kCompare && record.operand_count > 0) {
    const uint32_t operand = first + data_.operands[record.first_operand];
    AddPart(0, data_.instructions[operand].shape.value, &key);
  }
  const uint64_t hash = HashOf(key);
  const auto known = form_index_.Find(
      hash, [&](uint32_t index) { return SameKey(forms_[index].key, key); });
  if (known) {
    Form* const form = &forms_[*known];
    return form->can_be_kept ? form : nullptr;
  }
  if (forms_.size() >= kMaxLineForms) return nullptr;
  form_index_.Insert(hash, static_cast<uint32_t>(forms_.size()));
  Form& form = forms_.emplace_back();
  form.key = key;
  // Names of control predecessors are among the attributes; other ops that
  // depend on shapes are rare.
  form.can_be_kept =
      data_.pools->attribute_bytes(record.attribute_bytes).control.empty() &&
      (record.opcode == Opcode::kCompare ||
       !OpAttributesDependOnShapes(record.opcode));
  return form.can_be_kept ? &form : nullptr;
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

// Reserves room for the whole line at once.
void HloPrinter::PrintForm(const Form& form, const Scope& scope, uint32_t i) {
  const ComputationRecord& computation = data_.computations[scope.computation];
  const InstructionRecord& record = data_.instructions[computation.first + i];
  const bool has_operands =
      record.opcode != Opcode::kConstant && record.opcode != Opcode::kParameter;
  const absl::Span<const uint32_t> operands =
      has_operands ? data_.Operands(record) : absl::Span<const uint32_t>();
  // If the metadata was printed before and nothing comes between, this
  // completes the line.
  const Piece* const metadata =
      record.callee_count == 0 ? FindMetadata(record.metadata) : nullptr;
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
    Repeat(form, form.after_callees);
  }
  PrintMetadata(record.metadata);
  Repeat(form, form.config);
  Append('\n');
}

}  // namespace indim
