// SPDX-License-Identifier: Apache-2.0
// MlirLexer: splits MLIR text into tokens.
//
// Tokens are views of the text, which must outlive the lexer. The text may have
// any bytes; the lexer never reads beyond its end. Sizes of tensors ("2x?xf32")
// aren't tokens: their reader takes characters (rest, Seek).

#ifndef INDIM_STABLEHLO_TEXT_MLIR_LEXER_H_
#define INDIM_STABLEHLO_TEXT_MLIR_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {

enum class MlirToken : uint8_t {
  kEnd,        // of the text
  kBad,        // what begins no token; already reported
  kWord,       // stablehlo.add, tensor, true
  kValue,      // %name; text() excludes the "%"
  kHash,       // #name, #0; excludes the "#"
  kBang,       // !name; excludes the "!"
  kCaret,      // ^bb0; excludes the "^"
  kSymbol,     // @name or @"name"; text() is as written behind the "@"
  kString,     // "..."; text() is as written, without quotes
  kInteger,    // 12, 0x1F
  kFloat,      // 1.5e3; no sign
  kArrow,      // ->
  kColons,     // ::
  kEllipsis,   // ...
  kFileBegin,  // {-#
  kFileEnd,    // #-}
  kPunct,      // one of ( ) [ ] { } < > , : = - + ? * / |; text() is it
};

class MlirLexer {
 public:
  // Reads the first token. `errors` must outlive the lexer.
  MlirLexer(absl::string_view text, TextErrors* errors);

  MlirToken token() const { return token_; }
  absl::string_view text() const { return text_; }
  // Where the current token begins, and where the text after it does.
  size_t offset() const { return static_cast<size_t>(begin_ - whole_.data()); }
  size_t end() const { return static_cast<size_t>(end_ - whole_.data()); }
  absl::string_view whole_text() const { return whole_; }
  // The text from the current token on.
  absl::string_view rest() const { return whole_.substr(offset()); }
  // Whether only blanks stand before the current token in its line.
  bool FirstInLine() const;

  // Moves to the next token; stays at kEnd.
  void Next() { Lex(end_); }
  // Makes the token at `offset` the current one.
  void Seek(size_t offset) { Lex(whole_.data() + offset); }

  bool Is(char punct) const {
    return token_ == MlirToken::kPunct && *begin_ == punct;
  }
  bool IsWord(absl::string_view word) const {
    return token_ == MlirToken::kWord && text_ == word;
  }

  // Takes the current token if it is this one.
  bool Accept(char punct) {
    if (!Is(punct)) return false;
    Next();
    return true;
  }
  bool Accept(MlirToken token) {
    if (token_ != token) return false;
    Next();
    return true;
  }
  bool AcceptWord(absl::string_view word) {
    if (!IsWord(word)) return false;
    Next();
    return true;
  }
  // Accept, with an error "expected `what` (or the token), found ..." if it
  // isn't there.
  bool Expect(char punct, absl::string_view what = "");
  bool ExpectArrow();
  bool ExpectWord(absl::string_view word);

  // `begin` item, item `end`, where read() reads an item; a comma may stand
  // behind the last.
  template <typename F>
  bool ReadList(char begin, char end, F read) {
    return Expect(begin) && ReadRest(end, read);
  }
  // The same behind `begin`.
  template <typename F>
  bool ReadRest(char end, F read) {
    while (!Is(end)) {
      if (!read()) return false;
      if (!Accept(',')) break;
    }
    return Expect(end);
  }

  // Read a value; errors as in Expect.
  bool ReadInteger(int64_t* value);     // -?[0-9]+ or hexadecimal
  bool ReadString(std::string* value);  // unescaped
  // A symbol's name, unescaped.
  bool ReadSymbol(std::string* value);

  // The offset behind the bracket that closes the one at `offset`. It takes
  // account of strings and "->". npos, with an error: no bracket closes it.
  size_t EndOfBrackets(size_t offset);

  // Adds an error about the current token. Always returns false.
  bool Error(std::string message, Code code = Code::kMlirSyntax);
  bool ErrorAt(size_t offset, size_t length, std::string message,
               Code code = Code::kMlirSyntax);
  // "expected WHAT, found 'x'".
  bool Expected(absl::string_view what, Code code = Code::kMlirSyntax);
  TextErrors& errors() { return *errors_; }

 private:
  void Lex(const char* p);
  const char* EndOfString(const char* p) const;
  void LexString(const char* p);
  void LexNumber(const char* p);
  void LexPrefixed(MlirToken token, const char* p);
  void LexPunct(const char* p);
  void Take(MlirToken token, const char* text, const char* text_end,
            const char* end) {
    token_ = token;
    text_ = absl::string_view(text, static_cast<size_t>(text_end - text));
    end_ = end;
  }

  absl::string_view whole_;
  const char* limit_;  // of the text
  MlirToken token_ = MlirToken::kEnd;
  const char* begin_;
  const char* end_;
  absl::string_view text_;
  TextErrors* errors_;
};

// Undoes escapes: \n \t \" \\ and \ with two hexadecimal digits. False: there
// is another.
bool UnescapeMlir(absl::string_view text, std::string* value);
// Whether `name` can stand behind @ without quotes.
bool IsBareName(absl::string_view name);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_MLIR_LEXER_H_
