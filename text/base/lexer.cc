// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/lexer.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "indim/text/base/char_lanes.h"

namespace indim {
namespace {

// The roles of a byte in tokens. A table takes one load per byte.
enum : uint8_t {
  kIdentifierStart = 1,  // [A-Za-z_]
  kIdentifierPart = 2,   // [A-Za-z0-9_.-]
  kDigit = 4,
  kSpace = 8,
  kRun = 16,     // [A-Za-z0-9_.?>-]
  kStarter = 32  // begins a token (or a comment), or is a space
};

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    uint8_t is = 0;
    if (letter || c == '_') is |= kIdentifierStart | kStarter;
    if (letter || digit || c == '_' || c == '.' || c == '-') {
      is |= kIdentifierPart | kRun;
    }
    if (c == '?' || c == '>') is |= kRun;
    if (digit) is |= kDigit | kStarter;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      is |= kSpace | kStarter;
    }
    classes[static_cast<size_t>(c)] = is;
  }
  constexpr char kOthers[] = "=,:*#+~[]{}()-<?./\"'%";
  for (const char* c = kOthers; *c != '\0'; ++c) {
    classes[static_cast<uint8_t>(*c)] |= kStarter;
  }
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

inline bool Is(char c, uint8_t classes) {
  return (kClasses[static_cast<uint8_t>(c)] & classes) != 0;
}

inline const char* Skip(const char* p, const char* end, uint8_t classes) {
  while (p != end && Is(*p, classes)) ++p;
  return p;
}

// The end of an identifier's characters. Most are shorter than sixteen, and
// their end is found in one step.
const char* SkipIdentifierParts(const char* p, const char* end) {
  return FindChar(p, end, [](CharLanes text) {
    return ~(IsNameChar(text) | (text == '.'));
  });
}

// The end of the comment that begins at `p`; `p` itself if none does; null if
// it has no end.
const char* SkipComment(const char* p, const char* end) {
  if (end - p < 2) return p;
  if (p[1] == '/') {
    p += 2;
    while (p != end && *p != '\n' && *p != '\r') ++p;
    return p;
  }
  if (p[1] != '*') return p;
  for (p += 2; p != end; ++p) {
    p = static_cast<const char*>(
        std::memchr(p, '*', static_cast<size_t>(end - p)));
    if (p == nullptr) return nullptr;
    if (end - p > 1 && p[1] == '/') return p + 2;
  }
  return nullptr;
}

// The closing quote of a string whose characters begin at `p`; null if there is
// none.
const char* FindQuote(const char* p, const char* end, char quote) {
  while (p != end && *p != quote) {
    if (*p == '\\' && ++p == end) return nullptr;
    ++p;
  }
  return p == end ? nullptr : p;
}

const char* LineEnd(const char* p, const char* end) {
  const void* newline = std::memchr(p, '\n', static_cast<size_t>(end - p));
  return newline == nullptr ? end : static_cast<const char*>(newline);
}

// The end and the kind of the number that begins at `p`; null if there is none.
// Unlike XLA, it accepts ".5" as well as "-.5".
const char* SkipNumber(const char* p, const char* end, Token* token) {
  if (*p == '-') ++p;
  const char* const digits = p;
  p = Skip(p, end, kDigit);
  bool any_digits = p != digits;
  *token = Token::kInt;
  if (p != end && *p == '.') {
    const char* const fraction = Skip(p + 1, end, kDigit);
    if (!any_digits && fraction == p + 1) return nullptr;
    any_digits = true;
    *token = Token::kDecimal;
    p = fraction;
  }
  if (!any_digits) return nullptr;
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    if (q != end && (*q == '+' || *q == '-')) ++q;
    const char* const exponent = Skip(q, end, kDigit);
    if (exponent != q) {
      *token = Token::kDecimal;
      p = exponent;
    }
  }
  return p;
}

// A token for an error: short, printable, quoted.
std::string Quoted(absl::string_view text) {
  constexpr size_t kShown = 40;
  const bool cut = text.size() > kShown;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kShown)),
                      cut ? "...\"" : "\"");
}

}  // namespace

