// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/hlo_printer.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/copy_text.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/module_header.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using field::HloComputationProto::kExecutionThread;

// The size of text that is passed to the sink at once.
constexpr size_t kHandOn = size_t{4} << 20;

PrintOptions Checked(PrintOptions options, const PrintedNames& names,
                     bool is_recorded) {
  constexpr int kMaxIndent = 1000;
  options.indent = std::min(std::max(options.indent, 0), kMaxIndent);
  options.index_interval = std::max<int64_t>(options.index_interval, 0);
  // Sugar may not be able to express a recorded call.
  options.async_sugar = options.async_sugar && !is_recorded;
  // A number or a reserved word is a name only after "%".
  options.percent =
      options.percent || is_recorded ||
      (options.ids && !options.canonical_names && names.HasReservedWord());
  return options;
}

}  // namespace

std::string PrintHloText(const Module& module, const PrintOptions& options) {
  return HloPrinter(module, options).Print();
}

absl::Status PrintHloText(const Module& module, const PrintOptions& options,
                          absl::FunctionRef<void(absl::string_view)> sink) {
  return HloPrinter(module, options).PrintTo(sink);
}

HloPrinter::HloPrinter(const Module& module, const PrintOptions& options)
    : module_(module),
      data_(internal::DataOf(module)),
      names_(data_),
      options_(Checked(options, names_, data_.recorded)),
      order_(data_),
      metadata_(data_, options_, order_.by_id()),
      shapes_(data_, options_, names_, &out_),
      forms_(data_, options_),
      async_(data_, options_.async_sugar, options_.exact_sugar) {}

// Nine real modules in ten need at most this; growing would copy the text.
constexpr size_t kBytesPerInstruction = 208;

std::string HloPrinter::Print() {
  out_.Reserve(data_.instructions.size() * kBytesPerInstruction);
  PrintModule();
  return out_.Take();
}

absl::Status HloPrinter::PrintTo(
    absl::FunctionRef<void(absl::string_view)> sink) {
  sink_ = &sink;
  out_.Reserve(
      std::min(data_.instructions.size() * kBytesPerInstruction, 2 * kHandOn));
  PrintModule();
  sink(out_.substr(0, out_.size()));
  if (!bodies_.left_out) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "computations inside computations would take more than ",
      options_.max_body_text >> 20, " MiB of text, or nest deeper than ",
      kMaxBodyDepth, " levels; names stand for the last of them"));
}

void HloPrinter::HandOn() {
  if (sink_ == nullptr || out_.size() < kHandOn) return;
  (*sink_)(out_.substr(0, out_.size()));
  out_.Truncate(0);
  shapes_.Forget();
  metadata_.Forget();
  forms_.Forget();
}

void HloPrinter::PrintModule() {
  PrintHeader();
  metadata_.AppendTables(&out_);
  Append("\n\n");
  PrintComputations();
}

void HloPrinter::PrintHeader() {
  std::string made;
  AppendModuleHeader(
      module_, names_.module(), options_,
      [&] {
        Append(made);
        made.clear();
        shapes_.PrintEntryLayout();
      },
      &made);
  Append(made);
}

std::string HloPrinter::HeaderText() {
  const size_t begin = out_.size();
  PrintHeader();
  return std::string(out_.substr(begin, out_.size() - begin));
}

void HloPrinter::PrintComputations() {
  const std::vector<uint32_t> order = options_.sorted_computations
                                          ? SortedComputations()
                                          : ComputationOrder(data_);
  for (uint32_t computation : order) {
    if (async_.IsHidden(computation)) continue;
    PrintComputation(computation, options_.indent, /*is_nested=*/false);
    Append("\n\n");
  }
}

