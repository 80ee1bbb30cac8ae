// StableColumn: things that stay where they were put, so that references to
// them last. What std::deque is, for how it grows: each part holds as many as
// all before it, so that a table of millions lies in few pieces of memory, and
// those in large pages.

#ifndef INDIM_IR_STABLE_COLUMN_H_
#define INDIM_IR_STABLE_COLUMN_H_

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "absl/numeric/bits.h"
#include "indim/ir/large_pages.h"

namespace indim {

// Members are as those of std::deque.
template <typename T>
class StableColumn {
 public:
  StableColumn() = default;
  StableColumn(const StableColumn& other) : StableColumn() {
    for (size_t i = 0; i < other.size(); ++i) push_back(other[i]);
  }
  StableColumn& operator=(const StableColumn&) = delete;
  ~StableColumn() {
    for (size_t i = 0; i < size_; ++i) (*this)[i].~T();
    for (size_t part = 0; part < kParts && parts_[part] != nullptr; ++part) {
      std::allocator<T>().deallocate(parts_[part], Capacity(part));
    }
  }

  size_t size() const { return size_; }
  T& operator[](size_t i) {
    const size_t part = PartOf(i);
    return parts_[part][i - First(part)];
  }
  const T& operator[](size_t i) const {
    const size_t part = PartOf(i);
    return parts_[part][i - First(part)];
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  template <typename... Args>
  void emplace_back(Args&&... args) {
    const size_t part = PartOf(size_);
    if (size_ == First(part)) {
      parts_[part] = std::allocator<T>().allocate(Capacity(part));
      ExpectUse(parts_[part], Capacity(part) * sizeof(T));
    }
    new (&parts_[part][size_ - First(part)]) T(std::forward<Args>(args)...);
    ++size_;
  }

 private:
  static constexpr size_t kFirstBits = 2;
  static constexpr size_t kParts = 33 - kFirstBits;  // up to 2^32 things

  static size_t PartOf(size_t i) {
    return static_cast<size_t>(absl::bit_width(i >> kFirstBits));
  }
  static size_t First(size_t part) {
    return part == 0 ? 0 : size_t{1} << (kFirstBits + part - 1);
  }
  static size_t Capacity(size_t part) {
    return size_t{1} << (part == 0 ? kFirstBits : kFirstBits + part - 1);
  }

  std::array<T*, kParts> parts_ = {};
  size_t size_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_STABLE_COLUMN_H_
