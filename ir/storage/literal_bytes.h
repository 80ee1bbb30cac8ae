// SPDX-License-Identifier: Apache-2.0
// Elements in a literal's bytes: little-endian on every host.

#ifndef INDIM_IR_STORAGE_LITERAL_BYTES_H_
#define INDIM_IR_STORAGE_LITERAL_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace indim {

// Appends the low `bytes` bytes of `bits`, at most 8.
inline void AppendBits(uint64_t bits, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(bits >> (8 * i)));
  }
}

// Reads what AppendBits wrote, at `offset`. All bytes must be there.
inline uint64_t BitsAt(absl::string_view bytes, size_t offset, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) {
    bits |= uint64_t{static_cast<uint8_t>(bytes[offset + i])} << (8 * i);
  }
  return bits;
}

}  // namespace indim

#endif  // INDIM_IR_STORAGE_LITERAL_BYTES_H_
