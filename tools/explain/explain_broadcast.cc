// SPDX-License-Identifier: Apache-2.0
// Answers to questions about broadcasting: the drawing, the JSON object, the
// row for each rule.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/explain/explain_question.h"
#include "indim/tools/explain/explain_svg.h"
#include "indim/tools/explain/explain_values.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

// What a rule answers to a question.
struct RuleAnswer {
  bool ok = false;
  BroadcastPlan plan;
  std::optional<Shape> result;
  std::vector<Diagnostic> diagnostics;
  std::optional<TraitTable> verified;
};

// The op's attributes, with what the question says of broadcasting.
Attributes AttributesOf(const BroadcastQuestion& question) {
  if (question.opcode != Opcode::kCompare) {
    return ElementwiseAttributes{question.spec};
  }
  CompareAttributes compare;
  if (question.attributes) {
    compare = As<CompareAttributes>(*question.attributes);
  } else {
    compare.direction = ComparisonDirection::kEq;
  }
  compare.broadcast = question.spec;
  return compare;
}

OpInputs InputsOf(const BroadcastQuestion& question,
                  const OperandShapes& operands, const Attributes& attributes) {
  OpInputs inputs;
  if (operands.size() == 2) inputs.opcode = question.opcode;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  inputs.declared = question.result ? &*question.result : nullptr;
  return inputs;
}

ExplainSubject SubjectOf(const BroadcastQuestion& question,
                         const OpInputs& inputs) {
  ExplainSubject subject;
  subject.inputs = inputs;
  subject.names = question.names;
  subject.op =
      question.opcode == Opcode::kInvalid ? "broadcast" : Name(question.opcode);
  if (question.spec.dimensions) {
    subject.broadcast_dimensions = *question.spec.dimensions;
  }
  return subject;
}

// The result, and of one that is recorded what the trait and, in a module, the
// op itself say of it.
RuleAnswer Ask(const BroadcastQuestion& question, const OperandShapes& operands,
               BroadcastableMode mode) {
  RuleAnswer answer;
  answer.ok =
      PlanBroadcast(question.spec, operands, &answer.plan, &answer.diagnostics);
  if (!answer.ok) return answer;
  const Attributes attributes = AttributesOf(question);
  OpInputs inputs = InputsOf(question, operands, attributes);
  if (inputs.opcode != Opcode::kInvalid && question.has_types) {
    // The operation's own rule says of the result its element type too.
    InferContext context;
    answer.result = InferShape(&context, inputs);
    answer.diagnostics = context.diagnostics();
    answer.ok = answer.result.has_value();
  } else {
    const ElementType type = operands[0]->element_type();
    answer.result = answer.plan.unranked ? Shape::Unranked(type)
                                         : Shape::Array(type, answer.plan.dims);
  }
  if (!question.result || !answer.ok) return answer;
  answer.verified =
      VerifyTrait(question, answer.plan, *answer.result, operands);
  if (question.node) {
    InferContext context(*question.node, mode);
    VerifyNode(&context, inputs);
    answer.diagnostics = context.diagnostics();
    answer.ok = !HasErrors(answer.diagnostics);
  } else {
    answer.ok =
        PassesTrait(mode, question, answer.plan, operands, &answer.diagnostics);
  }
  return answer;
}

std::string OperationText(const BroadcastQuestion& question) {
  std::vector<std::string> shapes;
  for (const Shape& shape : question.operands) {
    shapes.push_back(ShapeText(question, shape));
  }
  const bool named = question.opcode != Opcode::kInvalid;
  std::string text = absl::StrCat(named ? Name(question.opcode) : "broadcast",
                                  "(", absl::StrJoin(shapes, ", "), ")");
  if (question.spec.dimensions) {
    absl::StrAppend(
        &text, ", broadcast_dimensions=", IndexText(*question.spec.dimensions));
  }
  if (!question.attributes_text.empty()) {
    absl::StrAppend(&text, ", ", question.attributes_text);
  }
  return text;
}