std::vector<uint32_t> HloPrinter::SortedComputations() {
  std::vector<std::string> texts(data_.computations.size());
  std::vector<uint32_t> order(texts.size());
  for (uint32_t c = 0; c < texts.size(); ++c) {
    // Pieces point into out_, so each text has a printer of its own.
    PrintOptions options = PrintOptions::ModuleFingerprint();
    options.subcomputations = Subcomputations::kNone;
    HloPrinter printer(module_, options);
    printer.PrintComputation(c, /*indent=*/0, /*is_nested=*/true);
    texts[c] = printer.out_.Take();
    order[c] = c;
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const uint32_t size_a = data_.computations[a].count;
    const uint32_t size_b = data_.computations[b].count;
    return size_a != size_b ? size_a < size_b : texts[a] < texts[b];
  });
  return order;
}

void HloPrinter::PrintComputation(uint32_t computation, int indent,
                                  bool is_nested) {
  const ComputationRecord& record = data_.computations[computation];
  PrintIndent(indent);
  if (!is_nested) {
    if (computation == data_.entry) {
      Color(kColorKeyword);
      Append("ENTRY ");
      Color(kColorEnd);
    }
    if (options_.percent) Append('%');
    if (options_.ids) {
      Color(kColorName);
      Append(names_.computation(computation));
      Color(kColorEnd);
      Append(' ');
    }
  }
  if (options_.program_shape) shapes_.PrintSignature(computation);
  Append("{\n");
  Scope scope{computation, indent + 1, {}};
  if (options_.canonical_names) scope.canonical.resize(record.count);
  for (uint32_t i : order_.Of(computation, /*scheduled=*/!is_nested)) {
    PrintInstruction(&scope, i);
    if (!is_nested) HandOn();
  }
  PrintIndent(indent);
  Append('}');
  FieldList fields(WireMessage::kHloComputationProto, record.other_fields);
  const absl::string_view thread = fields.Text(kExecutionThread);
  if (options_.ids && !thread.empty() && thread != kMainThread) {
    Append(", execution_thread=\"");
    Append(thread);
    Append('"');
  }
  const absl::string_view config =
      fields.Text(field::HloComputationProto::kBackendConfig);
  if (options_.backend_config && !config.empty()) {
    Append(", backend_config=");
    out_.AppendWith([&](std::string* to) { AppendJsonOrText(config, to); });
  }
  constexpr uint32_t kManyInstructions = 5;
  if (options_.name_after_brace && record.count > kManyInstructions) {
    Append(" // ");
    Append(names_.computation(computation));
  }
}

void HloPrinter::PrintInstruction(Scope* scope, uint32_t i) {
  if (options_.compact_tuple_elements &&
      Record(scope->computation, i).opcode == Opcode::kGetTupleElement &&
      i != data_.computations[scope->computation].root) {
    return;
  }
  LineForm* const form = forms_.Find(scope->computation, i);
  if (form != nullptr && form->text != TextBuffer::Piece::kNowhere) {
    PrintForm(*form, *scope, i);
    return;
  }
  PrintIndent(scope->indent);
  PrintLeftHandSide(scope, i);
  PrintRightHandSide(scope, i, form);
  Append('\n');
}

void HloPrinter::PrintLeftHandSide(Scope* scope, uint32_t i) {
  if (i == data_.computations[scope->computation].root) {
    Color(kColorKeyword);
    Append("ROOT ");
    Color(kColorEnd);
  }
  Color(kColorName);
  PrintInstructionName(scope, i);
  Color(kColorEnd);
  Append(" = ");
}

