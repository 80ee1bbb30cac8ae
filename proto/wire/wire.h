// SPDX-License-Identifier: Apache-2.0
// Primitives of Protobuf's wire format: reads and writes varints, tags,
// fixed-width values and length-delimited bytes without message objects.
//
// A message is a sequence of fields; a field is a tag (field number and wire
// type) and a value. WireReader walks bytes and checks every access, so no
// input makes it read past the end. It accepts what libprotobuf 3.21 accepts: a
// varint may be longer than needed, but has at most ten bytes, a tag at most
// five. The append functions write the minimal form. Sizes are 64-bit and bytes
// are composed by shifts, so nothing depends on the host.
#ifndef INDIM_PROTO_WIRE_WIRE_H_
#define INDIM_PROTO_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/numeric/bits.h"
#include "absl/strings/string_view.h"

namespace indim {

// The encoding of a field's value. Types 6 and 7 are unused; bytes with them
// are refused.
enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLengthDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// The largest size of a varint, that of 64 bits.
inline constexpr int kMaxVarintBytes = 10;

// The largest number of messages and groups inside the outermost message.
// Deeper bytes are refused, as by libprotobuf's default recursion limit.
inline constexpr int kMaxWireDepth = 100;

constexpr uint32_t MakeTag(uint32_t number, WireType type) {
  return number << 3 | static_cast<uint32_t>(type);
}
constexpr uint32_t TagNumber(uint32_t tag) { return tag >> 3; }
constexpr WireType TagType(uint32_t tag) {
  return static_cast<WireType>(tag & 7);
}

// The number of bytes that AppendVarint writes: 1 to 10.
inline size_t VarintSize(uint64_t value) {
  // Seven bits a byte; 9/64 is the simplest fraction that rounds right for all
  // 64 widths.
  return (static_cast<size_t>(absl::bit_width(value | 1)) * 9 + 64) / 64;
}

// The size of a length-delimited field's length and bytes, without its tag.
inline size_t LengthDelimitedSize(size_t size) {
  return VarintSize(size) + size;
}

// Writes `value` at `out`, which must have room for VarintSize(value) bytes.
// Returns the end of the written bytes.
inline char* WriteVarint(uint64_t value, char* out) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

inline void AppendVarint(uint64_t value, std::string* out) {
  char buffer[kMaxVarintBytes];
  out->append(buffer, static_cast<size_t>(WriteVarint(value, buffer) - buffer));
}

inline void AppendTag(uint32_t number, WireType type, std::string* out) {
  AppendVarint(MakeTag(number, type), out);
}

inline void AppendFixed32(uint32_t value, std::string* out) {
  char buffer[4];
  for (int i = 0; i < 4; ++i) buffer[i] = static_cast<char>(value >> (8 * i));
  out->append(buffer, 4);
}

inline void AppendFixed64(uint64_t value, std::string* out) {
  char buffer[8];
  for (int i = 0; i < 8; ++i) buffer[i] = static_cast<char>(value >> (8 * i));
  out->append(buffer, 8);
}

// Length and bytes, without the tag.
inline void AppendLengthDelimited(absl::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

// The eight (or four) bytes at `at`, the first one the lowest. One expression,
// because compilers turn it into a single load.
inline uint64_t LoadLittleEndian64(const char* at) {
  const auto byte = [at](int i) {
    return uint64_t{static_cast<uint8_t>(at[i])} << (8 * i);
  };
  return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) |
         byte(7);
}
inline uint32_t LoadLittleEndian32(const char* at) {
  const auto byte = [at](int i) {
    return uint32_t{static_cast<uint8_t>(at[i])} << (8 * i);
  };
  return byte(0) | byte(1) | byte(2) | byte(3);
}

// Decodes the varint at `at`, where eight bytes must be readable, and returns
// the place after it. Null where it has more than eight bytes or isn't minimal.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline const char* ParseShortMinimalVarint(
    const char* at, uint64_t* value) {
  uint64_t word = LoadLittleEndian64(at);
  const uint64_t stops = ~word & 0x8080808080808080u;
  if (ABSL_PREDICT_FALSE(stops == 0)) return nullptr;
  const uint64_t stop = stops & (~stops + 1);  // bit 7 of the last byte
  word &= (stop | (stop - 1)) & 0x7F7F7F7F7F7F7F7Fu;
  if (ABSL_PREDICT_FALSE(word < stop >> 7 && stop != 0x80)) return nullptr;
  // Groups of 7 bits become groups of 14, 28, 56.
  word = (word & 0x007F007F007F007Fu) | (word & 0x7F007F007F007F00u) >> 1;
  word = (word & 0x00003FFF00003FFFu) | (word & 0x3FFF00003FFF0000u) >> 2;
  *value = (word & 0x000000000FFFFFFFu) | (word & 0x0FFFFFFF00000000u) >> 4;
  return at + absl::countr_zero(stop) / 8 + 1;
}