// Where an axis of -1 lays the second operand, trailing 1s counted.
std::optional<int64_t> DefaultAxis(const BroadcastQuestion& question) {
  if (question.spec.axis != -1 || question.operands.size() != 2) {
    return std::nullopt;
  }
  const Shape& a = question.operands[0];
  const Shape& b = question.operands[1];
  if (!a.has_rank() || !b.has_rank() || b.rank() > a.rank()) {
    return std::nullopt;
  }
  return a.rank() - b.rank();
}

std::string Heading(const BroadcastQuestion& question) {
  std::string text = question.text.empty() ? "" : question.text + "\n";
  absl::StrAppend(&text, OperationText(question), ", rule ",
                  Name(question.spec.rule));
  if (question.spec.rule == BroadcastRule::kPdpd) {
    absl::StrAppend(&text, ", axis ", question.spec.axis);
    const std::optional<int64_t> axis = DefaultAxis(question);
    if (axis) absl::StrAppend(&text, " (here ", *axis, ")");
  }
  return text;
}

// What sizes must be at run time, and that operands of no known rank must fit.
std::vector<std::string> LeftToRunTime(const BroadcastQuestion& question,
                                       const BroadcastPlan& plan) {
  OperandShapes operands;
  for (const Shape& shape : question.operands) operands.push_back(&shape);
  const Shape result = Shape::Array(ElementType::kF32, plan.dims);
  std::vector<std::string> left =
      ConditionTexts(plan.conditions, operands, &result);
  for (size_t k = 0; k < question.operands.size(); ++k) {
    if (!question.operands[k].is_unranked()) continue;
    left.push_back(absl::StrCat(
        "operand ", k, plan.unranked ? " fits the others" : " fits the result",
        ", whatever its rank"));
  }
  return left;
}

// What the rule doesn't look at, and that another may be meant.
std::string Notes(const BroadcastQuestion& question) {
  if (question.sizes_alone && question.spec.rule == BroadcastRule::kNumpy) {
    BroadcastSpec xla = question.spec;
    xla.rule = BroadcastRule::kXla;
    OperandShapes operands;
    for (const Shape& shape : question.operands) operands.push_back(&shape);
    BroadcastPlan plan;
    std::vector<Diagnostic> refused;
    if (!PlanBroadcast(xla, operands, &plan, &refused) && !refused.empty()) {
      return absl::StrCat(
          "shapes without types go by rule numpy; rule xla refuses them (",
          CodeText(refused[0].code), "); --rule=all shows all rules");
    }
  }
  if (question.spec.dimensions && question.spec.rule != BroadcastRule::kXla) {
    return absl::StrCat("only rule xla has broadcast_dimensions; rule ",
                        Name(question.spec.rule), " ignores ",
                        IndexText(*question.spec.dimensions));
  }
  if (question.spec.axis != -1 && question.spec.rule != BroadcastRule::kPdpd) {
    return absl::StrCat("only rule pdpd has an axis; rule ",
                        Name(question.spec.rule), " ignores it");
  }
  return "";
}

std::string AllSteps(const BroadcastQuestion& question,
                     const BroadcastPlan& plan) {
  std::string text;
  const std::vector<OperandSteps> steps = StepsOf(question, plan);
  for (size_t k = 0; k < steps.size(); ++k) {
    absl::StrAppend(&text, "  operand ", k, "  ",
                    ShapeText(question, question.operands[k]), "\n");
    for (const std::string& line : steps[k].lines) {
      absl::StrAppend(&text, "    ", line, "\n");
    }
  }
  return text;
}

