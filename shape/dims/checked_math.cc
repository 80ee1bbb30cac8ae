// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/dims/checked_math.h"

#include <algorithm>

namespace indim {

std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<int64_t> CheckedSubtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> CheckedCeilDivide(int64_t a, int64_t b) {
  if (a < 0 || b <= 0) return std::nullopt;
  return a / b + (a % b != 0 ? 1 : 0);
}

std::optional<int64_t> CheckedExactDivide(int64_t a, int64_t b) {
  if (a < 0 || b <= 0 || a % b != 0) return std::nullopt;
  return a / b;
}

std::optional<int64_t> CheckedProduct(absl::Span<const int64_t> factors) {
  int64_t product = 1;
  bool overflow = false;
  bool zero = false;
  for (int64_t factor : factors) {
    if (factor < 0) return std::nullopt;
    if (factor == 0) zero = true;
    if (__builtin_mul_overflow(product, std::max<int64_t>(factor, 1),
                               &product)) {
      overflow = true;
      product = 1;
    }
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return product;
}

std::optional<int64_t> CheckedDilate(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const std::optional<int64_t> span = CheckedMultiply(size - 1, dilation);
  return span ? CheckedAdd(*span, 1) : std::nullopt;
}

}  // namespace indim
