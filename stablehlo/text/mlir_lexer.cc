// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/mlir_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

// Classes of characters, as bits.
constexpr uint8_t kBlank = 1;
constexpr uint8_t kLetter = 2;  // begins a word
constexpr uint8_t kDigit = 4;
constexpr uint8_t kInWord = 8;   // letters, digits, _ $ .
constexpr uint8_t kInName = 16;  // these and -
constexpr uint8_t kPunct = 32;

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes = {};
  for (const char c : {' ', '\t', '\n', '\r'}) {
    classes[static_cast<uint8_t>(c)] = kBlank;
  }
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<size_t>(c)] = kLetter | kInWord | kInName;
    classes[static_cast<size_t>(c - 'a' + 'A')] = kLetter | kInWord | kInName;
  }
  for (int c = '0'; c <= '9'; ++c) {
    classes[static_cast<size_t>(c)] = kDigit | kInWord | kInName;
  }
  classes['_'] = kLetter | kInWord | kInName;
  classes['$'] = kInWord | kInName;
  classes['.'] = kInWord | kInName;
  classes['-'] = kInName;
  for (const char c : {'(', ')', '[', ']', '{', '}', '<', '>', ',', ':', '=',
                       '-', '+', '?', '*', '/', '|'}) {
    classes[static_cast<uint8_t>(c)] |= kPunct;
  }
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

bool Has(char c, uint8_t bits) {
  return (kClasses[static_cast<uint8_t>(c)] & bits) != 0;
}

const char* Skip(const char* p, const char* limit, uint8_t bits) {
  while (p < limit && Has(*p, bits)) ++p;
  return p;
}

}  // namespace

MlirLexer::MlirLexer(absl::string_view text, TextErrors* errors)
    : whole_(text), limit_(text.data() + text.size()), errors_(errors) {
  Lex(whole_.data());
}

void MlirLexer::Lex(const char* p) {
  while (true) {
    p = Skip(p, limit_, kBlank);
    if (limit_ - p < 2 || p[0] != '/' || p[1] != '/') break;
    const void* newline = std::memchr(p, '\n', static_cast<size_t>(limit_ - p));
    p = newline == nullptr ? limit_ : static_cast<const char*>(newline);
  }
  begin_ = p;
  if (p == limit_) {
    Take(MlirToken::kEnd, p, p, p);
  } else if (Has(*p, kLetter)) {
    const char* const end = Skip(p + 1, limit_, kInWord);
    Take(MlirToken::kWord, p, end, end);
  } else if (*p == '%') {
    LexPrefixed(MlirToken::kValue, p);
  } else if (Has(*p, kPunct) && *p != '-' && *p != ':' && *p != '{') {
    Take(MlirToken::kPunct, p, p + 1, p + 1);
  } else if (Has(*p, kDigit)) {
    LexNumber(p);
  } else if (*p == '"') {
    LexString(p);
  } else if (*p == '#' && limit_ - p >= 3 && p[1] == '-' && p[2] == '}') {
    Take(MlirToken::kFileEnd, p, p + 3, p + 3);
  } else if (*p == '#') {
    LexPrefixed(MlirToken::kHash, p);
  } else if (*p == '!') {
    LexPrefixed(MlirToken::kBang, p);
  } else if (*p == '^') {
    LexPrefixed(MlirToken::kCaret, p);
  } else if (*p == '@') {
    if (p + 1 < limit_ && p[1] == '"') {
      LexString(p + 1);
      if (token_ != MlirToken::kString) return;
      Take(MlirToken::kSymbol, p + 1, end_, end_);
    } else {
      LexPrefixed(MlirToken::kSymbol, p);
    }
  } else {
    LexPunct(p);
  }
}

// %name, %12; an alias's name is #name, and a part of a result #1.
void MlirLexer::LexPrefixed(MlirToken token, const char* p) {
  const char* const name = p + 1;
  const char* end = name;
  if (name < limit_ && Has(*name, kDigit)) {
    end = Skip(name, limit_, kDigit);
  } else if (token == MlirToken::kValue || token == MlirToken::kCaret) {
    end = Skip(name, limit_, kInName);
  } else {
    end = Skip(name, limit_, kInWord);
  }
  if (end == name) {
    Take(MlirToken::kBad, p, end, end);
    ErrorAt(offset(), 1, absl::StrCat("expected a name after '", text_, "'"));
    return;
  }
  Take(token, name, end, end);
}

