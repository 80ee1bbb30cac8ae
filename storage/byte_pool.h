// BytePool: keeps byte strings alive at one address.
//
// Bytes are copied into large chunks, or borrowed from a buffer that the pool
// then holds on to (a file mapped or read). Chunks are shared between copies of
// a pool and never change once written, so copying a pool is cheap and the
// copies may live on different threads.

#ifndef INDIM_STORAGE_BYTE_POOL_H_
#define INDIM_STORAGE_BYTE_POOL_H_

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
  // empty string costs nothing.
  absl::string_view Copy(absl::string_view bytes) {
    if (bytes.empty()) return absl::string_view();
    char* const copy = Allocate(bytes.size());
    std::memcpy(copy, bytes.data(), bytes.size());
    return absl::string_view(copy, bytes.size());
  }

  // Space for `size` bytes, to be filled before anything else is asked of the
  // pool.
  char* Allocate(size_t size) {
    if (size > left_) return AllocateChunk(size);
    left_ -= size;
    return std::exchange(free_, free_ + size);
  }

  // Holds on to `owner` as long as this pool or a copy of it lives, so that
  // views into what it owns can be kept.
  void Keep(std::shared_ptr<const void> owner);

  // Bytes of all chunks, without what Keep holds.
  size_t allocated_bytes() const { return allocated_; }

  BytePool() = default;
  // The copy never writes into a chunk that the other may write into.
  BytePool(const BytePool& other);
  BytePool& operator=(const BytePool& other);
  // What is moved from is empty.
  BytePool(BytePool&& other) noexcept;
  BytePool& operator=(BytePool&& other) noexcept;

 private:
  // Space at the begin of a new chunk.
  char* AllocateChunk(size_t size);

  std::vector<std::shared_ptr<const void>> owners_;
  char* free_ = nullptr;
  size_t left_ = 0;
  size_t allocated_ = 0;
};

}  // namespace indim

#endif  // INDIM_STORAGE_BYTE_POOL_H_
