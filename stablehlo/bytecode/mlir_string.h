// Strings in MLIR's text.

#ifndef INDIM_STABLEHLO_BYTECODE_MLIR_STRING_H_
#define INDIM_STABLEHLO_BYTECODE_MLIR_STRING_H_

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace indim::mlir {

// In quotes, with \22-like escapes of what isn't printable.
inline std::string QuotedString(absl::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      quoted += "\\\\";
    } else if (absl::ascii_isprint(byte) && c != '"') {
      quoted += c;
    } else {
      quoted += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return quoted + '"';
}

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_MLIR_STRING_H_
