// SPDX-License-Identifier: Apache-2.0
// Column: one of a graph's arrays, a std::vector for plain records that grows
// in place where the system can. So building a graph of millions of nodes
// doesn't copy it again and again, doesn't leave holes in memory and doesn't
// take twice its memory meanwhile.

#ifndef INDIM_IR_STORAGE_COLUMN_H_
#define INDIM_IR_STORAGE_COLUMN_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "absl/base/optimization.h"

namespace indim {
namespace column_memory {

// realloc that throws std::bad_alloc where there is no memory; `size` is not 0.
void* Resize(void* memory, size_t size);
void Free(void* memory);

}  // namespace column_memory

// Members work as those of std::vector.
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T> &&
                    std::is_trivially_destructible_v<T>,
                "they are moved as bytes");

 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = T*;
  using const_iterator = const T*;

  Column() = default;
  explicit Column(size_t count) { resize(count); }
  Column(std::initializer_list<T> values) {
    insert(end(), values.begin(), values.end());
  }
  Column(const Column& other) { insert(end(), other.begin(), other.end()); }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(const Column& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  Column& operator=(Column&& other) noexcept {
    Column(std::move(other)).swap(*this);
    return *this;
  }
  ~Column() { column_memory::Free(data_); }

  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(size_t count) {
    if (count > capacity_) Reallocate(count);
  }
  void shrink_to_fit() {
    if (empty()) {
      Column().swap(*this);
    } else if (size_ < capacity_) {
      Reallocate(size_);
    }
  }
  void clear() { size_ = 0; }
  void resize(size_t count, const T& value = T()) {
    if (count > size_) {
      const T copy = value;
      MakeRoom(count - size_);
      std::fill(data_ + size_, data_ + count, copy);
    }
    size_ = count;
  }
  void push_back(const T& value) {
    if (ABSL_PREDICT_FALSE(size_ == capacity_)) {
      const T copy = value;  // `value` may be an element of this column
      MakeRoom(1);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  // Appends a default element, which the caller fills in place.
  T& emplace_back() {
    if (ABSL_PREDICT_FALSE(size_ == capacity_)) MakeRoom(1);
    return *new (static_cast<void*>(data_ + size_++)) T();
  }
  void pop_back() { --size_; }
  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    insert(end(), first, last);
  }
  // The range must not lie in this column.
  template <typename Iterator>
  T* insert(const T* before, Iterator first, Iterator last) {
    const size_t at = static_cast<size_t>(before - data_);
    const size_t count = static_cast<size_t>(std::distance(first, last));
    if (count == 0) return data_ + at;
    MakeRoom(count);
    if (at < size_) {
      std::memmove(static_cast<void*>(data_ + at + count), data_ + at,
                   (size_ - at) * sizeof(T));
    }
    std::copy(first, last, data_ + at);
    size_ += count;
    return data_ + at;
  }
  T* erase(const T* first, const T* last) {
    T* const at = data_ + (first - data_);
    std::copy(last, static_cast<const T*>(end()), at);
    size_ -= static_cast<size_t>(last - first);
    return at;
  }

  friend bool operator==(const Column& a, const Column& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const Column& a, const Column& b) { return !(a == b); }

 private:
  static constexpr size_t kFirst = 16;

  void MakeRoom(size_t more) {
    if (more <= capacity_ - size_) return;
    // Double the capacity: pages that nobody writes to take no memory.
    Reallocate(std::max({size_ + more, 2 * capacity_, kFirst}));
  }
  void Reallocate(size_t capacity) {
    data_ = static_cast<T*>(column_memory::Resize(data_, SizeOf(capacity)));
    capacity_ = capacity;
  }
  // The bytes of `count` records; the largest size_t on overflow.
  static size_t SizeOf(size_t count) {
    return count > ~size_t{0} / sizeof(T) ? ~size_t{0} : count * sizeof(T);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STORAGE_COLUMN_H_
