// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/proto/wire/printable.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/types/suggest.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/tools/explain/explain_call.h"
#include "indim/tools/explain/explain_node.h"
#include "indim/tools/explain/explain_question.h"
#include "indim/tools/explain/explain_statement.h"
#include "indim/tools/output/json_writer.h"

namespace indim {
namespace {

// How many names a message lists.
constexpr size_t kMaxNames = 5;

// What broadcasting's options say to an op that doesn't broadcast.
absl::Status CheckOptions(Opcode opcode, const ExplainOptions& options) {
  if (options.values || options.svg) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--values and --svg draw operations that broadcast, as add(f32[4], "
        "f32[1]); not ",
        Name(opcode)));
  }
  if (!options.rule && !options.all_rules && !options.axis) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--rule and --axis are about operations that broadcast, as add(f32[4], "
      "f32[1]); ",
      Name(opcode), " doesn't broadcast"));
}

// Whether the operands broadcast, be it implicitly.
bool Broadcasts(const NodeQuestion& question) {
  const NodeInputsOf inputs(question);
  InferContext context(InferPolicy::kBuilder);
  return InferShape(&context, inputs.inputs()).has_value();
}

std::string FullName(const Instruction& instruction) {
  return absl::StrCat(Printable(instruction.computation().name()), "/%",
                      Printable(instruction.text_name()));
}

}  // namespace

std::string NodeText(const Instruction& instruction, absl::string_view place) {
  std::string text = InstructionText(instruction);
  AppendOpAttributes(
      instruction,
      AttributeBytesFields(internal::AttributeBytesOf(instruction)), {},
      /*recorded=*/false, &text);
  if (!place.empty()) absl::StrAppend(&text, "   ", Printable(place));
  return text;
}

absl::StatusOr<Explanation> ExplainQuestion(absl::string_view question,
                                            const ExplainOptions& options) {
  // Pages align their examples with blanks that don't break.
  const std::string text = absl::StrReplaceAll(question, {{"\u00a0", " "}});
  if (IsStatement(text)) return ExplainStatement(text, options);
  absl::StatusOr<BroadcastQuestion> broadcast = ReadBroadcastQuestion(text);
  if (broadcast.ok()) return ExplainBroadcast(*std::move(broadcast), options);
  if (!IsCall(text)) return broadcast.status();
  auto call = ReadCall(text);
  if (!call.ok()) return call.status();
  if (auto* elementwise = std::get_if<BroadcastQuestion>(&*call)) {
    return ExplainBroadcast(std::move(*elementwise), options);
  }
  const NodeQuestion& node = std::get<NodeQuestion>(*call);
  const absl::Status fit = CheckOptions(node.opcode, options);
  if (!fit.ok()) return fit;
  return ExplainNode(node, options);
}

absl::StatusOr<Explanation> ExplainInstruction(const Module& module,
                                               const Instruction& instruction,
                                               const ExplainOptions& options) {
  const Opcode opcode = instruction.opcode();
  if (!IsInferable(opcode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        FullName(instruction), " is a ", Printable(instruction.opcode_name()),
        ", which Indim can't infer"));
  }
  NodeQuestion node;
  node.opcode = opcode;
  InferOptions missing;
  missing.only_missing = true;
  const Module filled = InferShapes(module, missing).module;
  const Instruction in_filled =
      filled.computation(instruction.computation().index())
          .instruction(instruction.index());
  for (const Instruction operand : in_filled.operands()) {
    if (operand.shape().is_none()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "operand ", FullName(operand), " of ", FullName(instruction),
          " has no shape yet; `indim infer` fills it in"));
    }
    node.operands.push_back(operand.shape().WithoutLayout());
    node.names.push_back(operand.text_name());
  }
  node.attributes = instruction.attributes();
  for (int i = 0; i < instruction.callee_count(); ++i) {
    node.callees.push_back(in_filled.callee(i).signature());
  }
  if (!instruction.shape().is_none()) {
    node.recorded = instruction.shape().WithoutLayout();
  }
  node.policy =
      module.is_recorded() ? InferPolicy::kBuilder : InferPolicy::kVerifier;
  node.text =
      options.statement.empty() ? NodeText(instruction, PlaceText(instruction))
      : options.json            ? NodeText(instruction)
                                : absl::StrCat(options.statement,
                                               "\nin HLO: ", NodeText(instruction));
  if (!Info(opcode).has(kBroadcasts) || node.operands.size() != 2 ||
      !node.operands[0].is_array() || !node.operands[1].is_array() ||
      (node.policy == InferPolicy::kVerifier && !Broadcasts(node))) {
    const absl::Status fit = CheckOptions(opcode, options);
    if (!fit.ok()) return fit;
    return ExplainNode(node, options);
  }
  BroadcastQuestion question;
  question.opcode = opcode;
  question.operands = std::move(node.operands);
  question.has_types = true;
  question.attributes = node.attributes;
  question.spec = opcode == Opcode::kCompare
                      ? As<CompareAttributes>(node.attributes).broadcast
                      : As<ElementwiseAttributes>(node.attributes).broadcast;
  question.node = node.policy;
  question.result = std::move(node.recorded);
  question.names = std::move(node.names);
  question.text = std::move(node.text);
  return ExplainBroadcast(std::move(question), options);
}

