// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/shape_lexer.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim.h"

namespace indim {

// Skips blanks and comments. An unclosed comment stays and causes an error.
void ShapeLexer::SkipBlanks() {
  while (pos_ < text_.size()) {
    switch (text_[pos_]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        ++pos_;
        break;
      case '/':
        if (!SkipComment()) return;
        break;
      default:
        return;
    }
  }
}

bool ShapeLexer::SkipComment() {
  if (absl::StartsWith(rest(), "//")) {
    pos_ = std::min(text_.find_first_of("\r\n", pos_), text_.size());
    return true;
  }
  if (!absl::StartsWith(rest(), "/*")) return false;
  const size_t end = text_.find("*/", pos_ + 2);
  if (end == absl::string_view::npos) return false;
  pos_ = end + 2;
  return true;
}

bool ShapeLexer::Ahead(absl::string_view token) {
  SkipBlanks();
  return absl::StartsWith(rest(), token);
}

bool ShapeLexer::AheadDigit() {
  SkipBlanks();
  return absl::ascii_isdigit(Peek());
}

bool ShapeLexer::Eat(absl::string_view token) {
  if (!Ahead(token)) return false;
  pos_ += token.size();
  return true;
}

absl::string_view ShapeLexer::EatName() {
  SkipBlanks();
  const size_t start = pos_;
  if (absl::ascii_isdigit(Peek())) return "";
  while (absl::ascii_isalnum(Peek()) || Peek() == '_' || Peek() == '.' ||
         Peek() == '-') {
    ++pos_;
  }
  return text_.substr(start, pos_ - start);
}

bool ShapeLexer::Expect(absl::string_view token, absl::string_view context) {
  return Eat(token) || FailExpected(absl::StrCat("'", token, "' ", context));
}

bool ShapeLexer::FailExpected(absl::string_view what) {
  SkipBlanks();
  const absl::string_view word = EatName();
  const size_t at = pos_ - word.size();
  pos_ = at;
  if (at == text_.size()) {
    return Fail(at, absl::StrCat("expected ", what, ", but the text ends"));
  }
  if (absl::StartsWith(rest(), "/*")) {
    return Fail(at, "a comment without its end");
  }
  constexpr size_t kLongest = 24;
  const absl::string_view found =
      word.empty() ? rest().substr(0, 1) : word.substr(0, kLongest);
  return Fail(at, absl::StrCat("expected ", what, ", not '",
                               absl::CHexEscape(found), "'"));
}

bool ShapeLexer::Fail(size_t at, absl::string_view what) {
  error_ = {at, std::string(what)};
  fail_size_ = what.size();
  return false;
}

void ShapeLexer::Suggest(absl::string_view meant) {
  error_.message.resize(fail_size_);
  absl::StrAppend(&error_.message, "; did you mean '", meant, "'?");
}

absl::Status ShapeLexer::status() const {
  if (ok()) return absl::OkStatus();
  const size_t at = error_.offset;
  // Of a long text, show only the part around the position.
  constexpr size_t kBefore = 30;
  constexpr size_t kLongest = 60;
  const size_t start = text_.size() <= kLongest || at < kBefore
                           ? 0
                           : std::min(at - kBefore, text_.size() - kLongest);
  const absl::string_view shown = text_.substr(start, kLongest);
  return absl::InvalidArgumentError(
      absl::StrCat("shape \"", start > 0 ? "..." : "", absl::CHexEscape(shown),
                   start + shown.size() < text_.size() ? "..." : "",
                   "\", column ", at + 1, ": ", error_.message));
}

bool ShapeLexer::ReadNumber(absl::string_view what, int64_t most,
                            int64_t* value) {
  return ReadDigits(what, /*sign=*/1, most, value);
}

bool ShapeLexer::ReadDigits(absl::string_view what, int sign, int64_t most,
                            int64_t* value) {
  if (!AheadDigit()) return FailExpected(what);
  const size_t start = pos_;
  *value = 0;
  bool fits = true;
  for (; absl::ascii_isdigit(Peek()); ++pos_) {
    fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, sign * (Peek() - '0'), value);
  }
  return (fits && *value <= most) ||
         Fail(start, absl::StrCat(what, " is out of range, at most ", most));
}

bool ShapeLexer::ReadSigned(absl::string_view what, int64_t* value) {
  const int sign = Eat("-") ? -1 : 1;
  return ReadDigits(what, sign, Dim::kInfinity, value);
}

bool ShapeLexer::ReadEnd() {
  SkipBlanks();
  if (pos_ == text_.size()) return true;
  return FailExpected("the end of the shape");
}

}  // namespace indim
