// SPDX-License-Identifier: Apache-2.0
// InstructionParser: parses one instruction, `[ROOT] name = [shape]
// op(operands)[, attribute=value]*`.
//
// For text/ only. instruction_parser.cc: the instruction around its operands;
// instruction_operands.cc: its operands.

#ifndef INDIM_TEXT_PARSE_INSTRUCTION_PARSER_H_
#define INDIM_TEXT_PARSE_INSTRUCTION_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/text/parse/async_parser.h"
#include "indim/text/parse/attribute_parser.h"
#include "indim/text/parse/known_lines.h"
#include "indim/text/parse/name_scopes.h"
#include "indim/text/parse/parsed_module.h"
#include "indim/text/parse/result_shapes.h"

namespace indim {

class ComputationParser;

class InstructionParser {
 public:
  InstructionParser(TextInput* in, ParsedModule* module, NameScopes* names,
                    KnownLines* known, ComputationParser* computations);

  // Reads an instruction; `line` is what KnownLines::Read found. False after an
  // error from which the reader has to go on at another line. It marks the name
  // of a wrong instruction as broken, so that its users cause no further
  // errors.
  bool Read(const LineText& line);
  // Reads from the shape on.
  bool ReadRightSide(ParsedInstruction* node, uint32_t* position);

  // For AsyncParser: the parts of reading an instruction.
  bool CheckOperandCount(const ParsedInstruction& node);
  bool CheckAndShape(ParsedInstruction* node) {
    return attributes_.CheckGiven(*node) && shapes_.Set(node);
  }
  // Adds the instruction to the innermost body.
  uint32_t Add(ParsedInstruction* node);
  std::vector<uint32_t>& operands() { return operands_; }

 private:
  bool ReadOpcode(ParsedInstruction* node);
  bool ReadParameterNumber(ParsedInstruction* node);
  bool ReadConstant(ParsedInstruction* node);
  // Reads the operands of an op that isn't a parameter or a constant.
  bool ReadOperands(ParsedInstruction* node);
  // Adds the instruction and its name.
  uint32_t AddNamed(ParsedInstruction* node);
  bool CheckName(const ParsedInstruction& node);

  bool ReadOperandsEnd(absl::string_view expected = "");  // ")"
  bool ReadOperand(uint32_t* position);
  bool ReadNestedOperand(ShapeId shape, size_t offset, uint32_t* position);
  bool ReadTupleElements(absl::string_view name, size_t offset,
                         uint32_t* position);
  bool MakeParameter(absl::string_view name, ShapeId shape, size_t offset,
                     uint32_t* position);
  // Whether unknown operands become parameters here.
  bool MakesParameters() const { return in_.bare && names_.open_bodies() == 1; }

  TextInput& in_;
  Lexer& lexer_;
  ParsedModule& module_;
  NameScopes& names_;
  KnownLines& known_;
  ComputationParser& computations_;
  std::vector<uint32_t> operands_;  // of the nodes that are open
  ResultShapes shapes_;
  AttributeParser attributes_;
  AsyncParser async_;
  size_t last_end_ = 0;  // after the last ")"
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_INSTRUCTION_PARSER_H_
