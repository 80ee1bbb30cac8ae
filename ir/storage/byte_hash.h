// SPDX-License-Identifier: Apache-2.0
// Hashes of byte strings, for tables of names, shapes, attribute bytes and
// metadata. Reading a module mostly hashes, so these functions are inlined,
// call nothing and take eight bytes at a time.
//
// The seed is the address at which the program was loaded, so that nobody can
// write a file whose names all collide. No hash may affect any output, and no
// public header may compute one: a shared library has its own seed.

#ifndef INDIM_IR_STORAGE_BYTE_HASH_H_
#define INDIM_IR_STORAGE_BYTE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/attributes.h"
#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace indim {

namespace byte_hash {

inline constexpr uint64_t kFactors[] = {0xa0761d6478bd642f, 0xe7037ed1a0b428db,
                                        0x8ebc6af09c88c6e3};

inline char seed_address;

inline uint64_t Load8(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
inline uint64_t Load4(const char* at) {
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// Combines both halves of the product.
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const absl::uint128 product = absl::uint128(a) * b;
  return absl::Uint128High64(product) ^ absl::Uint128Low64(product);
}

}  // namespace byte_hash

// `start` is the hash of the preceding strings, for hashes of lists.
inline uint64_t HashBytes(absl::string_view bytes, uint64_t start = 0) {
  using namespace byte_hash;
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t state =
      start ^ kFactors[0] ^
      static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&seed_address));
  for (; left > 16; at += 16, left -= 16) {
    state = Mix(Load8(at) ^ kFactors[1] ^ state, Load8(at + 8) ^ kFactors[2]) ^
            state;
  }
  // The rest; some bytes are read twice where it doesn't fill two words.
  uint64_t low = 0;
  uint64_t high = 0;
  if (left >= 8) {
    low = Load8(at);
    high = Load8(at + left - 8);
  } else if (left >= 4) {
    low = Load4(at);
    high = Load4(at + left - 4);
  } else if (left > 0) {
    low = static_cast<uint64_t>(static_cast<uint8_t>(at[0])) << 16 |
          static_cast<uint64_t>(static_cast<uint8_t>(at[left / 2])) << 8 |
          static_cast<uint8_t>(at[left - 1]);
  }
  const uint64_t mixed = Mix(low ^ kFactors[1] ^ state, high ^ state);
  return Mix(mixed ^ kFactors[2], bytes.size() ^ kFactors[1] ^ state);
}

// `start` is the hash of what precedes `number`.
inline uint64_t HashNumber(uint64_t number, uint64_t start) {
  return byte_hash::Mix(start ^ number, byte_hash::kFactors[1]);
}

// a == b, without a call, for short strings.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool SameBytes(absl::string_view a,
                                                   absl::string_view b) {
  using namespace byte_hash;
  if (a.size() != b.size()) return false;
  const char* x = a.data();
  const char* y = b.data();
  size_t left = a.size();
  if (left >= 8) {
    // The last eight bytes first: strings mostly differ there.
    if (Load8(x + left - 8) != Load8(y + left - 8)) return false;
    for (; left > 16; x += 16, y += 16, left -= 16) {
      if (((Load8(x) ^ Load8(y)) | (Load8(x + 8) ^ Load8(y + 8))) != 0) {
        return false;
      }
    }
    return left <= 8 || Load8(x) == Load8(y);
  }
  if (left >= 4) {
    return Load4(x) == Load4(y) && Load4(x + left - 4) == Load4(y + left - 4);
  }
  for (; left > 0; --left) {
    if (x[left - 1] != y[left - 1]) return false;
  }
  return true;
}

// The hash for Abseil's tables.
struct ByteHash {
  size_t operator()(absl::string_view bytes) const {
    return static_cast<size_t>(HashBytes(bytes));
  }
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_BYTE_HASH_H_
