// Locations, aliases and resources.

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/text/dense_text.h"
#include "indim/stablehlo/text/mlir_parser.h"

namespace indim::mlir {

bool MlirParser::ParseOptionalLocation(AttrId* location) {
  if (!lexer_.IsWord("loc")) return true;
  if (!ParseLocation(location)) return false;
  // As if it weren't written.
  if (ir_.attr(*location).kind == AttrKind::kUnknownLoc) *location = AttrId();
  return true;
}

// loc(...)
bool MlirParser::ParseLocation(AttrId* location) {
  lexer_.Next();
  return lexer_.Expect('(') && ParseLocationInner(location) &&
         lexer_.Expect(')');
}

bool MlirParser::ParseLocationInner(AttrId* location) {
  if (++nested_ > kMostNested) {
    --nested_;
    return lexer_.Error("locations nest too deeply here", Code::kMlirNesting);
  }
  const bool good = ParseLocationOfKind(location);
  --nested_;
  return good;
}

bool MlirParser::ParseLocationOfKind(AttrId* location) {
  if (lexer_.token() == Token::kString) return ParseFileLocation(location);
  if (lexer_.token() == Token::kHash) {
    const size_t offset = lexer_.offset();
    const size_t length = lexer_.end() - offset;
    if (!ParseAttribute(location)) return false;
    return ir_.attr(*location).kind >= AttrKind::kUnknownLoc ||
           lexer_.ErrorAt(offset, length, "this is no location");
  }
  // In lists, locations may stand with their own loc().
  if (lexer_.IsWord("loc")) return ParseLocation(location);
  if (lexer_.AcceptWord("unknown")) {
    Attribute unknown;
    unknown.kind = AttrKind::kUnknownLoc;
    *location = ir_.Intern(std::move(unknown));
    return true;
  }
  if (lexer_.IsWord("fused")) return ParseFusedLocation(location);
  if (lexer_.AcceptWord("callsite")) {
    Attribute site;
    site.kind = AttrKind::kCallSiteLoc;
    site.elements.resize(2);
    if (!lexer_.Expect('(') || !ParseLocationInner(&site.elements[0]) ||
        !lexer_.ExpectWord("at") || !ParseLocationInner(&site.elements[1]) ||
        !lexer_.Expect(')')) {
      return false;
    }
    *location = ir_.Intern(std::move(site));
    return true;
  }
  return lexer_.Expected("a location");
}

// "file":3:8, "file":3:8 to 4:2, "name", "name"(child)
bool MlirParser::ParseFileLocation(AttrId* location) {
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
      if (!ParseLocationInner(&loc.elements[0]) || !lexer_.Expect(')')) {
        return false;
      }
    }
  }
  *location = ir_.Intern(std::move(loc));
  return true;
}

// fused<metadata>["a", "b"]
bool MlirParser::ParseFusedLocation(AttrId* location) {
  lexer_.Next();
  Attribute fused;
  fused.kind = AttrKind::kFusedLoc;
  if (lexer_.Accept('<') &&
      (!ParseAttribute(&fused.metadata) || !lexer_.Expect('>'))) {
    return false;
  }
  if (!lexer_.Expect('[')) return false;
  while (!lexer_.Is(']')) {
    AttrId part;
    if (!ParseLocationInner(&part)) return false;
    fused.elements.push_back(part);
    if (!lexer_.Accept(',')) break;
  }
  *location = ir_.Intern(std::move(fused));
  return lexer_.Expect(']');
}

// --- Aliases -----------------------------------------------------------------

// Finds the definitions, which may stand behind their uses, and reads the
// resources at the end.
void MlirParser::IndexAliases() {
  const absl::string_view text = lexer_.whole_text();
  for (size_t line = 0; line < text.size();) {
    const char c = text[line];
    if (c == '#' || c == '!') {
      size_t end = line;
      while (end < text.size() && text[end] != ' ' && text[end] != '=' &&
             text[end] != '\n') {
        ++end;
      }
      size_t equal = end;
      while (equal < text.size() && text[equal] == ' ') ++equal;
      if (equal < text.size() && text[equal] == '=') {
        Alias alias;
        alias.definition = equal + 1;
        (c == '#' ? attr_aliases_ : type_aliases_)
            .emplace(text.substr(line + 1, end - line - 1), alias);
      }
    } else if (c == '{' && absl::StartsWith(text.substr(line), "{-#")) {
      const size_t first = lexer_.offset();
      lexer_.Seek(line);
      ParseResources();
      lexer_.Seek(first);
    }
    const size_t newline = text.find('\n', line);
    if (newline == absl::string_view::npos) break;
    line = newline + 1;
  }
}

// #name = attribute, !name = type, where it stands.
bool MlirParser::ParseAliasDefinition() {
  const bool attribute = lexer_.token() == Token::kHash;
  const absl::string_view name = lexer_.text();
  auto& aliases = attribute ? attr_aliases_ : type_aliases_;
  const auto found = aliases.find(name);
  const size_t offset = lexer_.offset();
  lexer_.Next();
  if (!lexer_.Is('=')) return lexer_.Expected("'='");
  if (found == aliases.end() || found->second.definition != lexer_.end()) {
    const bool first = found == aliases.end();
    return lexer_.ErrorAt(offset, name.size() + 1,
                          first ? "an alias stands at the beginning of a line"
                                : "this alias is defined twice",
                          first ? Code::kMlirSyntax : Code::kMlirRedefined);
  }
  Alias* const alias = &found->second;
  if (alias->end == 0 && !ReadAlias(attribute, alias)) return false;
  lexer_.Seek(alias->end);
  return true;
}

