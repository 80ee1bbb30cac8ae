#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/suggest.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/dense_text.h"
#include "indim/stablehlo/text/mlir_parser.h"
#include "indim/stablehlo/text/spaced_text.h"

namespace indim::mlir {

bool MlirParser::ParseAttribute(AttrId* attribute) {
  if (++nested_ > kMostNested) {
    --nested_;
    return lexer_.Error("types and attributes nest too deeply here",
                        Code::kMlirNesting);
  }
  const bool good = ParseAttributeOfKind(attribute);
  --nested_;
  return good;
}

bool MlirParser::ParseAttributeOfKind(AttrId* attribute) {
  switch (lexer_.token()) {
    case Token::kInteger:
    case Token::kFloat:
      return ParseNumber(attribute);
    case Token::kString:
      return ParseStringAttribute(attribute);
    case Token::kSymbol:
      return ParseSymbol(attribute);
    case Token::kHash:
      return ParseHash(attribute);
    case Token::kBang:
      return ParseTypeAttribute(attribute);
    case Token::kWord:
      return ParseWordAttribute(attribute);
    default:
      break;
  }
  if (lexer_.Is('-')) return ParseNumber(attribute);
  if (lexer_.Is('[')) return ParseArray(attribute);
  if (lexer_.Is('(')) return ParseTypeAttribute(attribute);
  if (lexer_.Is('{')) {
    std::vector<NamedAttr> entries;
    if (!ParseDictionary(&entries)) return false;
    *attribute = ir_.DictionaryAttr(std::move(entries));
    return true;
  }
  return lexer_.Expected("an attribute's value");
}

bool MlirParser::ParseTypeAttribute(AttrId* attribute) {
  TypeId type;
  if (!ParseType(&type)) return false;
  *attribute = ir_.TypeAttr(type);
  return true;
}

bool MlirParser::ParseWordAttribute(AttrId* attribute) {
  const absl::string_view word = lexer_.text();
  if (word == "true" || word == "false") {
    *attribute = ir_.BoolAttr(word == "true");
    lexer_.Next();
    return true;
  }
  if (word == "unit") {
    *attribute = ir_.UnitAttr();
    lexer_.Next();
    return true;
  }
  if (word == "dense") return ParseDense(attribute);
  if (word == "array") return ParseDenseArray(attribute);
  if (word == "dense_resource") return ParseDenseResource(attribute);
  if (word == "loc") return ParseLocation(attribute);
  for (const absl::string_view kind :
       {"affine_map", "affine_set", "sparse", "distinct", "strided"}) {
    if (word == kind) {
      return lexer_.Error(
          absl::StrCat("attributes of the kind ", kind, " aren't read"),
          Code::kMlirAttribute);
    }
  }
  return ParseTypeAttribute(attribute);
}

AttrId MlirParser::FloatAttr(TypeId type, uint64_t bits) {
  Attribute a;
  a.kind = AttrKind::kFloat;
  a.integer = static_cast<int64_t>(bits);
  a.type = type;
  return ir_.Intern(std::move(a));
}

// -1, 2 : i32, 1.5 : f32, 0x7FC00000 : f32
bool MlirParser::ParseNumber(AttrId* attribute) {
  const size_t begin = lexer_.offset();
  const bool negative = lexer_.Accept('-');
  const Token token = lexer_.token();
  if (token != Token::kInteger && token != Token::kFloat) {
    return lexer_.Expected("a number");
  }
  const absl::string_view number = lexer_.text();
  const size_t length = lexer_.end() - begin;
  lexer_.Next();
  TypeId type = ir_.ElementTypeId(token == Token::kFloat ? ElementType::kF64
                                                         : ElementType::kS64);
  if (lexer_.Accept(':') && !ParseType(&type)) return false;
  const Type& t = ir_.type(type);
  uint64_t bits = 0;
  const absl::string_view problem =
      t.kind == TypeKind::kIndex
          ? ReadScalar(ElementType::kS64, negative, number, &bits)
      : t.kind == TypeKind::kElement
          ? ReadScalar(t.element_type, negative, number, &bits)
          : "a number has another type";
  if (!problem.empty()) {
    return lexer_.ErrorAt(begin, length, std::string(problem),
                          Code::kMlirLiteral);
  }
  if (IsFloat(t.element_type)) {
    *attribute = FloatAttr(type, bits);
    return true;
  }
  if (t.element_type == ElementType::kPred) {
    *attribute = ir_.BoolAttr(bits != 0);
    return true;
  }
  Attribute a;
  a.kind = AttrKind::kInteger;
  a.integer = static_cast<int64_t>(bits);
  const ElementTypeInfo& info = Info(t.element_type);
  if (info.kind == ElementKind::kSigned && info.bits < 64) {
    const int unused = 64 - info.bits;
    a.integer = static_cast<int64_t>(bits << unused) >> unused;
  }
  a.type = type;
  *attribute = ir_.Intern(std::move(a));
  return true;
}

// "text" : type
bool MlirParser::ParseStringAttribute(AttrId* attribute) {
  Attribute a;
  a.kind = AttrKind::kString;
  if (!lexer_.ReadString(&a.text)) return false;
  if (lexer_.Accept(':') && !ParseType(&a.type)) return false;
  *attribute = ir_.Intern(std::move(a));
  return true;
}

// @f::@g
bool MlirParser::ParseSymbol(AttrId* attribute) {
  Attribute a;
  a.kind = AttrKind::kSymbol;
  if (!lexer_.ReadSymbol(&a.text)) return false;
  while (lexer_.Accept(Token::kColons)) {
    if (!lexer_.ReadSymbol(&some_text_)) return false;
    a.elements.push_back(ir_.SymbolAttr(some_text_));
  }
  *attribute = ir_.Intern(std::move(a));
  return true;
}

bool MlirParser::ParseArray(AttrId* attribute) {
  std::vector<AttrId> elements;
  if (!lexer_.Expect('[')) return false;
  while (!lexer_.Is(']')) {
    AttrId element;
    if (!ParseAttribute(&element)) return false;
    elements.push_back(element);
    if (!lexer_.Accept(',')) break;
  }
  *attribute = ir_.ArrayAttr(elements);
  return lexer_.Expect(']');
}

bool MlirParser::ParseDictionary(std::vector<NamedAttr>* entries) {
  if (!lexer_.Expect('{')) return false;
  while (!lexer_.Is('}')) {
    const size_t offset = lexer_.offset();
    NamedAttr entry;
    if (!ParseDictionaryEntry(&entry)) return false;
    for (const NamedAttr& other : *entries) {
      if (other.name == entry.name) {
        return lexer_.ErrorAt(offset, ir_.text(entry.name).size(),
                              absl::StrCat("the entry '", ir_.text(entry.name),
                                           "' is given twice"),
                              Code::kMlirRedefined);
      }
    }
    entries->push_back(entry);
    if (!lexer_.Accept(',')) break;
  }
  return lexer_.Expect('}');
}

// name = value; a name alone is `unit`.
bool MlirParser::ParseDictionaryEntry(NamedAttr* entry) {
  if (lexer_.token() == Token::kWord) {
    entry->name = ir_.Intern(lexer_.text());
    lexer_.Next();
  } else if (lexer_.token() == Token::kString) {
    if (!lexer_.ReadString(&some_text_)) return false;
    entry->name = ir_.Intern(some_text_);
  } else {
    return lexer_.Expected("an attribute's name");
  }
  if (lexer_.Accept('=')) return ParseAttribute(&entry->value);
  entry->value = ir_.UnitAttr();
  return true;
}

// --- Attributes of dialects --------------------------------------------------

// #stablehlo.gather<...>, #stablehlo<precision HIGH>, #alias
bool MlirParser::ParseHash(AttrId* attribute) {
  const size_t offset = lexer_.offset();
  const absl::string_view name = lexer_.text();
  lexer_.Next();
  if (absl::StrContains(name, '.')) {
    return ParseDialectAttribute(std::string(name), attribute);
  }
  if (!lexer_.Is('<')) {
    return ResolveAttrAlias(name, offset, attribute);
  }
  const size_t begin = lexer_.offset();
  const size_t end = lexer_.EndOfBrackets(begin);
  if (end == absl::string_view::npos) return false;
  lexer_.Next();
  if (lexer_.token() != Token::kWord) {
    return lexer_.Expected("an attribute's name");
  }
  std::string mnemonic = absl::StrCat(name, ".", lexer_.text());
  lexer_.Next();
  if (FindWords(mnemonic) != nullptr && !lexer_.Is('<')) {
    return ParseWord(mnemonic, attribute) && lexer_.Expect('>');
  }
  if (FindStruct(mnemonic) != nullptr || FindWords(mnemonic) != nullptr) {
    return ParseDialectAttribute(std::move(mnemonic), attribute) &&
           lexer_.Expect('>');
  }
  // Its own spelling is kept: #mhlo<fusion_kind kLoop> is "mhlo".
  const bool axes = mnemonic == kManualAxes;
  *attribute = OpaqueAttr(axes ? kManualAxes : name,
                          axes ? lexer_.offset() : begin + 1, end - 1);
  lexer_.Seek(end);
  return true;
}

// <...> behind the name of an attribute.
bool MlirParser::ParseDialectAttribute(std::string mnemonic,
                                       AttrId* attribute) {
  if (FindWords(mnemonic) != nullptr) {
    return lexer_.Expect('<') && ParseWord(mnemonic, attribute) &&
           lexer_.Expect('>');
  }
  const StructRow* const row = FindStruct(mnemonic);
  if (row != nullptr) return ParseStruct(*row, attribute);
  const absl::string_view dialect =
      absl::string_view(mnemonic).substr(0, mnemonic.find('.'));
  if (dialect == "stablehlo" || dialect == "chlo") {
    return lexer_.Error(absl::StrCat("unknown attribute #", mnemonic),
                        Code::kMlirAttribute);
  }
  if (!lexer_.Is('<')) {
    *attribute = ir_.DialectAttr(mnemonic, {});
    return true;
  }
  const size_t begin = lexer_.offset();
  const size_t end = lexer_.EndOfBrackets(begin);
  if (end == absl::string_view::npos) return false;
  *attribute = OpaqueAttr(mnemonic, begin + 1, end - 1);
  lexer_.Seek(end);
  return true;
}

// An attribute that no row describes: the text [begin, end), white space as one
// blank, or as Shardy prints it.
AttrId MlirParser::OpaqueAttr(absl::string_view mnemonic, size_t begin,
                              size_t end) {
  const absl::string_view text = lexer_.whole_text().substr(begin, end - begin);
  const bool is_shardy = mnemonic.substr(0, mnemonic.find('.')) == "sdy";
  return ir_.WordAttr(mnemonic,
                      is_shardy ? ShardySpaced(text) : SingleSpaced(text));
}

bool MlirParser::ParseStruct(const StructRow& row, AttrId* attribute) {
  std::vector<AttrId> values(row.fields.size());
  if (row.attribute == "stablehlo.conv") {
    if (!lexer_.Expect('<')) return false;
    if (!lexer_.AcceptWord("raw")) {
      return ParseConvDims(attribute) && lexer_.Expect('>');
    }
    if (!ParseStructFields(row, &values)) return false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].valid() && row.fields[i].kind == ValueKind::kI64) {
        values[i] = ir_.IntegerAttr(0);
      }
    }
    *attribute = MakeStruct(row, values);
    return true;
  }
  if (row.attribute == "stablehlo.sub_axis_info") {  // (1)2
    int64_t before = 0;
    int64_t size = 0;
    const bool brackets = lexer_.Accept('<');
    if (!lexer_.Expect('(') || !lexer_.ReadInteger(&before) ||
        !lexer_.Expect(')') || !lexer_.ReadInteger(&size) ||
        (brackets && !lexer_.Expect('>'))) {
      return false;
    }
    *attribute =
        MakeStruct(row, {ir_.IntegerAttr(before), ir_.IntegerAttr(size)});
    return true;
  }
  const size_t offset = lexer_.offset();
  if (!lexer_.Expect('<') || !ParseStructFields(row, &values)) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].valid() || row.fields[i].otherwise != Otherwise::kNone) {
      continue;
    }
    return lexer_.ErrorAt(offset, lexer_.offset() - offset,
                          absl::StrCat("#", row.attribute, " requires '",
                                       row.fields[i].name, "'"),
                          Code::kMlirAttribute);
  }
  *attribute = MakeStruct(row, values);
  return true;
}

