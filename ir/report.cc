// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/report.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/fixes/fix.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;

// Most operands on an instruction's line, and most lines about operands or
// callees.
constexpr int kMaxOperands = 8;
constexpr int kMaxOperandLines = 4;
constexpr size_t kMaxShape = 200;
constexpr size_t kMaxFile = 1000;
// Blanks between the longest line and the places.
constexpr size_t kGap = 8;
// Longer values of constants are not shown.
constexpr size_t kMaxLiteralBytes = 4096;
constexpr int64_t kMaxLiteralElements = 10;

// --- Words ------------------------------------------------------------------

std::string NameOf(const Instruction& instruction) {
  return Printable(instruction.text_name());
}

std::string ShapeText(const Shape& shape) {
  return Printable(shape.WithoutLayout().ToString(), kMaxShape);
}

std::string LocationText(const SourceLocation& location) {
  if (location.file.empty()) return "";
  std::string text = Printable(location.file, kMaxFile);
  if (location.line > 0) absl::StrAppend(&text, ":", location.line);
  if (location.column > 0) absl::StrAppend(&text, ":", location.column);
  return text;
}

std::string LiteralText(const Instruction& instruction) {
  if (AttributeBytesField(internal::AttributeBytesOf(instruction), kLiteral)
          .size() > kMaxLiteralBytes) {
    return "{...}";
  }
  const absl::StatusOr<Literal> literal = instruction.literal();
  return literal.ok() ? literal->ToString(kMaxLiteralElements) : "";
}

// The text between the parentheses.
std::string OperandsText(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kParameter) {
    return absl::StrCat(
        As<ParameterAttributes>(instruction.attributes()).number);
  }
  if (instruction.opcode() == Opcode::kConstant) {
    return LiteralText(instruction);
  }
  std::string text;
  const int count = instruction.operand_count();
  for (int i = 0; i < std::min(count, kMaxOperands); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", "%",
                    NameOf(instruction.operand(i)));
  }
  if (count > kMaxOperands) {
    absl::StrAppend(&text, ", ..., ", count - kMaxOperands, " more");
  }
  return text;
}

// "f32[8,10] dot(%x, %w)"
std::string RightHandSide(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  return absl::StrCat(shape.is_none() ? "" : ShapeText(shape) + " ",
                      Printable(instruction.opcode_name()), "(",
                      OperandsText(instruction), ")");
}

// --- The subject of a diagnostic --------------------------------------------

// A DiagnosticSubject with the strings that it points to.
struct Subject {
  std::string op;
  std::vector<const Shape*> operands;
  DiagnosticSubject view;
};

const BroadcastSpec* BroadcastOf(const Attributes& attributes) {
  if (const auto* binary = std::get_if<ElementwiseAttributes>(&attributes)) {
    return &binary->broadcast;
  }
  if (const auto* compare = std::get_if<CompareAttributes>(&attributes)) {
    return &compare->broadcast;
  }
  return nullptr;
}

void FillSubject(const Instruction& instruction, Subject* subject) {
  subject->op = Printable(instruction.opcode_name());
  for (Instruction operand : instruction.operands()) {
    subject->operands.push_back(&operand.shape());
  }
  subject->view.op = subject->op;
  subject->view.operands = subject->operands;
  if (!instruction.shape().is_none()) {
    subject->view.declared = &instruction.shape();
  }
  const BroadcastSpec* spec = BroadcastOf(instruction.attributes());
  if (spec != nullptr && spec->dimensions) {
    subject->view.broadcast_dimensions = *spec->dimensions;
  }
}

// --- The lines of a rendered diagnostic -------------------------------------

// The file's name with ": " after it; "" where it has none.
std::string FilePrefix(absl::string_view file) {
  return file.empty() ? "" : Printable(file, kMaxFile) + ": ";
}

