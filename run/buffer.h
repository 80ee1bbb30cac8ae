// SPDX-License-Identifier: Apache-2.0
// Buffer: an array in the memory of a device.
//
//   absl::StatusOr<pjrt::Buffer> x = client.ToDevice(Literal::Vector({1, 2}));
//   absl::StatusOr<Literal> value = x->ToLiteral();
//   absl::StatusOr<std::vector<float>> numbers = x->ToVector<float>();
//
// A plugin may still be making a buffer's value: calls that need the value wait
// for it, and return the error of the run that should have made it.

#ifndef INDIM_RUN_BUFFER_H_
#define INDIM_RUN_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/codec/literal.h"
#include "indim/run/device.h"
#include "indim/run/event.h"
#include "indim/run/native_element.h"
#include "indim/shape/types/shape.h"

namespace indim::pjrt {

struct BufferState;

// The memory of a buffer on a CPU, read in place. It stays as long as this (or
// a copy) lives, even if the buffer is deleted or donated.
class BufferView {
 public:
  // Row-major; a pred takes a byte. Aligned as the plugin aligns, to 64 bytes
  // on XLA's CPU.
  const void* data() const { return data_; }
  size_t size_bytes() const { return size_; }
  absl::string_view bytes() const {
    return {static_cast<const char*>(data_), size_};
  }

 private:
  friend class Buffer;
  std::shared_ptr<const void> keep_;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

// A handle, which may be copied: the memory is freed with the last one. Any
// thread may use it.
class Buffer {
 public:
  // No buffer: calls return FailedPrecondition, IND1110.
  Buffer() = default;

  bool is_none() const { return state_ == nullptr; }
  // Without a layout; none of no buffer.
  const Shape& shape() const;
  Device device() const;

  // When its value is there.
  absl::StatusOr<Event> Ready() const;

  // Copies to the host. A bounded shape gets the sizes of run time, as
  // Literal::Bounded. IND1102: the plugin's error, such as the one for a
  // deleted buffer. Internal, IND1110: it gives sizes that the shape doesn't
  // allow.
  absl::StatusOr<Literal> ToLiteral() const;
  // Copies to `to`, whose elements must be of the buffer's type and as many
  // (InvalidArgument, IND1110), row-major. Types that C++ lacks (bf16, s4) go
  // as ReadBytes.
  template <typename T>
  absl::Status Read(absl::Span<T> to) const {
    const absl::Status status =
        CheckElements(internal::NativeElement<T>(), to.size());
    if (!status.ok()) return status;
    return ReadBytes(to.data(), to.size() * sizeof(T));
  }
  template <typename T>
  absl::StatusOr<std::vector<T>> ToVector() const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no data()");
    std::vector<T> to(static_cast<size_t>(ElementCount()));
    const absl::Status status = Read(absl::MakeSpan(to));
    if (!status.ok()) return status;
    return to;
  }
  // The bytes, `size` of them: ElementBytes() (literal.h) an element. IND1110:
  // InvalidArgument, there are others than `size`; Unimplemented, the shape is
  // bounded.
  absl::Status ReadBytes(void* to, size_t size) const;

  // The memory itself, without a copy, once its value is there.
  // IND1110: FailedPrecondition, the host can't see the memory; Unimplemented,
  // the shape is bounded, or the elements have less than 8 bits.
  absl::StatusOr<BufferView> View() const;

  // A copy on another device of the client, or of another client of the plugin.
  absl::StatusOr<Buffer> CopyTo(const Device& device) const;

  // Frees the memory now; the buffer can't be used any more. A run that uses it
  // ends first.
  absl::Status Delete() const;
  // Whether it was deleted, or donated to a run (executable.h).
  absl::StatusOr<bool> IsDeleted() const;
  // How many bytes it takes on the device.
  absl::StatusOr<int64_t> DeviceBytes() const;

 private:
  friend struct BufferState;
  explicit Buffer(std::shared_ptr<BufferState> state)
      : state_(std::move(state)) {}
  absl::Status CheckElements(ElementType type, size_t count) const;
  int64_t ElementCount() const;

  std::shared_ptr<BufferState> state_;
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_BUFFER_H_
