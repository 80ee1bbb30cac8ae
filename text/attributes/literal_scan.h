// SPDX-License-Identifier: Apache-2.0
// Scans single values in the text of a literal, which may have millions of
// them.

#ifndef INDIM_TEXT_ATTRIBUTES_LITERAL_SCAN_H_
#define INDIM_TEXT_ATTRIBUTES_LITERAL_SCAN_H_

#include <cstdint>

namespace indim {

// One number or word, as written.
struct ScannedValue {
  enum Kind : uint8_t {
    kNone,     // no value begins here
    kTooLong,  // an integer that 64 bits can't hold
    kInt,      // -5
    kDecimal,  // 1.5e-3
    kInfinity,
    kNan,
    kBool,
  };
  Kind kind = kNone;
  bool negative = false;
  uint64_t magnitude = 0;  // kInt; kBool: 0 or 1
  double value = 0;        // kDecimal, without its sign; infinite if too large
  uint64_t payload = 0;    // kNan; 0: not given

  // The integer as XLA reads it: 2^63 to 2^64-1 are bit patterns.
  int64_t AsInt() const {
    return static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
  }
};

// Scans the value that begins at `p` and returns its end, or `p` if there is
// none. A number ends before a character that isn't part of an identifier.
const char* ScanValue(const char* p, const char* end, ScannedValue* value);

}  // namespace indim

#endif  // INDIM_TEXT_ATTRIBUTES_LITERAL_SCAN_H_
