// SPDX-License-Identifier: Apache-2.0
// Reads patterns. There is one parser, by recursive descent.

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/edit/pattern.h"
#include "indim/edit/pattern_node.h"

namespace indim {
namespace internal {

size_t EndOfValue(absl::string_view text, size_t begin, bool colon_ends) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      if (depth-- == 0) return at;
    } else if (depth == 0 && (c == ',' || (colon_ends && c == ':'))) {
      return at;
    }
  }
  return text.size();
}

std::string WithoutBlanks(absl::string_view text) {
  std::string result;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '\\' && at + 1 < text.size()) {
      result += c;
      result += text[++at];
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (quoted || !absl::ascii_isspace(static_cast<unsigned char>(c))) {
      result += c;
    }
  }
  return result;
}

namespace {

// Far deeper than anyone writes, and far from the end of the stack.
constexpr int kMaxDepth = 100;

class PatternParser {
 public:
  explicit PatternParser(absl::string_view text) : text_(text) {}

  absl::StatusOr<PatternNode> Run() {
    PatternNode node;
    if (ParseNode(&node, 0)) {
      Skip();
      if (at_ != text_.size())
        Fail(
            "the end of the pattern, which has operations, not names of "
            "instructions");
    }
    if (!error_.empty()) return absl::InvalidArgumentError(error_);
    return node;
  }

 private:
  bool ParseNode(PatternNode* node, int depth);
  bool ParseOpcode(PatternNode* node, int depth);
  bool ParseOperands(PatternNode* node, int depth);
  bool ParseOperand(PatternNode* node, int depth);
  bool ParseNumber(PatternNode* node);
  bool ParseAttributes(PatternNode* node);
  bool ParseShape(ShapePattern* shape, int depth);
  bool ParseDims(ShapePattern* shape);

  // Keeps the first error. False.
  bool Fail(absl::string_view expected) {
    if (error_.empty()) {
      error_ = absl::StrCat("pattern, column ", at_ + 1, ": expected ",
                            expected, " in '", text_, "'");
    }
    return false;
  }
  void Skip() {
    while (at_ < text_.size() &&
           absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    }
  }
  bool Peek(absl::string_view token) {
    Skip();
    return text_.substr(at_, token.size()) == token;
  }
  bool Take(absl::string_view token) {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }
  // Letters, digits, and those of `others`.
  absl::string_view Word(absl::string_view others) {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(text_[at_])) ||
            others.find(text_[at_]) != absl::string_view::npos)) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  const absl::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

bool PatternParser::ParseNode(PatternNode* node, int depth) {
  if (depth > kMaxDepth) return Fail("fewer patterns inside each other");
  if (Take("?")) {
    node->name = std::string(Word("_"));
    if (node->name.empty()) return Fail("a name behind ?");
    if (Take("=") && !ParseOpcode(node, depth)) return false;
  } else if (!Take("*") && !ParseOpcode(node, depth)) {
    return false;
  }
  if (!ParseAttributes(node)) return false;
  if (!Take(":")) return true;
  Skip();
  const size_t begin = at_;
  if (!ParseShape(&node->shape.emplace(), depth)) return false;
  node->shape_text = std::string(text_.substr(begin, at_ - begin));
  return true;
}

bool PatternParser::ParseOpcode(PatternNode* node, int depth) {
  Skip();
  const size_t begin = at_;
  const absl::string_view word = Word("-");
  node->opcode = OpcodeFromName(word);
  if (!node->opcode) {
    at_ = begin;
    if (word.empty()) return Fail("an opcode, ?name or *");
    const std::optional<Opcode> nearest = NearestOpcode(word);
    return Fail(
        nearest ? absl::StrCat("an opcode; did you mean ", Name(*nearest), "?")
                : std::string("an opcode"));
  }
  if (!Take("(")) return true;
  node->has_operands = true;
  return ParseOperands(node, depth);
}

bool PatternParser::ParseOperands(PatternNode* node, int depth) {
  if (*node->opcode == Opcode::kParameter ||
      *node->opcode == Opcode::kConstant) {
    node->has_operands = false;
    return ParseNumber(node);
  }
  if (Take(")")) return true;
  do {
    if (Take("...")) {
      node->more = true;
      break;
    }
    if (!ParseNode(&node->operands.emplace_back(), depth + 1)) return false;
  } while (Take(","));
  return Take(")") || Fail("',' or ')'");
}

bool PatternParser::ParseNumber(PatternNode* node) {
  if (Take(")")) return true;
  const size_t begin = at_;
  const std::string word(Word("+-."));
  double value;
  int64_t number;
  if (*node->opcode == Opcode::kConstant && absl::SimpleAtod(word, &value)) {
    node->value = value;
  } else if (*node->opcode == Opcode::kParameter &&
             absl::SimpleAtoi(word, &number)) {
    node->parameter = number;
  } else {
    at_ = begin;
    return Fail("a number");
  }
  return Take(")") || Fail("')'");
}

// `, key=value` belongs to this node; a "," before anything else doesn't.
bool PatternParser::ParseAttributes(PatternNode* node) {
  while (true) {
    const size_t before = at_;
    if (!Take(",")) return true;
    const std::string key(Word("_-"));
    if (key.empty() || !Take("=")) {
      at_ = before;
      return true;
    }
    if (!node->opcode) {
      at_ = before;
      return Fail("no attribute without an opcode");
    }
    const size_t end = EndOfValue(text_, at_, /*colon_ends=*/true);
    std::string value = WithoutBlanks(text_.substr(at_, end - at_));
    if (value.empty()) return Fail(absl::StrCat("a value of ", key));
    at_ = end;
    node->attributes.emplace_back(key, std::move(value));
  }
}

bool PatternParser::ParseShape(ShapePattern* shape, int depth) {
  if (depth > kMaxDepth) return Fail("fewer tuples inside each other");
  if (Take("(")) {
    shape->is_tuple = true;
    if (Take(")")) return true;
    do {
      if (!ParseShape(&shape->elements.emplace_back(), depth + 1)) return false;
    } while (Take(","));
    return Take(")") || Fail("',' or ')'");
  }
  if (!Take("*")) {
    Skip();
    const size_t begin = at_;
    shape->type = ElementTypeFromName(Word("_"));
    if (!shape->type) {
      at_ = begin;
      return Fail("a shape");
    }
  } else {
    shape->any = !Peek("[");
  }
  if (!Take("[")) {
    shape->any_rank = true;
    return true;
  }
  return ParseDims(shape);
}

bool PatternParser::ParseDims(ShapePattern* shape) {
  if (Take("]")) return true;
  do {
    std::optional<int64_t>& dim = shape->dims.emplace_back();
    if (Take("*")) continue;
    Skip();
    const size_t begin = at_;
    int64_t size;
    if (!absl::SimpleAtoi(Word(""), &size)) {
      at_ = begin;
      return Fail("a size or *; an element type alone has any dims");
    }
    dim = size;
  } while (Take(","));
  return Take("]") || Fail("',' or ']'");
}

}  // namespace
}  // namespace internal

absl::StatusOr<Pattern> Pattern::Parse(absl::string_view text) {
  absl::StatusOr<internal::PatternNode> node =
      internal::PatternParser(text).Run();
  if (!node.ok()) return node.status();
  return Pattern(
      std::make_shared<const internal::PatternNode>(*std::move(node)));
}

}  // namespace indim
