// SPDX-License-Identifier: Apache-2.0
// The least and the greatest number that a size may be written as.
#ifndef INDIM_TESTS_SHAPE_DIMS_INT64_ENDS_H_
#define INDIM_TESTS_SHAPE_DIMS_INT64_ENDS_H_

#include <cstdint>
#include <limits>

namespace indim {

inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_DIMS_INT64_ENDS_H_