// name = value, ...>
bool MlirParser::ParseStructFields(const StructRow& row,
                                   std::vector<AttrId>* values) {
  while (!lexer_.Is('>')) {
    size_t i = 0;
    while (i < row.fields.size() && !lexer_.IsWord(row.fields[i].name)) ++i;
    if (i == row.fields.size()) {
      std::vector<absl::string_view> names;
      for (const FieldRow& field : row.fields) names.push_back(field.name);
      const absl::string_view near = NearestName(lexer_.text(), names);
      std::string what = "one of";
      for (const absl::string_view name : names) {
        absl::StrAppend(&what, " ", name);
      }
      return lexer_.Expected(
          near.empty() ? what
                       : absl::StrCat(what, " (did you mean \"", near, "\"?)"),
          Code::kMlirAttribute);
    }
    if ((*values)[i].valid()) {
      return lexer_.Error(
          absl::StrCat("'", row.fields[i].name, "' is given twice"),
          Code::kMlirRedefined);
    }
    lexer_.Next();
    if (!lexer_.Expect('=') || !ParseFieldValue(row.fields[i], &(*values)[i])) {
      return false;
    }
    if (!lexer_.Accept(',')) break;
  }
  return lexer_.Expect('>');
}

bool MlirParser::ParseFieldValue(const FieldRow& row, AttrId* value) {
  switch (row.kind) {
    case ValueKind::kI64Array: {
      if (!ParseIntegerList(&some_integers_)) return false;
      *value = ir_.I64ArrayAttr(some_integers_);
      return true;
    }
    case ValueKind::kF64:
      return ParseNumber(value);
    case ValueKind::kStructArray: {
      std::vector<AttrId> elements;
      if (!lexer_.Expect('[')) return false;
      while (!lexer_.Is(']')) {
        AttrId element;
        if (!ParseShortValue(ValueKind::kStruct, row.of, &element)) {
          return false;
        }
        elements.push_back(element);
        if (!lexer_.Accept(',')) break;
      }
      *value = ir_.ArrayAttr(elements);
      return lexer_.Expect(']');
    }
    case ValueKind::kStruct:
      if (lexer_.Is('(')) {
        return ParseStruct(*FindStruct(row.of), value);
      }
      return ParseShortValue(row.kind, row.of, value);
    default:
      return ParseShortValue(row.kind, row.of, value);
  }
}

