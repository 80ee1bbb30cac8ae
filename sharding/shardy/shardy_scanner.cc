// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/shardy/shardy_scanner.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace indim {

void ShardyScanner::SkipBlanks() {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_);
}

bool ShardyScanner::At(absl::string_view token) {
  SkipBlanks();
  return absl::StartsWith(rest_, token);
}

bool ShardyScanner::Take(absl::string_view token) {
  if (!At(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

absl::string_view ShardyScanner::TakeWord() {
  SkipBlanks();
  size_t size = 0;
  while (size < rest_.size() &&
         (absl::ascii_isalnum(rest_[size]) || rest_[size] == '_')) {
    ++size;
  }
  const absl::string_view word = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return word;
}

bool ShardyScanner::done() {
  SkipBlanks();
  return rest_.empty();
}

bool ShardyScanner::Fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return false;
}

bool ShardyScanner::Expected(absl::string_view what) {
  SkipBlanks();
  return Fail(absl::StrCat(
      "has ",
      rest_.empty() ? "its end" : absl::StrCat("'", rest_.substr(0, 20), "'"),
      " where ", what, " must stand"));
}

bool ShardyScanner::Expect(absl::string_view token) {
  return Take(token) || Expected(absl::StrCat("'", token, "'"));
}

bool ShardyScanner::ExpectEnd() { return done() || Expected("its end"); }

bool ShardyScanner::ReadNumber(int64_t* number) {
  SkipBlanks();
  size_t size = 0;
  while (size < rest_.size() && absl::ascii_isdigit(rest_[size])) ++size;
  if (!absl::SimpleAtoi(rest_.substr(0, size), number)) {
    return Expected("a number of at least 0");
  }
  rest_.remove_prefix(size);
  return true;
}

bool ShardyScanner::ReadQuoted(std::string* name) {
  if (!At("\"")) return Expected("a name in quotes");
  const size_t end = rest_.find('"', 1);
  if (end == absl::string_view::npos) return Expected("a name in quotes");
  *name = std::string(rest_.substr(1, end - 1));
  rest_.remove_prefix(end + 1);
  return true;
}

bool ShardyScanner::ReadSymbol(std::string* name) {
  if (At("\"")) return ReadQuoted(name);
  size_t size = 0;
  while (size < rest_.size() &&
         (absl::ascii_isalnum(rest_[size]) ||
          absl::StrContains("_.$-", rest_.substr(size, 1)))) {
    ++size;
  }
  if (size == 0) return Expected("a name");
  *name = std::string(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return true;
}

}  // namespace indim
