// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/emitter.h"

#include "absl/numeric/bits.h"

namespace indim::mlir {

void AppendLongVarint(uint64_t value, std::string* out) {
  // Seven bits a byte; nine bytes hold all, behind a zero.
  const int size = (static_cast<int>(absl::bit_width(value | 1)) + 6) / 7;
  if (size > 8) {
    AppendByte(0, out);
    for (int i = 0; i < 8; ++i) {
      AppendByte(static_cast<uint8_t>(value >> (8 * i)), out);
    }
    return;
  }
  const uint64_t encoded = (value << 1 | 1) << (size - 1);
  for (int i = 0; i < size; ++i) {
    AppendByte(static_cast<uint8_t>(encoded >> (8 * i)), out);
  }
}

}  // namespace indim::mlir
