// SPDX-License-Identifier: Apache-2.0
// BytePool: keeps byte strings alive at fixed addresses.
//
// It copies bytes into large chunks, or keeps the owner of borrowed bytes (a
// file, mapped or read). Copies of a pool share chunks, which never change once
// written, so copying is cheap and copies may live on different threads.

#ifndef INDIM_IR_STORAGE_BYTE_POOL_H_
#define INDIM_IR_STORAGE_BYTE_POOL_H_

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace indim {

class BytePool {
 public:
  // A copy of `bytes` that lives as long as this pool or a copy of it. The
  // empty string takes no space.
  absl::string_view Copy(absl::string_view bytes) {
    if (bytes.empty()) return absl::string_view();
    char* const copy = Allocate(bytes.size());
    std::memcpy(copy, bytes.data(), bytes.size());
    return absl::string_view(copy, bytes.size());
  }

  // Space for `size` bytes. Fill it before the next call on this pool.
  char* Allocate(size_t size) {
    if (size > left_) return AllocateChunk(size);
    left_ -= size;
    return std::exchange(free_, free_ + size);
  }

  // Keeps `owner` as long as this pool or a copy of it lives, so that views of
  // its bytes stay valid.
  void Keep(std::shared_ptr<const void> owner);

  // The size of all chunks, without owners passed to Keep.
  size_t allocated_bytes() const { return allocated_; }

  BytePool() = default;
  // The copy never writes into a chunk into which `other` may write.
  BytePool(const BytePool& other);
  BytePool& operator=(const BytePool& other);
  // Leaves `other` empty.
  BytePool(BytePool&& other) noexcept;
  BytePool& operator=(BytePool&& other) noexcept;

 private:
  // Space at the beginning of a new chunk.
  char* AllocateChunk(size_t size);

  std::vector<std::shared_ptr<const void>> owners_;
  char* free_ = nullptr;
  size_t left_ = 0;
  size_t allocated_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_BYTE_POOL_H_
