// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/wire/wire_buffer.h"

#include <algorithm>
#include <utility>

namespace indim {
namespace {

// Bytes are collected in a block of this size.
constexpr size_t kBlock = size_t{1} << 16;
// After this many parts, assume that the rest is like them.
constexpr uint64_t kManyParts = 4096;
constexpr uint64_t kMaxExpectedBytes = uint64_t{1} << 31;

}  // namespace

WireBuffer::WireBuffer(Way way, std::string* out, std::vector<uint64_t> lengths)
    : way_(way),
      out_(out),
      lengths_(std::move(lengths)),
      block_(new char[kBlock]),
      next_(block_.get()),
      end_(block_.get() + kBlock) {}

WireBuffer::WireBuffer(std::string* out)
    : WireBuffer(out == nullptr ? Way::kCount : Way::kString, out, {}) {}

WireBuffer::WireBuffer(Sink sink, std::vector<uint64_t> lengths)
    : WireBuffer(Way::kSink, nullptr, std::move(lengths)) {
  sink_ = std::move(sink);
}

void WireBuffer::Grow(size_t more) {
  const size_t needed = out_->size() + more;
  if (needed <= out_->capacity()) return;
  // Reserved pages that are never written cost nothing. Ids, and names made of
  // them, grow by up to a fifth on the way.
  double size = 1.25 * static_cast<double>(needed);
  if (done_ > 0 && done_ < expected_) {
    const double all = 1.25 * static_cast<double>(needed) *
                       static_cast<double>(expected_) /
                       static_cast<double>(done_);
    // Many parts predict the others well, a few don't.
    const double most = done_ < kManyParts
                            ? 8.0 * static_cast<double>(needed)
                            : static_cast<double>(kMaxExpectedBytes);
    size = std::max(size, std::min(all, most));
  }
  size = std::min(size, static_cast<double>(limit_));
  out_->reserve(std::max(needed, static_cast<size_t>(size)));
}

void WireBuffer::Flush() {
  const size_t size = static_cast<size_t>(next_ - block_.get());
  flushed_ += size;
  next_ = block_.get();
  Put(absl::string_view(next_, size));
}

void WireBuffer::RawLarge(absl::string_view bytes) {
  Flush();
  flushed_ += bytes.size();
  Put(bytes);
}

void WireBuffer::Put(absl::string_view bytes) {
  if (flushed_ > limit_ && !over_limit_) {
    over_limit_ = true;
    if (out_ != nullptr) std::string().swap(*out_);
    out_ = nullptr;
    sink_ = nullptr;
  }
  if (out_ != nullptr) {
    Grow(bytes.size());
    out_->append(bytes.data(), bytes.size());
  } else if (sink_ && status_.ok()) {
    status_ = sink_(bytes);
  }
}

WireBuffer::Message WireBuffer::Begin(uint32_t number, uint64_t guess) {
  Varint(MakeTag(number, WireType::kLengthDelimited));
  const size_t index = begun_++;
  if (way_ == Way::kSink) {
    Varint(index < lengths_.size() ? lengths_[index] : 0);
    return {size(), 0, index};
  }
  if (way_ == Way::kCount) lengths_.push_back(0);
  const Message message{size(), VarintSize(guess), index};
  Advance(Room(message.length_size) + message.length_size);
  return message;
}

void WireBuffer::End(const Message& message) {
  const uint64_t length = size() - message.start - message.length_size;
  if (way_ == Way::kSink) {
    if ((message.index >= lengths_.size() ||
         lengths_[message.index] != length) &&
        status_.ok()) {
      status_ = absl::InternalError("a message of another length than before");
    }
    return;
  }
  if (way_ == Way::kCount) lengths_[message.index] = length;
  const size_t length_size = VarintSize(length);
  Room(kMaxVarintBytes);
  if (message.start >= flushed_) {  // the whole message is still in the block
    char* const at = block_.get() + (message.start - flushed_);
    std::memmove(at + length_size, at + message.length_size,
                 static_cast<size_t>(length));
    next_ = at + length_size + length;
    WriteVarint(length, at);
    return;
  }
  Flush();
  flushed_ = flushed_ - message.length_size + length_size;
  if (out_ == nullptr) return;
  const size_t start =
      out_->size() - static_cast<size_t>(length) - message.length_size;
  if (length_size != message.length_size) {
    Grow(kMaxVarintBytes);
    out_->replace(start, message.length_size, length_size, '\0');
  }
  WriteVarint(length, &(*out_)[start]);
}

}  // namespace indim
