// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/storage/byte_pool.h"

#include <algorithm>
#include <utility>

namespace indim {
namespace {

constexpr size_t kFirstChunk = 1024;
constexpr size_t kUsualChunk = size_t{1} << 20;
constexpr size_t kLargestChunk = size_t{32} << 20;

}  // namespace

// Chunks double in size, so that a small module stays small; large ones take an
// eighth of the memory so far. A large request gets its own chunk, and the
// current chunk stays in use.
char* BytePool::AllocateChunk(size_t size) {
  const size_t next = std::max({kFirstChunk, std::min(kUsualChunk, allocated_),
                                std::min(kLargestChunk, allocated_ / 8)});
  const bool own_chunk = size > next / 4;
  const size_t chunk_size = own_chunk ? size : next;
  std::shared_ptr<char> chunk(new char[chunk_size],
                              std::default_delete<char[]>());
  char* const start = chunk.get();
  owners_.push_back(std::move(chunk));
  allocated_ += chunk_size;
  if (own_chunk) return start;
  free_ = start + size;
  left_ = chunk_size - size;
  return start;
}

void BytePool::Keep(std::shared_ptr<const void> owner) {
  if (owner != nullptr) owners_.push_back(std::move(owner));
}

BytePool::BytePool(const BytePool& other)
    : owners_(other.owners_), allocated_(other.allocated_) {}

BytePool& BytePool::operator=(const BytePool& other) {
  if (this == &other) return *this;
  owners_ = other.owners_;
  allocated_ = other.allocated_;
  free_ = nullptr;
  left_ = 0;
  return *this;
}

BytePool::BytePool(BytePool&& other) noexcept
    : owners_(std::move(other.owners_)),
      free_(std::exchange(other.free_, nullptr)),
      left_(std::exchange(other.left_, 0)),
      allocated_(std::exchange(other.allocated_, 0)) {
  other.owners_.clear();
}

BytePool& BytePool::operator=(BytePool&& other) noexcept {
  if (this == &other) return *this;
  owners_ = std::move(other.owners_);
  other.owners_.clear();
  free_ = std::exchange(other.free_, nullptr);
  left_ = std::exchange(other.left_, 0);
  allocated_ = std::exchange(other.allocated_, 0);
  return *this;
}

}  // namespace indim