absl::string_view TokenText(Token token) {
  switch (token) {
    case Token::kEnd:
      return "the end of the text";
    case Token::kBad:
      return "a character that means nothing here";
    case Token::kWord:
      return "a word";
    case Token::kName:
      return "a name";
    case Token::kSignatureName:
      return "a name with \":\"";
    case Token::kAttributeName:
      return "an attribute's name with \"=\"";
    case Token::kString:
      return "a string";
    case Token::kInt:
      return "an integer";
    case Token::kDecimal:
      return "a decimal number";
    case Token::kEqual:
      return "\"=\"";
    case Token::kComma:
      return "\",\"";
    case Token::kColon:
      return "\":\"";
    case Token::kAsterisk:
      return "\"*\"";
    case Token::kHash:
      return "\"#\"";
    case Token::kPlus:
      return "\"+\"";
    case Token::kTilde:
      return "\"~\"";
    case Token::kLeftBracket:
      return "\"[\"";
    case Token::kRightBracket:
      return "\"]\"";
    case Token::kLeftBrace:
      return "\"{\"";
    case Token::kRightBrace:
      return "\"}\"";
    case Token::kLeftParen:
      return "\"(\"";
    case Token::kRightParen:
      return "\")\"";
    case Token::kArrow:
      return "\"->\"";
    case Token::kLessEqual:
      return "\"<=\"";
    case Token::kQuestion:
      return "\"?\"";
    case Token::kEllipsis:
      return "\"...\"";
    case Token::kMinus:
      return "\"-\"";
  }
  return "a token";
}

Lexer::Lexer(absl::string_view text, TextErrors* errors)
    : whole_(text), errors_(errors) {
  Lex();
}

void Lexer::Next() {
  if (token_ != Token::kEnd) Lex();
}

void Lexer::Seek(size_t offset) {
  end_ = offset < whole_.size() ? offset : whole_.size();
  Lex();
}

void Lexer::Take(Token token, const char* begin, const char* end) {
  token_ = token;
  text_ = absl::string_view(begin, static_cast<size_t>(end - begin));
  begin_ = static_cast<size_t>(begin - whole_.data());
  end_ = static_cast<size_t>(end - whole_.data());
}

void Lexer::Lex() {
  const char* const end = whole_.data() + whole_.size();
  const char* p = whole_.data() + end_;
  previous_end_ = end_;
  while (true) {
    p = Skip(p, end, kSpace);
    if (p == end) return Take(Token::kEnd, p, p);
    if (*p != '/') break;
    const char* const after = SkipComment(p, end);
    if (after == nullptr) {
      const size_t at = static_cast<size_t>(p - whole_.data());
      errors_->Add(at, 2, "this comment is never closed by \"*/\"");
      return Take(Token::kEnd, end, end);
    }
    if (after == p) return LexBad(p);
    p = after;
  }
  if (Is(*p, kIdentifierStart)) {
    const char* const q = Skip(p + 1, end, kIdentifierPart);
    Take(Token::kWord, p, q);
    if (q == end || (*q != ':' && *q != '=')) return;
    token_ = *q == ':' ? Token::kSignatureName : Token::kAttributeName;
    ++end_;
    return;
  }
  LexOther(p);
}

