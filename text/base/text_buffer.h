// TextBuffer: a text that grows at its end and often repeats what stands in it.
//
// Appending to a std::string is a call each time, which for names and commas is
// most of the work. Here room is made for many characters at once, and what is
// repeated is copied in whole blocks, a little too much of it.
//
// For text/ alone.

#ifndef INDIM_TEXT_BASE_TEXT_BUFFER_H_
#define INDIM_TEXT_BASE_TEXT_BUFFER_H_

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
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

  // Before anything is appended: how long the text will be, as far as known.
  void Reserve(size_t size) {
    text_.reserve(size);
    Point(0);
  }

  size_t size() const { return static_cast<size_t>(to_ - text_.data()); }
  // Valid until the text grows.
  absl::string_view substr(size_t begin, size_t size) const {
    return absl::string_view(text_.data() + begin, size);
  }
  // Drops what stands behind the first `size` characters.
  void Truncate(size_t size) { to_ = &text_[0] + size; }

  // Where the text ends, with room for `size` characters, which CopyBlocks may
  // write. Write them, then say where they end.
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
  // What make(std::string*) appends to a text of its own.
  template <typename F>
  void AppendMade(F make) {
    made_.clear();
    make(&made_);
    Append(made_);
  }
  // What stands at [begin, begin + size) again.
  void Repeat(size_t begin, size_t size) {
    char* const to = Room(size);
    to_ = CopyPart(begin, size, to);
  }
  // The same, to where Room has made room for it.
  char* CopyPart(size_t begin, size_t size, char* to) const {
    return CopyBlocks(text_.data() + begin, size, to);
  }

  // The text. There is none afterwards.
  std::string Take() {
    text_.resize(size());
    std::string text = std::move(text_);
    text_.clear();
    Point(0);
    return text;
  }

 private:
  // Behind the room there is always a block more, for what CopyBlocks reads and
  // writes too much.
  static constexpr size_t kStep = 4096;

  void Point(size_t size) {
    to_ = &text_[0] + size;
    end_ = &text_[0] + std::max(text_.size(), size + kCopyBlock) - kCopyBlock;
  }
  // A string writes what it grows by: in steps that stay near until they are
  // written again.
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
  char* end_;         // of the room
  std::string made_;  // AppendMade's
};

}  // namespace indim

#endif  // INDIM_TEXT_BASE_TEXT_BUFFER_H_