std::string Draw(const BroadcastQuestion& question,
                 const ExplainSubject& subject, const RuleAnswer& answer,
                 const std::optional<ValueDrawing>& values,
                 BroadcastableMode mode) {
  std::string text = Heading(question) + "\n\n";
  const std::string notes = Notes(question);
  if (!notes.empty()) absl::StrAppend(&text, "note: ", notes, "\n\n");
  if (values) {
    absl::StrAppend(&text, ValuesText(question, *values), "\nresult ",
                    ShapeText(question, *answer.result), "\n");
  } else if (answer.result) {
    if (answer.plan.unranked) {
      absl::StrAppend(&text,
                      "  an operand's rank isn't known: nothing is checked\n");
    } else {
      absl::StrAppend(&text, DimsDrawing(question, answer.plan),
                      AllSteps(question, answer.plan));
    }
    const std::vector<std::string> left = LeftToRunTime(question, answer.plan);
    for (const std::string& condition : left) {
      absl::StrAppend(&text, "  at run time: ", condition, "\n");
    }
    if (left.empty()) text += "  nothing is left to run time\n";
    absl::StrAppend(&text, "\nresult ", ShapeText(question, *answer.result),
                    "\n");
  }
  if (answer.verified) {
    absl::StrAppend(&text, TraitText(*answer.verified, mode));
  }
  const std::string diagnostics = DiagnosticsText(subject, answer.diagnostics);
  absl::StrAppend(&text, diagnostics);
  if (question.spec.rule != BroadcastRule::kXla && !question.sizes_alone &&
      absl::StrContains(diagnostics, " matches dim ")) {
    // The fix is another call, which is of rule xla.
    text += "only rule xla has broadcast_dimensions: ask it (--rule=xla)\n";
  }
  return text;
}

std::string StepsJson(const BroadcastQuestion& question,
                      const OperandSteps& steps) {
  JsonWriter json;
  json.AddTexts("lines", steps.lines);
  if (steps.placed) json.Add("placed", ShapeText(question, *steps.placed));
  if (steps.stretched) {
    json.Add("stretched", ShapeText(question, *steps.stretched));
    std::vector<std::string> sized_by;
    for (const BroadcastStep step : steps.sized_by) {
      sized_by.emplace_back(StepName(step, question.spec));
    }
    json.AddTexts("sized_by", sized_by);
  }
  return json.text();
}

std::string Json(const BroadcastQuestion& question,
                 const ExplainSubject& subject, const RuleAnswer& answer,
                 const std::optional<ValueDrawing>& values) {
  JsonWriter json;
  if (!question.text.empty()) json.Add("instruction", question.text);
  json.Add("operation", OperationText(question))
      .Add("rule", Name(question.spec.rule));
  if (question.spec.rule == BroadcastRule::kPdpd) {
    json.Add("axis", question.spec.axis);
  }
  std::vector<std::string> steps;
  if (answer.result) {
    for (const OperandSteps& one : StepsOf(question, answer.plan)) {
      steps.push_back(StepsJson(question, one));
    }
  }
  if (answer.result) json.Add("result", ShapeText(question, *answer.result));
  const std::string notes = Notes(question);
  if (!notes.empty()) json.Add("note", notes);
  json.AddList("steps", steps)
      .AddTexts("conditions", LeftToRunTime(question, answer.plan));
  if (values) json.AddRaw("drawing", ValuesJson(question, *values));
  if (answer.verified) json.AddRaw("verified", TraitJson(*answer.verified));
  json.Add("ok", answer.ok)
      .AddList("diagnostics", DiagnosticsJson(subject, answer.diagnostics));
  return json.text() + "\n";
}

// With elements where they are given or can be counted.
std::string Svg(const BroadcastQuestion& question,
                const ExplainSubject& subject, const RuleAnswer& answer,
                const std::optional<ValueDrawing>& values) {
  SvgWords words;
  words.heading = Heading(question);
  for (const std::string& condition : LeftToRunTime(question, answer.plan)) {
    words.notes.push_back(absl::StrCat("at run time: ", condition));
  }
  for (absl::string_view line :
       absl::StrSplit(DiagnosticsText(subject, answer.diagnostics), '\n')) {
    if (!line.empty()) words.notes.emplace_back(line);
  }
  if (!answer.result) return WordsSvg(words);
  if (values) return ValuesSvg(question, *values, words);
  const absl::StatusOr<ValueDrawing> counted = DrawValues(question, "counted");
  return counted.ok() ? ValuesSvg(question, *counted, words)
                      : DimsSvg(question, answer.plan, *answer.result, words);
}

