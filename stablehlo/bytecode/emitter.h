// SPDX-License-Identifier: Apache-2.0
// Appends the primitives of MLIR's bytecode to a string.

#ifndef INDIM_STABLEHLO_BYTECODE_EMITTER_H_
#define INDIM_STABLEHLO_BYTECODE_EMITTER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace indim::mlir {

inline void AppendByte(uint8_t byte, std::string* out) {
  out->push_back(static_cast<char>(byte));
}

// More than 7 bits.
void AppendLongVarint(uint64_t value, std::string* out);

inline void AppendVarint(uint64_t value, std::string* out) {
  if (value < 128) {
    AppendByte(static_cast<uint8_t>(value << 1 | 1), out);
  } else {
    AppendLongVarint(value, out);
  }
}

inline void AppendSignedVarint(int64_t value, std::string* out) {
  const uint64_t bits = static_cast<uint64_t>(value);
  AppendVarint(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0), out);
}

// A section: its id, size and contents.
inline void AppendSection(uint8_t id, absl::string_view contents,
                          std::string* out) {
  AppendByte(id, out);
  AppendVarint(contents.size(), out);
  out->append(contents.data(), contents.size());
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_EMITTER_H_
