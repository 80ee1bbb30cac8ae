// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_statement.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/ir/module.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/ir/report.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/ops/op_table.h"
#include "indim/stablehlo/read.h"
#include "indim/stablehlo/text/parse_mlir_text.h"
#include "indim/tools/explain/explain_node.h"
#include "indim/tools/explain/explain_question.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

// Fixes are in StableHLO's words.
class InStablehlo {
 public:
  InStablehlo() : before_(GetCallLanguage()) {
    SetCallLanguage(CallLanguage::kStablehlo);
  }
  ~InStablehlo() { SetCallLanguage(before_); }

 private:
  const CallLanguage before_;
};

// Removes "%0:2, %x =" from the start.
absl::string_view WithoutResults(absl::string_view text) {
  if (!absl::StartsWith(text, "%")) return text;
  const size_t end = text.find('=');
  if (end == absl::string_view::npos) return text;
  return absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
}

// The instructions that the statement became: neither parameters nor what makes
// several results one.
std::vector<Instruction> InstructionsOf(const Module& module) {
  std::vector<Instruction> found;
  for (const Instruction i : module.entry().instructions()) {
    const bool is_packing = i.opcode() == Opcode::kGetTupleElement ||
                            (i.opcode() == Opcode::kTuple &&
                             i.index() == module.entry().root().index());
    if (i.opcode() != Opcode::kParameter && !is_packing) found.push_back(i);
  }
  return found;
}

// What is wrong, as `indim check` says it.
struct Finding {
  std::string code;
  std::string message;
  std::string fix;
  std::string text;
};

std::vector<Finding> FindingsOf(const absl::Status& violations,
                                const Module* module) {
  std::vector<Finding> findings;
  for (const PlacedError& e : ErrorsOf(violations)) {
    findings.push_back(
        {std::string(CodeText(e.code)), e.message, e.fix,
         absl::StrCat("error: ", WithCode(e.message, e.code), e.below, "\n")});
  }
  if (module == nullptr) return findings;
  const VerifyResult result = VerifyModule(*module);
  for (const ModuleDiagnostic& d : result.report.diagnostics()) {
    if (d.diagnostic.severity() != Severity::kError) continue;
    RenderedDiagnostic rendered = Rendered(*module, d);
    findings.push_back({std::string(CodeText(rendered.diagnostic.code)),
                        std::move(rendered.message), std::move(rendered.fix),
                        std::move(rendered.text)});
  }
  return findings;
}

Explanation AnswerOf(absl::string_view statement,
                     const std::vector<Instruction>& instructions,
                     const std::vector<Finding>& findings, bool json) {
  Explanation answer;
  answer.ok = findings.empty();
  if (json) {
    JsonWriter object;
    std::vector<std::string> lines, wrong;
    for (const Instruction& i : instructions) {
      lines.push_back(NodeText(i));
    }
    for (const Finding& finding : findings) {
      JsonWriter one;
      one.Add("code", finding.code).Add("message", finding.message);
      if (!finding.fix.empty()) one.Add("fix", finding.fix);
      wrong.push_back(one.text());
    }
    object.Add("operation", statement)
        .AddTexts("instructions", lines)
        .Add("ok", answer.ok)
        .AddList("diagnostics", wrong);
    answer.text = object.text() + "\n";
    return answer;
  }
  answer.text = absl::StrCat(statement, "\n\n");
  if (!instructions.empty()) {
    absl::StrAppend(&answer.text, "  in HLO:\n");
    for (const Instruction& i : instructions) {
      absl::StrAppend(&answer.text, "    ", NodeText(i), "\n");
    }
    answer.text += "\n";
  }
  for (const Finding& finding : findings) answer.text += finding.text;
  if (findings.empty()) answer.text += "ok\n";
  return answer;
}

// Of chlo.broadcast_add and its like, of two arrays: how they are matched.
std::optional<BroadcastQuestion> ChloBroadcast(absl::string_view text,
                                               const Module& module) {
  const absl::StatusOr<mlir::Ir> ir = mlir::ParseMlirStatement(text);
  const Instruction root = module.entry().root();
  if (!ir.ok() || !Info(root.opcode()).has(kBroadcasts)) return std::nullopt;
  const Signature signature = module.entry().signature();
  const mlir::OpId function = ir->block(ir->module_block()).ops[0];
  const mlir::Block& block = ir->body(ir->op(function));
  const mlir::Op& op = ir->op(block.ops[0]);
  if (!absl::StartsWith(ir->name(op), "chlo.broadcast_") ||
      ir->operands(op).size() != 2 || block.ops.size() != 2) {
    return std::nullopt;
  }
  BroadcastQuestion question;
  question.opcode = root.opcode();
  question.has_types = true;
  question.attributes = root.attributes();
  question.spec.rule = BroadcastRule::kNumpy;
  question.text = std::string(text);
  question.result = root.shape().WithoutLayout();
  for (int i = 0; i < 2; ++i) {
    // An operand may be used twice.
    const mlir::ValueId value = ir->operands(op)[static_cast<size_t>(i)];
    question.operands.push_back(
        signature.parameters[ir->value(value).index].WithoutLayout());
    if (!question.operands.back().is_array()) return std::nullopt;
  }
  std::vector<int64_t> dims;
  const mlir::AttrId given = ir->Find(op, "broadcast_dimensions");
  if (given.valid()) {
    if (!ir->Integers(given, &dims)) return std::nullopt;
    question.spec.rule = BroadcastRule::kXla;
    question.spec.dimensions = DimIndices(dims.begin(), dims.end());
  }
  return question;
}

