// SPDX-License-Identifier: Apache-2.0
// Types.

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/text/mlir_float_text.h"
#include "indim/stablehlo/text/mlir_syntax.h"

namespace indim::mlir {
namespace {

// The text of a tensor's type, at whose "<" `text` begins, up to its ">";
// empty: it isn't plain enough to tell without reading it.
absl::string_view PlainBrackets(absl::string_view text) {
  constexpr size_t kMost = 200;
  int open = 0;
  for (size_t i = 0; i < text.size() && i < kMost; ++i) {
    const char c = text[i];
    if (c == '<') {
      ++open;
    } else if (c == '>') {
      if (--open == 0) return text.substr(0, i + 1);
    } else if (c == '"' || c == '/' || c == '-' || c == '(') {
      return "";
    }
  }
  return "";
}

// `text` with the floats of a quantized type spelled as MLIR prints them, so
// that 2.0 and 2.000000e+00 are one type.
std::string WithPlainFloats(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() &&
           (absl::ascii_isalnum(text[end]) || text[end] == '.' ||
            ((text[end] == '+' || text[end] == '-') && end > i &&
             absl::ascii_tolower(text[end - 1]) == 'e'))) {
      ++end;
    }
    if (end == i) {
      if (!absl::ascii_isspace(text[i])) out.push_back(text[i]);
      if (text[i] == ',') out.push_back(' ');
      ++i;
      continue;
    }
    const absl::string_view word = text.substr(i, end - i);
    double value;
    if (absl::ascii_isdigit(word[0]) && absl::StrContains(word, '.') &&
        absl::SimpleAtod(word, &value)) {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      AppendFloat(ElementType::kF64, bits, &out);
    } else {
      out.append(word.data(), word.size());
    }
    i = end;
  }
  return out;
}

}  // namespace

SyntaxPart::SyntaxPart(MlirSyntax* syntax)
    : syntax_(*syntax), lexer_(syntax->lexer), ir_(syntax->ir) {}

MlirSyntax::MlirSyntax(absl::string_view text, TextErrors* errors, Ir* into)
    : lexer(text, errors),
      ir(*into),
      types(this),
      attributes(this),
      structs(this),
      elements(this),
      locations(this),
      aliases(this) {}

bool MlirSyntax::NotTooLarge(absl::string_view what, size_t offset,
                             std::string why) {
  return why.empty() ||
         lexer.ErrorAt(offset, 1, absl::StrCat(what, " is too large: ", why),
                       Code::kMlirNesting);
}

bool TypeParser::Parse(TypeId* type) {
  const size_t offset = lexer_.offset();
  return syntax_.Nested("types and attributes", [&] {
    return ParseOfKind(type);
  }) && syntax_.NotTooLarge("the type", offset, ir_.TooLarge(*type));
}

bool TypeParser::ParseOfKind(TypeId* type) {
  if (lexer_.Is('(')) {
    std::vector<TypeId> inputs;
    std::vector<TypeId> results;
    if (!ParseFunction(&inputs, &results)) return false;
    *type = ir_.FunctionType(inputs, results);
    return true;
  }
  if (lexer_.token() == MlirToken::kBang) return ParseBang(type);
  if (lexer_.token() != MlirToken::kWord) return lexer_.Expected("a type");
  const absl::string_view word = lexer_.text();
  if (word == "tensor") return ParseTensor(type);
  const ElementType element = ElementTypeOf(word);
  if (element != ElementType::kInvalid) {
    lexer_.Next();
    *type = ir_.ElementTypeId(element);
    return true;
  }
  if (word == "index" || word == "none") {
    lexer_.Next();
    *type =
        ir_.Intern(Type(word == "index" ? TypeKind::kIndex : TypeKind::kNone));
    return true;
  }
  if (word == "complex") {
    lexer_.Next();
    TypeId part;
    const size_t offset = lexer_.offset();
    if (!lexer_.Expect('<') || !Parse(&part)) return false;
    const std::optional<ElementType> made =
        indim::ComplexOf(ir_.type(part).element_type);
    if (!made.has_value()) {
      return lexer_.ErrorAt(offset, 1, "expected complex<f32> or complex<f64>",
                            Code::kMlirType);
    }
    *type = ir_.ElementTypeId(*made);
    return lexer_.Expect('>');
  }
  if (word == "tuple") {
    lexer_.Next();
    Type tuple(TypeKind::kTuple);
    if (!lexer_.Expect('<')) return false;
    if (!lexer_.Is('>') && !ParseList(&tuple.parts)) return false;
    *type = ir_.Intern(std::move(tuple));
    return lexer_.Expect('>');
  }
  if (word == "memref") {
    lexer_.Next();
    Type shaped(TypeKind::kMemRef);
    if (!ParseShaped(&shaped)) return false;
    *type = ir_.Intern(std::move(shaped));
    return true;
  }
  return ParseOther(type);
}

