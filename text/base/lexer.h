// Lexer: HLO text as tokens.
//
// The lexical rules are XLA's (xla/hlo/parser/hlo_lexer.cc): an identifier is
// [A-Za-z_][A-Za-z0-9_.-]*; `%name` is a name; `name:` is a name in a
// signature; `name=` (no space before "=") is an attribute's name; comments are
// /* */ and //. Tokens that only one place knows (dim_labels, 3x4, 0_1x2_3) are
// not lexed eagerly: the reader of that value asks for the run of characters
// (TakeRun).
//
// Tokens are views into the text: nothing is copied. The text must outlive the
// lexer. It never reads beyond the text and takes any bytes.

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
  kBad,            // a character or run that starts no token; reported already
  kWord,           // an identifier: op, type, keyword, name without "%"
  kName,           // %name; text() is without "%"
  kSignatureName,  // name: (the colon is part of it; text() is without)
  kAttributeName,  // name= (the "=" is part of it; text() is without)
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
  kMinus,     // a "-" that starts no number: of -inf, -nan
};

// "a name", "','": for messages.
absl::string_view TokenText(Token token);

class Lexer {
 public:
  // The first token is there at once. `errors` must outlive the lexer.
  Lexer(absl::string_view text, TextErrors* errors);

  // Sizes in shapes may be expressions over symbols, of which `scope` says what
  // is known; null: XLA's sizes only. `scope` must outlive the lexer.
  void AllowSymbols(const SymbolScope* scope) { symbols_ = scope; }
  const SymbolScope* symbols() const { return symbols_; }
  // From the next token on "%4" is a name too, of what has none in the module.
  void AllowNumberNames() { number_names_ = true; }

  Token token() const { return token_; }
  // Of the present token, as above.
  absl::string_view text() const { return text_; }
  // Where it begins, and where the text after it does.
  size_t offset() const { return begin_; }
  size_t end() const { return end_; }
  // Where the token before the present one ends.
  size_t previous_end() const { return previous_end_; }
  absl::string_view whole_text() const { return whole_; }

  // To the next token; stays at kEnd.
  void Next();
  // Goes on from `offset`, whose token becomes the present one. For readers
  // that look ahead, and for going on after an error.
  void Seek(size_t offset);

  // --- Taking tokens --------------------------------------------------------

  // Takes the present token if it is this one.
  bool Accept(Token token);
  bool AcceptWord(absl::string_view word);
  // The same, and an error "expected `what` (or the token), found ..." where
  // it isn't there. `what` empty: TokenText(token).
  bool Expect(Token token, absl::string_view what = "");
  bool ExpectWord(absl::string_view word);

  // Take a value of that kind; errors as Expect.
  // -?[0-9]+ up to 2^64-1, bit for bit as int64 (XLA reads u64 so).
  bool ReadInt(int64_t* value);
  bool ReadBool(bool* value);           // true, false
  bool ReadString(std::string* value);  // unescaped, C's escapes
  // A computation's or an instruction's name: %name or name.
  bool ReadName(absl::string_view* name);
  // {1,2}: braces, commas; `value` is appended to.
  template <typename Container>
  bool ReadInts(Container* values);
  // A balanced {...} as written, strings inside respected: JSON.
  bool ReadBalancedBraces(absl::string_view* value);
  // Takes a balanced {...} of HLO: strings and comments inside respected. It
  // remembers where the braces inside end, so that skipping a body, and then
  // the bodies in it, reads the text once.
  bool SkipBraces();
  // The run of characters from the present token's beginning that are
  // letters, digits or one of "_-.?>": "b01f_01io->b01f", "3x3", "0_1x2_-3".
  // Takes it. Empty, with an error, when there is none.
  bool TakeRun(absl::string_view what, absl::string_view* run);

  // The end of the identifier that begins at `p`; `p` itself: none does.
  static const char* SkipIdentifier(const char* p, const char* end);

  // --- Errors ---------------------------------------------------------------

  // About the present token. Always false, so that readers can return it.
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
  // Where braces that SkipBraces has seen end, by where they begin.
  absl::flat_hash_map<size_t, size_t> brace_ends_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t previous_end_ = 0;
  bool open_string_ = false;  // a string that is never closed was met
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
