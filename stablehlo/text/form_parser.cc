// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/form_parser.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/spaced_text.h"

namespace indim::mlir {

void OpFrame::Clear(size_t begin) {
  row = nullptr;
  form = nullptr;
  step = 0;
  offset = begin;
  result_names.clear();
  result_name_count = 0;
  operands.clear();
  operand_types.clear();
  has_operand_types = false;
  result_types.clear();
  properties.clear();
  discardable.clear();
  regions.clear();
  arguments.clear();
  scan_inputs = -1;
  is_function = false;
  is_module = false;
}

bool FormParser::RunStep(const Step& step, OpFrame* frame) {
  frame_ = frame;
  if (step.part == Part::kElse) {
    frame->step = step.jump;
    return true;
  }
  if (step.part == Part::kOptional) {
    const std::vector<Step>& steps = frame->form->steps;
    size_t next = frame->step + 1;
    while (steps[next].part == Part::kText && steps[next].literals.empty()) {
      ++next;
    }
    frame->step = IsPresent(steps[next]) ? frame->step + 1 : step.jump;
    return true;
  }
  if (!ParsePart(step)) return false;
  ++frame->step;
  return true;
}

bool FormParser::ParsePart(const Step& step) {
  switch (step.part) {
    case Part::kText:
      return ParseText(step);
    case Part::kOperand:
      frame().operands.emplace_back();
      return scopes_.ParseOperand(&frame().operands.back());
    case Part::kOperands:
      return scopes_.ParseOperands(&frame().operands);
    case Part::kOperandsComma:
      return ParseOperandsComma();
    case Part::kAttribute:
    case Part::kTypedValue:
    case Part::kSymbolName:
      return ParseShownAttribute(step);
    case Part::kAttrs:
    case Part::kDiscardable:
      return ParseOptionalDictionary();
    case Part::kProperties:
      return ParseProperties();
    default:
      break;
  }
  const bool types = step.part >= Part::kTypes && step.part <= Part::kPairwise;
  return types ? ParseTypes(step) : ParseSpecial(step.part);
}

bool FormParser::IsPresent(const Step& step) const {
  switch (step.part) {
    case Part::kText: {
      const FormWord& first = step.literals[0];
      return first.punct != 0 ? lexer_.Is(first.punct)
                              : lexer_.IsWord(first.word);
    }
    case Part::kOperand:
    case Part::kOperands:
      return lexer_.token() == MlirToken::kValue;
    case Part::kRegion:
      return lexer_.Is('{');
    case Part::kReducer:
      return lexer_.IsWord("reducer");
    default:
      return true;
  }
}

bool FormParser::ParseText(const Step& step) {
  for (const FormWord& literal : step.literals) {
    if (literal.punct != 0) {
      if (!lexer_.Expect(literal.punct)) return false;
    } else if (literal.word == "->") {
      if (!lexer_.ExpectArrow()) return false;
    } else if (!lexer_.ExpectWord(literal.word)) {
      return false;
    }
  }
  return true;
}

// %a, %b,
bool FormParser::ParseOperandsComma() {
  while (lexer_.token() == MlirToken::kValue) {
    frame().operands.emplace_back();
    if (!scopes_.ParseOperand(&frame().operands.back()) ||
        !lexer_.Expect(',')) {
      return false;
    }
  }
  return true;
}

// --- Types -------------------------------------------------------------------

// The type of one operand, which must be the one that it has.
bool FormParser::ParseOperandType(size_t index) {
  const size_t offset = lexer_.offset();
  TypeId type;
  if (!syntax_.types.Parse(&type)) return false;
  const ValueId value = frame().operands[index].value;
  if (!value.valid() || scopes_.ReceiveType(value, type)) return true;
  return lexer_.ErrorAt(
      offset, lexer_.offset() - offset,
      absl::StrCat("expected ", TypeText(ir_, ir_.type_of(value)),
                   ", the type of operand ", index),
      Code::kMlirType);
}

bool FormParser::ParseTypes(const Step& step) {
  OpFrame& frame = this->frame();
  switch (step.part) {
    case Part::kTypeOfOperand:
      return ParseOperandType(step.index);
    case Part::kIndex:
      frame.result_types.push_back(ir_.Intern(Type(TypeKind::kIndex)));
      return true;
    case Part::kResults:
      return syntax_.types.ParseList(&frame.result_types);
    case Part::kTypes:
      frame.has_operand_types = true;
      return syntax_.types.ParseList(&frame.operand_types);
    case Part::kPairwise:
      frame.has_operand_types = true;
      if (!syntax_.types.ParseList(&frame.operand_types)) return false;
      frame.result_types = frame.operand_types;
      return true;
    default:
      break;
  }
  frame.has_operand_types = true;
  // Each short form has the long one for operations whose types don't fit it.
  if (step.part == Part::kFunction || lexer_.Is('(')) {
    return syntax_.types.ParseFunction(&frame.operand_types,
                                       &frame.result_types);
  }
  return ParseShortTypes(step.part);
}

// One type, of the result, from which those of the operands follow; of select
// also the predicate's before it.
bool FormParser::ParseShortTypes(Part form) {
  OpFrame& frame = this->frame();
  const size_t begin = lexer_.offset();
  TypeId type;
  if (!syntax_.types.Parse(&type)) return false;
  const size_t length = lexer_.offset() - begin;
  if (form == Part::kSelect) {
    frame.operand_types = {type};
    if (!lexer_.Expect(',') || !syntax_.types.Parse(&type)) return false;
    frame.operand_types.resize(3, type);
    frame.result_types = {type};
    return true;
  }
  frame.result_types = {type};
  if (form == Part::kTuple) {
    if (ir_.type(type).kind != TypeKind::kTuple) {
      return lexer_.ErrorAt(begin, length, "expected a tuple's type",
                            Code::kMlirType);
    }
    frame.operand_types = ir_.type(type).parts;
    return true;
  }
  if (form == Part::kComplex) {
    Type part = ir_.type(type);
    const ElementType element = ir_.type(part.element).element_type;
    if (part.kind != TypeKind::kTensor || !IsComplex(element)) {
      return lexer_.ErrorAt(begin, length,
                            "expected a tensor of complex numbers",
                            Code::kMlirType);
    }
    part.element = ir_.ElementTypeId(RealPart(element));
    type = ir_.Intern(std::move(part));
  }
  frame.operand_types.assign(frame.operands.size(), type);
  return true;
}

// --- Attributes --------------------------------------------------------------

bool FormParser::ParseShownAttribute(const Step& step) {
  const AttributeRow& row = *step.attribute;
  const size_t offset = lexer_.offset();
  AttrId value;
  if (step.part == Part::kSymbolName) {
    if (!lexer_.ReadSymbol(&text_)) return false;
    value = ir_.StringAttr(text_);
  } else if (step.part == Part::kTypedValue) {
    if (!syntax_.attributes.Parse(&value)) return false;
    const TypeId type = ir_.attr(value).kind == AttrKind::kBool
                            ? ir_.ElementTypeId(ElementType::kPred)
                            : ir_.attr(value).type;
    if (!type.valid()) {
      return lexer_.ErrorAt(offset, 1, "expected a value with a type",
                            Code::kMlirAttribute);
    }
    frame().result_types = {type};
  } else if (!syntax_.structs.ParseShort(row.kind, row.of, &value)) {
    return false;
  }
  return AddShown(row, value, offset);
}

StringId FormParser::AttributeName(const AttributeRow& row) {
  const size_t index = IndexOf(row);
  if (attribute_names_.empty()) attribute_names_.resize(AllAttributes().size());
  if (!attribute_names_[index].valid()) {
    attribute_names_[index] = ir_.Intern(row.name);
  }
  return attribute_names_[index];
}

// The row of an attribute of the operation; null: it is discardable.
const AttributeRow* FormParser::AttributeOf(StringId name) {
  if (frame().row == nullptr) return nullptr;
  for (const AttributeRow& row : frame().row->attributes) {
    if (AttributeName(row) == name) return &row;
  }
  return nullptr;
}

// Adds an attribute that the form shows.
bool FormParser::AddShown(const AttributeRow& row, AttrId value,
                          size_t offset) {
  value = Modern(&ir_, row.kind, value);
  if (!HasKind(ir_, row.kind, row.of, value)) {
    return lexer_.ErrorAt(offset, 1,
                          absl::StrCat("expected for '", row.name, "' ",
                                       KindText(row.kind, row.of)),
                          Code::kMlirAttribute);
  }
  frame().properties.push_back({AttributeName(row), value});
  return true;
}

// Adds an attribute of the operation's dictionary: its own or a discardable
// one, as the table says.
bool FormParser::AddAttribute(StringId name, AttrId value, size_t offset,
                              bool own) {
  OpFrame& frame = this->frame();
  const absl::string_view text = ir_.text(name);
  const AttributeRow* const row = AttributeOf(name);
  std::vector<NamedAttr>& attrs =
      own || row != nullptr ? frame.properties : frame.discardable;
  const auto is = [name](const NamedAttr& attr) { return attr.name == name; };
  if (absl::c_any_of(frame.properties, is) ||
      absl::c_any_of(frame.discardable, is)) {
    return lexer_.ErrorAt(
        offset, text.size(),
        absl::StrCat("the attribute '", text, "' is given twice"),
        Code::kMlirRedefined);
  }
  if (row != nullptr) return AddShown(*row, value, offset);
  attrs.push_back({name, value});
  return true;
}

void FormParser::AddProperty(absl::string_view name, AttrId value) {
  frame().properties.push_back({ir_.Intern(name), value});
}

// {name = value, ...} of an operation, if there is one.
bool FormParser::ParseOptionalDictionary(bool own) {
  if (!lexer_.Accept('{')) return true;
  if (lexer_.Accept('}')) return true;
  do {
    const size_t offset = lexer_.offset();
    NamedAttr entry;
    if (!syntax_.attributes.ParseDictionaryEntry(&entry) ||
        !AddAttribute(entry.name, entry.value, offset, own)) {
      return false;
    }
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

// <{...}>
bool FormParser::ParseProperties() {
  const size_t offset = lexer_.offset();
  if (!lexer_.Accept('<')) return true;
  if (!lexer_.Is('{')) return lexer_.Expected("'{'");
  // Functions and modules have those that their own forms show.
  const OpRow* const row = frame().row;
  if (row != nullptr && row->attributes.empty() && row->name != "func.func" &&
      row->name != "builtin.module") {
    return lexer_.ErrorAt(
        offset, 1,
        absl::StrCat(row->name, " has no attributes of its own, so no <{...}>"),
        Code::kMlirAttribute);
  }
  return ParseOptionalDictionary(true) && lexer_.Expect('>');
}

}  // namespace indim::mlir
