// WireBuffer: bytes of a message, written in one pass into a string, or in two
// to where they can't be changed any more (a file).
//
// What is written goes into a block first, then to the end of the string, which
// is never filled with anything else beforehand. The length of a message stands
// before it and is not known until it ends: room for it is left by a guess, and
// what follows is moved when the guess was wrong. Of two passes the first only
// counts, and tells the second the lengths.

#ifndef INDIM_WIRE_WIRE_BUFFER_H_
#define INDIM_WIRE_WIRE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/wire/wire.h"

namespace indim {

class WireBuffer {
 public:
  // Bytes are appended to *out, which must outlive this and be left alone until
  // Finish. Null: they are only counted.
  explicit WireBuffer(std::string* out);

  // Bytes are given to `sink` in pieces, until it returns an error. What is
  // written must be what was written to a buffer that only counted, and
  // `lengths` what that one's TakeLengths gave.
  using Sink = std::function<absl::Status(absl::string_view)>;
  WireBuffer(Sink sink, std::vector<uint64_t> lengths);

  // Of a buffer that only counts, after Finish.
  std::vector<uint64_t> TakeLengths() { return std::move(lengths_); }
  // After Finish: the error of the sink. Internal: the messages hadn't the
  // lengths that were given.
  const absl::Status& status() const { return status_; }

  // More than this is not kept: *out is emptied and bytes are only counted.
  void set_limit(uint64_t limit) { limit_ = limit; }
  bool over_limit() const { return over_limit_; }

  // How many of `count` equal parts are written; by this, room is made.
  void Expect(uint64_t count) { expected_ = count; }
  void Step() { ++done_; }

  // Room for `size` bytes, at most kMostRoom, from where the next byte goes;
  // Advance says how far it was used.
  static constexpr size_t kMostRoom = size_t{1} << 14;
  char* Room(size_t size) {
    if (static_cast<size_t>(end_ - next_) < size) Flush();
    return next_;
  }
  void Advance(char* next) { next_ = next; }

  void Varint(uint64_t value) {
    next_ = WriteVarint(value, Room(kMaxVarintBytes));
  }
  void Raw(absl::string_view bytes) {
    if (bytes.size() > kMostRoom) return RawLarge(bytes);
    if (bytes.empty()) return;
    char* const to = Room(bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
    next_ = to + bytes.size();
  }

  // A message whose length is not known yet: `guess`, if that is nearly so.
  struct Message {
    uint64_t start;  // of its length
    size_t length_size;
    size_t index;  // in lengths_
  };
  Message Begin(uint32_t number, uint64_t guess);
  void End(const Message& message);

  uint64_t size() const {
    return flushed_ + static_cast<uint64_t>(next_ - block_.get());
  }

  // After this *out or the sink has all bytes, unless over_limit or an error.
  void Finish() { Flush(); }

 private:
  static constexpr size_t kBlock = size_t{1} << 16;

  enum class Way : uint8_t { kCount, kString, kSink };
  WireBuffer(Way way, std::string* out, std::vector<uint64_t> lengths);

  void RawLarge(absl::string_view bytes);
  void Flush();
  // Behind what went before: `bytes`, which flushed_ counts already.
  void Put(absl::string_view bytes);
  // Makes room for `more` bytes behind *out.
  void Grow(size_t more);

  Way way_;
  std::string* out_;
  Sink sink_;  // may be none
  absl::Status status_;
  // Of the messages, in the order in which they begin: found (kCount) or given
  // (kSink).
  std::vector<uint64_t> lengths_;
  size_t begun_ = 0;
  std::unique_ptr<char[]> block_;
  char* next_;
  char* end_;
  uint64_t flushed_ = 0;  // bytes before the block
  uint64_t limit_ = ~uint64_t{0};
  bool over_limit_ = false;
  uint64_t expected_ = 0;
  uint64_t done_ = 0;
};

// Fields of a message.
namespace wire_field {

inline void Header(uint32_t number, uint64_t size, WireBuffer* out) {
  out->Varint(MakeTag(number, WireType::kLengthDelimited));
  out->Varint(size);
}
// A message, present even when it is empty.
inline void Message(uint32_t number, absl::string_view bytes, WireBuffer* out) {
  Header(number, bytes.size(), out);
  out->Raw(bytes);
}
// Fields without presence: left out when they hold their default.
inline void Text(uint32_t number, absl::string_view text, WireBuffer* out) {
  if (!text.empty()) Message(number, text, out);
}
inline void Number(uint32_t number, int64_t value, WireBuffer* out) {
  if (value == 0) return;
  out->Varint(MakeTag(number, WireType::kVarint));
  out->Varint(static_cast<uint64_t>(value));
}

}  // namespace wire_field

}  // namespace indim

#endif  // INDIM_WIRE_WIRE_BUFFER_H_
