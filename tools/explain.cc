#include "indim/tools/explain.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/docs.h"
#include "indim/shape/infer.h"
#include "indim/shape/opcode.h"
#include "indim/shape/suggest.h"

namespace indim {
namespace {

struct Question {
  Opcode opcode = Opcode::kInvalid;
  std::vector<Shape> operands;
  BroadcastSpec spec;
};

struct Operator {
  absl::string_view text;
  Opcode opcode;
};
constexpr Operator kOperators[] = {
    {"+", Opcode::kAdd},    {"-", Opcode::kSubtract},  {"*", Opcode::kMultiply},
    {"/", Opcode::kDivide}, {"%", Opcode::kRemainder}, {"&", Opcode::kAnd},
    {"|", Opcode::kOr},     {"^", Opcode::kXor},
};

void SkipBlanks(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
}

absl::Status Malformed(absl::string_view rest, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      rest.empty() ? "the end of the question" : absl::StrCat("'", rest, "'"),
      " isn't ", expected, "; a question looks like 'f32[4] + f32[1,2] {0}'"));
}

// ", a rule or an operation (did you mean add?)" of one word; "" of more.
std::string NearestAnswer(absl::string_view word) {
  if (word.empty() || word.find_first_of(" [](){}+*/%&|^") != word.npos) {
    return "";
  }
  std::vector<absl::string_view> known;
  for (const OpInfo& op : AllOps()) known.push_back(op.wire);
  for (const RuleInfo& rule : AllRules()) known.push_back(rule.slug);
  const absl::string_view near = NearestName(word, known);
  return absl::StrCat(
      ", a rule or an operation",
      near.empty() ? "" : absl::StrCat(" (did you mean ", near, "?)"));
}

// A shape without layout: braces after it are broadcast_dimensions.
absl::Status ReadOperand(absl::string_view* text, Question* question) {
  SkipBlanks(text);
  const size_t end = text->find(']');
  if (end == absl::string_view::npos) {
    return Malformed(*text, absl::StrCat("a shape", NearestAnswer(*text)));
  }
  const absl::StatusOr<Shape> shape = ParseShape(text->substr(0, end + 1));
  if (!shape.ok()) return shape.status();
  question->operands.push_back(*shape);
  text->remove_prefix(end + 1);
  SkipBlanks(text);
  return absl::OkStatus();
}

absl::Status ReadOperator(absl::string_view* text, Question* question) {
  std::optional<Opcode> opcode;
  for (const Operator& op : kOperators) {
    if (absl::ConsumePrefix(text, op.text)) {
      opcode = op.opcode;
      break;
    }
  }
  if (!opcode) {
    size_t length = 0;
    while (length < text->size() &&
           (absl::ascii_isalnum((*text)[length]) || (*text)[length] == '-')) {
      ++length;
    }
    opcode = OpcodeFromName(text->substr(0, length));
    if (!opcode || !Info(*opcode).has(kBroadcastable)) {
      return Malformed(*text, "an elementwise operation of two operands");
    }
    text->remove_prefix(length);
  }
  if (question->opcode != Opcode::kInvalid && question->opcode != *opcode) {
    return absl::InvalidArgumentError(
        "all operators of one question must be the same");
  }
  question->opcode = *opcode;
  return absl::OkStatus();
}

absl::Status ReadDimensions(absl::string_view text, Question* question) {
  const absl::string_view all = text;
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}")) {
    return Malformed(all, "broadcast_dimensions in braces");
  }
  DimIndices dimensions;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int64_t dimension;
    if (!absl::SimpleAtoi(part, &dimension)) {
      return Malformed(part, "a dimension number");
    }
    dimensions.push_back(dimension);
  }
  question->spec.dimensions = std::move(dimensions);
  return absl::OkStatus();
}

absl::StatusOr<Question> ReadQuestion(absl::string_view text) {
  Question question;
  text = absl::StripAsciiWhitespace(text);
  absl::Status status = ReadOperand(&text, &question);
  while (status.ok() && !text.empty() && text[0] != '{') {
    status = ReadOperator(&text, &question);
    if (status.ok()) status = ReadOperand(&text, &question);
  }
  if (status.ok() && !text.empty()) status = ReadDimensions(text, &question);
  if (!status.ok()) return status;
  if (question.opcode == Opcode::kInvalid) {
    return Malformed("", "an operator and a second shape");
  }
  return question;
}

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

// Each operand's dims under the result dims they are matched with; a dot where
// it has none.
std::string Drawing(const Question& question, const BroadcastPlan& plan) {
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
  return plan.dims.empty() ? "" : Table(rows);
}