// The attribute, without the fields that have the value at which they are left
// out.
AttrId MlirParser::MakeStruct(const StructRow& row,
                              const std::vector<AttrId>& values) {
  std::vector<NamedAttr> fields;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].valid()) continue;
    const Attribute& value = ir_.attr(values[i]);
    const Otherwise otherwise = row.fields[i].otherwise;
    if (otherwise == Otherwise::kZero && value.integer == 0) continue;
    if (otherwise == Otherwise::kEmptyIntegers && value.text.empty()) continue;
    fields.push_back({ir_.Intern(row.fields[i].name), values[i]});
  }
  return ir_.DialectAttr(row.attribute, std::move(fields));
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
bool MlirParser::ParseConvDims(AttrId* attribute) {
  std::vector<AttrId> values;
  const auto side = [&](absl::string_view letters) {
    int64_t first = 0;
    int64_t second = 0;
    std::vector<int64_t> spatial;
    if (!ParseConvSide(letters, &first, &second, &spatial)) return false;
    values.push_back(ir_.IntegerAttr(first));
    values.push_back(ir_.IntegerAttr(second));
    values.push_back(ir_.I64ArrayAttr(spatial));
    return true;
  };
  if (!side("bf") || !lexer_.ExpectWord("x") || !side("io") ||
      !lexer_.ExpectArrow() || !side("bf")) {
    return false;
  }
  *attribute = MakeStruct(*FindStruct("stablehlo.conv"), values);
  return true;
}

