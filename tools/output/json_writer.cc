// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/json_writer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

// Length of the valid UTF-8 character at the start of `text`; 0: none is.
size_t CharacterLength(absl::string_view text) {
  for (size_t n = 1; n <= 4 && n <= text.size(); ++n) {
    if (IsValidUtf8(text.substr(0, n))) return n;
  }
  return 0;
}

}  // namespace

std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const unsigned char c = static_cast<unsigned char>(text[0]);
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", text.substr(0, 1));
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      absl::StrAppend(&out, "\\u", absl::Hex(c, absl::kZeroPad4));
    } else if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      const size_t length = CharacterLength(text);
      absl::StrAppend(&out,
                      length == 0 ? "\xef\xbf\xbd" : text.substr(0, length));
      text.remove_prefix(length == 0 ? 1 : length);
      continue;
    }
    text.remove_prefix(1);
  }
  return out + "\"";
}

void JsonWriter::Key(absl::string_view key) {
  absl::StrAppend(&body_, body_.empty() ? "{" : ",", JsonString(key), ":");
}

JsonWriter& JsonWriter::Add(absl::string_view key, absl::string_view value) {
  return AddRaw(key, JsonString(value));
}

JsonWriter& JsonWriter::Add(absl::string_view key, int64_t value) {
  return AddRaw(key, absl::StrCat(value));
}

JsonWriter& JsonWriter::Add(absl::string_view key, bool value) {
  return AddRaw(key, value ? "true" : "false");
}

JsonWriter& JsonWriter::AddNull(absl::string_view key) {
  return AddRaw(key, "null");
}

JsonWriter& JsonWriter::AddRaw(absl::string_view key, absl::string_view json) {
  Key(key);
  absl::StrAppend(&body_, json);
  return *this;
}

JsonWriter& JsonWriter::AddList(absl::string_view key,
                                absl::Span<const std::string> json_values) {
  return AddRaw(key, absl::StrCat("[", absl::StrJoin(json_values, ","), "]"));
}

JsonWriter& JsonWriter::AddTexts(absl::string_view key,
                                 absl::Span<const std::string> texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(JsonString(text));
  return AddList(key, quoted);
}

JsonWriter& JsonWriter::AddNumbers(absl::string_view key,
                                   absl::Span<const int64_t> numbers) {
  return AddRaw(key, absl::StrCat("[", absl::StrJoin(numbers, ","), "]"));
}

}  // namespace indim
