// SPDX-License-Identifier: Apache-2.0
// Lists with commas between.

#ifndef INDIM_STABLEHLO_TEXT_APPEND_LIST_H_
#define INDIM_STABLEHLO_TEXT_APPEND_LIST_H_

#include <cstddef>
#include <string>

namespace indim::mlir {

// Appends part(i) for each i < count, with commas between.
template <typename F>
void AppendList(size_t count, std::string* out, F part) {
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out->append(", ");
    part(i);
  }
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_APPEND_LIST_H_
