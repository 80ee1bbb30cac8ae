// SPDX-License-Identifier: Apache-2.0
// TextBuffer: a text that grows at its end and often repeats parts of itself.
//
// Each append to a std::string is a call, which costs more than copying a name
// or a comma. This class reserves room for many characters at once, and copies
// repeated parts in whole blocks, slightly more than needed.
//
// For text/ only.

#ifndef INDIM_TEXT_BASE_TEXT_BUFFER_H_
#define INDIM_TEXT_BASE_TEXT_BUFFER_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "indim/text/base/copy_text.h"

namespace indim {

class TextBuffer {
 public:
  TextBuffer() { Point(0); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  // Reserves room for the expected size. Call it before any append.
  void Reserve(size_t size) {
    text_.reserve(size);
    Point(0);
  }

  size_t size() const { return static_cast<size_t>(to_ - text_.data()); }
  // Valid until the text grows.
  absl::string_view substr(size_t begin, size_t size) const {
    return absl::string_view(text_.data() + begin, size);
  }
  // Drops the text after the first `size` characters.
  void Truncate(size_t size) { to_ = &text_[0] + size; }

  // The end of the text, with room for `size` characters, which CopyBlocks may
  // write. Write them, then call EndAt with their end.
  char* Room(size_t size) {
    if (ABSL_PREDICT_FALSE(size > static_cast<size_t>(end_ - to_))) Grow(size);
    return to_;
  }
  void EndAt(char* end) { to_ = end; }

  void Append(absl::string_view text) {
    to_ = CopyText(text, Room(text.size()));
  }
  void Append(char c) {
    *Room(1) = c;
    ++to_;
  }
  void Append(size_t count, char c) {
    std::memset(Room(count), c, count);
    to_ += count;
  }
  template <typename Number>
  void AppendNumber(Number number) {
    constexpr size_t kLongest = 20;
    char* const to = Room(kLongest);
    to_ = std::to_chars(to, to + kLongest, number).ptr;
  }
  // Appends the text that make(std::string*) makes.
  template <typename F>
  void AppendWith(F make) {
    made_.clear();
    make(&made_);
    Append(made_);
  }
  // A part of the text: [begin, begin + size). begin == kNowhere: it wasn't
  // appended yet.
  struct Piece {
    static constexpr size_t kNowhere = ~size_t{0};
    size_t begin = kNowhere;
    size_t size = 0;
    bool is_there() const { return begin != kNowhere; }
  };
  // Repeats `piece`, or appends it by append() the first time.
  template <typename F>
  void AppendOnce(Piece* piece, F append) {
    if (piece->is_there()) {
      if (piece->size > 0) Repeat(piece->begin, piece->size);
      return;
    }
    const size_t begin = size();
    append();
    *piece = {begin, size() - begin};
  }
  // Appends the characters at [begin, begin + size) again.
  void Repeat(size_t begin, size_t size) {
    char* const to = Room(size);
    to_ = CopyPart(begin, size, to);
  }
  // Copies these characters to `to`, which has room from Room.
  char* CopyPart(size_t begin, size_t size, char* to) const {
    return CopyBlocks(text_.data() + begin, size, to);
  }

  // Returns the text and leaves an empty one.
  std::string Take() {
    text_.resize(size());
    std::string text = std::move(text_);
    text_.clear();
    Point(0);
    return text;
  }

 private:
  // After the room there is always a further block, for the superfluous
  // characters of CopyBlocks.
  static constexpr size_t kStep = 4096;

  void Point(size_t size) {
    to_ = &text_[0] + size;
    end_ = &text_[0] + std::max(text_.size(), size + kCopyBlock) - kCopyBlock;
  }
  // A std::string writes zeros into the bytes that it grows by. So it grows in
  // steps that are still in the cache when they are written again.
  ABSL_ATTRIBUTE_NOINLINE void Grow(size_t room) {
    const size_t size = this->size();
    const size_t needed = size + room + kCopyBlock;
    if (needed > text_.capacity()) {
      text_.reserve(std::max(needed + kStep, 2 * text_.capacity()));
    }
    text_.resize(std::min(needed + kStep, text_.capacity()));
    Point(size);
  }

  std::string text_;  // the text, then room, then a block
  char* to_;          // where the text ends
  char* end_;         // of the room before the last block
  std::string made_;  // the buffer of AppendWith
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_TEXT_BUFFER_H_