// Lexes tokens that don't begin with a letter.
void Lexer::LexOther(const char* p) {
  const char* const end = whole_.data() + whole_.size();
  const char next = p + 1 == end ? '\0' : p[1];
  switch (*p) {
    case '%': {
      if (!Is(next, kIdentifierStart) &&
          !(number_names_ && absl::ascii_isdigit(next))) {
        return LexBad(p);
      }
      Take(Token::kName, p, SkipIdentifierParts(p + 2, end));
      text_.remove_prefix(1);
      return;
    }
    case '=':
      return Take(Token::kEqual, p, p + 1);
    case ',':
      return Take(Token::kComma, p, p + 1);
    case ':':
      return Take(Token::kColon, p, p + 1);
    case '*':
      return Take(Token::kAsterisk, p, p + 1);
    case '#':
      return Take(Token::kHash, p, p + 1);
    case '+':
      return Take(Token::kPlus, p, p + 1);
    case '~':
      return Take(Token::kTilde, p, p + 1);
    case '[':
      return Take(Token::kLeftBracket, p, p + 1);
    case ']':
      return Take(Token::kRightBracket, p, p + 1);
    case '{':
      return Take(Token::kLeftBrace, p, p + 1);
    case '}':
      return Take(Token::kRightBrace, p, p + 1);
    case '(':
      return Take(Token::kLeftParen, p, p + 1);
    case ')':
      return Take(Token::kRightParen, p, p + 1);
    case '?':
      return Take(Token::kQuestion, p, p + 1);
    case '<':
      if (next != '=') return LexBad(p);
      return Take(Token::kLessEqual, p, p + 2);
    case '"':
    case '\'':
      return LexString(p);
    case '-':
      if (next == '>') return Take(Token::kArrow, p, p + 2);
      break;
    case '.':
      if (next == '.' && end - p > 2 && p[2] == '.') {
        return Take(Token::kEllipsis, p, p + 3);
      }
      break;
    default:
      break;
  }
  if (*p != '-' && *p != '.' && !Is(*p, kDigit)) return LexBad(p);
  Token token = Token::kInt;
  const char* const after = SkipNumber(p, end, &token);
  if (after != nullptr) return Take(token, p, after);
  if (*p == '-') return Take(Token::kMinus, p, p + 1);
  LexBad(p);
}

void Lexer::LexString(const char* p) {
  const char* const end = whole_.data() + whole_.size();
  // After a string without an end, later ones must end in their line, so that
  // even a text of nothing but quotes is read only once.
  const char* const limit = open_string_ ? LineEnd(p, end) : end;
  const char* const quote = FindQuote(p + 1, limit, *p);
  if (quote == nullptr) {
    open_string_ = true;
    const char* const line = LineEnd(p, end);
    Take(Token::kBad, p, line);
    errors_->Add(begin_, 1,
                 absl::StrCat("this string is never closed by ",
                              *p == '"' ? "'\"'" : "\"'\""));
    return;
  }
  Take(Token::kString, p, quote + 1);
  text_ = text_.substr(1, text_.size() - 2);
}

// Consecutive characters that begin no token are one bad token, reported once.
void Lexer::LexBad(const char* p) {
  const char* const end = whole_.data() + whole_.size();
  const char* q = p + 1;
  while (q != end && !Is(*q, kStarter)) ++q;
  Take(Token::kBad, p, q);
  errors_->Add(begin_, text_.size(),
               absl::StrCat("unexpected ", Quoted(text_)));
}

bool Lexer::Accept(Token token) {
  if (token_ != token) return false;
  Next();
  return true;
}

bool Lexer::AcceptWord(absl::string_view word) {
  if (token_ != Token::kWord || text_ != word) return false;
  Next();
  return true;
}

bool Lexer::Expect(Token token, absl::string_view what) {
  if (Accept(token)) return true;
  return Expected(what.empty() ? TokenText(token) : what);
}

bool Lexer::ExpectWord(absl::string_view word) {
  if (AcceptWord(word)) return true;
  return Expected(absl::StrCat("\"", word, "\""));
}

bool Lexer::ReadInt(int64_t* value) {
  if (token_ != Token::kInt) return Expected("an integer");
  const bool negative = text_[0] == '-';
  const uint64_t limit =
      negative ? uint64_t{1} << 63 : std::numeric_limits<uint64_t>::max();
  uint64_t magnitude = 0;
  for (size_t i = negative ? 1 : 0; i < text_.size(); ++i) {
    const uint64_t digit = static_cast<uint64_t>(text_[i] - '0');
    if (magnitude > (limit - digit) / 10) {
      return Error(absl::StrCat(Quoted(text_), " doesn't fit into 64 bits"));
    }
    magnitude = magnitude * 10 + digit;
  }
  *value = static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
  Next();
  return true;
}

