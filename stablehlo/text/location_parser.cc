// SPDX-License-Identifier: Apache-2.0
// Locations.

#include <cstdint>
#include <utility>

#include "indim/stablehlo/text/mlir_syntax.h"

namespace indim::mlir {

bool LocationParser::ParseOptional(AttrId* location) {
  if (!lexer_.IsWord("loc")) return true;
  if (!Parse(location)) return false;
  // As if it weren't written.
  if (ir_.attr(*location).kind == AttrKind::kUnknownLoc) *location = AttrId();
  return true;
}

// loc(...)
bool LocationParser::Parse(AttrId* location) {
  lexer_.Next();
  return lexer_.Expect('(') && ParseInner(location) && lexer_.Expect(')');
}

bool LocationParser::ParseInner(AttrId* location) {
  const size_t offset = lexer_.offset();
  return syntax_.Nested("locations", [&] { return ParseOfKind(location); }) &&
         syntax_.NotTooLarge("the location", offset, ir_.TooLarge(*location));
}

bool LocationParser::ParseOfKind(AttrId* location) {
  if (lexer_.token() == MlirToken::kString) return ParseFile(location);
  if (lexer_.token() == MlirToken::kHash) {
    const size_t offset = lexer_.offset();
    const size_t length = lexer_.end() - offset;
    if (!syntax_.attributes.Parse(location)) return false;
    return ir_.attr(*location).kind >= AttrKind::kUnknownLoc ||
           lexer_.ErrorAt(offset, length, "this is no location");
  }
  // In lists, locations may stand with their own loc().
  if (lexer_.IsWord("loc")) return Parse(location);
  if (lexer_.AcceptWord("unknown")) {
    *location = ir_.Intern(Attribute(AttrKind::kUnknownLoc));
    return true;
  }
  if (lexer_.IsWord("fused")) return ParseFused(location);
  if (lexer_.AcceptWord("callsite")) {
    Attribute site(AttrKind::kCallSiteLoc);
    site.elements.resize(2);
    if (!lexer_.Expect('(') || !ParseInner(&site.elements[0]) ||
        !lexer_.ExpectWord("at") || !ParseInner(&site.elements[1]) ||
        !lexer_.Expect(')')) {
      return false;
    }
    *location = ir_.Intern(std::move(site));
    return true;
  }
  return lexer_.Expected("a location");
}

// "file":3:8, "file":3:8 to 4:2, "name", "name"(child)
bool LocationParser::ParseFile(AttrId* location) {
  Attribute loc;
  if (!lexer_.ReadString(&loc.text)) return false;
  if (lexer_.Accept(':')) {
    loc.kind = AttrKind::kFileLoc;
    if (!lexer_.ReadInteger(&loc.integer) ||
        (lexer_.Accept(':') && !lexer_.ReadInteger(&loc.column))) {
      return false;
    }
    if (lexer_.AcceptWord("to")) {
      int64_t line = loc.integer;
      int64_t column = 0;
      if ((!lexer_.Is(':') && !lexer_.ReadInteger(&line)) ||
          (lexer_.Accept(':') && !lexer_.ReadInteger(&column))) {
        return false;
      }
      loc.elements = {ir_.IntegerAttr(line), ir_.IntegerAttr(column)};
    }
  } else {
    loc.kind = AttrKind::kNameLoc;
    if (lexer_.Accept('(')) {
      loc.elements.resize(1);
      if (!ParseInner(&loc.elements[0]) || !lexer_.Expect(')')) {
        return false;
      }
    }
  }
  *location = ir_.Intern(std::move(loc));
  return true;
}

// fused<metadata>["a", "b"]
bool LocationParser::ParseFused(AttrId* location) {
  lexer_.Next();
  Attribute fused(AttrKind::kFusedLoc);
  if (lexer_.Accept('<') &&
      (!syntax_.attributes.Parse(&fused.metadata) || !lexer_.Expect('>'))) {
    return false;
  }
  const bool good = lexer_.ReadList('[', ']', [&] {
    fused.elements.emplace_back();
    return ParseInner(&fused.elements.back());
  });
  *location = ir_.Intern(std::move(fused));
  return good;
}

}  // namespace indim::mlir
