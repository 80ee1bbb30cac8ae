// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/spaced_text.h"

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"

namespace indim::mlir {
namespace {

bool IsPartOfWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Calls add(i, was_blank) for each character outside of white space;
// `was_blank`: white space stands before it. Strings are kept as they are.
void ForEachCharacter(absl::string_view text,
                      absl::FunctionRef<void(size_t, bool)> add) {
  bool in_string = false;
  bool was_blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string && absl::ascii_isspace(static_cast<unsigned char>(c))) {
      was_blank = true;
      continue;
    }
    add(i, was_blank);
    was_blank = false;
    if (in_string && c == '\\' && i + 1 < text.size()) {
      add(++i, false);
    } else if (c == '"') {
      in_string = !in_string;
    }
  }
}

// Whether Shardy prints a blank between what ends with `out` and text[i].
// `was_blank`: the text has one.
bool HasBlank(absl::string_view out, absl::string_view text, size_t i,
              bool was_blank) {
  if (out.empty()) return false;
  const char last = out.back();
  const char c = text[i];
  if (last == ',' || (last == ')' && c == '{')) return true;
  // `} reduction={i}`, but `}p0`, a priority.
  if (last == '}' && IsPartOfWord(c)) {
    return c != 'p' || i + 1 == text.size() ||
           !absl::ascii_isdigit(static_cast<unsigned char>(text[i + 1]));
  }
  // `{"a"}: 0->1`, but `"a":(1)2`.
  if (last == ':' && out.size() > 1 && out[out.size() - 2] == '}') return true;
  return was_blank && IsPartOfWord(last) && IsPartOfWord(c);
}

}  // namespace

std::string SingleSpaced(absl::string_view text) {
  std::string out;
  ForEachCharacter(text, [&](size_t i, bool was_blank) {
    if (was_blank && !out.empty()) out.push_back(' ');
    out.push_back(text[i]);
  });
  return out;
}

std::string ShardySpaced(absl::string_view given) {
  // In a list they stand without their name.
  const std::string text =
      absl::StrReplaceAll(given, {{"#sdy.sharding<", "<"}});
  std::string out;
  bool in_string = false;
  ForEachCharacter(text, [&](size_t i, bool was_blank) {
    const bool escaped = i > 0 && text[i - 1] == '\\';
    if (!in_string && HasBlank(out, text, i, was_blank)) out.push_back(' ');
    out.push_back(text[i]);
    if (text[i] == '"' && !(in_string && escaped)) in_string = !in_string;
  });
  return out;
}

}  // namespace indim::mlir