void MlirLexer::LexNumber(const char* p) {
  if (*p == '0' && limit_ - p > 2 && p[1] == 'x' &&
      absl::ascii_isxdigit(static_cast<unsigned char>(p[2]))) {
    const char* end = p + 2;
    while (end < limit_ &&
           absl::ascii_isxdigit(static_cast<unsigned char>(*end)))
      ++end;
    return Take(MlirToken::kInteger, p, end, end);
  }
  const char* end = Skip(p, limit_, kDigit);
  if (end == limit_ || *end != '.')
    return Take(MlirToken::kInteger, p, end, end);
  end = Skip(end + 1, limit_, kDigit);
  if (end < limit_ && (*end == 'e' || *end == 'E')) {
    const char* exponent = end + 1;
    if (exponent < limit_ && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (exponent < limit_ && Has(*exponent, kDigit)) {
      end = Skip(exponent, limit_, kDigit);
    }
  }
  Take(MlirToken::kFloat, p, end, end);
}

// Where the '"' stands that ends the string with this text; the end of the text
// if none does. A string may have 100 MB.
const char* MlirLexer::EndOfString(const char* p) const {
  while (p < limit_) {
    const void* const found =
        std::memchr(p, '"', static_cast<size_t>(limit_ - p));
    if (found == nullptr) return limit_;
    const char* const quote = static_cast<const char*>(found);
    const char* escape = quote;
    while (escape > p && escape[-1] == '\\') --escape;
    if ((quote - escape) % 2 == 0) return quote;
    p = quote + 1;
  }
  return limit_;
}

void MlirLexer::LexString(const char* p) {
  const char* const q = EndOfString(p + 1);
  if (q < limit_) return Take(MlirToken::kString, p + 1, q, q + 1);
  Take(MlirToken::kBad, p, q, q);
  ErrorAt(static_cast<size_t>(p - whole_.data()), 1,
          "expected '\"' at the end of this string");
}

void MlirLexer::LexPunct(const char* p) {
  // The character n behind p; 0 at the end.
  const auto at = [&](int n) { return limit_ - p > n ? p[n] : '\0'; };
  const char c = *p;
  if (c == '-' && at(1) == '>') return Take(MlirToken::kArrow, p, p + 2, p + 2);
  if (c == ':' && at(1) == ':')
    return Take(MlirToken::kColons, p, p + 2, p + 2);
  if (c == '.' && at(1) == '.' && at(2) == '.') {
    return Take(MlirToken::kEllipsis, p, p + 3, p + 3);
  }
  if (c == '{' && at(1) == '-' && at(2) == '#') {
    return Take(MlirToken::kFileBegin, p, p + 3, p + 3);
  }
  if (Has(c, kPunct)) return Take(MlirToken::kPunct, p, p + 1, p + 1);
  // One error for a run of such characters.
  const char* end = p + 1;
  while (end < limit_ && static_cast<unsigned char>(*end) >= 0x80) ++end;
  Take(MlirToken::kBad, p, end, end);
  ErrorAt(offset(), text_.size(), "unexpected character");
}

bool MlirLexer::FirstInLine() const {
  const char* p = begin_;
  while (p > whole_.data() && (p[-1] == ' ' || p[-1] == '\t')) --p;
  return p == whole_.data() || p[-1] == '\n';
}

bool MlirLexer::Expect(char punct, absl::string_view what) {
  if (Accept(punct)) return true;
  if (!what.empty()) return Expected(what);
  return Expected(absl::StrCat("'", std::string(1, punct), "'"));
}

bool MlirLexer::ExpectArrow() {
  return Accept(MlirToken::kArrow) || Expected("'->'");
}

bool MlirLexer::ExpectWord(absl::string_view word) {
  return AcceptWord(word) || Expected(absl::StrCat("'", word, "'"));
}

bool MlirLexer::ReadInteger(int64_t* value) {
  const size_t begin = offset();
  const bool negative = Accept('-');
  if (token_ != MlirToken::kInteger) return Expected("an integer");
  uint64_t number = 0;
  const bool hex = text_.size() > 2 && text_[1] == 'x';
  const bool fits = hex ? absl::SimpleHexAtoi(text_.substr(2), &number)
                        : absl::SimpleAtoi(text_, &number);
  const uint64_t most = uint64_t{1} << 63;
  if (!fits || number > most || (!negative && number == most)) {
    return ErrorAt(begin, end() - begin, "this integer needs more than 64 bits",
                   Code::kMlirLiteral);
  }
  *value = static_cast<int64_t>(negative ? ~number + 1 : number);
  Next();
  return true;
}

bool MlirLexer::ReadString(std::string* value) {
  if (token_ != MlirToken::kString) return Expected("a string");
  if (!UnescapeMlir(text_, value)) return Error("unknown escape in a string");
  Next();
  return true;
}

bool MlirLexer::ReadSymbol(std::string* value) {
  if (token_ != MlirToken::kSymbol) return Expected("a symbol, @name");
  absl::string_view name = text_;
  if (name.size() < 2 || name[0] != '"') {
    *value = std::string(name);
  } else if (!UnescapeMlir(name.substr(1, name.size() - 2), value)) {
    return Error("unknown escape in a string");
  }
  Next();
  return true;
}

size_t MlirLexer::EndOfBrackets(size_t offset) {
  std::string open;
  const char* p = whole_.data() + offset;
  while (p < limit_) {
    const char c = *p;
    if (c == '"') {
      p = EndOfString(p + 1);
      if (p == limit_) break;
    } else if (c == '-' && p + 1 < limit_ && p[1] == '>') {
      ++p;
    } else if (c == '<' || c == '(' || c == '[' || c == '{') {
      open.push_back(c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c) break;
      open.pop_back();
      if (open.empty()) return static_cast<size_t>(p + 1 - whole_.data());
    }
    ++p;
  }
  ErrorAt(offset, 1, "no bracket closes this one");
  return absl::string_view::npos;
}

bool MlirLexer::Error(std::string message, Code code) {
  return ErrorAt(offset(), static_cast<size_t>(end_ - begin_),
                 std::move(message), code);
}

bool MlirLexer::ErrorAt(size_t offset, size_t length, std::string message,
                        Code code) {
  errors_->Add(offset, length, std::move(message), code);
  return false;
}

bool MlirLexer::Expected(absl::string_view what, Code code) {
  if (token_ == MlirToken::kBad) return false;  // it is reported already
  std::string found = "the end of the text";
  if (token_ != MlirToken::kEnd) {
    constexpr size_t kMost = 60;
    const absl::string_view text(begin_, static_cast<size_t>(end_ - begin_));
    found = absl::StrCat("'", text.substr(0, kMost),
                         text.size() > kMost ? "..." : "", "'");
  }
  return Error(absl::StrCat("expected ", what, ", found ", found), code);
}

bool UnescapeMlir(absl::string_view text, std::string* value) {
  value->clear();
  while (true) {
    const size_t slash = text.find('\\');
    value->append(text.data(), std::min(slash, text.size()));
    if (slash == absl::string_view::npos) return true;
    text.remove_prefix(slash + 1);
    if (text.empty()) return false;
    const char c = text[0];
    size_t length = 1;  // of the escape, without the backslash
    if (c == '"' || c == '\\') {
      value->push_back(c);
    } else if (c == 'n' || c == 't') {
      value->push_back(c == 'n' ? '\n' : '\t');
    } else {
      uint32_t byte = 0;
      length = 2;
      if (text.size() < length ||
          !absl::SimpleHexAtoi(text.substr(0, length), &byte)) {
        return false;
      }
      value->push_back(static_cast<char>(byte));
    }
    text.remove_prefix(length);
  }
}

bool IsBareName(absl::string_view name) {
  if (name.empty() || !Has(name[0], kLetter)) return false;
  for (const char c : name) {
    if (!Has(c, kInWord)) return false;
  }
  return true;
}

}  // namespace indim::mlir
