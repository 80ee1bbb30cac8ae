// SPDX-License-Identifier: Apache-2.0
// Lexer: splits HLO text into tokens.
//
// The lexical rules are XLA's (xla/hlo/parser/hlo_lexer.cc): an identifier is
// [A-Za-z_][A-Za-z0-9_.-]*; `%name` is a name; `name:` is a name in a
// signature; `name=` (no space before "=") is an attribute's name; comments are
// /* */ and //. Values with a syntax of their own (dim_labels, 3x4, 0_1x2_3)
// aren't tokens: their reader takes a run of characters (TakeRun).
//
// Tokens are views of the text, which must outlive the lexer. The text may have
// any bytes; the lexer never reads beyond its end.

#ifndef INDIM_TEXT_BASE_LEXER_H_
#define INDIM_TEXT_BASE_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/text/base/text_errors.h"

namespace indim {

class SymbolScope;

enum class Token : uint8_t {
  kEnd,            // of the text
  kBad,            // a character or run that begins no token; already reported
  kWord,           // an identifier: op, type, keyword, name without "%"
  kName,           // %name; text() excludes "%"
  kSignatureName,  // name: (includes the colon; text() excludes it)
  kAttributeName,  // name= (includes the "="; text() excludes it)
  kString,         // "..." or '...'; text() is as written, without quotes
  kInt,            // -?[0-9]+
  kDecimal,        // 1. .5 1e5 (inf and nan are words)
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kHash,
  kPlus,
  kTilde,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kArrow,      // ->
  kLessEqual,  // <=
  kQuestion,
  kEllipsis,  // ...
  kMinus,     // a "-" before -inf or -nan, not before a number
};

// For messages: "a name", "','".
absl::string_view TokenText(Token token);

class Lexer {
 public:
  // Reads the first token. `errors` must outlive the lexer.
  Lexer(absl::string_view text, TextErrors* errors);

  // Allows expressions over symbols as sizes in shapes, with the facts of
  // `scope`, which must outlive the lexer; null: only XLA's sizes.
  void AllowSymbols(const SymbolScope* scope) { symbols_ = scope; }
  const SymbolScope* symbols() const { return symbols_; }
  // Makes "%4" a name from the next token on; the name of an entity that has
  // none in the module.
  void AllowNumberNames() { number_names_ = true; }

  Token token() const { return token_; }
  // The text of the current token; see Token.
  absl::string_view text() const { return text_; }
  // The offsets at which the current token begins, and at which the text after
  // it does.
  size_t offset() const { return begin_; }
  size_t end() const { return end_; }
  // Where the token before the current one ends.
  size_t previous_end() const { return previous_end_; }
  absl::string_view whole_text() const { return whole_; }

  // Moves to the next token; stays at kEnd.
  void Next();
  // Makes the token at `offset` the current one: to look ahead, and to continue
  // after an error.
  void Seek(size_t offset);

  // --- Taking tokens --------------------------------------------------------

  // Takes the current token if it is `token`.
  bool Accept(Token token);
  bool AcceptWord(absl::string_view word);
  // Accept, with an error "expected `what` (or the token), found ..." if the
  // token isn't there. An empty `what` means TokenText(token).
  bool Expect(Token token, absl::string_view what = "");
  bool ExpectWord(absl::string_view word);

  // Read a value of the type; errors as in Expect. An integer is -?[0-9]+ up to
  // 2^64-1, bit for bit as int64 (XLA reads u64 so).
  bool ReadInt(int64_t* value);
  bool ReadBool(bool* value);           // true, false
  bool ReadString(std::string* value);  // unescaped, C's escapes
  // Reads a name of a computation or an instruction: %name or name.
  bool ReadName(absl::string_view* name);
  // Reads {1,2} (braces, commas) and appends to *values.
  template <typename Container>
  bool ReadInts(Container* values);
  // Reads a balanced {...} of JSON as written, taking account of strings.
  bool ReadBalancedBraces(absl::string_view* value);
  // Skips a balanced {...} of HLO, taking account of strings and comments. It
  // remembers the ends of inner braces, so that skipping a body, and then the
  // bodies in it, reads the text once.
  bool SkipBraces();
  // Takes the run of letters, digits and "_-.?>" from the current token's
  // beginning: "b01f_01io->b01f", "3x3", "0_1x2_-3". False, with an error, if
  // it is empty.
  bool TakeRun(absl::string_view what, absl::string_view* run);

  // The end of the identifier that begins at `p`; `p` itself if none does.
  static const char* SkipIdentifier(const char* p, const char* end);

  // --- Errors ---------------------------------------------------------------

  // Adds an error about the current token. Always returns false, so that
  // readers can return it.
  bool Error(std::string message);
  bool ErrorAt(size_t offset, size_t length, std::string message);
  // "expected WHAT, found 'x'".
  bool Expected(absl::string_view what);
  TextErrors& errors() { return *errors_; }

 private:
  void Lex();
  void LexOther(const char* p);
  void LexString(const char* p);
  void LexBad(const char* p);
  void Take(Token token, const char* begin, const char* end);

  absl::string_view whole_;
  const SymbolScope* symbols_ = nullptr;
  bool number_names_ = false;
  TextErrors* errors_;
  Token token_ = Token::kEnd;
  absl::string_view text_;
  // The ends of braces that SkipBraces has seen, by their beginnings.
  absl::flat_hash_map<size_t, size_t> brace_ends_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t previous_end_ = 0;
  bool open_string_ = false;  // a string without an end was found
};

template <typename Container>
bool Lexer::ReadInts(Container* values) {
  if (!Expect(Token::kLeftBrace)) return false;
  if (Accept(Token::kRightBrace)) return true;
  do {
    int64_t value = 0;
    if (!ReadInt(&value)) return false;
    values->push_back(value);
  } while (Accept(Token::kComma));
  return Expect(Token::kRightBrace);
}

}  // namespace indim

#endif  // INDIM_TEXT_BASE_LEXER_H_