// Lines "%name = ...   place", with names and places aligned.
class InstructionLines {
 public:
  void Add(const Instruction& instruction) {
    lines_.push_back({"%" + NameOf(instruction), RightHandSide(instruction),
                      PlaceText(instruction)});
  }
  // A callee, with the place of its root.
  void Add(const Computation& callee) {
    lines_.push_back(
        {Printable(callee.name()),
         Printable(callee.signature().ToString(), kMaxShape),
         callee.instruction_count() > 0 ? PlaceText(callee.root()) : ""});
  }
  void AppendTo(std::string* text) const {
    size_t name_width = 0;
    size_t width = 0;
    for (const Line& line : lines_) {
      name_width = std::max(name_width, std::min(line.name.size(), kWideName));
      width = std::max(width, std::min(line.right.size(), kWideLine));
    }
    for (const Line& line : lines_) {
      absl::StrAppend(text, "    ", line.name,
                      Blanks(name_width, line.name.size()), " = ", line.right);
      if (!line.place.empty()) {
        absl::StrAppend(text, Blanks(width, line.right.size()),
                        std::string(kGap, ' '), line.place);
      }
      absl::StrAppend(text, "\n");
    }
  }

 private:
  // Wider names and lines don't widen the alignment.
  static constexpr size_t kWideName = 40;
  static constexpr size_t kWideLine = 100;
  static std::string Blanks(size_t width, size_t used) {
    return std::string(used < width ? width - used : 0, ' ');
  }

  struct Line {
    std::string name;
    std::string right;
    std::string place;
  };
  std::vector<Line> lines_;
};

// The operands to show: all if they are few; else those of the diagnostic, or
// the first ones. Each instruction once.
std::vector<int> OperandsToShow(const Instruction& instruction,
                                const Diagnostic& diagnostic) {
  const int count = instruction.operand_count();
  std::vector<int> chosen;
  if (count <= kMaxOperandLines) {
    for (int i = 0; i < count; ++i) chosen.push_back(i);
  } else {
    for (int i : {diagnostic.operand, diagnostic.other_operand}) {
      if (i >= 0 && i < count) chosen.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    if (chosen.empty()) {
      for (int i = 0; i < kMaxOperandLines; ++i) chosen.push_back(i);
    }
  }
  std::vector<int> distinct;
  for (int i : chosen) {
    const bool seen = std::any_of(distinct.begin(), distinct.end(), [&](int k) {
      return instruction.operand(k) == instruction.operand(i);
    });
    if (!seen) distinct.push_back(i);
  }
  return distinct;
}

// The change of one operand or attribute that makes the operation right:
// "ConvertElementType(bias, ElementType::kF32) as operand 1: f32[10]". Empty:
// none found.
std::string FixText(const Instruction& instruction,
                    const Diagnostic& diagnostic, absl::string_view within) {
  std::vector<const Shape*> operands;
  std::vector<std::string> names;
  for (Instruction operand : instruction.operands()) {
    operands.push_back(&operand.shape());
    names.push_back(NameOf(operand));
  }
  std::vector<Signature> signatures;
  for (int i = 0; i < instruction.callee_count(); ++i) {
    signatures.push_back(instruction.callee(i).signature());
  }
  std::vector<const Signature*> callees;
  for (const Signature& signature : signatures) callees.push_back(&signature);
  OpInputs inputs;
  inputs.opcode = instruction.opcode();
  inputs.operands = operands;
  inputs.attributes = &instruction.attributes();
  inputs.callees = callees;
  if (!instruction.shape().is_none()) inputs.declared = &instruction.shape();
  std::optional<Fix> fix;
  if (!diagnostic.fix_of_call) {
    fix = SuggestFix(inputs, diagnostic);
  } else if (const auto* text =
                 std::get_if<std::string>(&*diagnostic.fix_of_call)) {
    return *text;
  } else {
    fix.emplace();
    fix->index = diagnostic.operand;
    fix->shape = std::get<Shape>(*diagnostic.fix_of_call);
  }
  // Who calls a composite doesn't write the calls that it is made of.
  const bool is_call = fix && (fix->what == Fix::What::kBroadcast ||
                               fix->what == Fix::What::kContraction);
  return !fix || (is_call && !within.empty()) ? ""
                                              : FixText(*fix, inputs, names);
}

void AppendIndented(absl::string_view text, absl::string_view indent,
                    std::string* out) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    absl::StrAppend(out, indent, text.substr(0, end));
    text.remove_prefix(end);
  }
}

