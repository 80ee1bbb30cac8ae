// SPDX-License-Identifier: Apache-2.0
// Copies characters into a buffer with enough room.
//
// For text/ only.

#ifndef INDIM_TEXT_BASE_COPY_TEXT_H_
#define INDIM_TEXT_BASE_COPY_TEXT_H_

#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"

namespace indim {

// Copies `text` to `to`; returns the end of the copy. Short texts, such as
// names and attributes, take no call of memcpy.
inline char* CopyText(absl::string_view text, char* to) {
  const char* const from = text.data();
  const size_t size = text.size();
  if (size > 32) {
    std::memcpy(to, from, size);
  } else if (size >= 16) {
    std::memcpy(to, from, 16);
    std::memcpy(to + size - 16, from + size - 16, 16);
  } else if (size >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + size - 8, from + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + size - 4, from + size - 4, 4);
  } else {
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  return to + size;
}

// CopyText in whole blocks, without checks of the size: reads and writes up to
// kCopyBlock characters too many.
inline constexpr size_t kCopyBlock = 32;
inline char* CopyBlocks(const char* from, size_t size, char* to) {
  for (size_t i = 0; i < size; i += kCopyBlock) {
    // The ranges may overlap in the superfluous characters.
    char block[kCopyBlock];
    std::memcpy(block, from + i, kCopyBlock);
    std::memcpy(to + i, block, kCopyBlock);
  }
  return to + size;
}

}  // namespace indim

#endif  // INDIM_TEXT_BASE_COPY_TEXT_H_