absl::Status NoComputation(const Module& module, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Computation c : module.computations()) names.push_back(c.name());
  const absl::string_view near = NearestName(name, names);
  std::string message =
      absl::StrCat("no computation is called ", Printable(name));
  if (!near.empty()) {
    absl::StrAppend(&message, "; did you mean ", Printable(near), "?");
  } else if (!names.empty()) {
    const bool is_part = names.size() > kMaxNames;
    names.resize(std::min(names.size(), kMaxNames));
    absl::StrAppend(&message, names.size() > 1 ? "; there are " : "; there is ",
                    Printable(absl::StrJoin(names, ", ")),
                    is_part ? ", ..." : "");
  }
  return absl::NotFoundError(message);
}

absl::StatusOr<Instruction> FindInstruction(const Module& module,
                                            absl::string_view name) {
  const absl::string_view spelled = absl::StripPrefix(name, "%");
  // What messages call the two parts; an instruction's own name may have
  // slashes too.
  const size_t slash = spelled.rfind('/');
  const absl::string_view computation =
      slash == absl::string_view::npos ? "" : spelled.substr(0, slash);
  name = absl::StripPrefix(spelled.substr(slash + 1), "%");
  std::vector<absl::string_view> computations;
  std::vector<Instruction> found;
  std::vector<std::string> names;
  for (const Computation c : module.computations()) {
    computations.push_back(c.name());
    const std::string before = absl::StrCat(c.name(), "/");
    const absl::string_view inside =
        absl::StartsWith(spelled, before)
            ? absl::StripPrefix(spelled.substr(before.size()), "%")
            : spelled;
    const auto is_named = [&](absl::string_view own) {
      return own == spelled || own == inside;
    };
    for (const Instruction i : c.instructions()) {
      if (is_named(i.text_name()) || is_named(i.name())) found.push_back(i);
      if (found.empty() && (computation.empty() || c.name() == computation)) {
        names.push_back(i.text_name());
      }
    }
  }
  if (found.size() == 1) return found[0];
  if (!computation.empty() &&
      !absl::c_linear_search(computations, computation)) {
    return NoComputation(module, computation);
  }
  if (found.empty()) {
    const std::vector<absl::string_view> known(names.begin(), names.end());
    const absl::string_view near = NearestName(name, known);
    std::string message =
        name.empty()
            ? "name an instruction behind ':'"
            : absl::StrCat("no instruction is called %", Printable(name));
    if (!computation.empty()) {
      absl::StrAppend(&message, " in computation ", Printable(computation));
    }
    if (!near.empty()) {
      absl::StrAppend(&message, "; did you mean %", Printable(near), "?");
    } else if (!names.empty()) {
      names.resize(std::min(names.size(), kMaxNames));
      absl::StrAppend(
          &message, "; there are %",
          absl::StrJoin(names, ", %",
                        [](std::string* out, const std::string& one) {
                          absl::StrAppend(out, Printable(one));
                        }),
          known.size() > kMaxNames ? ", ..." : "");
    }
    return absl::NotFoundError(message);
  }
  std::vector<std::string> full;
  for (size_t i = 0; i < std::min(found.size(), kMaxNames); ++i) {
    full.push_back(FullName(found[i]));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      found.size(), " instructions are called %", Printable(name),
      "; name one with its computation: ", absl::StrJoin(full, ", "),
      found.size() > kMaxNames ? ", ..." : ""));
}

std::string ExplainCode(Code code, bool json) {
  const CodeInfo& info = Info(code);
  const CodeDoc& doc = DocOf(code);
  const bool error = info.severity() == Severity::kError;
  if (json) {
    JsonWriter object;
    object.Add("code", CodeText(code))
        .Add("name", info.slug)
        .Add("severity", error ? "error" : "warning")
        .Add("message", info.message)
        .Add("why", doc.why)
        .Add("right", doc.right)
        .Add("wrong", doc.wrong);
    return object.text() + "\n";
  }
  return absl::StrCat(CodeText(code), " ", info.slug,
                      error ? " (error)\n" : " (warning)\n", "  ", info.message,
                      "\n\n  why    ", doc.why, "\n  right  ", doc.right,
                      "\n  wrong  ", doc.wrong, "\n");
}

}  // namespace indim
