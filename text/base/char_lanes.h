// SPDX-License-Identifier: Apache-2.0
// Checks sixteen characters in one step, for texts that rarely have special
// characters: names, strings without escapes.
//
// For text/ only.

#ifndef INDIM_TEXT_BASE_CHAR_LANES_H_
#define INDIM_TEXT_BASE_CHAR_LANES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/numeric/bits.h"
#include "absl/strings/string_view.h"

namespace indim {

// Vectors of GCC and Clang, on any processor. A comparison gives a CharMask, in
// which each lane has all bits set or none.
using CharLanes = uint8_t __attribute__((vector_size(16)));
using CharMask = int8_t __attribute__((vector_size(16)));

inline bool IsAny(CharMask mask) {
  uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// The first lane that is set; the number of lanes if none is.
inline size_t FirstLane(CharMask mask) {
  uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  const size_t half = halves[0] != 0 ? 0 : 1;
  if (halves[half] == 0) return sizeof mask;
  // The byte order decides at which end of a word the first lane is.
  const int bits = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                       ? absl::countr_zero(halves[half])
                       : absl::countl_zero(halves[half]);
  return 8 * half + static_cast<size_t>(bits) / 8;
}

// Lanes with a letter, a digit, "_" or "-".
inline CharMask IsNameChar(CharLanes text) {
  const CharLanes from_a = (text | 0x20) - 'a';
  const CharLanes from_0 = text - '0';
  return (from_a < 26) | (from_0 < 10) | (text == '_') | (text == '-');
}

// The first character in [p, end) whose lane is set in wanted(lanes); `end` if
// there is none.
template <typename F>
inline const char* FindChar(const char* p, const char* end, F wanted) {
  constexpr size_t kLanes = sizeof(CharLanes);
  CharLanes lanes;
  for (; static_cast<size_t>(end - p) >= kLanes; p += kLanes) {
    std::memcpy(&lanes, p, kLanes);
    const size_t lane = FirstLane(wanted(lanes));
    if (lane < kLanes) return p + lane;
  }
  const size_t left = static_cast<size_t>(end - p);
  if (left == 0) return end;
  char rest[kLanes] = {};
  std::memcpy(rest, p, left);
  std::memcpy(&lanes, rest, kLanes);
  const size_t lane = FirstLane(wanted(lanes));
  return lane < left ? p + lane : end;
}

// The first and last characters of a text of 1 to 16 characters, in an
// unspecified order, some several times.
inline CharLanes LoadShortText(absl::string_view text) {
  const char* const at = text.data();
  const size_t size = text.size();
  uint64_t halves[2];
  if (size >= 8) {
    std::memcpy(&halves[0], at, 8);
    std::memcpy(&halves[1], at + size - 8, 8);
  } else if (size >= 4) {
    uint32_t words[2];
    std::memcpy(&words[0], at, 4);
    std::memcpy(&words[1], at + size - 4, 4);
    halves[0] = halves[1] = uint64_t{words[0]} << 32 | words[1];
  } else {
    constexpr uint64_t kOnes = 0x0101010101010101u;
    const auto all = [at](size_t i) {
      return static_cast<uint8_t>(at[i]) * kOnes;
    };
    constexpr uint64_t kEvenHalves = 0xFFFFFFFF;
    halves[0] = (all(0) & kEvenHalves) | (all(size - 1) & ~kEvenHalves);
    halves[1] = all(size / 2);
  }
  CharLanes lanes;
  std::memcpy(&lanes, halves, sizeof lanes);
  return lanes;
}

// Calls f(lanes) with all characters of `text`, some several times. The text
// must not be empty.
template <typename F>
inline void ForAllChars(absl::string_view text, F f) {
  constexpr size_t kLanes = sizeof(CharLanes);
  if (text.size() < kLanes) {
    f(LoadShortText(text));
    return;
  }
  CharLanes lanes;
  const char* const last = text.data() + text.size() - kLanes;
  for (const char* at = text.data(); at < last; at += kLanes) {
    std::memcpy(&lanes, at, kLanes);
    f(lanes);
  }
  std::memcpy(&lanes, last, kLanes);
  f(lanes);
}

}  // namespace indim

#endif  // INDIM_TEXT_BASE_CHAR_LANES_H_