// i3, si8, f80, vector<...>: types that no operation here has, kept as text.
bool TypeParser::ParseOther(TypeId* type) {
  const absl::string_view word = lexer_.text();
  absl::string_view digits = word;
  for (const absl::string_view prefix : {"si", "ui", "i"}) {
    if (word.substr(0, prefix.size()) == prefix) {
      digits = word.substr(prefix.size());
      break;
    }
  }
  uint32_t bits = 0;
  const bool integer = digits.size() < word.size() &&
                       absl::SimpleAtoi(digits, &bits) &&
                       absl::ascii_isdigit(digits[0]);
  const bool brackets = word == "vector";
  if (!integer && !brackets && word != "tf32" && word != "f80" &&
      word != "f128") {
    return Unknown();
  }
  Type other(TypeKind::kOther);
  other.text = std::string(word);
  const size_t begin = lexer_.offset();
  lexer_.Next();
  if (brackets) {
    if (!lexer_.Is('<')) return lexer_.Expected("'<'");
    const size_t end = lexer_.EndOfBrackets(lexer_.offset());
    if (end == absl::string_view::npos) return false;
    other.text = std::string(lexer_.whole_text().substr(begin, end - begin));
    lexer_.Seek(end);
  }
  *type = ir_.Intern(std::move(other));
  return true;
}

// !stablehlo.token, !quant.uniform<...>, !alias
bool TypeParser::ParseBang(TypeId* type) {
  const absl::string_view name = lexer_.text();
  const size_t begin = lexer_.offset();
  size_t end = lexer_.end();
  if (name == "stablehlo.token") {
    lexer_.Next();
    *type = ir_.Intern(Type(TypeKind::kToken));
    return true;
  }
  if (name == "stablehlo.future") {
    lexer_.Next();
    Type future(TypeKind::kFuture);
    if (!lexer_.Expect('<')) return false;
    if (!lexer_.Is('>') && !ParseList(&future.parts)) return false;
    *type = ir_.Intern(std::move(future));
    return lexer_.Expect('>');
  }
  if (name.find('.') == absl::string_view::npos) {
    lexer_.Next();
    if (!lexer_.Is('<')) return syntax_.aliases.ResolveType(name, begin, type);
    end = lexer_.offset();
  }
  const absl::string_view whole = lexer_.whole_text();
  if (end < whole.size() && whole[end] == '<') {
    end = lexer_.EndOfBrackets(end);
    if (end == absl::string_view::npos) return false;
  }
  Type other;
  other.kind =
      name.substr(0, 6) == "quant." ? TypeKind::kQuantized : TypeKind::kOther;
  const absl::string_view written = whole.substr(begin, end - begin);
  other.text = other.kind == TypeKind::kQuantized ? WithPlainFloats(written)
                                                  : std::string(written);
  lexer_.Seek(end);
  *type = ir_.Intern(std::move(other));
  return true;
}

bool TypeParser::ParseTensor(TypeId* type) {
  const absl::string_view text =
      PlainBrackets(lexer_.whole_text().substr(lexer_.end()));
  if (!text.empty()) {
    const auto found = tensor_types_.find(text);
    if (found != tensor_types_.end()) {
      lexer_.Seek(lexer_.end() + text.size());
      *type = found->second;
      return true;
    }
  }
  lexer_.Next();
  Type shaped(TypeKind::kTensor);
  if (!ParseShaped(&shaped)) return false;
  *type = ir_.Intern(std::move(shaped));
  if (!text.empty()) tensor_types_.emplace(text, *type);
  return true;
}

// <2x?xf32, encoding>
bool TypeParser::ParseShaped(Type* type) {
  if (!lexer_.Is('<')) return lexer_.Expected("'<'");
  if (!ParseDims(type)) return false;
  const size_t offset = lexer_.offset();
  if (!Parse(&type->element)) return false;
  const TypeKind kind = ir_.type(type->element).kind;
  if (kind != TypeKind::kElement && kind != TypeKind::kIndex &&
      kind != TypeKind::kQuantized && kind != TypeKind::kOther) {
    return lexer_.ErrorAt(offset, lexer_.offset() - offset,
                          "expected the type of an element", Code::kMlirType);
  }
  if (lexer_.Accept(',') && !ParseEncoding(type)) return false;
  return lexer_.Expect('>');
}

