#include "indim/text/attributes/literal_scan.h"

#include <cstddef>
#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace indim {
namespace {

inline bool IsDigit(char c) { return static_cast<uint8_t>(c - '0') <= 9; }

inline bool IsIdentifierPart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '-';
}

// These powers of ten are exact.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A decimal number before rounding.
struct Digits {
  uint64_t mantissa = 0;
  int count = 0;     // of digits of mantissa, without leading zeros; saturates
  int fraction = 0;  // number of digits after the point
  bool any = false;
};

constexpr int kMaxDigits = 19;  // so many always fit in 64 bits

inline const char* ScanDigits(const char* p, const char* end, Digits* digits) {
  const char* const start = p;
  uint64_t mantissa = digits->mantissa;
  int count = digits->count;
  for (; p != end && IsDigit(*p); ++p) {
    mantissa = mantissa * 10 + static_cast<uint64_t>(*p - '0');
    if (count != 0 ? count <= kMaxDigits : mantissa != 0) ++count;
    if (count > kMaxDigits) {
      // The number has too many digits to be exact here; skip the rest.
      while (p != end && IsDigit(*p)) ++p;
      break;
    }
  }
  digits->any = digits->any || p != start;
  digits->mantissa = mantissa;
  digits->count = count;
  return p;
}

// The value of [begin, end), rounded once.
double DecimalValue(const char* begin, const char* end, const Digits& digits,
                    int64_t exponent) {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  if (digits.count <= kMaxDigits && digits.mantissa <= kExact) {
    // Both are exact, so one rounding gives the right result.
    const double mantissa = static_cast<double>(digits.mantissa);
    const int64_t power = exponent - digits.fraction;
    if (power >= 0 && power < int64_t{std::size(kPowers)}) {
      return mantissa * kPowers[power];
    }
    if (power < 0 && -power < int64_t{std::size(kPowers)}) {
      return mantissa / kPowers[-power];
    }
  }
  double value = 0;
  const absl::string_view text(begin, static_cast<size_t>(end - begin));
  return absl::SimpleAtod(text, &value) ? value : 0;
}

// Scans a number that begins with a digit or a point.
const char* ScanNumber(const char* const begin, const char* end,
                       ScannedValue* value) {
  Digits digits;
  const char* p = ScanDigits(begin, end, &digits);
  const char* const integer_end = p;
  bool is_decimal = false;
  if (p != end && *p == '.') {
    const char* const point = p;
    p = ScanDigits(point + 1, end, &digits);
    if (!digits.any) return begin;
    // More than 1000 digits are never exact.
    digits.fraction = p - point > 1000 ? 1000 : static_cast<int>(p - point) - 1;
    is_decimal = true;
  }
  int64_t exponent = 0;
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    const bool negative = q != end && *q == '-';
    if (q != end && (*q == '-' || *q == '+')) ++q;
    const char* const start = q;
    for (; q != end && IsDigit(*q); ++q) {
      if (exponent < 100000) exponent = exponent * 10 + (*q - '0');
    }
    if (q != start) {
      is_decimal = true;
      p = q;
      if (negative) exponent = -exponent;
    }
  }
  if (is_decimal) {
    value->kind = ScannedValue::kDecimal;
    value->value = DecimalValue(begin, p, digits, exponent);
    return p;
  }
  value->kind = ScannedValue::kInt;
  value->magnitude = digits.mantissa;
  if (digits.count > kMaxDigits &&
      !absl::SimpleAtoi(
          absl::string_view(begin, static_cast<size_t>(integer_end - begin)),
          &value->magnitude)) {
    value->kind = ScannedValue::kTooLong;
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
