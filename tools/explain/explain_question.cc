// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/explain/explain_question.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace indim {
namespace {

struct Operator {
  absl::string_view text;
  Opcode opcode;
};
constexpr Operator kOperators[] = {
    {"+", Opcode::kAdd},    {"-", Opcode::kSubtract},  {"*", Opcode::kMultiply},
    {"/", Opcode::kDivide}, {"%", Opcode::kRemainder}, {"&", Opcode::kAnd},
    {"|", Opcode::kOr},     {"^", Opcode::kXor},
};

// What may stand behind the operands.
constexpr absl::string_view kRestWords[] = {"{",
                                            "->",
                                            "broadcast_dimensions",
                                            "broadcast to",
                                            "axis",
                                            "rule",
                                            "broadcast_rule",
                                            "with axis",
                                            "Result",
                                            "are incompatible"};

class QuestionReader {
 public:
  explicit QuestionReader(absl::string_view text)
      : text_(absl::StripAsciiWhitespace(text)) {}

  absl::StatusOr<BroadcastQuestion> Read();

 private:
  void SkipBlanks() { text_ = absl::StripLeadingAsciiWhitespace(text_); }
  bool Accept(absl::string_view prefix) {
    SkipBlanks();
    return absl::ConsumePrefix(&text_, prefix);
  }
  absl::string_view Word() {
    SkipBlanks();
    return LeadingName(text_);
  }
  // "axis=", "axis = ".
  bool AcceptName(absl::string_view name);
  bool AtRest();
  absl::Status ReadOperands();
  absl::Status ReadCall(Opcode opcode);
  absl::Status ReadMlir();
  absl::Status ReadOperand();
  absl::Status ReadOperator();
  absl::StatusOr<Shape> ReadShape() {
    return ConsumeQuestionShape(&text_, &seen_);
  }
  absl::Status ReadRest();
  // Up to `closing`.
  absl::Status ReadDimensions(absl::string_view closing);
  absl::Status ReadNumber(absl::string_view name, int64_t* number);
  absl::Status ReadRule();
  absl::Status ReadResult();
  void ChooseRule();

  absl::string_view text_;
  BroadcastQuestion question_;
  NotationsSeen seen_;
  bool has_rule_ = false;
  bool has_axis_ = false;
};

bool QuestionReader::AcceptName(absl::string_view name) {
  SkipBlanks();
  absl::string_view rest = text_;
  if (!absl::ConsumePrefix(&rest, name)) return false;
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::ConsumePrefix(&rest, "=")) return false;
  text_ = rest;
  return true;
}

// At the end, or at something that isn't an operand any more.
bool QuestionReader::AtRest() {
  SkipBlanks();
  if (text_.empty() || BroadcastRuleFromName(Word())) return true;
  for (absl::string_view word : kRestWords) {
    if (absl::StartsWith(text_, word)) return true;
  }
  return false;
}

absl::Status QuestionReader::ReadOperator() {
  SkipBlanks();
  Opcode opcode = Opcode::kInvalid;
  for (const Operator& op : kOperators) {
    if (absl::ConsumePrefix(&text_, op.text)) {
      opcode = op.opcode;
      break;
    }
  }
  if (opcode == Opcode::kInvalid) {
    const absl::string_view name = Word();
    const std::optional<Opcode> named = OpcodeFromName(name);
    if (!named || !Info(*named).has(kBroadcasts)) {
      return NoQuestion(text_, "an elementwise operation of two operands");
    }
    text_.remove_prefix(name.size());
    opcode = *named;
  }
  if (question_.opcode != Opcode::kInvalid && question_.opcode != opcode) {
    return absl::InvalidArgumentError(
        "all operators of one question must be the same");
  }
  question_.opcode = opcode;
  return absl::OkStatus();
}