// Reads the definition of an alias; the lexer ends anywhere.
bool MlirParser::ReadAlias(bool attribute, Alias* alias) {
  alias->being_read = true;
  lexer_.Seek(alias->definition);
  AttrId attr;
  TypeId type;
  const bool good = attribute ? ParseAttribute(&attr) : ParseType(&type);
  alias->being_read = false;
  if (!good) return false;
  alias->attr = attr;
  alias->type = type;
  alias->end = lexer_.offset();
  return true;
}

// What a name stands for; the lexer stays where it is.
const MlirParser::Alias* MlirParser::ResolveAlias(bool attribute,
                                                  absl::string_view name,
                                                  size_t offset) {
  auto& aliases = attribute ? attr_aliases_ : type_aliases_;
  const auto found = aliases.find(name);
  if (found == aliases.end() || found->second.being_read) {
    lexer_.ErrorAt(offset, name.size() + 1,
                   found == aliases.end()
                       ? absl::StrCat("no alias ", attribute ? "#" : "!", name,
                                      " is defined")
                       : "this alias is defined by itself",
                   Code::kMlirUndefined);
    return nullptr;
  }
  // The table may grow meanwhile, but an element of a node map stays.
  Alias* const alias = &found->second;
  if (alias->end != 0) return alias;
  const size_t here = lexer_.offset();
  if (!ReadAlias(attribute, alias)) return nullptr;
  lexer_.Seek(here);
  return alias;
}

bool MlirParser::ResolveAttrAlias(absl::string_view name, size_t offset,
                                  AttrId* attribute) {
  const Alias* const alias = ResolveAlias(true, name, offset);
  if (alias == nullptr) return false;
  *attribute = alias->attr;
  return true;
}

bool MlirParser::ResolveTypeAlias(absl::string_view name, size_t offset,
                                  TypeId* type) {
  const Alias* const alias = ResolveAlias(false, name, offset);
  if (alias == nullptr) return false;
  *type = alias->type;
  return true;
}

// --- Resources ---------------------------------------------------------------

// {-# dialect_resources: {builtin: {name: "0x..."}}, external_resources: {} #-}
bool MlirParser::ParseResources() {
  if (resources_end_ != 0) {
    lexer_.Seek(resources_end_);
    return true;
  }
  lexer_.Next();
  while (lexer_.token() != Token::kFileEnd) {
    if (!ParseResourceSection()) return false;
    if (!lexer_.Accept(',')) break;
  }
  if (lexer_.token() != Token::kFileEnd) return lexer_.Expected("'#-}'");
  lexer_.Next();
  resources_end_ = lexer_.offset();
  return true;
}

// dialect_resources: {builtin: {...}}
bool MlirParser::ParseResourceSection() {
  const bool dialects = lexer_.IsWord("dialect_resources");
  if (!lexer_.Accept(Token::kWord)) {
    return lexer_.Expected("dialect_resources");
  }
  if (!lexer_.Expect(':') || !lexer_.Expect('{')) return false;
  while (!lexer_.Is('}')) {
    const bool builtin = dialects && lexer_.IsWord("builtin");
    if (!lexer_.Accept(Token::kWord)) return lexer_.Expected("a dialect");
    if (!lexer_.Expect(':') || !lexer_.Expect('{')) return false;
    while (!lexer_.Is('}')) {
      if (!ParseResource(builtin)) return false;
      if (!lexer_.Accept(',')) break;
    }
    if (!lexer_.Expect('}')) return false;
    if (!lexer_.Accept(',')) break;
  }
  return lexer_.Expect('}');
}

// name: "0x...", whose first four bytes are the alignment.
bool MlirParser::ParseResource(bool keep) {
  std::string name(lexer_.text());
  if (lexer_.token() != Token::kWord && lexer_.token() != Token::kString) {
    return lexer_.Expected("the name of a resource");
  }
  lexer_.Next();
  if (!lexer_.Expect(':')) return false;
  if (lexer_.token() != Token::kString) {
    if (lexer_.token() != Token::kWord && lexer_.token() != Token::kInteger) {
      return lexer_.Expected("the value of a resource");
    }
    lexer_.Next();
    return true;
  }
  if (keep) {
    constexpr size_t kAlignment = 4;
    Attribute bytes;
    bytes.kind = AttrKind::kString;
    if (!absl::StartsWith(lexer_.text(), "0x") ||
        !DecodeHex(lexer_.text().substr(2), &bytes.text) ||
        bytes.text.size() < kAlignment) {
      return lexer_.Error(
          "expected an alignment of 4 bytes and then bytes, as "
          "hexadecimal digits, \"0x...\"",
          Code::kMlirLiteral);
    }
    bytes.text.erase(0, kAlignment);
    resources_[name] = ir_.Intern(std::move(bytes));
  }
  lexer_.Next();
  return true;
}

}  // namespace indim::mlir
