// SPDX-License-Identifier: Apache-2.0
// Elements: dense<...>, array<...>, dense_resource<...>, and resources.

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/mlir/spelling.h"
#include "indim/stablehlo/text/dense_text.h"
#include "indim/stablehlo/text/mlir_syntax.h"

namespace indim::mlir {

// dense<[1, 2]> : tensor<2xi32>. The type decides how the elements are read, so
// it is read first.
bool ElementsParser::ParseDense(AttrId* attribute) {
  lexer_.Next();
  const size_t begin = lexer_.offset();
  if (!lexer_.Is('<')) return lexer_.Expected("'<'");
  const size_t end = lexer_.EndOfBrackets(begin);
  if (end == absl::string_view::npos) return false;
  Attribute dense(AttrKind::kDense);
  lexer_.Seek(end);
  if (!lexer_.Expect(':')) return false;
  const size_t type_offset = lexer_.offset();
  if (!syntax_.types.Parse(&dense.type)) return false;
  const size_t after = lexer_.offset();
  const Type& type = ir_.type(dense.type);
  const TypeKind element = ir_.type(type.element).kind;
  int64_t count = 1;
  if (type.kind != TypeKind::kTensor ||
      (element != TypeKind::kElement && element != TypeKind::kIndex) ||
      !ElementCount(type, &count)) {
    return lexer_.ErrorAt(type_offset, after - type_offset,
                          "expected the type of a tensor with known sizes and "
                          "a known type of elements",
                          Code::kMlirType);
  }
  lexer_.Seek(begin);
  lexer_.Next();
  const bool good = lexer_.token() == MlirToken::kString
                        ? ParseHex(&dense, count)
                        : ParseElements(&dense, count, end - 1);
  if (!good) return false;
  if (lexer_.offset() != end - 1) return lexer_.Expected("'>'");
  FindSplat(count, &dense);
  lexer_.Seek(after);
  *attribute = ir_.Intern(std::move(dense));
  return true;
}

// One element, or nested lists of them; `end` is where the ">" stands.
bool ElementsParser::ParseElements(Attribute* dense, int64_t count,
                                   size_t end) {
  const Type& type = ir_.type(dense->type);
  const ElementType element = DenseElement(ir_, type);
  if (lexer_.offset() == end) {
    if (count == 0) return true;
    return lexer_.Expected("elements");
  }
  if (!lexer_.Is('[')) {
    dense->splat = true;
    return ParseElement(element, &dense->text);
  }
  const size_t rank = type.dims.size();
  std::vector<int64_t> counts;  // of each list that is open
  do {
    if (lexer_.Is('[') && counts.size() < rank) {
      lexer_.Next();
      counts.push_back(0);
      if (!lexer_.Is(']')) continue;
    } else if (counts.size() == rank) {
      if (!ParseElement(element, &dense->text)) return false;
      ++counts.back();
    } else {
      return lexer_.Expected("'['");
    }
    // Behind an element, or at the end of an empty list.
    while (!counts.empty() && lexer_.Is(']')) {
      const int64_t size = type.dims[counts.size() - 1];
      if (counts.back() != size) {
        return lexer_.Error(
            absl::StrCat("expected ", size, " elements in this list, found ",
                         counts.back()),
            Code::kMlirLiteral);
      }
      lexer_.Next();
      counts.pop_back();
      if (!counts.empty()) ++counts.back();
    }
    if (!counts.empty() && !lexer_.Expect(',')) return false;
  } while (!counts.empty());
  return true;
}

// "0x0000803F", little-endian
bool ElementsParser::ParseHex(Attribute* dense, int64_t count) {
  const absl::string_view text = lexer_.text();
  if (!absl::StartsWith(text, "0x") ||
      !DecodeHex(text.substr(2), &dense->text)) {
    return lexer_.Error("expected hexadecimal digits, \"0x...\"",
                        Code::kMlirLiteral);
  }
  const ElementType element = DenseElement(ir_, ir_.type(dense->type));
  if (!UnpackRaw(element, count, dense)) {
    return lexer_.Error(
        absl::StrCat("expected ", count, " elements of ", ElementBytes(element),
                     " bytes, found ", dense->text.size(), " bytes"),
        Code::kMlirLiteral);
  }
  lexer_.Next();
  return true;
}

// 1, -2.5, 0x7FC00000, true, (1.0, 2.0)
bool ElementsParser::ParseElement(ElementType type, std::string* bytes) {
  if (!IsComplex(type)) return ParseScalar(type, bytes);
  const ElementType part = RealPart(type);
  return lexer_.Expect('(') && ParseScalar(part, bytes) && lexer_.Expect(',') &&
         ParseScalar(part, bytes) && lexer_.Expect(')');
}

bool ElementsParser::ParseScalar(ElementType type, std::string* bytes) {
  uint64_t bits = 0;
  if (type == ElementType::kPred && lexer_.token() == MlirToken::kWord) {
    bits = lexer_.IsWord("true") ? 1 : 0;
    if (!lexer_.AcceptWord("true") && !lexer_.AcceptWord("false")) {
      return lexer_.Expected("true or false");
    }
  } else {
    const size_t begin = lexer_.offset();
    const bool negative = lexer_.Accept('-');
    if (lexer_.token() != MlirToken::kInteger &&
        lexer_.token() != MlirToken::kFloat) {
      return lexer_.Expected("a number");
    }
    const absl::string_view problem =
        ReadScalar(type, negative, lexer_.text(), &bits);
    if (!problem.empty()) {
      return lexer_.ErrorAt(begin, lexer_.end() - begin, std::string(problem),
                            Code::kMlirLiteral);
    }
    lexer_.Next();
  }
  AppendScalar(type, bits, bytes);
  return true;
}

// array<i64: 1, 2>
bool ElementsParser::ParseArray(AttrId* attribute) {
  lexer_.Next();
  Attribute array(AttrKind::kDenseArray);
  if (!lexer_.Expect('<')) return false;
  const size_t offset = lexer_.offset();
  if (!syntax_.types.Parse(&array.type)) return false;
  const ElementType type = ir_.type(array.type).element_type;
  if (type == ElementType::kInvalid || IsComplex(type)) {
    return lexer_.ErrorAt(offset, lexer_.offset() - offset,
                          "expected a type of numbers", Code::kMlirType);
  }
  if (lexer_.Accept(':')) {
    do {
      if (!ParseScalar(type, &array.text)) return false;
    } while (lexer_.Accept(','));
  }
  *attribute = ir_.Intern(std::move(array));
  return lexer_.Expect('>');
}

// dense_resource<name> : type
bool ElementsParser::ParseResourceName(AttrId* attribute) {
  lexer_.Next();
  Attribute resource(AttrKind::kDenseResource);
  if (!lexer_.Expect('<')) return false;
  if (lexer_.token() == MlirToken::kWord) {
    resource.text = std::string(lexer_.text());
    lexer_.Next();
  } else if (!lexer_.ReadString(&resource.text)) {
    return false;
  }
  if (!lexer_.Expect('>') || !lexer_.Expect(':') ||
      !syntax_.types.Parse(&resource.type)) {
    return false;
  }
  const auto found = resources_.find(resource.text);
  if (found != resources_.end()) resource.elements = {found->second};
  *attribute = ir_.Intern(std::move(resource));
  return true;
}

// --- Resources ---------------------------------------------------------------

// {-# dialect_resources: {builtin: {name: "0x..."}}, external_resources: {} #-}
bool ElementsParser::ParseResources() {
  if (resources_end_ != 0) {
    lexer_.Seek(resources_end_);
    return true;
  }
  lexer_.Next();
  while (lexer_.token() != MlirToken::kFileEnd) {
    if (!ParseResourceSection()) return false;
    if (!lexer_.Accept(',')) break;
  }
  if (lexer_.token() != MlirToken::kFileEnd) return lexer_.Expected("'#-}'");
  lexer_.Next();
  resources_end_ = lexer_.offset();
  return true;
}

// dialect_resources: {builtin: {...}}
bool ElementsParser::ParseResourceSection() {
  const bool dialects = lexer_.IsWord("dialect_resources");
  if (!lexer_.Accept(MlirToken::kWord)) {
    return lexer_.Expected("dialect_resources");
  }
  return lexer_.Expect(':') && lexer_.ReadList('{', '}', [&] {
    const bool builtin = dialects && lexer_.IsWord("builtin");
    if (!lexer_.Accept(MlirToken::kWord)) return lexer_.Expected("a dialect");
    return lexer_.Expect(':') &&
           lexer_.ReadList('{', '}', [&] { return ParseResource(builtin); });
  });
}

// name: "0x...", whose first four bytes are the alignment.
bool ElementsParser::ParseResource(bool keep) {
  std::string name(lexer_.text());
  if (lexer_.token() != MlirToken::kWord &&
      lexer_.token() != MlirToken::kString) {
    return lexer_.Expected("the name of a resource");
  }
  lexer_.Next();
  if (!lexer_.Expect(':')) return false;
  if (lexer_.token() != MlirToken::kString) {
    if (lexer_.token() != MlirToken::kWord &&
        lexer_.token() != MlirToken::kInteger) {
      return lexer_.Expected("the value of a resource");
    }
    lexer_.Next();
    return true;
  }
  if (keep) {
    constexpr size_t kAlignment = 4;
    Attribute bytes(AttrKind::kString);
    if (!absl::StartsWith(lexer_.text(), "0x") ||
        !DecodeHex(lexer_.text().substr(2), &bytes.text) ||
        bytes.text.size() < kAlignment) {
      return lexer_.Error(
          "expected an alignment of 4 bytes and then bytes, as hexadecimal "
          "digits, \"0x...\"",
          Code::kMlirLiteral);
    }
    bytes.text.erase(0, kAlignment);
    resources_[name] = ir_.Intern(std::move(bytes));
  }
  lexer_.Next();
  return true;
}

}  // namespace indim::mlir