// What happens to each operand, in words.
std::string Steps(const Question& question, const BroadcastPlan& plan) {
  std::string text;
  for (size_t k = 0; k < question.operands.size(); ++k) {
    const Shape& shape = question.operands[k];
    const std::string who =
        absl::StrCat("  operand ", k, " (", shape.ToString(), ")");
    std::vector<bool> covered(plan.dims.size(), false);
    bool any = false;
    for (int d = 0; d < shape.rank(); ++d) {
      const int r = plan.operands[k][d];
      if (r < 0) {
        absl::StrAppend(&text, who, ": dim ", d,
                        ", a trailing 1, is ignored\n");
        any = true;
        continue;
      }
      covered[r] = true;
      if (shape.dim(d).is(1) && !plan.dims[r].is(1)) {
        absl::StrAppend(&text, who, ": dim ", d, " stretches from 1 to ",
                        plan.dims[r].ToString(), "\n");
        any = true;
      }
    }
    std::vector<std::string> repeated;
    for (size_t r = 0; r < covered.size(); ++r) {
      if (!covered[r]) repeated.push_back(absl::StrCat(r));
    }
    if (!repeated.empty()) {
      absl::StrAppend(&text, who, ": repeated along result dim ",
                      absl::StrJoin(repeated, ", "), "\n");
      any = true;
    }
    if (!any) absl::StrAppend(&text, who, ": used as it is\n");
  }
  return text;
}

std::string Heading(const Question& question) {
  std::vector<std::string> shapes;
  for (const Shape& shape : question.operands) {
    shapes.push_back(shape.ToString());
  }
  std::string text = absl::StrCat(Name(question.opcode), "(",
                                  absl::StrJoin(shapes, ", "), ")");
  if (question.spec.dimensions) {
    absl::StrAppend(&text, ", broadcast_dimensions {",
                    absl::StrJoin(*question.spec.dimensions, ","), "}");
  }
  absl::StrAppend(&text, ", rule ", Name(question.spec.rule));
  if (question.spec.rule == BroadcastRule::kPdpd) {
    absl::StrAppend(&text, ", axis ", question.spec.axis);
  }
  return text + "\n\n";
}

std::string Problems(const Question& question,
                     absl::Span<const Shape* const> operands,
                     const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  DiagnosticSubject subject;
  subject.op = Name(question.opcode);
  subject.operands = operands;
  if (question.spec.dimensions) {
    subject.broadcast_dimensions = *question.spec.dimensions;
  }
  for (const Diagnostic& d : diagnostics) {
    absl::StrAppend(&text,
                    d.severity() == Severity::kError ? "error: " : "warning: ",
                    FormatMessage(d, subject), "  [", RuleId(d.rule), "]\n");
    const std::string picture = FormatPicture(d, subject);
    if (!picture.empty()) absl::StrAppend(&text, picture);
    if (d.fix_broadcast_dimensions) {
      absl::StrAppend(&text, "to fix: broadcast_dimensions {",
                      absl::StrJoin(*d.fix_broadcast_dimensions, ","),
                      "} would match\n");
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<Explanation> ExplainBroadcast(absl::string_view text,
                                             BroadcastRule rule, int64_t axis) {
  absl::StatusOr<Question> question = ReadQuestion(text);
  if (!question.ok()) return question.status();
  question->spec.rule = rule;
  question->spec.axis = axis;
  std::vector<const Shape*> operands;
  for (const Shape& shape : question->operands) operands.push_back(&shape);

  Explanation explanation;
  explanation.text = Heading(*question);
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  explanation.ok = PlanBroadcast(question->spec, operands, &plan, &diagnostics);
  if (explanation.ok) {
    absl::StrAppend(&explanation.text, Drawing(*question, plan), "\n",
                    Steps(*question, plan));
    for (const SizeCondition& condition : plan.conditions) {
      absl::StrAppend(&explanation.text, "  at run time: ", ToString(condition),
                      "\n");
    }
    if (plan.conditions.empty()) {
      absl::StrAppend(&explanation.text, "  nothing is left to run time\n");
    }
    // The element type, with the op's own rule.
    InferContext context;
    const Attributes attributes =
        question->opcode == Opcode::kCompare
            ? Attributes(CompareAttributes{ComparisonDirection::kEq,
                                           ComparisonType::kDefault,
                                           question->spec})
            : Attributes(ElementwiseAttributes{question->spec});
    OpInputs inputs;
    inputs.opcode = question->opcode;
    inputs.operands = operands;
    inputs.attributes = &attributes;
    if (operands.size() == 2) {
      const std::optional<Shape> result = InferShape(&context, inputs);
      diagnostics = context.diagnostics();
      explanation.ok = result.has_value();
      if (result) {
        absl::StrAppend(&explanation.text, "\nresult ", result->ToString(),
                        "\n");
      }
    }
  }
  absl::StrAppend(&explanation.text,
                  Problems(*question, operands, diagnostics));
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