void HloPrinter::PrintRightHandSide(Scope* scope, uint32_t i, LineForm* form) {
  const size_t begin = out_.size();
  const ShapeId shape = Record(scope->computation, i).shape;
  if (options_.result_shape && shapes_.IsPrinted(shape)) {
    shapes_.Print(shape, options_.layouts);
    Append(' ');
  }
  PrintOpcode(*scope, i);
  Append('(');
  const size_t operands = out_.size();
  PrintOperands(scope, i);
  const size_t attributes = out_.size();
  Append(')');
  const Instruction instruction = At(scope->computation, i);
  std::optional<AttributePieces> unkept;
  AttributePieces* kept = forms_.FindAttributes(scope->computation, i);
  if (kept == nullptr) {
    kept = &unkept.emplace();
    kept->fields =
        AttributeBytesFields(internal::AttributeBytesOf(instruction));
  }
  const TextBuffer::Piece callees = PrintAttributes(*scope, i, kept);
  const size_t metadata = out_.size();
  metadata_.Append(internal::RecordOf(instruction).metadata, &out_);
  const size_t config = out_.size();
  if (options_.backend_config) {
    out_.AppendOnce(&kept->backend_config, [&] {
      out_.AppendWith([&](std::string* to) {
        AppendBackendConfig(instruction, kept->fields, options_, to);
      });
    });
  }
  // Any line that may recur fits in 32 bits.
  if (form == nullptr ||
      out_.size() - begin > std::numeric_limits<uint32_t>::max() / 2) {
    return;
  }
  const Opcode opcode = instruction.opcode();
  const bool has_operands =
      opcode != Opcode::kConstant && opcode != Opcode::kParameter;
  constexpr absl::string_view kEquals = " = ";
  const size_t text = begin - kEquals.size();
  const auto part = [text](size_t from, size_t to) {
    return LineForm::Range{static_cast<uint32_t>(from - text),
                           static_cast<uint32_t>(to - from)};
  };
  form->text = text;
  form->head_size = part(text, has_operands ? operands : attributes).size;
  const bool has_callees = internal::RecordOf(instruction).callee_count > 0;
  form->attributes = part(attributes, has_callees ? callees.begin : metadata);
  form->after_callees =
      part(has_callees ? callees.begin + callees.size : metadata, metadata);
  form->config = part(config, out_.size());
}

void HloPrinter::PrintForm(const LineForm& form, const Scope& scope,
                           uint32_t i) {
  const ComputationRecord& computation = data_.computations[scope.computation];
  const InstructionRecord& record = data_.instructions[computation.first + i];
  const bool has_operands =
      record.opcode != Opcode::kConstant && record.opcode != Opcode::kParameter;
  const absl::Span<const uint32_t> operands =
      has_operands ? data_.Operands(record) : absl::Span<const uint32_t>();
  PrintIndent(scope.indent);
  constexpr size_t kBefore = 6;  // "ROOT %"
  size_t room = form.head_size + form.attributes.size + kBefore +
                names_.instruction(computation.first + i).size();
  for (const uint32_t operand : operands) {
    room += kBefore + names_.instruction(computation.first + operand).size();
  }
  char* to = out_.Room(room);
  if (i == computation.root) to = CopyText("ROOT ", to);
  to = WriteName(computation.first + i, to);
  to = out_.CopyPart(form.text, form.head_size, to);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k > 0) to = CopyText(", ", to);
    to = WriteName(computation.first + operands[k], to);
  }
  to = out_.CopyPart(form.text + form.attributes.begin, form.attributes.size,
                     to);
  out_.EndAt(to);
  if (record.callee_count > 0) {
    PrintCallees(scope, i);
    out_.Repeat(form.text + form.after_callees.begin, form.after_callees.size);
  }
  metadata_.Append(record.metadata, &out_);
  out_.Repeat(form.text + form.config.begin, form.config.size);
  Append('\n');
}

std::string HloPrinter::InstructionText(uint32_t computation, uint32_t i,
                                        bool named) {
  Scope scope{computation, /*indent=*/0, {}};
  if (options_.canonical_names) {
    scope.canonical.resize(data_.computations[computation].count);
  }
  const size_t begin = out_.size();
  if (named) PrintLeftHandSide(&scope, i);
  PrintRightHandSide(&scope, i);
  // The text stays in out_, from which pieces may be copied.
  return std::string(out_.substr(begin, out_.size() - begin));
}

std::string HloPrinter::ComputationName(uint32_t computation) const {
  return absl::StrCat(computation == data_.entry ? "ENTRY " : "",
                      options_.percent ? "%" : "",
                      names_.computation(computation));
}

}  // namespace indim