bool Lexer::ReadBool(bool* value) {
  if (AcceptWord("true")) {
    *value = true;
    return true;
  }
  if (AcceptWord("false")) {
    *value = false;
    return true;
  }
  return Expected("true or false");
}

bool Lexer::ReadString(std::string* value) {
  if (token_ != Token::kString) return Expected("a string");
  std::string why;
  if (text_.find('\\') == absl::string_view::npos) {
    value->assign(text_.data(), text_.size());
  } else if (!absl::CUnescape(text_, value, &why)) {
    return Error(absl::StrCat("this string can't be unescaped: ",
                              absl::CHexEscape(why)));
  }
  Next();
  return true;
}

bool Lexer::ReadName(absl::string_view* name) {
  if (token_ != Token::kName && token_ != Token::kWord) {
    return Expected("a name");
  }
  *name = text_;
  Next();
  return true;
}

bool Lexer::ReadBalancedBraces(absl::string_view* value) {
  if (token_ != Token::kLeftBrace) return Expected("\"{\"");
  const char* const begin = whole_.data() + begin_;
  const char* const end = whole_.data() + whole_.size();
  int64_t depth = 0;
  for (const char* p = begin; p != end; ++p) {
    if (*p == '"') {
      p = FindQuote(p + 1, end, '"');
      if (p == nullptr) break;
    } else if (*p == '{') {
      ++depth;
    } else if (*p == '}' && --depth == 0) {
      *value = absl::string_view(begin, static_cast<size_t>(p + 1 - begin));
      Seek(begin_ + value->size());
      return true;
    }
  }
  return Error("this brace is never closed");
}

bool Lexer::SkipBraces() {
  if (token_ != Token::kLeftBrace) return Expected("\"{\"");
  if (auto it = brace_ends_.find(begin_); it != brace_ends_.end()) {
    Seek(it->second);
    return true;
  }
  const char* const end = whole_.data() + whole_.size();
  std::vector<size_t> open;
  for (const char* p = whole_.data() + begin_; p != nullptr && p != end; ++p) {
    const size_t at = static_cast<size_t>(p - whole_.data());
    if (*p == '{') {
      open.push_back(at);
    } else if (*p == '}') {
      brace_ends_.emplace(open.back(), at + 1);
      open.pop_back();
      if (open.empty()) {
        Seek(at + 1);
        return true;
      }
    } else if (*p == '"' || *p == '\'') {
      p = FindQuote(p + 1, end, *p);
      if (p == nullptr) break;
    } else if (*p == '/') {
      const char* const after = SkipComment(p, end);
      if (after == nullptr || after == end) break;
      if (after != p) p = after - 1;
    }
  }
  return Error("this brace is never closed");
}

bool Lexer::TakeRun(absl::string_view what, absl::string_view* run) {
  const char* const begin = whole_.data() + begin_;
  const char* const end = Skip(begin, whole_.data() + whole_.size(), kRun);
  if (end == begin) return Expected(what);
  *run = absl::string_view(begin, static_cast<size_t>(end - begin));
  Seek(begin_ + run->size());
  return true;
}

const char* Lexer::SkipIdentifier(const char* p, const char* end) {
  if (p == end || !Is(*p, kIdentifierStart)) return p;
  return SkipIdentifierParts(p + 1, end);
}

bool Lexer::Error(std::string message) {
  return ErrorAt(begin_, end_ - begin_, std::move(message));
}

bool Lexer::ErrorAt(size_t offset, size_t length, std::string message) {
  errors_->Add(offset, length, std::move(message));
  return false;
}

bool Lexer::Expected(absl::string_view what) {
  return Error(absl::StrCat(
      "expected ", what, ", found ",
      token_ == Token::kEnd ? std::string(TokenText(token_))
                            : Quoted(whole_.substr(begin_, end_ - begin_))));
}

}  // namespace indim
