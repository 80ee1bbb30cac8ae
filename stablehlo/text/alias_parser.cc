// SPDX-License-Identifier: Apache-2.0
// Aliases.

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/stablehlo/text/mlir_syntax.h"

namespace indim::mlir {

// Finds the definitions, which may stand behind their uses, and reads the
// resources at the end.
void AliasParser::Index() {
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
        (c == '#' ? attrs_ : types_)
            .emplace(text.substr(line + 1, end - line - 1), alias);
      }
    } else if (c == '{' && absl::StartsWith(text.substr(line), "{-#")) {
      const size_t first = lexer_.offset();
      lexer_.Seek(line);
      syntax_.elements.ParseResources();
      lexer_.Seek(first);
    }
    const size_t newline = text.find('\n', line);
    if (newline == absl::string_view::npos) break;
    line = newline + 1;
  }
}

// #name = attribute, !name = type, where it stands.
bool AliasParser::ParseDefinition() {
  const bool attribute = lexer_.token() == MlirToken::kHash;
  const absl::string_view name = lexer_.text();
  auto& aliases = attribute ? attrs_ : types_;
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
  if (alias->end == 0 && !Read({attribute, alias})) return false;
  lexer_.Seek(alias->end);
  return true;
}

// MLIR defines locations behind their uses, and a traceback is a chain of
// them: so what a definition needs is read from a stack of its own.
bool AliasParser::Read(Work work) {
  std::vector<Work> stack = {work};
  while (!stack.empty()) {
    const Work top = stack.back();
    if (top.alias->end != 0) {
      stack.pop_back();
    } else if (!top.alias->being_read) {
      top.alias->being_read = true;
      AddNeeded(*top.alias, &stack);
    } else if (!ReadOne(top)) {
      return false;
    }
  }
  return true;
}

// A definition stands in a line, as a rule; names in other lines, which this
// doesn't find, are read when they are met.
void AliasParser::AddNeeded(const Alias& alias, std::vector<Work>* work) {
  const absl::string_view text = lexer_.whole_text();
  bool in_string = false;
  for (size_t at = alias.definition; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') break;
    if (c == '"') in_string = !in_string;
    if (c == '\\' && in_string) ++at;
    if (in_string || (c != '#' && c != '!')) continue;
    size_t end = at + 1;
    while (end < text.size() && (absl::ascii_isalnum(text[end]) ||
                                 absl::StrContains("_$.", text[end]))) {
      ++end;
    }
    const bool attribute = c == '#';
    auto& aliases = attribute ? attrs_ : types_;
    const auto found = aliases.find(text.substr(at + 1, end - at - 1));
    if (found != aliases.end() && found->second.end == 0 &&
        !found->second.being_read) {
      work->push_back({attribute, &found->second});
    }
  }
}

bool AliasParser::ReadOne(Work work) {
  const auto [attribute, alias] = work;
  lexer_.Seek(alias->definition);
  AttrId attr;
  TypeId type;
  const bool good =
      attribute ? syntax_.attributes.Parse(&attr) : syntax_.types.Parse(&type);
  alias->being_read = false;
  if (!good) return false;
  alias->attr = attr;
  alias->type = type;
  alias->end = lexer_.offset();
  return true;
}

// What a name stands for; the lexer stays where it is.
const AliasParser::Alias* AliasParser::Resolve(bool attribute,
                                               absl::string_view name,
                                               size_t offset) {
  auto& aliases = attribute ? attrs_ : types_;
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
  if (!Read({attribute, alias})) return nullptr;
  lexer_.Seek(here);
  return alias;
}

bool AliasParser::ResolveAttr(absl::string_view name, size_t offset,
                              AttrId* attribute) {
  const Alias* const alias = Resolve(true, name, offset);
  if (alias == nullptr) return false;
  *attribute = alias->attr;
  return true;
}

bool AliasParser::ResolveType(absl::string_view name, size_t offset,
                              TypeId* type) {
  const Alias* const alias = Resolve(false, name, offset);
  if (alias == nullptr) return false;
  *type = alias->type;
  return true;
}

}  // namespace indim::mlir
