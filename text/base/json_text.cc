// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/json_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/wire/wire.h"
#include "indim/text/base/lexer.h"
#include "indim/text/base/text_errors.h"

namespace indim {
namespace {

// Whether strings inside braces match XLA's pattern for strings: UTF-8, no
// backslash before a newline.
bool StringsAreText(absl::string_view json) {
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '"') continue;
    const size_t begin = ++i;
    while (i < json.size() && json[i] != '"') {
      if (json[i] == '\\' && ++i < json.size() && json[i] == '\n') return false;
      ++i;
    }
    if (!IsValidUtf8(json.substr(begin, i - begin))) return false;
  }
  return true;
}

constexpr size_t kMaxDepth = 200;

// An open object or array.
struct Open {
  bool object;
  std::string name;  // of the current member
  std::vector<std::string> elements;
};

class Sorter {
 public:
  explicit Sorter(absl::string_view text) : text_(text) {}

  // False: it isn't JSON, as far as XLA checks.
  bool Sort(std::string* out) {
    std::string value;
    do {
      if (!ReadValueOrOpen(&value)) return false;
      if (!opened_ && !Close(&value)) return false;
    } while (!open_.empty());
    SkipBlanks();
    *out = std::move(value);
    return text_.empty();
  }

 private:
  void SkipBlanks() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  bool Consume(char c) {
    SkipBlanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Reads a scalar into `value`, or the beginning of an object or array onto
  // open_ (setting opened_).
  bool ReadValueOrOpen(std::string* value) {
    opened_ = false;
    if (!open_.empty() && open_.back().object) {
      if (!ReadLiteral(&open_.back().name) || !Consume(':')) return false;
    }
    SkipBlanks();
    const bool object = absl::StartsWith(text_, "{");
    if (!object && !absl::StartsWith(text_, "[")) return ReadLiteral(value);
    if (open_.size() >= kMaxDepth) return false;
    text_.remove_prefix(1);
    open_.push_back({object, "", {}});
    opened_ = true;
    SkipBlanks();
    if (absl::StartsWith(text_, object ? "}" : "]")) {
      opened_ = false;
      *value = Pop();
    }
    return true;
  }

  // Adds `value` to the innermost open one, and closes all that end here.
  bool Close(std::string* value) {
    while (!open_.empty()) {
      Open& top = open_.back();
      top.elements.push_back(top.object ? absl::StrCat(top.name, ":", *value)
                                        : std::move(*value));
      SkipBlanks();
      Consume(',');
      SkipBlanks();
      if (text_.empty()) return false;
      if (text_[0] != (top.object ? '}' : ']')) return true;
      *value = Pop();
    }
    return true;
  }

  // The text of the innermost object or array; its closing brace is next.
  std::string Pop() {
    text_.remove_prefix(1);
    Open top = std::move(open_.back());
    open_.pop_back();
    if (top.object) std::sort(top.elements.begin(), top.elements.end());
    std::string out = top.object ? "{" : "[";
    for (size_t i = 0; i < top.elements.size(); ++i) {
      absl::StrAppend(&out, i == 0 ? "" : ",", top.elements[i]);
    }
    out.append(top.object ? "}" : "]");
    return out;
  }

  // Reads a string, number or word.
  bool ReadLiteral(std::string* value) {
    SkipBlanks();
    if (text_.empty() || !absl::ascii_isprint(text_[0]) ||
        (absl::string_view("\"+-ftn").find(text_[0]) ==
             absl::string_view::npos &&
         !absl::ascii_isdigit(text_[0]))) {
      return false;
    }
    const bool is_string = text_[0] == '"';
    size_t i = 1;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (is_string) {
        if (c == '"') break;
      } else if (absl::ascii_isspace(c) || absl::string_view(",{}[]:").find(
                                               c) != absl::string_view::npos) {
        break;
      }
    }
    if (is_string) ++i;
    value->assign(text_.substr(0, i).data(), text_.substr(0, i).size());
    text_.remove_prefix(std::min(i, text_.size()));
    return true;
  }

  absl::string_view text_;
  std::vector<Open> open_;
  bool opened_ = false;
};

}  // namespace

bool LexesAsJson(absl::string_view text) {
  TextErrors errors;
  Lexer lexer(text, &errors);
  absl::string_view json;
  return lexer.token() == Token::kLeftBrace &&
         lexer.ReadBalancedBraces(&json) && lexer.token() == Token::kEnd &&
         errors.empty() && StringsAreText(json);
}

std::string SortedJson(absl::string_view text) {
  std::string sorted;
  return Sorter(text).Sort(&sorted) ? sorted : std::string(text);
}

}  // namespace indim