// Adds the lines below the first one.
void AppendContext(const Instruction& instruction, const Diagnostic& diagnostic,
                   absl::string_view within, std::string* text) {
  InstructionLines lines;
  if (instruction.has_given_name() || !instruction.shape().is_none()) {
    lines.Add(instruction);
  }
  const std::vector<int> operands = OperandsToShow(instruction, diagnostic);
  for (int i : operands) lines.Add(instruction.operand(i));
  if (instruction.callee_count() <= kMaxOperandLines) {
    for (int i = 0; i < instruction.callee_count(); ++i) {
      lines.Add(instruction.callee(i));
    }
  }
  lines.AppendTo(text);
  const int rest =
      instruction.operand_count() - static_cast<int>(operands.size());
  if (instruction.operand_count() > kMaxOperandLines && rest > 0) {
    absl::StrAppend(text, "    ... and ", rest, " more operands\n");
  }
  Subject subject;
  FillSubject(instruction, &subject);
  AppendIndented(FormatPicture(diagnostic, subject.view), "      ", text);
  const std::string fix = FixText(instruction, diagnostic, within);
  if (!fix.empty()) absl::StrAppend(text, "  to fix: ", fix, "\n");
}

std::string MessageWithin(const std::optional<Instruction>& instruction,
                          const Diagnostic& diagnostic,
                          absl::string_view within) {
  Subject subject;
  if (instruction) FillSubject(*instruction, &subject);
  if (instruction && !within.empty()) {
    subject.op = instruction->opcode() == Opcode::kInvalid
                     ? CompositeName(within)
                     : absl::StrCat(CompositeName(within), "'s ", subject.op);
    subject.view.op = subject.op;
  }
  return FormatMessage(diagnostic, subject.view);
}

}  // namespace

std::optional<Instruction> InstructionAt(const Module& module,
                                         const ModuleDiagnostic& d) {
  if (d.computation >= static_cast<uint32_t>(module.computation_count())) {
    return std::nullopt;
  }
  const Computation computation =
      module.computation(static_cast<int>(d.computation));
  if (d.instruction >= static_cast<uint32_t>(computation.instruction_count())) {
    return std::nullopt;
  }
  return computation.instruction(static_cast<int>(d.instruction));
}

void Report::Add(ModuleDiagnostic diagnostic) {
  (diagnostic.diagnostic.severity() == Severity::kError ? errors_
                                                        : warnings_)++;
  const size_t code = static_cast<size_t>(diagnostic.diagnostic.code);
  if (per_code_.size() <= code) per_code_.resize(code + 1, 0);
  if (++per_code_[code] <= max_per_code_) {
    diagnostics_.push_back(std::move(diagnostic));
  }
}

void Report::Append(
    const Report& other,
    absl::FunctionRef<bool(const ModuleDiagnostic&)> leave_out) {
  absl::flat_hash_set<Code> left_out;
  for (const ModuleDiagnostic& diagnostic : other.diagnostics_) {
    if (leave_out(diagnostic)) {
      left_out.insert(diagnostic.diagnostic.code);
    } else {
      Add(diagnostic);
    }
  }
  for (const CodeInfo& info : AllCodes()) {
    const int64_t dropped = other.dropped(info.code);
    if (dropped == 0 || left_out.contains(info.code)) continue;
    (info.severity() == Severity::kError ? errors_ : warnings_) += dropped;
    per_code_[static_cast<size_t>(info.code)] += dropped;
  }
}

