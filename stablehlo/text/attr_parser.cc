// SPDX-License-Identifier: Apache-2.0
// Attributes that belong to no dialect.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/stablehlo/text/attribute_text.h"
#include "indim/stablehlo/text/dense_text.h"
#include "indim/stablehlo/text/mlir_syntax.h"

namespace indim::mlir {
namespace {

// i3, si64: not of an ElementType.
bool IsOtherInteger(const Type& type) {
  if (type.kind != TypeKind::kOther) return false;
  absl::string_view digits = type.text;
  absl::ConsumePrefix(&digits, "s");
  return absl::ConsumePrefix(&digits, "i") && !digits.empty() &&
         absl::c_all_of(digits, absl::ascii_isdigit);
}

}  // namespace

bool AttrParser::Parse(AttrId* attribute) {
  const size_t offset = lexer_.offset();
  return syntax_.Nested("types and attributes", [&] {
    return ParseOfKind(attribute);
  }) && syntax_.NotTooLarge("the attribute", offset, ir_.TooLarge(*attribute));
}

bool AttrParser::ParseOfKind(AttrId* attribute) {
  switch (lexer_.token()) {
    case MlirToken::kInteger:
    case MlirToken::kFloat:
      return ParseNumber(attribute);
    case MlirToken::kString:
      return ParseString(attribute);
    case MlirToken::kSymbol:
      return ParseSymbol(attribute);
    case MlirToken::kHash:
      return ParseHash(attribute);
    case MlirToken::kBang:
      return ParseTypeAttribute(attribute);
    case MlirToken::kWord:
      return ParseKeyword(attribute);
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

bool AttrParser::ParseTypeAttribute(AttrId* attribute) {
  TypeId type;
  if (!syntax_.types.Parse(&type)) return false;
  *attribute = ir_.TypeAttr(type);
  return true;
}

bool AttrParser::ParseKeyword(AttrId* attribute) {
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
  if (word == "dense") return syntax_.elements.ParseDense(attribute);
  if (word == "array") return syntax_.elements.ParseArray(attribute);
  if (word == "dense_resource")
    return syntax_.elements.ParseResourceName(attribute);
  if (word == "loc") return syntax_.locations.Parse(attribute);
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

// -1, 2 : i32, 1.5 : f32, 0x7FC00000 : f32
bool AttrParser::ParseNumber(AttrId* attribute) {
  const size_t begin = lexer_.offset();
  const bool negative = lexer_.Accept('-');
  const MlirToken token = lexer_.token();
  if (token != MlirToken::kInteger && token != MlirToken::kFloat) {
    return lexer_.Expected("a number");
  }
  const absl::string_view number = lexer_.text();
  const size_t length = lexer_.end() - begin;
  lexer_.Next();
  TypeId type = ir_.ElementTypeId(
      token == MlirToken::kFloat ? ElementType::kF64 : ElementType::kS64);
  if (lexer_.Accept(':') && !syntax_.types.Parse(&type)) return false;
  const Type& t = ir_.type(type);
  uint64_t bits = 0;
  // Attributes of tools may be of integer types that no tensor has, as si64.
  const absl::string_view problem =
      t.kind == TypeKind::kIndex || IsOtherInteger(t)
          ? ReadScalar(ElementType::kS64, negative, number, &bits)
      : t.kind == TypeKind::kElement
          ? ReadScalar(t.element_type, negative, number, &bits)
          : "a number has another type";
  if (!problem.empty()) {
    return lexer_.ErrorAt(begin, length, std::string(problem),
                          Code::kMlirLiteral);
  }
  if (IsFloat(t.element_type)) {
    *attribute = ir_.FloatAttr(type, bits);
    return true;
  }
  if (t.element_type == ElementType::kPred) {
    *attribute = ir_.BoolAttr(bits != 0);
    return true;
  }
  Attribute a(AttrKind::kInteger);
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
bool AttrParser::ParseString(AttrId* attribute) {
  Attribute a(AttrKind::kString);
  if (!lexer_.ReadString(&a.text)) return false;
  if (lexer_.Accept(':') && !syntax_.types.Parse(&a.type)) return false;
  *attribute = ir_.Intern(std::move(a));
  return true;
}

// @f::@g
bool AttrParser::ParseSymbol(AttrId* attribute) {
  Attribute a(AttrKind::kSymbol);
  if (!lexer_.ReadSymbol(&a.text)) return false;
  while (lexer_.Accept(MlirToken::kColons)) {
    std::string nested;
    if (!lexer_.ReadSymbol(&nested)) return false;
    a.elements.push_back(ir_.SymbolAttr(nested));
  }
  *attribute = ir_.Intern(std::move(a));
  return true;
}

bool AttrParser::ParseArray(AttrId* attribute) {
  std::vector<AttrId> elements;
  const bool good = lexer_.ReadList('[', ']', [&] {
    elements.emplace_back();
    return Parse(&elements.back());
  });
  if (good) *attribute = ir_.ArrayAttr(elements);
  return good;
}

bool AttrParser::ParseDictionary(std::vector<NamedAttr>* entries) {
  return lexer_.ReadList('{', '}', [&] {
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
    return true;
  });
}

// name = value; a name alone is `unit`.
bool AttrParser::ParseDictionaryEntry(NamedAttr* entry) {
  if (lexer_.token() == MlirToken::kWord) {
    entry->name = ir_.Intern(lexer_.text());
    lexer_.Next();
  } else if (lexer_.token() == MlirToken::kString) {
    std::string name;
    if (!lexer_.ReadString(&name)) return false;
    entry->name = ir_.Intern(name);
  } else {
    return lexer_.Expected("an attribute's name");
  }
  if (lexer_.Accept('=')) {
    const size_t offset = lexer_.offset();
    return Parse(&entry->value) &&
           syntax_.NotTooLarge("the attribute", offset,
                               ir_.TooLargeAsValue(entry->value));
  }
  entry->value = ir_.UnitAttr();
  return true;
}

// #stablehlo.gather<...>, #stablehlo<precision HIGH>, #alias
bool AttrParser::ParseHash(AttrId* attribute) {
  const size_t offset = lexer_.offset();
  const absl::string_view name = lexer_.text();
  lexer_.Next();
  if (absl::StrContains(name, '.')) {
    return syntax_.structs.Parse(std::string(name), attribute);
  }
  if (!lexer_.Is('<')) {
    return syntax_.aliases.ResolveAttr(name, offset, attribute);
  }
  const size_t begin = lexer_.offset();
  const size_t end = lexer_.EndOfBrackets(begin);
  if (end == absl::string_view::npos) return false;
  lexer_.Next();
  if (lexer_.token() != MlirToken::kWord) {
    return lexer_.Expected("an attribute's name");
  }
  std::string mnemonic = absl::StrCat(name, ".", lexer_.text());
  lexer_.Next();
  if (FindWords(mnemonic) != nullptr && !lexer_.Is('<')) {
    return syntax_.structs.ParseWord(mnemonic, attribute) && lexer_.Expect('>');
  }
  if (FindStruct(mnemonic) != nullptr || FindWords(mnemonic) != nullptr) {
    return syntax_.structs.Parse(std::move(mnemonic), attribute) &&
           lexer_.Expect('>');
  }
  // Its own spelling is kept: #mhlo<fusion_kind kLoop> is "mhlo".
  const bool axes = mnemonic == kManualAxes;
  *attribute = syntax_.structs.OpaqueAttr(
      axes ? kManualAxes : name, axes ? lexer_.offset() : begin + 1, end - 1);
  lexer_.Seek(end);
  return true;
}

}  // namespace indim::mlir
