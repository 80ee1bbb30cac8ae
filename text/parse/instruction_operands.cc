// SPDX-License-Identifier: Apache-2.0
// Parses operands.

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/parse/instruction_parser.h"

namespace indim {

// ( operand, ... )
bool InstructionParser::ReadOperands(ParsedInstruction* node) {
  node->first_operand = operands_.size();
  if (!lexer_.Expect(Token::kLeftParen)) return false;
  if (lexer_.token() == Token::kRightParen) return ReadOperandsEnd();
  do {
    uint32_t position;
    if (!ReadOperand(&position)) return false;
    node->broken |= position == kBrokenPosition;
    operands_.push_back(position);
  } while (lexer_.Accept(Token::kComma));
  return ReadOperandsEnd("\",\" or \")\"");
}

bool InstructionParser::ReadOperandsEnd(absl::string_view expected) {
  last_end_ = lexer_.end();
  return lexer_.Expect(Token::kRightParen, expected);
}

// [shape] name, [shape] name#0#1, [shape] op(...); for a bare instruction also
// a shape alone.
bool InstructionParser::ReadOperand(uint32_t* position) {
  const size_t offset = lexer_.offset();
  ShapeId shape;
  if (lexer_.token() != Token::kName && IsShapeAhead(lexer_) &&
      !module_.shapes.Read(&lexer_, &shape)) {
    return false;
  }
  absl::string_view name;
  const size_t name_offset = lexer_.offset();
  if (lexer_.token() == Token::kName || lexer_.token() == Token::kWord) {
    const bool may_be_op = lexer_.token() == Token::kWord;
    name = lexer_.text();
    lexer_.Next();
    if (may_be_op && lexer_.token() == Token::kLeftParen) {
      lexer_.Seek(name_offset);
      return ReadNestedOperand(shape, offset, position);
    }
    if (lexer_.token() == Token::kHash) {
      return ReadTupleElements(name, name_offset, position) &&
             shapes_.CheckOperand(*position, shape, offset);
    }
  } else if (!shape || !MakesParameters()) {
    return lexer_.Expected("an operand: a name, or an op with its operands");
  }
  if (MakesParameters()) {
    const std::optional<uint32_t> found =
        name.empty() ? std::nullopt : names_.LookUp(name);
    if (!found.has_value()) {
      if (shape) return MakeParameter(name, shape, offset, position);
      return lexer_.ErrorAt(
          name_offset, name.size(),
          absl::StrCat("no instruction before this one is named \"", name,
                       "\"; in instructions without a computation an operand "
                       "with a shape in front becomes a parameter"));
    }
  }
  // The error about the name is reported; continue with the instruction.
  if (!names_.Find(name, name_offset, position)) return true;
  return shapes_.CheckOperand(*position, shape, offset);
}

bool InstructionParser::ReadNestedOperand(ShapeId shape, size_t offset,
                                          uint32_t* position) {
  if (!in_.Enter()) return false;
  auto node = std::make_unique<ParsedInstruction>();
  node->offset = offset;
  node->place = in_.line_counter.PlaceOf(offset);
  node->shape = shape;
  node->nested = true;
  const bool ok = ReadRightSide(node.get(), position);
  in_.Leave();
  return ok;
}

// %x#2#0: element 0 of element 2 of x, as get-tuple-elements that are made
// once.
bool InstructionParser::ReadTupleElements(absl::string_view name, size_t offset,
                                          uint32_t* position) {
  if (!names_.Find(name, offset, position)) *position = kBrokenPosition;
  std::string path(name);
  while (lexer_.Accept(Token::kHash)) {
    const size_t at = lexer_.offset();
    int64_t index;
    if (!lexer_.ReadInt(&index)) return false;
    if (*position == kBrokenPosition) continue;
    const ShapeId tuple_id = names_.body().instructions[*position].shape;
    const Shape& tuple = module_.pools.shapes().shape(tuple_id);
    if (!tuple.is_tuple() || index < 0 || index >= tuple.tuple_size()) {
      return lexer_.ErrorAt(at, 1,
                            absl::StrCat(path, " is ", tuple.ToString(),
                                         ", which has no element ", index));
    }
    absl::StrAppend(&path, "#", index);
    if (std::optional<uint32_t> known = names_.LookUp(path)) {
      *position = *known;
      continue;
    }
    ParsedInstruction node;
    node.name = names_.Keep(SanitizedName(path));
    node.place = in_.line_counter.PlaceOf(offset);
    node.opcode = Opcode::kGetTupleElement;
    node.shape = module_.pools.shapes().Intern(Shape(tuple.elements()[index]));
    node.first_operand = operands_.size();
    operands_.push_back(*position);
    using field::HloInstructionProto::kTupleIndex;
    node.attributes.fields.SetNumber(kTupleIndex, index);
    *position = Add(&node);
    module_.names_unique = false;
    names_.Bind(names_.Keep(path), *position);
  }
  return true;
}

bool InstructionParser::MakeParameter(absl::string_view name, ShapeId shape,
                                      size_t offset, uint32_t* position) {
  ParsedInstruction node;
  node.place = in_.line_counter.PlaceOf(offset);
  const int64_t number = names_.body().made_parameters++;
  node.name = name.empty() ? names_.Keep(absl::StrCat("_", number)) : name;
  node.opcode = Opcode::kParameter;
  node.shape = shape;
  node.first_operand = operands_.size();
  using field::HloInstructionProto::kParameterNumber;
  node.attributes.fields.SetNumber(kParameterNumber, number);
  *position = Add(&node);
  names_.Bind(node.name, *position);
  return true;
}

}  // namespace indim