// Each operand has a cell for each dim of the result.
absl::Status CheckSize(const BroadcastQuestion& question) {
  constexpr size_t kMaxCells = 100000;
  size_t rank = 1;
  for (const Shape& shape : question.operands) {
    if (!shape.has_rank()) continue;
    rank = std::max(rank, static_cast<size_t>(shape.rank()));
  }
  if (question.operands.size() <= kMaxCells / rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      question.operands.size(), " operands of up to ", rank,
      " dims are too many to draw: ", kMaxCells, " cells are drawn at most"));
}

struct RuleRow {
  absl::string_view rule;
  std::string result;  // "refused IND0007" where there is none
  bool accepted;
  std::vector<std::string> conditions;  // left to run time
  std::string refused_by;
};

std::vector<RuleRow> AskAllRules(BroadcastQuestion question,
                                 const OperandShapes& operands,
                                 BroadcastableMode mode) {
  std::vector<RuleRow> rows;
  for (int r = 0; r <= static_cast<int>(BroadcastRule::kBidirectional); ++r) {
    question.spec.rule = static_cast<BroadcastRule>(r);
    const RuleAnswer answer = Ask(question, operands, mode);
    RuleRow row;
    row.rule = Name(question.spec.rule);
    row.accepted = answer.result.has_value();
    row.conditions = LeftToRunTime(question, answer.plan);
    if (answer.result) {
      row.result = ShapeText(question, *answer.result);
    } else if (!answer.diagnostics.empty()) {
      row.refused_by = CodeText(answer.diagnostics[0].code);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// A row for each rule: whether it takes the operands, what results, what is
// left to run time.
std::string AllRulesText(const BroadcastQuestion& question,
                         const std::vector<RuleRow>& answers) {
  std::vector<std::vector<std::string>> rows = {
      {"", "result", "left to run time"}};
  for (const RuleRow& row : answers) {
    rows.push_back(
        {std::string(row.rule),
         row.accepted ? row.result : absl::StrCat("refused ", row.refused_by),
         !row.accepted            ? "-"
         : row.conditions.empty() ? "nothing"
                                  : absl::StrJoin(row.conditions, "; ")});
  }
  return OperationText(question) + "\n\n" + TextTable(rows);
}

std::string AllRulesJson(const BroadcastQuestion& question,
                         const std::vector<RuleRow>& answers) {
  std::vector<std::string> rules;
  for (const RuleRow& row : answers) {
    JsonWriter json;
    json.Add("rule", row.rule).Add("ok", row.accepted);
    if (row.accepted) {
      json.Add("result", row.result).AddTexts("conditions", row.conditions);
    } else {
      json.Add("refused_by", row.refused_by);
    }
    rules.push_back(json.text());
  }
  JsonWriter json;
  json.Add("operation", OperationText(question)).AddList("rules", rules);
  return json.text() + "\n";
}

}  // namespace

absl::StatusOr<Explanation> ExplainBroadcast(BroadcastQuestion question,
                                             const ExplainOptions& options) {
  const absl::Status size = CheckSize(question);
  if (!size.ok()) return size;
  if (options.rule) question.spec.rule = *options.rule;
  if (options.axis) question.spec.axis = *options.axis;
  OperandShapes operands;
  for (const Shape& shape : question.operands) operands.push_back(&shape);
  Explanation explanation;
  if (options.all_rules) {
    const auto rows = AskAllRules(question, operands, options.mode);
    explanation.text = options.json ? AllRulesJson(question, rows)
                                    : AllRulesText(question, rows);
    return explanation;
  }
  const RuleAnswer answer = Ask(question, operands, options.mode);
  const Attributes attributes = AttributesOf(question);
  const ExplainSubject subject =
      SubjectOf(question, InputsOf(question, operands, attributes));
  explanation.ok = answer.ok;
  std::optional<ValueDrawing> values;
  if (options.values && answer.result) {
    absl::StatusOr<ValueDrawing> drawn = DrawValues(question, *options.values);
    if (!drawn.ok()) return drawn.status();
    values = *std::move(drawn);
  }
  explanation.text =
      options.svg    ? Svg(question, subject, answer, values)
      : options.json ? Json(question, subject, answer, values)
                     : Draw(question, subject, answer, values, options.mode);
  return explanation;
}

}  // namespace indim
