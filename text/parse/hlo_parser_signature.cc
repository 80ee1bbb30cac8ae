// Parses a computation's signature, and compares it with the body.

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/text/parse/hlo_parser.h"

namespace indim {

// (name: shape, ...) -> shape. Only the result counts, as in XLA.
bool HloParser::ReadSignature(ShapeId* result, size_t* offset) {
  lexer_.Next();
  if (lexer_.token() != Token::kRightParen) {
    bool all;
    const size_t plain_end =
        ShapeCache::SkipPlainParameters(text_, lexer_.offset(), &all);
    // A bad token was already reported.
    if (plain_end != lexer_.offset()) lexer_.Seek(plain_end);
    if (!all && !ReadSignatureParameters()) return false;
  }
  if (!lexer_.Expect(Token::kRightParen) || !lexer_.Expect(Token::kArrow)) {
    return false;
  }
  *offset = lexer_.offset();
  if (!IsShapeAhead(lexer_)) return lexer_.Expected("the result's shape");
  return shapes_.Read(&lexer_, result);
}

bool HloParser::ReadSignatureParameters() {
  ShapeId parameter;
  do {
    if (lexer_.token() != Token::kSignatureName) {
      // `%name :`, or `%name:`, which is two tokens.
      absl::string_view name;
      if (!lexer_.ReadName(&name)) return false;
      lexer_.Accept(Token::kColon);
    } else {
      lexer_.Next();
    }
    if (!IsShapeAhead(lexer_)) return lexer_.Expected("a shape");
    if (!shapes_.Read(&lexer_, &parameter)) return false;
  } while (lexer_.Accept(Token::kComma));
  return true;
}

bool HloParser::CheckSignature(uint32_t computation, ShapeId result,
                               size_t offset) {
  const ComputationRecord& record = data_->computations[computation];
  const ShapeTable& shapes = pools_->shapes();
  const ShapeId root = data_->instructions[record.first + record.root].shape;
  if (shapes.structure(root) == shapes.structure(result) ||
      Compatible(shapes.shape(root), shapes.shape(result))) {
    return true;
  }
  return lexer_.ErrorAt(
      offset, 1,
      absl::StrCat("the result of ", facts_[computation].name, " is ",
                   shapes.shape(result).WithoutLayout().ToString(),
                   " here, but its root has ",
                   shapes.shape(root).WithoutLayout().ToString()));
}

// Parameters are numbered from 0, each number once.
bool HloParser::CheckParameters(const Frame& frame, size_t offset) {
  absl::InlinedVector<int64_t, 16> numbers;
  for (const InstructionRecord& r : frame.instructions) {
    if (r.opcode != Opcode::kParameter) continue;
    numbers.push_back(data_->ParameterNumber(r));
  }
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == static_cast<int64_t>(i)) continue;
    const bool twice = i > 0 && numbers[i] == numbers[i - 1];
    return lexer_.ErrorAt(
        offset, 1,
        twice ? absl::StrCat("parameter(", numbers[i], ") is here twice")
              : absl::StrCat("parameter(", i,
                             ") is missing here, but there is "
                             "parameter(",
                             numbers[i], ")"));
  }
  return true;
}

}  // namespace indim
