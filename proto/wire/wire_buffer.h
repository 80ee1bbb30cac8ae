// SPDX-License-Identifier: Apache-2.0
// WireBuffer: writes the bytes of a message, in one pass into a string, or in
// two passes into a sink that can't be changed afterwards (a file).
//
// Bytes go first into a block, then to the end of the string, which is never
// filled beforehand. The length of a message precedes it and is unknown until
// it ends: the buffer leaves room by a guess, and moves the following bytes
// when the guess was wrong. Of two passes the first only counts, and gives the
// second the lengths.

#ifndef INDIM_PROTO_WIRE_WIRE_BUFFER_H_
#define INDIM_PROTO_WIRE_WIRE_BUFFER_H_

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
#include "indim/proto/wire/wire.h"

namespace indim {

class WireBuffer {
 public:
  // Appends bytes to *out, which must outlive this and not be touched until
  // Finish. Null: only counts them.
  explicit WireBuffer(std::string* out);

  // Gives bytes to `sink` in pieces, until it returns an error. The writes must
  // be those made before to a buffer that only counted, and `lengths` its
  // TakeLengths.
  using Sink = std::function<absl::Status(absl::string_view)>;
  WireBuffer(Sink sink, std::vector<uint64_t> lengths);

  // For a buffer that only counts, after Finish.
  std::vector<uint64_t> TakeLengths() { return std::move(lengths_); }
  // After Finish: the sink's error, or Internal where a message didn't have its
  // length.
  const absl::Status& status() const { return status_; }

  // Sets the largest size: past it *out is emptied and bytes are only counted.
  void set_limit(uint64_t limit) { limit_ = limit; }
  bool over_limit() const { return over_limit_; }

  // Announces `count` equal parts; the buffer reserves room accordingly.
  void Expect(uint64_t count) { expected_ = count; }
  void Step() { ++done_; }

  // Room for `size` bytes, at most kMaxRoom, at the place of the next byte.
  // Advance sets the end of the used part.
  static constexpr size_t kMaxRoom = size_t{1} << 14;
  char* Room(size_t size) {
    if (static_cast<size_t>(end_ - next_) < size) Flush();
    return next_;
  }
  void Advance(char* next) { next_ = next; }

  void Varint(uint64_t value) {
    next_ = WriteVarint(value, Room(kMaxVarintBytes));
  }
  void Raw(absl::string_view bytes) {
    if (bytes.size() > kMaxRoom) return RawLarge(bytes);
    if (bytes.empty()) return;
    char* const to = Room(bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
    next_ = to + bytes.size();
  }

  // A message of unknown length; `guess` is an estimate.
  struct Message {
    uint64_t start;  // the place of its length
    size_t length_size;
    size_t index;  // in lengths_
  };
  Message Begin(uint32_t number, uint64_t guess);
  void End(const Message& message);

  uint64_t size() const {
    return flushed_ + static_cast<uint64_t>(next_ - block_.get());
  }

  // Completes *out or the sink, unless over_limit or after an error.
  void Finish() { Flush(); }

 private:
  enum class Way : uint8_t { kCount, kString, kSink };
  WireBuffer(Way way, std::string* out, std::vector<uint64_t> lengths);

  void RawLarge(absl::string_view bytes);
  void Flush();
  // Appends `bytes`, which flushed_ counts already, to the output.
  void Put(absl::string_view bytes);
  // Makes room for `more` bytes at the end of *out.
  void Grow(size_t more);

  Way way_;
  std::string* out_;
  Sink sink_;  // may be empty
  absl::Status status_;
  // The lengths of messages in the order in which they begin: found (kCount) or
  // given (kSink).
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
// A message; written even when it is empty.
inline void Message(uint32_t number, absl::string_view bytes, WireBuffer* out) {
  Header(number, bytes.size(), out);
  out->Raw(bytes);
}
// Fields without presence: not written when they hold their default.
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

#endif  // INDIM_PROTO_WIRE_WIRE_BUFFER_H_
