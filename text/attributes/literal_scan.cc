// SPDX-License-Identifier: Apache-2.0
#include "indim/text/attributes/literal_scan.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace indim {
namespace {

inline bool IsDigit(char c) { return static_cast<uint8_t>(c - '0') <= 9; }

inline bool IsIdentifierPart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '-';
}

const char* SkipDigits(const char* p, const char* end) {
  while (p != end && IsDigit(*p)) ++p;
  return p;
}

// Scans a number that begins with a digit or a point.
const char* ScanNumber(const char* const begin, const char* end,
                       ScannedValue* value) {
  const char* p = SkipDigits(begin, end);
  bool is_decimal = false;
  if (p != end && *p == '.') {
    const char* const after = SkipDigits(p + 1, end);
    if (after == begin + 1) return begin;  // a point alone
    p = after;
    is_decimal = true;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* const sign = p + 1;
    const char* const digits =
        sign != end && (*sign == '-' || *sign == '+') ? sign + 1 : sign;
    const char* const after = SkipDigits(digits, end);
    if (after != digits) {
      is_decimal = true;
      p = after;
    }
  }
  const absl::string_view text(begin, static_cast<size_t>(p - begin));
  if (is_decimal) {
    value->kind = ScannedValue::kDecimal;
    if (!absl::SimpleAtod(text, &value->value)) value->value = 0;
  } else {
    value->kind = absl::SimpleAtoi(text, &value->magnitude)
                      ? ScannedValue::kInt
                      : ScannedValue::kTooLong;
  }
  return p;
}

// Scans the payload after "nan", "(0x41)", if there is one.
const char* ScanPayload(const char* p, const char* end, uint64_t* payload) {
  constexpr uint64_t kLargest = (uint64_t{1} << 52) - 1;
  if (end - p < 5 || p[0] != '(' || p[1] != '0' || p[2] != 'x') return p;
  uint64_t bits = 0;
  const char* q = p + 3;
  for (; q != end && absl::ascii_isxdigit(static_cast<unsigned char>(*q));
       ++q) {
    const char c = absl::ascii_tolower(static_cast<unsigned char>(*q));
    bits =
        bits * 16 + static_cast<uint64_t>(IsDigit(c) ? c - '0' : c - 'a' + 10);
    if (bits > kLargest) return p;
  }
  if (q == end || *q != ')' || bits == 0) return p;
  *payload = bits;
  return q + 1;
}

const char* ScanWord(const char* p, const char* end, ScannedValue* value) {
  const char* q = p;
  while (q != end && IsIdentifierPart(*q)) ++q;
  const absl::string_view word(p, static_cast<size_t>(q - p));
  if (word == "nan") {
    value->kind = ScannedValue::kNan;
    return ScanPayload(q, end, &value->payload);
  }
  if (word == "inf") {
    value->kind = ScannedValue::kInfinity;
    return q;
  }
  if (!value->negative && (word == "true" || word == "false")) {
    value->kind = ScannedValue::kBool;
    value->magnitude = word == "true" ? 1 : 0;
    return q;
  }
  return p;
}

}  // namespace

const char* ScanValue(const char* p, const char* end, ScannedValue* value) {
  const char* const begin = p;
  if (p != end && *p == '-') {
    value->negative = true;
    ++p;
  }
  const char* const start = p;
  if (p == end) return begin;
  p = IsDigit(*p) || *p == '.' ? ScanNumber(p, end, value)
                               : ScanWord(p, end, value);
  if (p == start || (p != end && IsIdentifierPart(*p))) {
    value->kind = ScannedValue::kNone;
    return begin;
  }
  if (value->kind == ScannedValue::kTooLong) return p;
  if (value->kind == ScannedValue::kInt && value->negative &&
      value->magnitude > uint64_t{1} << 63) {
    value->kind = ScannedValue::kTooLong;
  }
  return p;
}

}  // namespace indim