// The sizes, 2x?x; the lexer is at "<", and then at the type of an element.
bool TypeParser::ParseDims(Type* type) {
  const absl::string_view text = lexer_.whole_text();
  size_t i = lexer_.end();
  const auto skip_blanks = [&] {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\n')) ++i;
  };
  while (true) {
    skip_blanks();
    const size_t begin = i;
    if (i == text.size()) break;
    if (text[i] == '?' || text[i] == '*') {
      ++i;
    } else {
      while (i < text.size() && absl::ascii_isdigit(text[i])) ++i;
    }
    if (i == begin) break;
    const absl::string_view size = text.substr(begin, i - begin);
    skip_blanks();
    if (i == text.size() || text[i] != 'x') {
      return lexer_.ErrorAt(i, 1, "expected 'x' behind a size");
    }
    ++i;
    int64_t dim = kDynamic;
    if (size == "*") {
      if (type->kind != TypeKind::kTensor || !type->dims.empty()) {
        return lexer_.ErrorAt(begin, 1, "'*' stands for all sizes",
                              Code::kMlirType);
      }
      type->kind = TypeKind::kUnrankedTensor;
      break;
    }
    if (size != "?" && !absl::SimpleAtoi(size, &dim)) {
      return lexer_.ErrorAt(begin, size.size(),
                            "this size needs more than 64 bits",
                            Code::kMlirLiteral);
    }
    type->dims.push_back(dim);
  }
  lexer_.Seek(i);
  return true;
}

bool TypeParser::ParseEncoding(Type* type) {
  const size_t offset = lexer_.offset();
  const bool bounds = lexer_.token() == MlirToken::kHash &&
                      (lexer_.text() == "stablehlo.bounds" ||
                       lexer_.text() == "stablehlo.type_extensions");
  if (!bounds) return syntax_.attributes.Parse(&type->encoding);
  const bool square = lexer_.text() == "stablehlo.type_extensions";
  lexer_.Next();
  if (!lexer_.Expect('<')) return false;
  if (square && (!lexer_.ExpectWord("bounds") || !lexer_.Expect('=') ||
                 !lexer_.Expect('['))) {
    return false;
  }
  while (!lexer_.Is(square ? ']' : '>')) {
    int64_t bound = kDynamic;
    if (!lexer_.Accept('?') && !lexer_.ReadInteger(&bound)) return false;
    type->bounds.push_back(bound);
    if (!lexer_.Accept(',')) break;
  }
  if (square && !lexer_.Expect(']')) return false;
  if (type->kind != TypeKind::kTensor ||
      type->bounds.size() != type->dims.size()) {
    return lexer_.ErrorAt(
        offset, lexer_.offset() - offset,
        absl::StrCat("expected a bound for each of ", type->dims.size(),
                     " sizes, found ", type->bounds.size()),
        Code::kMlirType);
  }
  for (size_t i = 0; i < type->dims.size(); ++i) {
    if (type->dims[i] < 0 || type->bounds[i] == kDynamic) continue;
    return lexer_.ErrorAt(
        offset, lexer_.offset() - offset,
        absl::StrCat("dimension ", i, " is ", type->dims[i],
                     ", so it can't have a bound; expected '?' there"),
        Code::kMlirType);
  }
  return lexer_.Expect('>');
}

bool TypeParser::ParseList(std::vector<TypeId>* types) {
  do {
    TypeId type;
    if (!Parse(&type)) return false;
    types->push_back(type);
  } while (lexer_.Accept(','));
  return true;
}

// (inputs) -> results
bool TypeParser::ParseFunction(std::vector<TypeId>* inputs,
                               std::vector<TypeId>* results) {
  if (!lexer_.Expect('(', "the types, (operands) -> results")) return false;
  if (!lexer_.Accept(')') && (!ParseList(inputs) || !lexer_.Expect(')'))) {
    return false;
  }
  if (!lexer_.ExpectArrow()) return false;
  if (!lexer_.Accept('(')) {
    TypeId type;
    if (!Parse(&type)) return false;
    results->push_back(type);
    return true;
  }
  return lexer_.Accept(')') || (ParseList(results) && lexer_.Expect(')'));
}

bool TypeParser::Unknown() {
  std::string message = absl::StrCat("unknown type \"", lexer_.text(), "\"");
  // HLO's and NumPy's names.
  const absl::string_view near = NearestElementTypeName(lexer_.text());
  const std::optional<ElementType> type = ElementTypeFromName(near);
  if (type.has_value() && !NameOf(*type).empty()) {
    absl::StrAppend(&message, ", did you mean \"", NameOf(*type), "\"?");
  }
  return lexer_.Error(message, Code::kMlirType);
}

}  // namespace indim::mlir
