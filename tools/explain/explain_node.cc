// SPDX-License-Identifier: Apache-2.0
// Answers about operations that don't broadcast: what their operands must be,
// where the result's dims come from.

#include "indim/tools/explain/explain_node.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/constraint_text.h"
#include "indim/tools/explain/explain_parts.h"
#include "indim/tools/output/json_writer.h"
#include "indim/tools/output/text_table.h"

namespace indim {
namespace {

struct NodeAnswer {
  std::optional<Shape> result;  // inferred
  std::optional<SizeFormulas> named;
  std::vector<std::string> conditions;  // left to run time
  std::vector<Diagnostic> diagnostics;
  bool ok = false;
};

NodeAnswer Ask(const NodeQuestion& question, BroadcastableMode mode) {
  NodeAnswer answer;
  const NodeInputsOf inputs(question);
  InferContext context(question.policy, mode);
  answer.result = InferShape(&context, inputs.inputs());
  answer.conditions =
      ConditionTexts(context.conditions(), inputs.inputs().operands,
                     answer.result ? &*answer.result : nullptr);
  answer.diagnostics = context.diagnostics();
  if (answer.result) answer.named = NameSizes(question, *answer.result);
  if (answer.result && question.recorded) {
    InferContext verifier(question.policy, mode);
    VerifyNode(&verifier, inputs.inputs());
    answer.diagnostics = verifier.diagnostics();
  }
  answer.ok = answer.result.has_value() && !HasErrors(answer.diagnostics);
  return answer;
}

// A dim of the result, or of one of its parts.
struct DimRow {
  std::string name;      // "dim 0", "part 1 dim 0"
  std::string inferred;  // "8"
  std::string formula;   // "a0"; "" where it isn't known
  std::string recorded;  // "" without a recorded result
  bool ok = true;        // inferred and recorded go together
};

void AddDims(const Shape& inferred, const Shape* recorded,
             const std::vector<std::string>* formulas, const std::string& part,
             std::vector<DimRow>* rows) {
  if (!inferred.has_rank()) return;
  const bool compared = recorded != nullptr && recorded->has_rank() &&
                        recorded->rank() == inferred.rank();
  for (int d = 0; d < inferred.rank(); ++d) {
    DimRow row;
    row.name = absl::StrCat(part, "dim ", d);
    row.inferred = inferred.dim(d).ToString();
    if (formulas != nullptr && static_cast<size_t>(d) < formulas->size()) {
      row.formula = (*formulas)[static_cast<size_t>(d)];
    }
    if (compared) {
      row.recorded = recorded->dim(d).ToString();
      row.ok = CompatibleDims(inferred.dim(d), recorded->dim(d));
    }
    rows->push_back(std::move(row));
  }
}

std::vector<DimRow> DimRows(const NodeQuestion& question,
                            const NodeAnswer& answer) {
  std::vector<DimRow> rows;
  if (!answer.result) return rows;
  const Shape& result = *answer.result;
  const Shape* const recorded =
      question.recorded ? &*question.recorded : nullptr;
  const auto formulas = [&](size_t i) {
    return answer.named && i < answer.named->results.size()
               ? &answer.named->results[i]
               : nullptr;
  };
  if (!result.is_tuple()) {
    AddDims(result, recorded, formulas(0), "", &rows);
    return rows;
  }
  // A tuple of thousands is listed by nobody.
  constexpr int kMaxParts = 16;
  for (int i = 0; i < std::min(result.tuple_size(), kMaxParts); ++i) {
    const size_t at = static_cast<size_t>(i);
    const bool both = recorded != nullptr && recorded->is_tuple() &&
                      i < recorded->tuple_size();
    AddDims(result.elements()[at], both ? &recorded->elements()[at] : nullptr,
            formulas(at), absl::StrCat("part ", i, " "), &rows);
  }
  return rows;
}

std::string OperandsText(const NodeQuestion& question,
                         const NodeAnswer& answer) {
  std::string text;
  std::vector<std::vector<std::string>> rows;
  size_t widest = 0, widest_names = 0;
  for (size_t i = 0; i < question.operands.size(); ++i) {
    rows.push_back({ShapeText(question.has_types, question.operands[i]),
                    answer.named ? answer.named->operands[i] : ""});
    widest = std::max(widest, rows.back()[0].size());
    widest_names = std::max(widest_names, rows.back()[1].size());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto padded = [&](size_t column, size_t width) {
      return rows[i][column] +
             std::string(width - rows[i][column].size() + 2, ' ');
    };
    std::string line = absl::StrCat("  operand ", i, "  ", padded(0, widest));
    if (answer.named) line += padded(1, widest_names);
    line += absl::StrJoin(DimParts(question, static_cast<int>(i)), ", ");
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

std::string DimsText(const NodeQuestion& question,
                     const std::vector<DimRow>& dims) {
  if (dims.empty()) return "";
  const bool recorded = question.recorded.has_value();
  std::vector<std::vector<std::string>> rows;
  if (recorded) rows.push_back({"", "", "inferred", "recorded", ""});
  bool any_formula = false;
  for (const DimRow& dim : dims) {
    rows.push_back(
        {absl::StrCat("result ", dim.name), dim.formula, dim.inferred});
    any_formula = any_formula || !dim.formula.empty();
    if (!recorded) continue;
    rows.back().push_back(dim.recorded);
    rows.back().push_back(dim.recorded.empty() ? "" : dim.ok ? "ok" : "error");
  }
  if (!any_formula) {
    for (auto& row : rows) row.erase(row.begin() + 1);
  }
  return "\n" + TextTable(rows);
}

std::string Draw(const NodeQuestion& question, const ExplainSubject& subject,
                 const NodeAnswer& answer) {
  std::string text =
      absl::StrCat(question.text, "\n\n", OperandsText(question, answer));
  absl::StrAppend(&text, DimsText(question, DimRows(question, answer)), "\n");
  if (answer.named) {
    for (const std::string& condition : answer.named->conditions) {
      absl::StrAppend(&text, "  must hold: ", condition, "\n");
    }
  }
  for (const Constraint& c : DeclarationOf(question.opcode).constraints) {
    absl::StrAppend(&text, "  must hold: ", ConstraintText(c), "\n");
  }
  absl::StrAppend(&text, "  result: ", ResultWords(question.opcode), "\n");
  for (const std::string& condition : answer.conditions) {
    absl::StrAppend(&text, "  at run time: ", condition, "\n");
  }
  if (answer.result && answer.conditions.empty()) {
    absl::StrAppend(&text, "  nothing is left to run time\n");
  }
  if (answer.result) {
    absl::StrAppend(&text, "\nresult ",
                    ShapeText(question.has_types, *answer.result), "\n");
  } else {
    absl::StrAppend(&text, "\n");
  }
  if (question.recorded) {
    absl::StrAppend(&text, "recorded ",
                    ShapeText(question.has_types, *question.recorded),
                    answer.ok ? ": ok\n" : "\n");
  }
  return text + DiagnosticsText(subject, answer.diagnostics);
}

std::string Json(const NodeQuestion& question, const ExplainSubject& subject,
                 const NodeAnswer& answer) {
  JsonWriter json;
  json.Add("operation", question.text);
  std::vector<std::string> operands, dims, must_hold;
  for (size_t i = 0; i < question.operands.size(); ++i) {
    JsonWriter operand;
    operand.Add("shape", ShapeText(question.has_types, question.operands[i]));
    if (answer.named) operand.Add("names", answer.named->operands[i]);
    const auto parts = DimParts(question, static_cast<int>(i));
    if (!parts.empty()) operand.AddTexts("parts", parts);
    operands.push_back(operand.text());
  }
  for (const DimRow& row : DimRows(question, answer)) {
    JsonWriter dim;
    dim.Add("dim", row.name).Add("inferred", row.inferred);
    if (!row.formula.empty()) dim.Add("formula", row.formula);
    if (!row.recorded.empty()) {
      dim.Add("recorded", row.recorded).Add("ok", row.ok);
    }
    dims.push_back(dim.text());
  }
  if (answer.named) must_hold = answer.named->conditions;
  for (const Constraint& c : DeclarationOf(question.opcode).constraints) {
    must_hold.push_back(ConstraintText(c));
  }
  json.AddList("operands", operands)
      .AddTexts("must_hold", must_hold)
      .Add("result_rule", ResultWords(question.opcode));
  if (answer.result) {
    json.Add("result", ShapeText(question.has_types, *answer.result));
  }
  json.AddList("dims", dims).AddTexts("conditions", answer.conditions);
  if (question.recorded) {
    json.Add("recorded", ShapeText(question.has_types, *question.recorded));
  }
  json.Add("ok", answer.ok)
      .AddList("diagnostics", DiagnosticsJson(subject, answer.diagnostics));
  return json.text() + "\n";
}

}  // namespace

Explanation ExplainNode(const NodeQuestion& question,
                        const ExplainOptions& options) {
  const NodeAnswer answer = Ask(question, options.mode);
  const NodeInputsOf inputs(question);
  ExplainSubject subject;
  subject.inputs = inputs.inputs();
  subject.op = Name(question.opcode);
  subject.names = question.names;
  Explanation explanation;
  explanation.text = options.json ? Json(question, subject, answer)
                                  : Draw(question, subject, answer);
  explanation.ok = answer.ok;
  return explanation;
}

}  // namespace indim