// "A: Shape(2)", or without the name. "-> scalar" behind Shape(,) says what it
// is.
absl::Status QuestionReader::ReadOperand() {
  SkipBlanks();
  if (text_.size() > 1 && text_[1] == ':') text_.remove_prefix(2);
  absl::StatusOr<Shape> shape = ReadShape();
  if (!shape.ok()) return shape.status();
  if (!shape->is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(
        shape->ToString(), " is not an array: only arrays broadcast"));
  }
  question_.operands.push_back(*std::move(shape));
  absl::string_view rest = text_;
  if (Accept("->") && Accept("scalar")) return absl::OkStatus();
  text_ = rest;
  return absl::OkStatus();
}

// Behind "add(".
absl::Status QuestionReader::ReadCall(Opcode opcode) {
  if (!Info(opcode).has(kBroadcasts)) {
    return NoQuestion(Name(opcode), "an elementwise operation");
  }
  question_.opcode = opcode;
  do {
    // The builder's form: Add(x, y, {1}).
    absl::Status status = !question_.operands.empty() && Accept("{")
                              ? ReadDimensions("}")
                              : ReadOperand();
    if (!status.ok()) return status;
  } while (Accept(","));
  return Accept(")") ? absl::OkStatus() : NoQuestion(text_, "',' or ')'");
}

// Behind the name in quotes: (%a, %b) : (tensor<2xf32>, tensor<2xf32>), as MLIR
// prints any operation.
absl::Status QuestionReader::ReadMlir() {
  const size_t colon = text_.find(": (");
  if (colon == absl::string_view::npos) {
    return NoQuestion(text_, "operands and ': (' with their types");
  }
  // Of a dialect that Indim doesn't know, attributes may mean anything.
  const size_t braces = text_.find('{');
  if (braces < colon) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attributes of '", text_.substr(0, text_.find('"')),
        "' aren't known, and may say how it broadcasts; without them, the "
        "operands and the result are compared by MLIR's trait Broadcastable"));
  }
  text_.remove_prefix(colon + 3);
  seen_.notation = ShapeNotation::kMlir;
  do {
    const absl::Status status = ReadOperand();
    if (!status.ok()) return status;
  } while (Accept(","));
  return Accept(")") ? absl::OkStatus() : NoQuestion(text_, "',' or ')'");
}

// Shapes with an operator, or commas, between them; an op's name and its
// operands in parentheses; MLIR's generic form.
absl::Status QuestionReader::ReadOperands() {
  if (Accept("%")) {
    const size_t end = text_.find('=');
    if (end == absl::string_view::npos) {
      return NoQuestion(text_, "a name and '='");
    }
    text_.remove_prefix(end + 1);
  }
  if (Accept("\"")) return ReadMlir();
  const absl::string_view name = Word();
  const std::optional<Opcode> called = OpcodeFromName(name);
  if (called && text_.substr(name.size(), 1) == "(") {
    text_.remove_prefix(name.size() + 1);
    return ReadCall(*called);
  }
  while (true) {
    absl::Status status = ReadOperand();
    // No operator between: (1, 2) are broadcast_dimensions.
    if (!status.ok() || AtRest() || absl::StartsWith(text_, "(")) return status;
    if (absl::ConsumePrefix(&text_, ",")) {
      if (AtRest()) return absl::OkStatus();
      continue;
    }
    if (text_.size() > 1 && text_[1] == ':') continue;  // B: Shape(3)
    status = ReadOperator();
    if (!status.ok()) return status;
  }
}

absl::Status QuestionReader::ReadDimensions(absl::string_view closing) {
  const size_t end = text_.find(closing);
  if (end == absl::string_view::npos) {
    return NoQuestion(text_, "broadcast_dimensions in braces");
  }
  DimIndices dimensions;
  for (absl::string_view part :
       absl::StrSplit(text_.substr(0, end), ',', absl::SkipWhitespace())) {
    int64_t dimension;
    if (!absl::SimpleAtoi(part, &dimension)) {
      return NoQuestion(part, "a dimension number");
    }
    dimensions.push_back(dimension);
  }
  question_.spec.dimensions = std::move(dimensions);
  text_.remove_prefix(end + 1);
  return absl::OkStatus();
}