int64_t Report::dropped(Code code) const {
  const size_t i = static_cast<size_t>(code);
  return i < per_code_.size()
             ? std::max<int64_t>(per_code_[i] - max_per_code_, 0)
             : 0;
}

std::vector<SourceLocation> PlacesOf(const Instruction& instruction) {
  std::vector<SourceLocation> places;
  for (SourceLocation& place :
       std::vector{instruction.text_location(), instruction.location()}) {
    if (!place.file.empty()) places.push_back(std::move(place));
  }
  return places;
}

std::string PlacePrefix(const Module& module, const Instruction& instruction,
                        absl::string_view file) {
  const std::vector<SourceLocation> places = PlacesOf(instruction);
  if (!places.empty()) return LocationText(places[0]) + ": ";
  std::vector<std::string> names;
  for (absl::string_view name :
       {module.name(), instruction.computation().name()}) {
    if (!name.empty()) names.push_back(Printable(name));
  }
  return absl::StrCat(FilePrefix(file), absl::StrJoin(names, "/"),
                      names.empty() ? "" : ": ");
}

std::string PlaceText(const Instruction& instruction) {
  SourceLocation in_text = instruction.text_location();
  // The folder is the same for all instructions.
  in_text.file.erase(0, in_text.file.rfind('/') + 1);
  const std::string text = LocationText(in_text);
  const std::string source = LocationText(instruction.location());
  return absl::StrCat(text, source.empty() || text.empty() ? "" : ", ", source);
}

std::string InstructionText(const Instruction& instruction) {
  return absl::StrCat("%", NameOf(instruction), " = ",
                      RightHandSide(instruction));
}

std::string MessageText(const Module& module, const ModuleDiagnostic& d,
                        absl::string_view within) {
  return MessageWithin(InstructionAt(module, d), d.diagnostic, within);
}

std::string FixText(const Module& module, const ModuleDiagnostic& d,
                    absl::string_view within) {
  const std::optional<Instruction> instruction = InstructionAt(module, d);
  return instruction ? FixText(*instruction, d.diagnostic, within) : "";
}

std::string RenderDiagnostic(const Module& module, const ModuleDiagnostic& d,
                             absl::string_view within, absl::string_view file) {
  const std::optional<Instruction> instruction = InstructionAt(module, d);
  const std::string message = MessageWithin(instruction, d.diagnostic, within);
  std::string text = absl::StrCat(
      instruction ? PlacePrefix(module, *instruction, file) : FilePrefix(file),
      d.diagnostic.severity() == Severity::kError ? "error: " : "warning: ",
      WithCode(message, d.diagnostic.code), "\n");
  if (!instruction) return text;
  AppendContext(*instruction, d.diagnostic, within, &text);
  const std::vector<SourceLocation> places = PlacesOf(*instruction);
  for (size_t i = 1; i < places.size(); ++i) {
    absl::StrAppend(&text, LocationText(places[i]),
                    ": note: the program's line that made it\n");
  }
  return text;
}

std::string RenderReport(const Module& module, const Report& report,
                         absl::string_view file) {
  std::string text;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    text += RenderDiagnostic(module, d, "", file);
  }
  for (const CodeInfo& info : AllCodes()) {
    const int64_t dropped = report.dropped(info.code);
    if (dropped == 0) continue;
    absl::StrAppend(&text, "... and ", dropped, " more of ",
                    CodeText(info.code), " ", info.slug, "\n");
  }
  return text;
}

absl::Status ToStatus(const Module& module, const Report& report) {
  if (report.ok()) return absl::OkStatus();
  RenderedDiagnostic first;
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    first = Rendered(module, d);
    break;
  }
  std::string text = first.text;
  const int64_t more = report.error_count() - 1;
  if (more > 0) {
    absl::StrAppend(&text, "and ", more,
                    more == 1 ? " more error" : " more errors");
  } else if (!text.empty()) {
    text.pop_back();  // a Status is one message, without a newline at its end
  }
  return ErrorOf(absl::StatusCode::kInvalidArgument, first, text);
}

}  // namespace indim
