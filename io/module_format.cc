// SPDX-License-Identifier: Apache-2.0
#include "indim/io/module_format.h"

#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "indim/proto/hlo_module/proto_text.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/text_errors.h"

namespace indim {
namespace {

constexpr size_t kLookedAt = 4096;

// Whether `text` has a word of MLIR that HLO text lacks.
bool HasMlirWord(absl::string_view text) {
  for (const absl::string_view word :
       {"func.func", "stablehlo.", "mhlo.", "loc("}) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

// `#loc = loc(...)`, `#map0 = affine_map<...>`: MLIR's names for attributes.
bool IsMlirAlias(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "#") || line.empty() ||
      !absl::ascii_isalpha(line[0])) {
    return false;
  }
  line.remove_prefix(
      static_cast<size_t>(absl::c_find_if_not(line,
                                              [](char c) {
                                                return absl::ascii_isalnum(c) ||
                                                       c == '_' || c == '.';
                                              }) -
                          line.begin()));
  return absl::StartsWith(line, " = ");
}

// `text` doesn't begin with a comment.
bool LooksLikeMlir(absl::string_view text) {
  for (const absl::string_view start :
       {"module @", "module attributes", "builtin.module", "\"builtin.module\"",
        "func.func"}) {
    if (absl::StartsWith(text, start)) return true;
  }
  return IsMlirAlias(text) ||
         (absl::StartsWith(text, "module") && HasMlirWord(text));
}

// A line that begins with "#" is a comment of protobuf's text format.
void SkipLineComments(absl::string_view* text) {
  while (absl::StartsWith(*text, "#")) {
    const size_t end = text->find('\n');
    text->remove_prefix(end == absl::string_view::npos ? text->size() : end);
    *text = absl::StripLeadingAsciiWhitespace(*text);
  }
}

// The format by the text after `word {`: a message has fields there, a body
// instructions.
ModuleFormat FormatInBraces(absl::string_view word, Lexer* lexer) {
  switch (lexer->token()) {
    case Token::kSignatureName:
    case Token::kRightBrace:
      return ModuleFormat::kProtoText;
    case Token::kEnd:
      break;
    case Token::kWord:
      lexer->Next();
      return lexer->token() == Token::kLeftBrace ||
                     lexer->token() == Token::kColon
                 ? ModuleFormat::kProtoText
                 : ModuleFormat::kHloText;
    default:
      return ModuleFormat::kHloText;
  }
  return word == "computations" || word == "hlo_module" || word == "hlo"
             ? ModuleFormat::kProtoText
             : ModuleFormat::kHloText;
}

ModuleFormat FormatOfTokens(absl::string_view text) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  switch (lexer.token()) {
    case Token::kName:
    case Token::kLeftParen:
      return ModuleFormat::kHloText;
    case Token::kSignatureName:  // name: "m"
      return ModuleFormat::kProtoText;
    case Token::kWord:
      break;
    default:
      return ModuleFormat::kUnknown;
  }
  const absl::string_view word = lexer.text();
  if (word == "HloModule" || word == "ENTRY" || word == "ROOT") {
    return ModuleFormat::kHloText;
  }
  lexer.Next();
  switch (lexer.token()) {
    case Token::kEqual:
    case Token::kLeftBracket:
    case Token::kLeftParen:
      return ModuleFormat::kHloText;
    case Token::kColon:
      return ModuleFormat::kProtoText;
    case Token::kLeftBrace:
      lexer.Next();
      return FormatInBraces(word, &lexer);
    default:
      return ModuleFormat::kUnknown;
  }
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < ' ' && !absl::ascii_isspace(c);
}

// A message begins with a field's tag, or, in XLA's special form of a snapshot
// (wrapped_module.h), with a length, usually of several bytes.
bool MayBeginMessage(char c) {
  const unsigned char byte = static_cast<unsigned char>(c);
  const int type = byte & 7;
  return byte >= 8 && (byte >= 128 || type <= 2 || type == 5);
}

}  // namespace

ModuleFormat FormatOfContent(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "ML\xefR")) return ModuleFormat::kMlir;
  const absl::string_view head = bytes.substr(0, kLookedAt);
  const size_t mark = ProtoTextMark(head);
  absl::string_view text = absl::StripLeadingAsciiWhitespace(head.substr(mark));
  if (absl::c_any_of(head, IsControl)) {
    if (absl::StartsWith(text, "HloModule ")) return ModuleFormat::kHloText;
    return mark == 0 && MayBeginMessage(head[0]) ? ModuleFormat::kProto
                                                 : ModuleFormat::kUnknown;
  }
  // MLIR and HLO have the same comments, which may go past the head.
  text = bytes.substr(mark);
  TextErrors errors;
  const Lexer lexer(text, &errors);
  text.remove_prefix(lexer.offset());
  if (LooksLikeMlir(text.substr(0, kLookedAt))) return ModuleFormat::kMlir;
  SkipLineComments(&text);
  return FormatOfTokens(text);
}

bool IsJaxExport(absl::string_view bytes) {
  // A flatbuffer begins with where its root table is. A table begins with how
  // far before it the list of its fields is, and that list with its size.
  const auto number = [bytes](size_t at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return value;
  };
  if (bytes.size() < 8) return false;
  const size_t root = number(0, 4);
  if (root < 8 || root > bytes.size() - 4) return false;
  const size_t back = number(root, 4);
  if (back < 4 || back > root - 4) return false;
  const size_t fields = number(root - back, 2);
  if (fields < 4 || fields % 2 != 0 || fields > bytes.size() - (root - back)) {
    return false;
  }
  return absl::StrContains(bytes, "ML\xefR\rStableHLO_v");
}

ModuleFormat FormatOfName(absl::string_view path) {
  if (absl::EndsWith(path, ".pb")) return ModuleFormat::kProto;
  if (absl::EndsWith(path, ".pbtxt") || absl::EndsWith(path, ".textproto")) {
    return ModuleFormat::kProtoText;
  }
  if (absl::EndsWith(path, ".hlo")) return ModuleFormat::kHloText;
  if (absl::EndsWith(path, ".mlir") || absl::EndsWith(path, ".mlirbc") ||
      absl::EndsWith(path, ".mlir.bc")) {
    return ModuleFormat::kMlir;
  }
  return ModuleFormat::kUnknown;
}

}  // namespace indim
