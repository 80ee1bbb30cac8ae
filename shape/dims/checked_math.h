// SPDX-License-Identifier: Apache-2.0
// Checked arithmetic on plain numbers.

#ifndef INDIM_SHAPE_DIMS_CHECKED_MATH_H_
#define INDIM_SHAPE_DIMS_CHECKED_MATH_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"

namespace indim {

// nullopt where the exact result doesn't fit in int64_t.
std::optional<int64_t> CheckedAdd(int64_t a, int64_t b);
std::optional<int64_t> CheckedSubtract(int64_t a, int64_t b);
std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b);
// a / b rounded towards +infinity; nullopt unless a >= 0 and b > 0.
std::optional<int64_t> CheckedCeilDivide(int64_t a, int64_t b);
// a / b when b divides a; nullopt when it does not, or unless a >= 0 and b > 0.
std::optional<int64_t> CheckedExactDivide(int64_t a, int64_t b);
// The product of `factors`; 1 for none. A 0 anywhere makes it 0, whatever the
// other factors are. nullopt when it doesn't fit or a factor is negative.
std::optional<int64_t> CheckedProduct(absl::Span<const int64_t> factors);
// The extent of `size` elements with `dilation` - 1 gaps between neighbours.
std::optional<int64_t> CheckedDilate(int64_t size, int64_t dilation);

}  // namespace indim

#endif  // INDIM_SHAPE_DIMS_CHECKED_MATH_H_
