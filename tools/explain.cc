#include "indim/tools/explain.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/shape/docs.h"
#include "indim/shape/infer.h"
#include "indim/shape/opcode.h"
#include "indim/tools/explain_question.h"
#include "indim/tools/json_writer.h"

namespace indim {
namespace {

using Operands = std::vector<const Shape*>;

// What a rule answers to a question.
struct RuleAnswer {
  bool ok = false;
  BroadcastPlan plan;
  std::optional<Shape> result;
  std::vector<Diagnostic> diagnostics;
};

// A table whose columns are right-aligned, the first one left-aligned.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? row[i] : blanks, i == 0 ? blanks : row[i],
                      "   ");
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

// Dims of operand `k` that are 1 or the result's size at run time, as the
// plan's conditions say.
std::vector<bool> MayStretch(const BroadcastPlan& plan, size_t k, size_t rank) {
  std::vector<bool> may(rank, false);
  const auto mark = [&](DimRef ref) {
    if (ref.operand == static_cast<int>(k) && ref.dim >= 0 &&
        static_cast<size_t>(ref.dim) < rank) {
      may[static_cast<size_t>(ref.dim)] = true;
    }
  };
  for (const SizeCondition& condition : plan.conditions) {
    switch (condition.kind) {
      case SizeCondition::Kind::kEitherOneOrEqual:
        mark(condition.b);
        mark(condition.a);
        break;
      case SizeCondition::Kind::kOneOrEqual:
      case SizeCondition::Kind::kOneOrIs:
        mark(condition.a);
        break;
      default:
        break;
    }
  }
  return may;
}

// Each operand's dims under the result dims they are matched with; a dot where
// it has none.
std::string Drawing(const BroadcastQuestion& question,
                    const BroadcastPlan& plan) {
  std::vector<std::vector<std::string>> rows(1, {""});
  for (size_t r = 0; r < plan.dims.size(); ++r) {
    rows[0].push_back(absl::StrCat("dim ", r));
  }
  for (size_t k = 0; k < question.operands.size(); ++k) {
    std::vector<std::string> row(plan.dims.size() + 1, ".");
    row[0] = absl::StrCat("operand ", k);
    for (size_t d = 0; d < plan.operands[k].size(); ++d) {
      const int r = plan.operands[k][d];
      if (r < 0) continue;
      row[static_cast<size_t>(r) + 1] =
          question.operands[k].dim(static_cast<int>(d)).ToString();
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::string> row = {"result"};
  for (const Dim dim : plan.dims) row.push_back(dim.ToString());
  rows.push_back(std::move(row));
  return plan.dims.empty() ? "" : Table(rows) + "\n";
}

// How the rule places an array of lower rank.
absl::string_view PlacingName(const BroadcastSpec& spec) {
  switch (spec.rule) {
    case BroadcastRule::kXla:
      return "InDim";
    case BroadcastRule::kPdpd:
      return "laid from the axis";
    default:
      return "aligned at the last dim";
  }
}

// The two steps of one operand: its dims find their places among the result's,
// then dims of size 1 stretch.
class Steps {
 public:
  Steps(const BroadcastQuestion& question, const BroadcastPlan& plan, size_t k)
      : question_(question),
        plan_(plan),
        operand_(question.operands[k]),
        map_(plan.operands[k]),
        may_(MayStretch(plan, k, map_.size())) {}

  std::vector<std::string> Lines() {
    if (operand_.is_unranked()) {
      return {"its rank isn't known: it makes no claim"};
    }
    Place();
    Stretch();
    if (lines_.empty()) lines_.push_back("as it is");
    return std::move(lines_);
  }

 private:
  void Place();
  void Stretch();
  std::string Text(const Shape& shape) const {
    return ShapeText(question_, shape);
  }

  const BroadcastQuestion& question_;
  const BroadcastPlan& plan_;
  const Shape& operand_;
  const BroadcastPlan::DimMap& map_;
  const std::vector<bool> may_;  // by dim of the operand
  Shape placed_;                 // as the first step leaves it
  std::vector<bool> may_placed_;
  std::vector<std::string> lines_;
};

void Steps::Place() {
  placed_ = Shape::Scalar(operand_.element_type());
  for (size_t r = 0; r < plan_.dims.size(); ++r)
    placed_.add_dim(Dim::Static(1));
  may_placed_.assign(plan_.dims.size(), false);
  std::vector<std::string> places;
  bool moved = false;
  for (size_t d = 0; d < map_.size(); ++d) {
    const int r = map_[d];
    if (r < 0) {
      lines_.push_back(absl::StrCat("dim ", d, ", a trailing 1, is ignored"));
      continue;
    }
    placed_.set_dim(r, operand_.dim(static_cast<int>(d)));
    may_placed_[static_cast<size_t>(r)] = may_[d];
    places.push_back(absl::StrCat("dim ", d, " is result dim ", r));
    moved = moved || r != static_cast<int>(d);
  }
  if (map_.empty() && !plan_.dims.empty()) {
    lines_.push_back(
        absl::StrCat("a scalar goes with anything: ", Text(placed_)));
  } else if (moved || places.size() < plan_.dims.size()) {
    lines_.push_back(absl::StrCat(PlacingName(question_.spec), ": ",
                                  absl::StrJoin(places, ", "), ": ",
                                  Text(placed_)));
  }
}

void Steps::Stretch() {
  Shape stretched = placed_;
  std::vector<std::string> what;
  for (int r = 0; r < placed_.rank(); ++r) {
    const Dim from = placed_.dim(r), to = plan_.dims[static_cast<size_t>(r)];
    if (may_placed_[static_cast<size_t>(r)]) {
      what.push_back(absl::StrCat("dim ", r, ", ", from.ToString(),
                                  ", stretches to ", to.ToString(),
                                  " if it is 1 at run time"));
      stretched.set_dim(r, to);
    } else if (from.is(1) && !to.is(1)) {
      what.push_back(
          absl::StrCat("dim ", r, " stretches from 1 to ", to.ToString()));
      stretched.set_dim(r, to);
    }
  }
  if (what.empty()) return;
  lines_.push_back(absl::StrCat("degenerate: ", absl::StrJoin(what, ", "), ": ",
                                Text(stretched)));
}

std::string AllSteps(const BroadcastQuestion& question,
                     const BroadcastPlan& plan) {
  std::string text;
  for (size_t k = 0; k < question.operands.size(); ++k) {
    absl::StrAppend(&text, "  operand ", k, "  ",
                    ShapeText(question, question.operands[k]), "\n");
    for (const std::string& line : Steps(question, plan, k).Lines()) {
      absl::StrAppend(&text, "    ", line, "\n");
    }
  }
  return text;
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
    absl::StrAppend(&text, ", broadcast_dimensions={",
                    absl::StrJoin(*question.spec.dimensions, ","), "}");
  }
  return text;
}

std::string Heading(const BroadcastQuestion& question) {
  std::string text = absl::StrCat(OperationText(question), ", rule ",
                                  Name(question.spec.rule));
  if (question.spec.rule == BroadcastRule::kPdpd) {
    absl::StrAppend(&text, ", axis ", question.spec.axis);
  }
  return text + "\n\n";
}

std::string Problems(const BroadcastQuestion& question,
                     absl::Span<const Shape* const> operands,
                     const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  DiagnosticSubject subject;
  subject.op =
      question.opcode == Opcode::kInvalid ? "broadcast" : Name(question.opcode);
  subject.operands = operands;
  if (question.result) subject.declared = &*question.result;
  if (question.spec.dimensions) {
    subject.broadcast_dimensions = *question.spec.dimensions;
  }
  for (const Diagnostic& d : diagnostics) {
    absl::StrAppend(&text,
                    d.severity() == Severity::kError ? "error: " : "warning: ",
                    FormatMessage(d, subject), "  [", RuleId(d.rule), "]\n",
                    FormatPicture(d, subject));
    if (d.fix_broadcast_dimensions) {
      absl::StrAppend(&text, "to fix: broadcast_dimensions {",
                      absl::StrJoin(*d.fix_broadcast_dimensions, ","),
                      "} would match\n");
    }
  }
  return text;
}

// What the operation's own rule says of the result: its element type.
void InferResult(const BroadcastQuestion& question, const Operands& operands,
                 RuleAnswer* answer) {
  InferContext context;
  const Attributes attributes =
      question.opcode == Opcode::kCompare
          ? Attributes(CompareAttributes{ComparisonDirection::kEq,
                                         ComparisonType::kDefault,
                                         question.spec})
          : Attributes(ElementwiseAttributes{question.spec});
  OpInputs inputs;
  inputs.opcode = question.opcode;
  inputs.operands = operands;
  inputs.attributes = &attributes;
  answer->result = InferShape(&context, inputs);
  answer->diagnostics = context.diagnostics();
  answer->ok = answer->result.has_value();
}

RuleAnswer Ask(const BroadcastQuestion& question, const Operands& operands) {
  RuleAnswer answer;
  answer.ok =
      PlanBroadcast(question.spec, operands, &answer.plan, &answer.diagnostics);
  if (!answer.ok) return answer;
  if (question.opcode != Opcode::kInvalid && operands.size() == 2) {
    InferResult(question, operands, &answer);
    return answer;
  }
  const ElementType type = operands[0]->element_type();
  answer.result = answer.plan.unranked ? Shape::Unranked(type)
                                       : Shape::Array(type, answer.plan.dims);
  return answer;
}

// --- A result to be verified -------------------------------------------------

struct ModeName {
  BroadcastableMode mode;
  absl::string_view name;
};
constexpr ModeName kModes[] = {{BroadcastableMode::kLenient, "lenient"},
                               {BroadcastableMode::kStrict, "strict"},
                               {BroadcastableMode::kMlir, "mlir"}};

bool Passes(BroadcastableMode mode, const BroadcastQuestion& question,
            const RuleAnswer& answer, const Operands& operands,
            std::vector<Diagnostic>* diagnostics) {
  return question.spec.rule == BroadcastRule::kNumpy
             ? VerifyBroadcastable(mode, operands, *question.result,
                                   diagnostics)
             : VerifyBroadcastable(mode, answer.plan, operands,
                                   *question.result, diagnostics);
}

// "ok" or "error": of one dim alone.
std::string DimOutcome(BroadcastableMode mode, Dim inferred, Dim recorded) {
  const Shape operand = Shape::Array(ElementType::kF32, {inferred});
  const Shape* const operands[] = {&operand};
  std::vector<Diagnostic> diagnostics;
  return VerifyBroadcastable(mode, operands,
                             Shape::Array(ElementType::kF32, {recorded}),
                             &diagnostics)
             ? "ok"
             : "error";
}

// The table of MLIR's document, a row for each dim of the result, and what the
// modes say of all of it.
std::string Verification(const BroadcastQuestion& question,
                         const RuleAnswer& answer, const Operands& operands) {
  const Shape& recorded = *question.result;
  std::vector<std::vector<std::string>> rows = {
      {"", "inferred", "recorded", "lenient", "strict", "mlir"}};
  const bool dims = answer.result && answer.result->has_rank() &&
                    recorded.has_rank() &&
                    answer.result->rank() == recorded.rank();
  for (int d = 0; dims && d < recorded.rank(); ++d) {
    std::vector<std::string> row = {absl::StrCat("dim ", d),
                                    answer.result->dim(d).ToString(),
                                    recorded.dim(d).ToString()};
    for (const ModeName& mode : kModes) {
      row.push_back(
          DimOutcome(mode.mode, answer.result->dim(d), recorded.dim(d)));
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::string> verdicts = {"result", "", ""};
  if (answer.result) verdicts[1] = ShapeText(question, *answer.result);
  verdicts[2] = ShapeText(question, recorded);
  for (const ModeName& mode : kModes) {
    std::vector<Diagnostic> diagnostics;
    verdicts.push_back(
        Passes(mode.mode, question, answer, operands, &diagnostics) ? "ok"
                                                                    : "error");
  }
  rows.push_back(std::move(verdicts));
  return "\n" + Table(rows);
}

// --- Answers -----------------------------------------------------------------

Explanation Draw(const BroadcastQuestion& question, const Operands& operands,
                 RuleAnswer answer, BroadcastableMode mode) {
  Explanation explanation;
  explanation.ok = answer.ok;
  std::string& text = explanation.text;
  text = Heading(question);
  if (answer.result) {
    if (answer.plan.unranked) {
      absl::StrAppend(&text, "  no rank is known, and nothing is checked\n");
    } else {
      absl::StrAppend(&text, Drawing(question, answer.plan),
                      AllSteps(question, answer.plan));
    }
    for (const SizeCondition& condition : answer.plan.conditions) {
      absl::StrAppend(&text, "  at run time: ", ToString(condition), "\n");
    }
    if (answer.plan.conditions.empty() && !answer.plan.unranked) {
      absl::StrAppend(&text, "  nothing is left to run time\n");
    }
    absl::StrAppend(&text, "\nresult ", ShapeText(question, *answer.result),
                    "\n");
  }
  if (question.result && answer.ok) {
    absl::StrAppend(&text, Verification(question, answer, operands), "\n");
    explanation.ok =
        Passes(mode, question, answer, operands, &answer.diagnostics);
  }
  absl::StrAppend(&text, Problems(question, operands, answer.diagnostics));
  return explanation;
}

std::string Json(const BroadcastQuestion& question, const Operands& operands,
                 RuleAnswer answer, BroadcastableMode mode, bool* ok) {
  *ok = answer.ok;
  JsonWriter json;
  json.Add("operation", OperationText(question))
      .Add("rule", Name(question.spec.rule));
  std::vector<std::string> steps, conditions, problems;
  if (answer.result && !answer.plan.unranked) {
    for (size_t k = 0; k < operands.size(); ++k) {
      std::vector<std::string> lines;
      for (const std::string& line : Steps(question, answer.plan, k).Lines()) {
        lines.push_back(JsonString(line));
      }
      steps.push_back(absl::StrCat("[", absl::StrJoin(lines, ","), "]"));
    }
  }
  for (const SizeCondition& condition : answer.plan.conditions) {
    conditions.push_back(JsonString(ToString(condition)));
  }
  if (answer.result) json.Add("result", ShapeText(question, *answer.result));
  json.AddList("steps", steps).AddList("conditions", conditions);
  if (question.result && answer.ok) {
    JsonWriter modes;
    for (const ModeName& one : kModes) {
      std::vector<Diagnostic> diagnostics;
      modes.Add(one.name,
                Passes(one.mode, question, answer, operands, &diagnostics));
    }
    json.AddRaw("verified", modes.text());
    *ok = Passes(mode, question, answer, operands, &answer.diagnostics);
  }
  for (const Diagnostic& d : answer.diagnostics) {
    problems.push_back(JsonString(
        absl::StripTrailingAsciiWhitespace(Problems(question, operands, {d}))));
  }
  json.Add("ok", *ok).AddList("diagnostics", problems);
  return json.text() + "\n";
}

// A row for each rule: whether it takes the operands, what results, what is
// left to run time.
Explanation AllRules(BroadcastQuestion question, const Operands& operands) {
  Explanation explanation;
  explanation.text = OperationText(question) + "\n\n";
  std::vector<std::vector<std::string>> rows = {
      {"", "result", "left to run time"}};
  for (int r = 0; r <= static_cast<int>(BroadcastRule::kBidirectional); ++r) {
    question.spec.rule = static_cast<BroadcastRule>(r);
    const RuleAnswer answer = Ask(question, operands);
    std::string result = "refused";
    if (answer.result) {
      result = ShapeText(question, *answer.result);
    } else if (!answer.diagnostics.empty()) {
      absl::StrAppend(&result, " ", RuleId(answer.diagnostics[0].rule));
    }
    std::vector<std::string> conditions;
    for (const SizeCondition& condition : answer.plan.conditions) {
      conditions.push_back(ToString(condition));
    }
    rows.push_back({std::string(Name(question.spec.rule)), std::move(result),
                    !answer.result       ? "-"
                    : conditions.empty() ? "nothing"
                                         : absl::StrJoin(conditions, "; ")});
  }
  absl::StrAppend(&explanation.text, Table(rows));
  return explanation;
}

}  // namespace

absl::StatusOr<Explanation> ExplainBroadcast(absl::string_view text,
                                             const ExplainOptions& options) {
  absl::StatusOr<BroadcastQuestion> question = ReadBroadcastQuestion(text);
  if (!question.ok()) return question.status();
  if (options.rule) question->spec.rule = *options.rule;
  if (options.axis) question->spec.axis = *options.axis;
  Operands operands;
  for (const Shape& shape : question->operands) operands.push_back(&shape);
  if (options.all_rules) return AllRules(*std::move(question), operands);
  RuleAnswer answer = Ask(*question, operands);
  if (!options.json) {
    return Draw(*question, operands, std::move(answer), options.mode);
  }
  Explanation explanation;
  explanation.text = Json(*question, operands, std::move(answer), options.mode,
                          &explanation.ok);
  return explanation;
}

std::string ExplainRule(Rule rule) {
  const RuleInfo& info = Info(rule);
  const RuleDoc& doc = DocOf(rule);
  return absl::StrCat(
      RuleId(rule), " ", info.slug,
      info.severity == Severity::kError ? " (error)\n" : " (warning)\n", "  ",
      info.message, "\n\n  why    ", doc.why, "\n  right  ", doc.right,
      "\n  wrong  ", doc.wrong, "\n");
}

}  // namespace indim