// [b, 0, 1, f]: where the two letters stand, and where the numbers 0, 1 ... do.
bool MlirParser::ParseConvSide(absl::string_view letters, int64_t* first,
                               int64_t* second, std::vector<int64_t>* spatial) {
  const size_t begin = lexer_.offset();
  if (!lexer_.Expect('[')) return false;
  std::vector<int64_t> numbers;  // of each place; -1, -2: the letters
  while (!lexer_.Is(']')) {
    int64_t number = 0;
    if (lexer_.token() == Token::kWord && lexer_.text().size() == 1 &&
        absl::StrContains(letters, lexer_.text())) {
      number = lexer_.text()[0] == letters[0] ? -1 : -2;
      lexer_.Next();
    } else if (lexer_.token() != Token::kInteger) {
      return lexer_.Expected(absl::StrCat("a number of a spatial dimension, '",
                                          letters.substr(0, 1), "' or '",
                                          letters.substr(1), "'"));
    } else if (!lexer_.ReadInteger(&number)) {
      return false;
    }
    numbers.push_back(number);
    if (!lexer_.Accept(',')) break;
  }
  if (!lexer_.Expect(']')) return false;
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<int64_t> places(numbers.size() + 2, -1);
  for (int64_t place = 0; place < count; ++place) {
    const int64_t number = numbers[static_cast<size_t>(place)];
    if (number >= count - 2 || places[static_cast<size_t>(number + 2)] >= 0) {
      return lexer_.ErrorAt(
          begin, lexer_.offset() - begin,
          absl::StrCat("expected the letters ", letters.substr(0, 1), " and ",
                       letters.substr(1),
                       count > 2 ? absl::StrCat(", and the numbers 0 to ",
                                                count - 3, ", each once")
                                 : ""));
    }
    places[static_cast<size_t>(number + 2)] = place;
  }
  if (count < 2) {
    return lexer_.ErrorAt(
        begin, lexer_.offset() - begin,
        absl::StrCat("expected the letters ", letters.substr(0, 1), " and ",
                     letters.substr(1)));
  }
  *first = places[1];
  *second = places[0];
  spatial->assign(places.begin() + 2,
                  places.begin() + static_cast<int64_t>(numbers.size()));
  return true;
}

}  // namespace indim::mlir
