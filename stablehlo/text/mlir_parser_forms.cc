#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/mlir/element_names.h"
#include "indim/stablehlo/ops/attribute_kind.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/mlir_parser.h"
#include "indim/stablehlo/text/spaced_text.h"

namespace indim::mlir {

MlirParser::Outcome MlirParser::RunStep(const Step& step) {
  const auto done = [this](bool good) {
    if (!good) return Outcome::kError;
    ++frame().step;
    return Outcome::kDone;
  };
  switch (step.part) {
    case Part::kText:
      return done(ParseText(step));
    case Part::kOperand:
      frame().operands.emplace_back();
      return done(ParseOperand(&frame().operands.back()));
    case Part::kOperands:
      return done(ParseOperands(&frame().operands));
    case Part::kOperandsComma:
      return done(ParseOperandsComma());
    case Part::kAttribute:
    case Part::kTypedValue:
    case Part::kSymbolName:
      return done(ParseShownAttribute(step));
    case Part::kAttrs:
    case Part::kDiscardable:
      return done(ParseOptionalDictionary());
    case Part::kProperties:
      return done(ParseProperties());
    case Part::kRegions:
    case Part::kRegion: {
      const std::vector<Argument> arguments = step.part == Part::kRegion
                                                  ? frame().arguments
                                                  : std::vector<Argument>();
      const bool in_list = step.part == Part::kRegions;
      return BeginRegion(in_list, arguments) ? Outcome::kRegion
                                             : Outcome::kError;
    }
    case Part::kOptional: {
      const std::vector<Step>& steps = frame().form->steps;
      size_t next = frame().step + 1;
      while (steps[next].part == Part::kText && steps[next].literals.empty()) {
        ++next;
      }
      if (!IsPresent(steps[next])) {
        frame().step = step.jump;
        return Outcome::kDone;
      }
      return done(true);
    }
    case Part::kElse:
      frame().step = step.jump;
      return Outcome::kDone;
    default:
      break;
  }
  if (step.part >= Part::kTypes && step.part <= Part::kPairwise) {
    return done(ParseTypesBlock(step));
  }
  return done(ParseSpecialBlock(step.part));
}

bool MlirParser::IsPresent(const Step& step) const {
  switch (step.part) {
    case Part::kText: {
      const Literal& first = step.literals[0];
      return first.punct != 0 ? lexer_.Is(first.punct)
                              : lexer_.IsWord(first.word);
    }
    case Part::kOperand:
    case Part::kOperands:
      return lexer_.token() == Token::kValue;
    case Part::kRegion:
      return lexer_.Is('{');
    case Part::kReducer:
      return lexer_.IsWord("reducer");
    default:
      return true;
  }
}

bool MlirParser::ParseText(const Step& step) {
  for (const Literal& literal : step.literals) {
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
bool MlirParser::ParseOperandsComma() {
  while (lexer_.token() == Token::kValue) {
    frame().operands.emplace_back();
    if (!ParseOperand(&frame().operands.back()) || !lexer_.Expect(',')) {
      return false;
    }
  }
  return true;
}

// --- Types -------------------------------------------------------------------

bool MlirParser::ParseTypesBlock(const Step& step) {
  Frame& frame = this->frame();
  switch (step.part) {
    case Part::kTypeOfOperand: {
      const size_t offset = lexer_.offset();
      TypeId type;
      if (!ParseType(&type)) return false;
      const ValueId value = frame.operands[step.index].value;
      if (!value.valid() || ir_.type_of(value) == type) return true;
      return lexer_.ErrorAt(
          offset, lexer_.offset() - offset,
          absl::StrCat("expected ", TypeText(ir_, ir_.type_of(value)),
                       ", the type of operand ", step.index),
          Code::kMlirType);
    }
    case Part::kIndex:
      frame.result_types.push_back(KindId(TypeKind::kIndex));
      return true;
    case Part::kResults:
      return ParseTypeList(&frame.result_types);
    case Part::kTypes:
      frame.has_operand_types = true;
      return ParseTypeList(&frame.operand_types);
    case Part::kPairwise:
      frame.has_operand_types = true;
      if (!ParseTypeList(&frame.operand_types)) return false;
      frame.result_types = frame.operand_types;
      return true;
    default:
      break;
  }
  frame.has_operand_types = true;
  // Each short form has the long one for operations whose types don't fit it.
  if (step.part == Part::kFunction || lexer_.Is('(')) {
    return ParseFunctionTypes(&frame.operand_types, &frame.result_types);
  }
  const size_t begin = lexer_.offset();
  TypeId type;
  if (!ParseType(&type)) return false;
  const size_t length = lexer_.offset() - begin;
  if (step.part == Part::kSelect) {
    frame.operand_types = {type};
    if (!lexer_.Expect(',') || !ParseType(&type)) return false;
    frame.operand_types.resize(3, type);
    frame.result_types = {type};
    return true;
  }
  frame.result_types = {type};
  if (step.part == Part::kTuple) {
    if (ir_.type(type).kind != TypeKind::kTuple) {
      return lexer_.ErrorAt(begin, length, "expected a tuple's type",
                            Code::kMlirType);
    }
    frame.operand_types = ir_.type(type).parts;
    return true;
  }
  if (step.part == Part::kComplex) {
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

bool MlirParser::ParseTypeList(std::vector<TypeId>* types) {
  do {
    TypeId type;
    if (!ParseType(&type)) return false;
    types->push_back(type);
  } while (lexer_.Accept(','));
  return true;
}

// (inputs) -> results
bool MlirParser::ParseFunctionTypes(std::vector<TypeId>* inputs,
                                    std::vector<TypeId>* results) {
  if (!lexer_.Expect('(', "the types, (operands) -> results")) return false;
  if (!lexer_.Accept(')') && (!ParseTypeList(inputs) || !lexer_.Expect(')'))) {
    return false;
  }
  if (!lexer_.ExpectArrow()) return false;
  if (!lexer_.Accept('(')) {
    TypeId type;
    if (!ParseType(&type)) return false;
    results->push_back(type);
    return true;
  }
  return lexer_.Accept(')') || (ParseTypeList(results) && lexer_.Expect(')'));
}

// --- Attributes --------------------------------------------------------------

bool MlirParser::ParseShownAttribute(const Step& step) {
  const AttributeRow& row = *step.attribute;
  const size_t offset = lexer_.offset();
  AttrId value;
  if (step.part == Part::kSymbolName) {
    if (!lexer_.ReadSymbol(&some_text_)) return false;
    value = ir_.StringAttr(some_text_);
  } else if (step.part == Part::kTypedValue) {
    if (!ParseAttribute(&value)) return false;
    const TypeId type = ir_.attr(value).kind == AttrKind::kBool
                            ? ir_.ElementTypeId(ElementType::kPred)
                            : ir_.attr(value).type;
    if (!type.valid()) {
      return lexer_.ErrorAt(offset, 1, "expected a value with a type",
                            Code::kMlirAttribute);
    }
    frame().result_types = {type};
  } else if (!ParseShortValue(row.kind, row.of, &value)) {
    return false;
  }
  return AddShown(row, value, offset);
}

// The value of an attribute as forms show it: 3 for 3 : i64, [1] for
// array<i64: 1>, HIGH for #stablehlo<precision HIGH>.
bool MlirParser::ParseShortValue(ValueKind kind, absl::string_view of,
                                 AttrId* value) {
  switch (kind) {
    case ValueKind::kI32:
    case ValueKind::kI64: {
      int64_t integer = 0;
      if (!lexer_.ReadInteger(&integer)) return false;
      *value =
          ir_.IntegerAttr(integer, kind == ValueKind::kI32 ? ElementType::kS32
                                                           : ElementType::kS64);
      return true;
    }
    case ValueKind::kI64Array:
      if (!lexer_.Is('[')) return ParseAttribute(value);
      return ReadRemembered(']', value, [this](AttrId* list) {
        if (!ParseIntegerList(&some_integers_)) return false;
        *list = ir_.I64ArrayAttr(some_integers_);
        return true;
      });
    case ValueKind::kWord:
      return ParseWord(of, value);
    case ValueKind::kString:  // no type follows
      if (!lexer_.ReadString(&some_text_)) return false;
      *value = ir_.StringAttr(some_text_);
      return true;
    case ValueKind::kStruct: {
      if ((lexer_.Is('[') || lexer_.Is('{')) &&
          absl::ConsumePrefix(&of, "sdy.")) {
        // `[{"x"}, {}]` for #sdy<list_of_axis_ref_lists[{"x"}, {}]>.
        const size_t begin = lexer_.offset();
        const size_t end = lexer_.EndOfBrackets(begin);
        if (end == absl::string_view::npos) return false;
        *value = ir_.WordAttr(
            "sdy", absl::StrCat(of, ShardySpaced(lexer_.whole_text().substr(
                                        begin, end - begin))));
        lexer_.Seek(end);
        return true;
      }
      if (!lexer_.Is('<')) return ParseAttribute(value);
      return ParseDialectAttribute(std::string(of), value);
    }
    default:
      return ParseAttribute(value);
  }
}

// A word of the list `of`, or the attribute with it.
bool MlirParser::ParseWord(absl::string_view of, AttrId* value) {
  if (lexer_.token() == Token::kHash) return ParseAttribute(value);
  const WordsRow& words = *FindWords(of);
  if (lexer_.token() != Token::kWord) {
    return lexer_.Expected(KindText(ValueKind::kWord, of));
  }
  const absl::string_view word = lexer_.text();
  if (NumberOf(words, word) < 0 || word.empty()) {
    const absl::string_view near = NearestName(word, words.words);
    return lexer_.Error(
        absl::StrCat(
            "expected ", KindText(ValueKind::kWord, of), ", found '", word, "'",
            near.empty() ? "" : absl::StrCat(", did you mean \"", near, "\"?")),
        Code::kMlirAttribute);
  }
  lexer_.Next();
  *value = ir_.WordAttr(of, word);
  return true;
}

// [1, 2]; appends nothing to what was there.
bool MlirParser::ParseIntegerList(std::vector<int64_t>* values) {
  values->clear();
  if (!lexer_.Expect('[')) return false;
  if (lexer_.Accept(']')) return true;
  do {
    int64_t value = 0;
    if (!lexer_.ReadInteger(&value)) return false;
    values->push_back(value);
  } while (lexer_.Accept(','));
  return lexer_.Expect(']');
}

// Reads a value whose text ends with the next `end`, unless the same text was
// read before.
template <typename F>
bool MlirParser::ReadRemembered(char end, AttrId* value, F read) {
  constexpr size_t kMost = 100;
  const absl::string_view rest = lexer_.rest().substr(0, kMost);
  const size_t size = rest.find(end);
  if (size == absl::string_view::npos) return read(value);
  const absl::string_view text = rest.substr(0, size + 1);
  const auto found = lists_.find(text);
  if (found != lists_.end()) {
    *value = found->second;
    lexer_.Seek(lexer_.offset() + text.size());
    return true;
  }
  if (!read(value)) return false;
  lists_.emplace(text, *value);
  return true;
}

StringId MlirParser::AttributeName(const AttributeRow& row) {
  const size_t index = IndexOf(row);
  if (attribute_names_.empty()) attribute_names_.resize(AllAttributes().size());
  if (!attribute_names_[index].valid()) {
    attribute_names_[index] = ir_.Intern(row.name);
  }
  return attribute_names_[index];
}

// The row of an attribute of the operation; null: it is discardable.
const AttributeRow* MlirParser::AttributeOf(StringId name) {
  if (frame().row == nullptr) return nullptr;
  for (const AttributeRow& row : frame().row->attributes) {
    if (AttributeName(row) == name) return &row;
  }
  return nullptr;
}

// Adds an attribute that the form shows.
bool MlirParser::AddShown(const AttributeRow& row, AttrId value,
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
bool MlirParser::AddAttribute(StringId name, AttrId value, size_t offset,
                              bool own) {
  Frame& frame = this->frame();
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

void MlirParser::AddProperty(absl::string_view name, AttrId value) {
  frame().properties.push_back({ir_.Intern(name), value});
}

// {name = value, ...} of an operation, if there is one.
bool MlirParser::ParseOptionalDictionary(bool own) {
  if (!lexer_.Accept('{')) return true;
  if (lexer_.Accept('}')) return true;
  do {
    const size_t offset = lexer_.offset();
    NamedAttr entry;
    if (!ParseDictionaryEntry(&entry) ||
        !AddAttribute(entry.name, entry.value, offset, own)) {
      return false;
    }
  } while (lexer_.Accept(','));
  return lexer_.Expect('}');
}

// <{...}>
bool MlirParser::ParseProperties() {
  if (!lexer_.Accept('<')) return true;
  if (!lexer_.Is('{')) return lexer_.Expected("'{'");
  return ParseOptionalDictionary(true) && lexer_.Expect('>');
}

}  // namespace indim::mlir