absl::Status QuestionReader::ReadNumber(absl::string_view name,
                                        int64_t* number) {
  const absl::string_view word = Word();
  if (!absl::SimpleAtoi(word, number)) {
    return NoQuestion(text_, absl::StrCat("a number for ", name));
  }
  text_.remove_prefix(word.size());
  Accept("(default)");  // as OpenVINO's document writes -1
  return absl::OkStatus();
}

absl::Status QuestionReader::ReadRule() {
  const absl::string_view word = Word();
  const std::optional<BroadcastRule> rule = BroadcastRuleFromName(word);
  if (!rule) {
    return NoQuestion(text_, "xla, none, numpy, pdpd or bidirectional");
  }
  question_.spec.rule = *rule;
  has_rule_ = true;
  text_.remove_prefix(word.size());
  return absl::OkStatus();
}

// The documents' words for what doesn't match say what is asked here.
absl::Status QuestionReader::ReadResult() {
  if (Accept("broadcast won't happen")) {
    text_ = "";
    return absl::OkStatus();
  }
  absl::StatusOr<Shape> result = ReadShape();
  if (!result.ok()) return result.status();
  question_.result = *std::move(result);
  if (Accept("->") && !Accept("scalar")) {
    return NoQuestion(text_, "the end: one result is enough");
  }
  return absl::OkStatus();
}

// {0}, broadcast_dimensions={0}, axis=1, rule=numpy, -> shape.
absl::Status QuestionReader::ReadRest() {
  absl::Status status;
  while (status.ok()) {
    Accept(",");
    SkipBlanks();
    if (text_.empty()) break;
    if (Accept("with ") || Accept("or ")) SkipBlanks();
    if (Accept("{")) {
      status = ReadDimensions("}");
    } else if (Accept("(")) {
      status = ReadDimensions(")");
    } else if (BroadcastRuleFromName(Word())) {
      status = ReadRule();
    } else if (AcceptName("broadcast_dimensions")) {
      status = Accept("{")   ? ReadDimensions("}")
               : Accept("(") ? ReadDimensions(")")
               : Accept("[") ? ReadDimensions("]")
                             : NoQuestion(text_, "dimensions in braces");
    } else if (AcceptName("axis")) {
      has_axis_ = true;
      status = ReadNumber("axis", &question_.spec.axis);
    } else if (AcceptName("rule") || AcceptName("broadcast_rule")) {
      status = ReadRule();
    } else if (Accept("are incompatible")) {
      text_ = "";
    } else if (Accept("->") || Accept("broadcast to") || Accept("Result:")) {
      status = ReadResult();
    } else {
      status = NoQuestion(text_,
                          "broadcast_dimensions in braces, axis=, rule= "
                          "or '->' and a result");
    }
  }
  return status;
}

void QuestionReader::ChooseRule() {
  if (has_rule_) return;
  question_.sizes_alone = seen_.notation == ShapeNotation::kSizes && !has_axis_;
  if (has_axis_) {
    question_.spec.rule = BroadcastRule::kPdpd;
  } else if (seen_.notation != ShapeNotation::kHlo &&
             !question_.spec.dimensions) {
    question_.spec.rule = BroadcastRule::kNumpy;
  }
}

absl::StatusOr<BroadcastQuestion> QuestionReader::Read() {
  absl::Status status = ReadOperands();
  if (status.ok()) status = ReadRest();
  if (!status.ok()) return status;
  if (question_.operands.size() < 2 && !question_.result) {
    return NoQuestion("", "an operator and a second shape");
  }
  question_.has_types = seen_.has_types;
  ChooseRule();
  return std::move(question_);
}

}  // namespace

absl::StatusOr<BroadcastQuestion> ReadBroadcastQuestion(
    absl::string_view text) {
  return QuestionReader(text).Read();
}

}  // namespace indim
