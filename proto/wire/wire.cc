// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/wire.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace indim {
namespace {

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// The length of the well-formed character of several bytes at `at`; 0 if there
// is none. Source: Unicode, table 3-7: only the second byte's range depends on
// the first byte.
size_t MultiByteLength(const uint8_t* at, size_t available) {
  const uint8_t first = at[0];
  size_t length = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;   // below are overlong forms
    if (first == 0xED) high = 0x9F;  // above are surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;  // above are numbers beyond U+10FFFF
  }
  if (length == 0 || length > available || at[1] < low || at[1] > high)
    return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(at[i])) return 0;
  }
  return length;
}

}  // namespace

bool IsValidUtf8NotAscii(absl::string_view text) {
  const uint8_t* at = reinterpret_cast<const uint8_t*>(text.data());
  size_t left = text.size();
  while (left != 0) {
    if (left >= 8) {
      uint64_t word;
      std::memcpy(&word, at, sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        at += 8;
        left -= 8;
        continue;
      }
    }
    const size_t length = *at < 0x80 ? 1 : MultiByteLength(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

std::string ToUtf8(absl::string_view text) {
  std::string result(text);
  if (!IsValidUtf8(text)) {
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  }
  return result;
}

const char* WireReader::ParseVarint(const char* at, const char* end,
                                    uint64_t* value) {
  // Ids in modules take five or six bytes, so it looks at eight at once.
  if (end - at >= 8) {
    uint64_t word = LoadLittleEndian64(at);
    const uint64_t stops = ~word & 0x8080808080808080u;
    if (stops != 0) {
      word &= (stops ^ (stops - 1)) & 0x7F7F7F7F7F7F7F7Fu;
      // Groups of 7 bits become groups of 14, 28, 56.
      word = (word & 0x007F007F007F007Fu) | (word & 0x7F007F007F007F00u) >> 1;
      word = (word & 0x00003FFF00003FFFu) | (word & 0x3FFF00003FFF0000u) >> 2;
      *value = (word & 0x000000000FFFFFFFu) | (word & 0x0FFFFFFF00000000u) >> 4;
      return at + absl::countr_zero(stops) / 8 + 1;
    }
  }
  uint64_t result = 0;
  for (int shift = 0; shift < 7 * kMaxVarintBytes; shift += 7) {
    if (at == end) return nullptr;
    const uint64_t byte = static_cast<uint8_t>(*at++);
    result |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

const char* WireReader::ParseLongMinimalVarint(const char* at, const char* end,
                                               uint64_t* value) {
  if (end - at >= 8) {
    const char* next = ParseShortMinimalVarint(at, value);
    if (next != nullptr) return next;
  }
  const char* next = ParseVarint(at, end, value);
  if (next == nullptr) return nullptr;
  const uint8_t last = static_cast<uint8_t>(next[-1]);
  const bool minimal = last != 0 && (next - at < kMaxVarintBytes || last == 1);
  return minimal || next - at == 1 ? next : nullptr;
}

bool WireReader::SkipValue(uint32_t tag, int depth_left) {
  uint64_t varint;
  absl::string_view bytes;
  switch (TagType(tag)) {
    case WireType::kVarint:
      return ReadVarint(&varint);
    case WireType::kFixed64:
      return ReadFixed64(&varint);
    case WireType::kLengthDelimited:
      return ReadLengthDelimited(&bytes);
    case WireType::kStartGroup:
      return SkipGroup(tag, depth_left);
    case WireType::kFixed32: {
      uint32_t fixed;
      return ReadFixed32(&fixed);
    }
    case WireType::kEndGroup:
      return false;
  }
  return false;
}

bool WireReader::SkipGroup(uint32_t tag, int depth_left) {
  // The numbers of the open groups, at most depth_left of them, so the input
  // can't make this grow.
  absl::InlinedVector<uint32_t, 8> open;
  if (depth_left < 1) return false;
  open.push_back(TagNumber(tag));
  while (!open.empty()) {
    if (!ReadTag(&tag)) return false;
    if (TagType(tag) == WireType::kStartGroup) {
      if (open.size() >= static_cast<size_t>(depth_left)) return false;
      open.push_back(TagNumber(tag));
    } else if (TagType(tag) == WireType::kEndGroup) {
      if (TagNumber(tag) != open.back()) return false;
      open.pop_back();
    } else if (!SkipValue(tag, 0)) {
      return false;
    }
  }
  return true;
}

}  // namespace indim
