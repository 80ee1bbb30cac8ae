// SPDX-License-Identifier: Apache-2.0
// AttributeParser: the attributes of an instruction, and the attribute bytes
// that they make.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_ATTRIBUTE_PARSER_H_
#define INDIM_TEXT_PARSE_ATTRIBUTE_PARSER_H_

#include "indim/proto/wire/attribute_bytes.h"
#include "indim/text/parse/parsed_module.h"
#include "indim/text/parse/result_shapes.h"

namespace indim {

class AttributeParser {
 public:
  AttributeParser(TextInput* in, ParsedModule* module,
                  const ResultShapes* shapes)
      : in_(*in), lexer_(in->lexer), module_(*module), shapes_(*shapes) {}

  // Reads the attributes of `node`.
  bool Read(ParsedInstruction* node);
  // Whether the op can have them. The verifier checks a recorded module, as it
  // does for other files.
  bool CheckGiven(const ParsedInstruction& node);
  // Adds the attribute bytes, which depend on the operands' shapes, to the
  // module's.
  AttributeBytesId AddBytes(ParsedInstruction* node);

 private:
  // Whether an operand follows the comma here, not an attribute.
  bool IsOperandNext();
  bool HasNoRequiredAttribute(const ParsedInstruction& node);
  OwnedAttributeBytes FieldsOf(ParsedInstruction* node);

  TextInput& in_;
  Lexer& lexer_;
  ParsedModule& module_;
  const ResultShapes& shapes_;
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_ATTRIBUTE_PARSER_H_
