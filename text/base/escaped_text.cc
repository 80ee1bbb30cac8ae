// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/escaped_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/optimization.h"
#include "absl/strings/escaping.h"
#include "indim/text/base/char_lanes.h"
#include "indim/text/base/copy_text.h"

namespace indim {
namespace {

// Lanes to escape: control characters, quotes, backslashes, bytes beyond ASCII.
CharMask ToEscape(CharLanes text) {
  constexpr uint8_t kUnescaped = 0x7f - ' ';
  return (text - ' ' >= kUnescaped) | (text == '"') | (text == '\'') |
         (text == '\\');
}

char* WriteEscapedByte(char c, char* to) {
  const uint8_t byte = static_cast<uint8_t>(c);
  constexpr absl::string_view kPairs = "\nn\rr\tt\"\"\'\'\\\\";
  if (byte >= ' ' && byte < 0x7f && c != '"' && c != '\'' && c != '\\') {
    *to++ = c;
    return to;
  }
  *to++ = '\\';
  for (size_t i = 0; i < kPairs.size(); i += 2) {
    if (c != kPairs[i]) continue;
    *to++ = kPairs[i + 1];
    return to;
  }
  *to++ = static_cast<char>('0' + byte / 64);
  *to++ = static_cast<char>('0' + byte % 64 / 8);
  *to++ = static_cast<char>('0' + byte % 8);
  return to;
}

// Writes the text with escapes to `to`, which has room for four times as many
// characters; returns the end. Copies while it checks.
char* WriteEscaped(absl::string_view text, char* to) {
  constexpr size_t kLanes = sizeof(CharLanes);
  CharMask found = {};
  if (text.size() < kLanes) {
    if (!text.empty()) found = ToEscape(LoadShortText(text));
    CopyText(text, to);
  } else {
    const size_t last = text.size() - kLanes;
    for (size_t i = 0;; i = std::min(i + kLanes, last)) {
      CharLanes lanes;
      std::memcpy(&lanes, text.data() + i, kLanes);
      std::memcpy(to + i, &lanes, kLanes);
      found |= ToEscape(lanes);
      if (i == last) break;
    }
  }
  if (ABSL_PREDICT_TRUE(!IsAny(found))) return to + text.size();
  for (const char c : text) to = WriteEscapedByte(c, to);
  return to;
}

}  // namespace

std::string EscapeText(absl::string_view text) { return absl::CEscape(text); }

void AppendEscaped(absl::string_view text, TextBuffer* out) {
  constexpr size_t kMaxEscapeBytes = 4;  // an escape
  out->EndAt(WriteEscaped(text, out->Room(kMaxEscapeBytes * text.size())));
}

}  // namespace indim
