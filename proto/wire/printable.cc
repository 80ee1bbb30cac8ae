// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/printable.h"

#include "absl/strings/str_format.h"
#include "indim/proto/wire/wire.h"

namespace indim {

std::string Printable(absl::string_view text, size_t longest) {
  const size_t tail = longest / 4;
  const bool is_utf8 = IsValidUtf8(text);
  std::string shown;
  const auto append = [&](absl::string_view part) {
    for (char c : part) {
      const unsigned char u = static_cast<unsigned char>(c);
      if (u < 0x20 || u == 0x7f || (u >= 0x80 && !is_utf8)) {
        absl::StrAppendFormat(&shown, "\\x%02x", u);
      } else {
        shown.push_back(c);
      }
    }
  };
  if (text.size() <= longest) {
    append(text);
    return shown;
  }
  // Don't cut UTF-8 characters.
  const auto starts_character = [&](size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
  };
  size_t head_end = longest - tail;
  while (head_end > 0 && !starts_character(head_end)) --head_end;
  size_t tail_begin = text.size() - tail;
  while (tail_begin < text.size() - 1 && !starts_character(tail_begin)) {
    ++tail_begin;
  }
  append(text.substr(0, head_end));
  shown += "...";
  append(text.substr(tail_begin));
  return shown;
}

}  // namespace indim
