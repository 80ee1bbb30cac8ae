#include "indim/tools/explain_question.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/diagnostic.h"
#include "indim/shape/suggest.h"

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

absl::Status Malformed(absl::string_view rest, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      rest.empty() ? "the end of the question" : absl::StrCat("'", rest, "'"),
      " isn't ", expected, "; a question looks like 'f32[4] + f32[1,2] {0}'"));
}

// ", a rule or an operation (did you mean add?)" of one word; "" of more.
std::string NearestAnswer(absl::string_view word) {
  if (word.empty() || word.find_first_of(" [](){}<>+*/%&|^") != word.npos) {
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

// A size as MLIR, OpenVINO and NumPy write it, in our notation.
absl::string_view SizeText(absl::string_view size) {
  return size == "-1" || size == "None" ? "?" : size;
}

// i32 is s32, ui8 is u8, i1 is pred; others are spelled alike.
std::string TypeOfMlir(absl::string_view name) {
  if (name == "i1") return "pred";
  if (absl::ConsumePrefix(&name, "ui")) return absl::StrCat("u", name);
  if (absl::StartsWith(name, "i")) return absl::StrCat("s", name.substr(1));
  if (name == "complex<f32>") return "c64";
  if (name == "complex<f64>") return "c128";
  return std::string(name);
}

class Reader {
 public:
  explicit Reader(absl::string_view text)
      : text_(absl::StripAsciiWhitespace(text)) {}

  absl::StatusOr<BroadcastQuestion> Read();

 private:
  enum class Notation { kHlo, kSizes, kMlir, kOpenVino };

  void SkipBlanks() { text_ = absl::StripLeadingAsciiWhitespace(text_); }
  bool Accept(absl::string_view prefix) {
    SkipBlanks();
    return absl::ConsumePrefix(&text_, prefix);
  }
  absl::string_view Word();
  absl::Status ReadOperands();
  absl::Status ReadOperator();
  absl::StatusOr<Shape> ReadShape();
  absl::StatusOr<Shape> ReadSizes(absl::string_view closing);
  absl::StatusOr<Shape> ReadTensor();
  absl::Status ReadRest();
  absl::Status ReadDimensions();
  absl::Status ReadNumber(absl::string_view name, int64_t* number);
  absl::Status ReadRule();
  void SettleRule();

  absl::string_view text_;
  BroadcastQuestion question_;
  Notation notation_ = Notation::kHlo;
  bool has_rule_ = false;
  bool has_axis_ = false;
};

absl::string_view Reader::Word() {
  SkipBlanks();
  size_t length = 0;
  while (length < text_.size() &&
         (absl::ascii_isalnum(text_[length]) || text_[length] == '-' ||
          text_[length] == '_')) {
    ++length;
  }
  return text_.substr(0, length);
}

absl::StatusOr<Shape> Reader::ReadSizes(absl::string_view closing) {
  const size_t end = text_.find(closing);
  if (end == absl::string_view::npos) {
    return Malformed(text_, absl::StrCat("sizes and '", closing, "'"));
  }
  std::vector<absl::string_view> sizes;
  for (absl::string_view size : absl::StrSplit(text_.substr(0, end), ',')) {
    size = absl::StripAsciiWhitespace(size);
    sizes.push_back(SizeText(size));
  }
  // (3,) is NumPy's tuple of one, () a scalar.
  if (sizes.back().empty()) sizes.pop_back();
  text_.remove_prefix(end + 1);
  return ParseShape(absl::StrCat("f32[", absl::StrJoin(sizes, ","), "]"));
}

// Behind "tensor<": 2x?xf32>, f32>, *xf32>.
absl::StatusOr<Shape> Reader::ReadTensor() {
  const size_t end = text_.find(
      absl::StartsWith(text_, "complex") ||
              absl::StrContains(text_.substr(0, text_.find('>')), "complex<")
          ? ">>"
          : ">");
  if (end == absl::string_view::npos) {
    return Malformed(text_, "a tensor's sizes and type, and '>'");
  }
  const bool complex = text_.substr(end, 2) == ">>";
  absl::string_view inside = text_.substr(0, end + (complex ? 1 : 0));
  text_.remove_prefix(inside.size() + 1);
  std::vector<absl::string_view> sizes;
  size_t x;
  while ((x = inside.find('x')) != absl::string_view::npos &&
         inside.find_first_not_of("0123456789?*") == x) {
    sizes.push_back(inside.substr(0, x));
    inside.remove_prefix(x + 1);
  }
  return ParseShape(
      absl::StrCat(TypeOfMlir(inside), "[", absl::StrJoin(sizes, ","), "]"));
}

absl::StatusOr<Shape> Reader::ReadShape() {
  if (Accept("tensor<")) {
    notation_ = Notation::kMlir;
    question_.has_types = true;
    return ReadTensor();
  }
  if (Accept("Shape(")) {
    notation_ = Notation::kOpenVino;
    return ReadSizes(")");
  }
  if (Accept("(") || Accept("[")) {
    const char opening = *(text_.data() - 1);
    if (notation_ == Notation::kHlo) notation_ = Notation::kSizes;
    return ReadSizes(opening == '(' ? ")" : "]");
  }
  const size_t end = text_.find(']');
  if (end == absl::string_view::npos) {
    return Malformed(text_, absl::StrCat("a shape", NearestAnswer(text_)));
  }
  absl::StatusOr<Shape> shape = ParseShape(text_.substr(0, end + 1));
  if (shape.ok()) {
    question_.has_types = true;
    text_.remove_prefix(end + 1);
  }
  return shape;
}

absl::Status Reader::ReadOperator() {
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
    if (!named || !Info(*named).has(kBroadcastable)) {
      return Malformed(text_, "an elementwise operation of two operands");
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

// Shapes with an operator, or commas, between them; an op's name and its
// operands in parentheses.
absl::Status Reader::ReadOperands() {
  const absl::string_view name = Word();
  const std::optional<Opcode> called = OpcodeFromName(name);
  const bool is_call = called && text_.substr(name.size(), 1) == "(";
  if (is_call) {
    if (!Info(*called).has(kBroadcastable)) {
      return Malformed(name, "an elementwise operation");
    }
    question_.opcode = *called;
    text_.remove_prefix(name.size() + 1);
  }
  while (true) {
    absl::StatusOr<Shape> shape = ReadShape();
    if (!shape.ok()) return shape.status();
    question_.operands.push_back(*std::move(shape));
    SkipBlanks();
    if (is_call && Accept(")")) return absl::OkStatus();
    if (is_call) {
      if (!Accept(",")) return Malformed(text_, "',' or ')'");
      continue;
    }
    if (text_.empty() || text_[0] == '{' || absl::StartsWith(text_, "->") ||
        absl::StartsWith(text_, "axis") || absl::StartsWith(text_, "rule")) {
      return absl::OkStatus();
    }
    if (text_[0] == ',') {
      const absl::string_view rest =
          absl::StripLeadingAsciiWhitespace(text_.substr(1));
      for (const char* word : {"broadcast_dimensions", "axis", "rule"}) {
        if (absl::StartsWith(rest, word)) return absl::OkStatus();
      }
      text_ = rest;
      continue;
    }
    const absl::Status status = ReadOperator();
    if (!status.ok()) return status;
  }
}

absl::Status Reader::ReadDimensions() {
  const size_t end = text_.find('}');
  if (end == absl::string_view::npos) {
    return Malformed(text_, "broadcast_dimensions in braces");
  }
  DimIndices dimensions;
  for (absl::string_view part :
       absl::StrSplit(text_.substr(0, end), ',', absl::SkipWhitespace())) {
    int64_t dimension;
    if (!absl::SimpleAtoi(part, &dimension)) {
      return Malformed(part, "a dimension number");
    }
    dimensions.push_back(dimension);
  }
  question_.spec.dimensions = std::move(dimensions);
  text_.remove_prefix(end + 1);
  return absl::OkStatus();
}

absl::Status Reader::ReadNumber(absl::string_view name, int64_t* number) {
  const absl::string_view word = Word();
  if (!absl::SimpleAtoi(word, number)) {
    return Malformed(text_, absl::StrCat("a number for ", name));
  }
  text_.remove_prefix(word.size());
  return absl::OkStatus();
}

absl::Status Reader::ReadRule() {
  const absl::string_view word = Word();
  const std::optional<BroadcastRule> rule = BroadcastRuleFromName(word);
  if (!rule) {
    return Malformed(text_, "xla, none, numpy, pdpd or bidirectional");
  }
  question_.spec.rule = *rule;
  has_rule_ = true;
  text_.remove_prefix(word.size());
  return absl::OkStatus();
}

// {0}, broadcast_dimensions={0}, axis=1, rule=numpy, -> shape.
absl::Status Reader::ReadRest() {
  absl::Status status;
  while (status.ok()) {
    Accept(",");
    SkipBlanks();
    if (text_.empty()) break;
    if (Accept("broadcast_dimensions={") || Accept("{")) {
      status = ReadDimensions();
    } else if (Accept("axis=")) {
      has_axis_ = true;
      status = ReadNumber("axis", &question_.spec.axis);
    } else if (Accept("rule=") || Accept("broadcast_rule=")) {
      status = ReadRule();
    } else if (Accept("->")) {
      absl::StatusOr<Shape> result = ReadShape();
      status = result.status();
      if (result.ok()) question_.result = *std::move(result);
    } else {
      status = Malformed(text_,
                         "broadcast_dimensions in braces, axis=, rule= "
                         "or '->' and a result");
    }
  }
  return status;
}

void Reader::SettleRule() {
  if (has_rule_) return;
  if (has_axis_) {
    question_.spec.rule = BroadcastRule::kPdpd;
  } else if (notation_ != Notation::kHlo && !question_.spec.dimensions) {
    question_.spec.rule = BroadcastRule::kNumpy;
  }
}

absl::StatusOr<BroadcastQuestion> Reader::Read() {
  absl::Status status = ReadOperands();
  if (status.ok()) status = ReadRest();
  if (!status.ok()) return status;
  if (question_.operands.size() < 2 && !question_.result) {
    return Malformed("", "an operator and a second shape");
  }
  SettleRule();
  return std::move(question_);
}

}  // namespace

absl::StatusOr<BroadcastQuestion> ReadBroadcastQuestion(
    absl::string_view text) {
  return Reader(text).Read();
}

std::string ShapeText(const BroadcastQuestion& question, const Shape& shape) {
  std::string text = shape.ToString();
  if (question.has_types) return text;
  return text.substr(text.find('['));
}

}  // namespace indim