// Whether all bytes are ASCII. Nearly all texts are, and short.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsAscii(absl::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  // The byte order of the loads doesn't matter.
  const auto load8 = [](const char* from) {
    uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  const auto load4 = [](const char* from) {
    uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return uint64_t{word};
  };
  const char* at = text.data();
  size_t left = text.size();
  uint64_t seen = 0;
  if (left >= 8) {
    for (; left > 16; at += 16, left -= 16) seen |= load8(at) | load8(at + 8);
    // The last eight or sixteen bytes; some are loaded a second time.
    seen |= left >= 8 ? load8(at) | load8(at + left - 8) : load8(at + left - 8);
  } else if (left >= 4) {
    seen = load4(at) | load4(at + left - 4);
  } else {
    for (; left > 0; --left) seen |= static_cast<uint8_t>(at[left - 1]);
  }
  return (seen & kHighBits) == 0;
}

// True iff libprotobuf accepts `text` in a `string` field: well-formed UTF-8 of
// at most four bytes a character, without surrogates, overlong forms, or
// characters above U+10FFFF. Zero bytes are ordinary characters.
bool IsValidUtf8NotAscii(absl::string_view text);
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsValidUtf8(absl::string_view text) {
  return ABSL_PREDICT_TRUE(IsAscii(text)) || IsValidUtf8NotAscii(text);
}

// `text` for a `string` field: unchanged if it is UTF-8, else with '?' for
// every byte beyond ASCII.
std::string ToUtf8(absl::string_view text);

