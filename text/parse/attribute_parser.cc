// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/attribute_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/text/parse/hlo_op_rules.h"

namespace indim {
namespace {

constexpr char kNestedAttributes[] =
    "an op that is written as an operand can't have attributes; to fix: make "
    "it an instruction and name it";

}  // namespace

bool AttributeParser::Read(ParsedInstruction* node) {
  const bool is_start =
      node->wrapped != Opcode::kInvalid && node->opcode == Opcode::kAsyncStart;
  const size_t before = lexer_.offset();
  node->attributes.recorded = in_.recorded;
  if (node->nested && IsOperandNext()) return HasNoRequiredAttribute(*node);
  if (!ReadAttributes(&lexer_, is_start ? node->wrapped : node->opcode,
                      is_start, node->opcode_offset, &node->attributes)) {
    return false;
  }
  if (node->nested && lexer_.offset() != before) {
    return lexer_.ErrorAt(before, 1, kNestedAttributes);
  }
  return true;
}

bool AttributeParser::IsOperandNext() {
  const size_t comma = lexer_.offset();
  if (!lexer_.Accept(Token::kComma)) return false;
  const bool is_operand = lexer_.token() != Token::kAttributeName;
  lexer_.Seek(comma);
  return is_operand;
}

bool AttributeParser::HasNoRequiredAttribute(const ParsedInstruction& node) {
  for (const TextAttribute* row : TextAttributesOf(node.opcode)) {
    if (!row->required) continue;
    return lexer_.ErrorAt(node.opcode_offset, node.opcode_text.size(),
                          kNestedAttributes);
  }
  return true;
}

// The fields with XLA's defaults, or, in a recorded module, as a builder spells
// them.
OwnedAttributeBytes AttributeParser::FieldsOf(ParsedInstruction* node) {
  AttributesRead& read = node->attributes;
  if (!in_.recorded) {
    FillImpliedFields(node->opcode, shapes_.OfOperands(*node),
                      module_.pools.shapes().shape(node->shape), &read);
    return read.fields.ToAttributeBytes();
  }
  using field::HloInstructionProto::kWindow;
  OwnedAttributeBytes attribute_bytes = read.fields.ToAttributeBytes();
  absl::StatusOr<Attributes> attributes =
      DecodeAttributes(node->opcode, attribute_bytes.view());
  if (!attributes.ok() && !read.fields.has(kWindow)) {
    // A convolution without spatial dims has a window that text omits.
    const OwnedAttributeBytes with_window =
        WithField(attribute_bytes.view(), static_cast<int>(kWindow), "");
    attributes = DecodeAttributes(node->opcode, with_window.view());
    if (attributes.ok()) attribute_bytes = with_window;
  }
  if (!attributes.ok())
    return attribute_bytes;  // the verifier reports the error
  return SpellAttributes(node->opcode, attribute_bytes.view(), *attributes);
}

AttributeBytesId AttributeParser::AddBytes(ParsedInstruction* node) {
  const AttributeBytesId attributes =
      module_.pools.AddAttributeBytes(FieldsOf(node).view());
  if (node->literal.empty()) return attributes;
  // The literal is the first field.
  std::string before;
  AppendTag(field::HloInstructionProto::kLiteral, WireType::kLengthDelimited,
            &before);
  AppendVarint(node->literal.size(), &before);
  AttributeBytesView view = module_.pools.attribute_bytes(attributes);
  const bool is_large = node->literal.size() > Pools::kManyAttributeBytes;
  node->literal.insert(0, before);
  node->literal.append(view.before_id.data(), view.before_id.size());
  if (is_large) {
    view.before_id = module_.pools.KeepBytes(std::move(node->literal));
    return module_.pools.AddAttributeBytesView(view);
  }
  view.before_id = node->literal;
  return module_.pools.AddAttributeBytes(view);
}

bool AttributeParser::CheckGiven(const ParsedInstruction& node) {
  if (in_.recorded) return true;
  const ResultShapes::List operands = shapes_.OfOperands(node);
  OpText op;
  op.opcode = node.opcode;
  op.operands = operands;
  op.declared =
      node.shape ? &module_.pools.shapes().shape(node.shape) : nullptr;
  op.attributes = &node.attributes;
  op.callee_count = node.attributes.callees.size();
  if (op.callee_count > InstructionRecord::kMaxCallees) {
    return lexer_.ErrorAt(
        node.opcode_offset, node.opcode_text.size(),
        absl::StrCat(node.opcode_text, " can call ",
                     InstructionRecord::kMaxCallees,
                     " computations at most, not ", op.callee_count));
  }
  const std::string wrong = XlaParserError(op);
  if (wrong.empty()) return true;
  return lexer_.ErrorAt(node.opcode_offset, node.opcode_text.size(), wrong);
}

}  // namespace indim
