// Writes characters where there is room for them.
//
// For text/ alone.

#ifndef INDIM_TEXT_BASE_COPY_TEXT_H_
#define INDIM_TEXT_BASE_COPY_TEXT_H_

#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"

namespace indim {

// Copies `text` to `to`; returns the end of it. Calls nothing where the text is
// short: names and attributes are.
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

// The same without a look at how long it is: up to kCopyBlock characters too
// many are read and written.
inline constexpr size_t kCopyBlock = 32;
inline char* CopyBlocks(const char* from, size_t size, char* to) {
  for (size_t i = 0; i < size; i += kCopyBlock) {
    // They may overlap, but for what counts.
    char block[kCopyBlock];
    std::memcpy(block, from + i, kCopyBlock);
    std::memcpy(to + i, block, kCopyBlock);
  }
  return to + size;
}

}  // namespace indim

#endif  // INDIM_TEXT_BASE_COPY_TEXT_H_