// A checked cursor over bytes that it doesn't own. Each Read function returns
// false where the bytes don't hold the value; the position is then unspecified
// but inside the bytes. Copies are cheap and independent.
class WireReader {
 public:
  WireReader() = default;
  explicit WireReader(absl::string_view bytes)
      : cursor_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return cursor_ == end_; }
  const char* cursor() const { return cursor_; }
  size_t remaining() const { return static_cast<size_t>(end_ - cursor_); }

  // A varint of one to ten bytes; only the lowest bit of the tenth byte counts.
  bool ReadVarint(uint64_t* value) {
    if (ABSL_PREDICT_FALSE(cursor_ == end_)) return false;
    const uint8_t first = static_cast<uint8_t>(*cursor_);
    if (ABSL_PREDICT_TRUE(first < 0x80)) {
      ++cursor_;
      *value = first;
      return true;
    }
    return ReadLongVarint(value);
  }

  // ReadVarint, but false also for a varint that isn't minimal.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ReadMinimalVarint(uint64_t* value) {
    if (ABSL_PREDICT_FALSE(cursor_ == end_)) return false;
    const uint8_t first = static_cast<uint8_t>(*cursor_);
    if (ABSL_PREDICT_TRUE(first < 0x80)) {
      ++cursor_;
      *value = first;
      return true;
    }
    // Uses copies: a reader whose address no call gets stays in registers.
    uint64_t result;
    const char* next = ParseMinimalVarint(cursor_, end_, &result);
    if (ABSL_PREDICT_FALSE(next == nullptr)) return false;
    cursor_ = next;
    *value = result;
    return true;
  }

  // Consumes a varint of one byte that isn't 0, if that comes next.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ConsumeSmallNumber() {
    if (cursor_ == end_ || static_cast<int8_t>(*cursor_) <= 0) return false;
    ++cursor_;
    return true;
  }

  // A tag: at most five bytes, of which 32 bits count. False for field number 0
  // and for wire types 6 and 7. An end-group tag is returned like any other;
  // the caller must know whether a group is open.
  bool ReadTag(uint32_t* tag) {
    const char* start = cursor_;
    uint64_t value;
    if (ABSL_PREDICT_FALSE(!ReadVarint(&value) || cursor_ - start > 5)) {
      return false;
    }
    *tag = static_cast<uint32_t>(value);
    return TagNumber(*tag) != 0 && (*tag & 7) < 6;
  }

  // ReadTag, but false also for a tag that isn't minimal.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ReadMinimalTag(uint32_t* tag) {
    uint64_t value;
    if (ABSL_PREDICT_FALSE(!ReadMinimalVarint(&value) || value >> 32 != 0)) {
      return false;
    }
    *tag = static_cast<uint32_t>(value);
    return TagNumber(*tag) != 0 && (*tag & 7) < 6;
  }

  // Consumes `tag`, if its minimal bytes come next.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ConsumeTag(uint32_t tag) {
    if (tag < 0x80) {
      if (cursor_ == end_ || static_cast<uint8_t>(*cursor_) != tag) {
        return false;
      }
      ++cursor_;
      return true;
    }
    if (tag < 0x4000) {
      if (remaining() < 2 ||
          static_cast<uint8_t>(cursor_[0]) != (tag & 0x7F) + 0x80 ||
          static_cast<uint8_t>(cursor_[1]) != tag >> 7) {
        return false;
      }
      cursor_ += 2;
      return true;
    }
    WireReader ahead = *this;
    uint32_t next;
    if (!ahead.ReadMinimalTag(&next) || next != tag) return false;
    *this = ahead;
    return true;
  }

  bool ReadFixed32(uint32_t* value) {
    if (ABSL_PREDICT_FALSE(remaining() < 4)) return false;
    *value = LoadLittleEndian32(cursor_);
    cursor_ += 4;
    return true;
  }

  bool ReadFixed64(uint64_t* value) {
    if (ABSL_PREDICT_FALSE(remaining() < 8)) return false;
    *value = LoadLittleEndian64(cursor_);
    cursor_ += 8;
    return true;
  }

  // Length and bytes. libprotobuf accepts lengths of at most five bytes; this
  // accepts a longer one only for sizes that five bytes can't hold (32 GiB and
  // more).
  bool ReadLengthDelimited(absl::string_view* bytes) {
    const char* start = cursor_;
    uint64_t size;
    if (ABSL_PREDICT_FALSE(!ReadVarint(&size) || size > remaining()))
      return false;
    if (ABSL_PREDICT_FALSE(cursor_ - start > 5 && size < uint64_t{1} << 35))
      return false;
    *bytes = absl::string_view(cursor_, static_cast<size_t>(size));
    cursor_ += size;
    return true;
  }

  // ReadLengthDelimited, but false also for a length that isn't minimal.
  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ReadMinimalLengthDelimited(
      absl::string_view* bytes) {
    uint64_t size;
    if (ABSL_PREDICT_FALSE(!ReadMinimalVarint(&size) || size > remaining()))
      return false;
    *bytes = absl::string_view(cursor_, static_cast<size_t>(size));
    cursor_ += size;
    return true;
  }

  // Skips the value that follows `tag`. For a group it skips the contents and
  // the end tag; false if the end tag doesn't match or more than `depth_left`
  // groups nest. False for an end tag.
  bool SkipValue(uint32_t tag, int depth_left);

 private:
  bool ReadLongVarint(uint64_t* value) {
    if (remaining() >= 2 && static_cast<int8_t>(cursor_[1]) >= 0) {
      *value = (uint64_t{static_cast<uint8_t>(cursor_[1])} << 7) |
               (static_cast<uint8_t>(cursor_[0]) & 0x7Fu);
      cursor_ += 2;
      return true;
    }
    // Uses copies: a reader whose address no call gets stays in registers.
    uint64_t result;
    const char* next = ParseVarint(cursor_, end_, &result);
    if (ABSL_PREDICT_FALSE(next == nullptr)) return false;
    cursor_ = next;
    *value = result;
    return true;
  }

  // The place after the minimal varint at `at`; null if there is none.
  ABSL_ATTRIBUTE_ALWAYS_INLINE static const char* ParseMinimalVarint(
      const char* at, const char* end, uint64_t* value) {
    if (end - at >= 2 && static_cast<int8_t>(at[1]) > 0) {
      *value = (uint64_t{static_cast<uint8_t>(at[1])} << 7) |
               (static_cast<uint8_t>(at[0]) & 0x7Fu);
      return at + 2;
    }
    return ParseLongMinimalVarint(at, end, value);
  }
  // ParseMinimalVarint, out of line.
  static const char* ParseLongMinimalVarint(const char* at, const char* end,
                                            uint64_t* value);
  // The place after the varint at `at`; null if there is none.
  static const char* ParseVarint(const char* at, const char* end,
                                 uint64_t* value);
  bool SkipGroup(uint32_t tag, int depth_left);

  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace indim

#endif  // INDIM_PROTO_WIRE_WIRE_H_
