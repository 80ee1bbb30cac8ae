// SPDX-License-Identifier: Apache-2.0
// Prints names, opcodes and operands: the part before an instruction's
// attributes.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/text/print/printed_shape.h"

namespace indim {
namespace {

// The number of elements of `shape`, with bounded dims at their bound; nullopt:
// not an array of known size.
std::optional<double> ElementCount(const Shape& shape) {
  if (!shape.is_array() || shape.is_unranked()) return std::nullopt;
  double count = 1;
  for (Dim dim : shape.dims()) {
    if (dim.upper() == Dim::kInfinity) return std::nullopt;
    count *= static_cast<double>(dim.upper());
  }
  return count;
}

// Whether all elements are `value` (in complex types without an imaginary
// part).
bool IsAll(const Literal& literal, double value) {
  if (literal.shape().is_tuple()) {
    return std::all_of(
        literal.elements().begin(), literal.elements().end(),
        [value](const Literal& part) { return IsAll(part, value); });
  }
  if (!literal.shape().is_array()) return false;
  const ElementTypeInfo& info = Info(literal.shape().element_type());
  const size_t bytes = static_cast<size_t>(ElementBytes(info.type));
  const size_t count = literal.bytes().size() / bytes;
  for (size_t i = 0; i < count; ++i) {
    if (literal.AsDouble(static_cast<int64_t>(i)) != value) return false;
    if (info.kind != ElementKind::kComplex) continue;
    const absl::string_view imaginary =
        literal.bytes().substr(i * bytes + bytes / 2, bytes / 2);
    if (imaginary.find_first_not_of('\0') != absl::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool IsInteger(const Shape& shape) {
  if (shape.is_tuple()) {
    return std::all_of(shape.elements().begin(), shape.elements().end(),
                       IsInteger);
  }
  if (!shape.is_array()) return false;
  const ElementKind kind = Info(shape.element_type()).kind;
  return kind == ElementKind::kSigned || kind == ElementKind::kUnsigned;
}

constexpr int64_t kAllElements = std::numeric_limits<int64_t>::max();

// The text of a constant if only essential ones are printed: 0 and 1 stand for
// all elements.
std::string EssentialText(const absl::StatusOr<Literal>& literal,
                          const Shape& shape) {
  constexpr double kManyElements = 500000;
  if (!literal.ok()) return "{...}";
  if (IsAll(*literal, 0)) return "0";
  if (IsAll(*literal, 1)) return "1";
  if (IsInteger(shape) && ElementCount(shape).value_or(1) <= kManyElements) {
    return literal->ToString(kAllElements);
  }
  return "{...}";
}

}  // namespace

void HloPrinter::PrintName(absl::string_view name) {
  if (options_.percent) Append('%');
  Append(options_.ids ? name : name.substr(0, name.find('.')));
}

void HloPrinter::PrintInstructionName(Scope* scope, uint32_t i) {
  const uint32_t position = data_.computations[scope->computation].first + i;
  if (HasPlainNames()) {
    char* const to = out_.Room(1 + names_.instruction(position).size());
    out_.EndAt(WriteName(position, to));
    return;
  }
  if (!options_.canonical_names) {
    PrintName(names_.instruction(position));
    return;
  }
  uint32_t& number = scope->canonical[i];
  if (number == 0) number = ++scope->canonical_count;
  Append("tmp_");
  out_.AppendNumber(int64_t{number} - 1);
}

void HloPrinter::PrintOpcode(const Scope& scope, uint32_t i) {
  Color(kColorOpcode);
  const InstructionRecord& record = Record(scope.computation, i);
  const std::optional<uint32_t> wrapped =
      IsAsync(record.opcode) ? async_.Of(scope.computation, i) : std::nullopt;
  if (wrapped) {
    const ComputationRecord& computation = data_.computations[*wrapped];
    Append(data_.OpcodeName(computation.first + computation.root));
    Append(record.opcode == Opcode::kAsyncStart    ? "-start"
           : record.opcode == Opcode::kAsyncUpdate ? "-update"
                                                   : "-done");
  } else {
    Append(data_.OpcodeName(data_.computations[scope.computation].first + i));
  }
  Color(kColorEnd);
}

void HloPrinter::PrintOperands(Scope* scope, uint32_t i) {
  const InstructionRecord& record = Record(scope->computation, i);
  if (record.opcode == Opcode::kConstant) {
    PrintConstant(At(scope->computation, i));
    return;
  }
  if (record.opcode == Opcode::kParameter) {
    if (!options_.parameter_numbers) return;
    out_.AppendNumber(data_.ParameterNumber(record));
    return;
  }
  constexpr size_t kCompactOperands = 4;
  absl::Span<const uint32_t> operands = data_.Operands(record);
  const size_t hidden =
      options_.compact_operands && operands.size() > kCompactOperands
          ? operands.size() - kCompactOperands
          : 0;
  operands.remove_suffix(hidden);
  for (size_t k = 0; k < operands.size(); ++k) {
    AppendListSeparator(static_cast<int64_t>(k), options_.index_interval,
                        &out_);
    PrintOperand(scope, operands[k]);
  }
  if (hidden > 0) {
    Append(", ...(+");
    out_.AppendNumber(static_cast<int64_t>(hidden));
    Append(')');
  }
}

void HloPrinter::PrintOperand(Scope* scope, uint32_t i) {
  const InstructionRecord& record = Record(scope->computation, i);
  if (options_.operand_shapes) shapes_.Print(record.shape, options_.layouts);
  if (!options_.canonical_names && !options_.operand_names) return;
  if (options_.operand_shapes) Append(' ');
  if (options_.compact_tuple_elements &&
      record.opcode == Opcode::kGetTupleElement) {
    PrintTupleElement(scope, i);
  } else {
    PrintInstructionName(scope, i);
  }
}

// "t#1#0" for an element of an element of t.
void HloPrinter::PrintTupleElement(Scope* scope, uint32_t i) {
  // Tuples don't nest deeper.
  constexpr size_t kMaxDepth = 1000;
  std::vector<int64_t> indices;
  while (Record(scope->computation, i).opcode == Opcode::kGetTupleElement &&
         Record(scope->computation, i).operand_count > 0 &&
         indices.size() < kMaxDepth) {
    const Instruction element = At(scope->computation, i);
    indices.push_back(
        As<GetTupleElementAttributes>(element.attributes()).index);
    i = static_cast<uint32_t>(element.operand(0).index());
  }
  PrintInstructionName(scope, i);
  for (size_t k = indices.size(); k > 0; --k) {
    Append('#');
    out_.AppendNumber(indices[k - 1]);
  }
}

void HloPrinter::PrintConstant(const Instruction& instruction) {
  constexpr double kFewElements = 10;
  const Shape& shape = instruction.shape();
  if (options_.essential_constants) {
    Append(EssentialText(instruction.literal(), shape));
    return;
  }
  const std::optional<double> count = ElementCount(shape);
  if (!options_.large_constants && (!count || *count > kFewElements)) {
    Append("{...}");
    return;
  }
  const absl::StatusOr<Literal> literal = instruction.literal();
  Append(literal.ok() ? literal->ToString(kAllElements) : "{...}");
}

}  // namespace indim
