// Where a writer of wire bytes puts them: a sink that counts, or one that
// writes where the counts have made room. So both passes of a writer run the
// same code.

#ifndef INDIM_IR_WIRE_SINK_H_
#define INDIM_IR_WIRE_SINK_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/wire.h"

namespace indim {
namespace wire_sink {

class SizeSink {
 public:
  void Varint(uint64_t value) { size_ += VarintSize(value); }
  void Raw(absl::string_view bytes) { size_ += bytes.size(); }
  void Add(uint64_t size) { size_ += size; }
  uint64_t size() const { return size_; }

 private:
  uint64_t size_ = 0;
};

class BufferSink {
 public:
  explicit BufferSink(char* out) : out_(out) {}
  void Varint(uint64_t value) { out_ = WriteVarint(value, out_); }
  void Raw(absl::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(out_, bytes.data(), bytes.size());
    out_ += bytes.size();
  }
  // Where the next byte goes.
  char* end() const { return out_; }

 private:
  char* out_;
};

template <typename Sink>
void Header(uint32_t number, uint64_t size, Sink* sink) {
  sink->Varint(MakeTag(number, WireType::kLengthDelimited));
  sink->Varint(size);
}

// A message, present even when it is empty.
template <typename Sink>
void Message(uint32_t number, absl::string_view bytes, Sink* sink) {
  Header(number, bytes.size(), sink);
  sink->Raw(bytes);
}

// Fields without presence: left out when they hold their default.
template <typename Sink>
void Text(uint32_t number, absl::string_view text, Sink* sink) {
  if (!text.empty()) Message(number, text, sink);
}
template <typename Sink>
void Number(uint32_t number, int64_t value, Sink* sink) {
  if (value == 0) return;
  sink->Varint(MakeTag(number, WireType::kVarint));
  sink->Varint(static_cast<uint64_t>(value));
}

// `id_of(entry)` is what is written for each entry.
template <typename Sink, typename IdOf>
void Ids(uint32_t number, absl::Span<const uint32_t> entries, IdOf id_of,
         Sink* sink) {
  if (entries.empty()) return;
  uint64_t size = 0;
  for (uint32_t entry : entries) size += VarintSize(id_of(entry));
  Header(number, size, sink);
  for (uint32_t entry : entries) sink->Varint(id_of(entry));
}

}  // namespace wire_sink
}  // namespace indim

#endif  // INDIM_IR_WIRE_SINK_H_
