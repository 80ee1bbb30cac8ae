#include "indim/ir/text/escaped_text.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"
#include "indim/ir/wire.h"

namespace indim {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101u;
constexpr uint64_t kHighBits = 0x80 * kOnes;

// A high bit is set where `word` has a zero byte, and nowhere where it has
// none.
constexpr uint64_t ZeroBytes(uint64_t word) {
  return (word - kOnes) & ~word & kHighBits;
}
constexpr uint64_t BytesLike(uint64_t word, char c) {
  return ZeroBytes(word ^ (static_cast<uint8_t>(c) * kOnes));
}

// Not 0 where one of eight characters is escaped: beyond ASCII, a control
// character, a quote, a backslash.
constexpr uint64_t ToEscape(uint64_t word) {
  constexpr uint64_t kSpaces = ' ' * kOnes;
  const uint64_t below_space = (word - kSpaces) & ~word & kHighBits;
  return (word & kHighBits) | below_space | BytesLike(word, '"') |
         BytesLike(word, '\'') | BytesLike(word, '\\') | BytesLike(word, 0x7f);
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

}  // namespace

bool NothingToEscape(absl::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  uint64_t found = 0;
  for (; left >= 8; at += 8, left -= 8)
    found |= ToEscape(LoadLittleEndian64(at));
  if (left == 0) return found == 0;
  if (text.size() >= 8) {  // the last eight, some of them for a second time
    return (found | ToEscape(LoadLittleEndian64(at + left - 8))) == 0;
  }
  uint64_t last = 0;
  for (; left > 0; --left)
    last = last << 8 | static_cast<uint8_t>(at[left - 1]);
  // Spaces where there are no characters.
  const size_t tail = text.size() % 8;
  return (found | ToEscape(last | (' ' * kOnes) << (8 * tail))) == 0;
}

char* WriteEscaped(absl::string_view text, char* to) {
  if (NothingToEscape(text)) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }
  const char* from = text.data();
  const char* const end = from + text.size();
  while (from != end) {
    size_t count = static_cast<size_t>(end - from);
    if (count >= 8) {
      count = 8;
      if (ToEscape(LoadLittleEndian64(from)) == 0) {
        std::memcpy(to, from, 8);
        from += 8;
        to += 8;
        continue;
      }
    }
    for (; count > 0; --count) to = WriteEscapedByte(*from++, to);
  }
  return to;
}

std::string EscapeText(absl::string_view text) { return absl::CEscape(text); }

void AppendEscaped(absl::string_view text, std::string* out) {
  if (NothingToEscape(text)) {
    out->append(text.data(), text.size());
  } else {
    out->append(absl::CEscape(text));
  }
}

}  // namespace indim
