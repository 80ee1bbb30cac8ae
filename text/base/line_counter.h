// SPDX-License-Identifier: Apache-2.0
// LineCounter: finds the line and column of ascending positions in a text.
//
// For text/ only.

#ifndef INDIM_TEXT_BASE_LINE_COUNTER_H_
#define INDIM_TEXT_BASE_LINE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "indim/ir/text_positions.h"

namespace indim {

class LineCounter {
 public:
  // `text` must outlive this.
  explicit LineCounter(absl::string_view text) : text_(text) {}

  // The place of `offset`, at most the size of the text. Reads only the text
  // after the last position; for a position before its line returns line 0 and
  // column 0.
  TextPlace PlaceOf(size_t offset) {
    if (offset < counted_) return Before(offset);
    const char* const end = text_.data() + offset;
    const char* p = text_.data() + counted_;
    while (const void* found =
               std::memchr(p, '\n', static_cast<size_t>(end - p))) {
      p = static_cast<const char*>(found) + 1;
      NewLine(p);
    }
    counted_ = offset;
    return {line_, static_cast<uint32_t>(offset - line_begin_ + 1)};
  }

  // Sets the last position to `offset`; there is no line end before it.
  void SkipTo(size_t offset) { counted_ = offset; }

 private:
  // Positions on the last line are still known.
  TextPlace Before(size_t offset) const {
    if (offset < line_begin_) return TextPlace();
    return {line_, static_cast<uint32_t>(offset - line_begin_ + 1)};
  }
  void NewLine(const char* begin) {
    ++line_;
    line_begin_ = static_cast<size_t>(begin - text_.data());
  }

  absl::string_view text_;
  size_t counted_ = 0;
  size_t line_begin_ = 0;
  uint32_t line_ = 1;
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_LINE_COUNTER_H_