// Of attributes that the statement's operation doesn't have, which MLIR takes
// and ignores: a line each.
std::vector<std::string> UnknownAttributes(absl::string_view text) {
  std::vector<std::string> notes;
  const absl::StatusOr<mlir::Ir> ir = mlir::ParseMlirStatement(text);
  if (!ir.ok()) return notes;
  const mlir::OpId function = ir->block(ir->module_block()).ops[0];
  const mlir::Op& op = ir->op(ir->body(ir->op(function)).ops[0]);
  const mlir::OpRow* const row = mlir::FindOp(ir->name(op));
  if (row == nullptr) return notes;
  std::vector<absl::string_view> known;
  for (const mlir::AttributeRow& a : row->attributes) known.push_back(a.name);
  const auto add = [&](const mlir::NamedAttr& attribute, bool is_property) {
    const absl::string_view name = ir->text(attribute.name);
    // With a dialect's name in front it is a note for that dialect.
    if (absl::c_linear_search(known, name) ||
        (!is_property && absl::StrContains(name, '.'))) {
      return;
    }
    const absl::string_view near = NearestName(name, known);
    notes.push_back(absl::StrCat(
        "\nnote: ", ir->name(op), " has no attribute '", Printable(name),
        "', and MLIR ignores it",
        near.empty() ? "" : absl::StrCat("; did you mean '", near, "'?"),
        "\n"));
  };
  for (const mlir::NamedAttr& a : ir->properties(op)) add(a, true);
  for (const mlir::NamedAttr& a : ir->discardable(op)) add(a, false);
  return notes;
}

}  // namespace

bool IsStatement(absl::string_view text) {
  text = WithoutResults(absl::StripAsciiWhitespace(text));
  absl::ConsumePrefix(&text, "\"");
  return absl::c_any_of(
      std::vector<absl::string_view>{"stablehlo.", "chlo.", "mhlo.", "vhlo."},
      [text](absl::string_view d) { return absl::StartsWith(text, d); });
}

absl::StatusOr<Explanation> ExplainStatement(absl::string_view text,
                                             const ExplainOptions& options) {
  text = absl::StripAsciiWhitespace(text);
  StablehloReadOptions read;
  read.is_statement = true;
  read.name = "statement";
  std::vector<std::string> left_out;
  read.left_out = &left_out;
  std::vector<absl::Status> violations;
  read.violations = &violations;
  const absl::StatusOr<Module> module = ReadStablehlo(text, read);
  if (!module.ok()) {
    return WithNote(module.status(),
                    "\na statement looks like 'stablehlo.add %x, %y : "
                    "tensor<2x3xf32>'");
  }
  const InStablehlo language;
  if (!violations[0].ok() && absl::StrContains(text, "sdy.")) {
    return absl::InvalidArgumentError(
        "a sharding names a mesh of its module, and a statement has none; ask "
        "without it, or of a file: m.mlir:%y");
  }
  if (!violations[0].ok()) {
    return AnswerOf(text, {}, FindingsOf(violations[0], nullptr), options.json);
  }
  const std::vector<Instruction> instructions = InstructionsOf(*module);
  const std::vector<Finding> findings = FindingsOf(absl::OkStatus(), &*module);
  absl::StatusOr<Explanation> explanation;
  ExplainOptions with_statement = options;
  with_statement.statement = std::string(text);
  if (std::optional<BroadcastQuestion> broadcast =
          findings.empty() ? ChloBroadcast(text, *module) : std::nullopt) {
    explanation = ExplainBroadcast(*std::move(broadcast), options);
  } else if (instructions.size() == 1) {
    explanation = ExplainInstruction(*module, instructions[0], with_statement);
  } else {
    explanation = AnswerOf(text, instructions, findings, options.json);
  }
  if (explanation.ok() && !options.json && !options.svg) {
    const std::vector<std::string> unknown = UnknownAttributes(text);
    for (const std::string& note : unknown) explanation->text += note;
    if (unknown.empty() && !left_out.empty()) {
      absl::StrAppend(&explanation->text, "\nHLO has no place for ",
                      absl::StrJoin(left_out, ", "), "\n");
    }
  }
  return explanation;
}

}  // namespace indim
